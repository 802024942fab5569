// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::helm::funcs {

/// Whether a field is left out of JSON when it is empty.
enum class JsonEmpty : uint8_t { kWrite, kOmit };

/// One exported field of a Go struct that templates can reach.
struct StructField {
  std::string_view go_name;
  std::string_view json_name;
  value::Value value;
  JsonEmpty empty = JsonEmpty::kOmit;
};

/// One entry of the mapping that yaml v3 writes for a struct.
struct YamlField {
  std::string name;
  value::Value value;
};

/// A Go struct, or a pointer to one, without methods. Immutable.
class StructValue : public value::Native {
 public:
  enum class Form : uint8_t { kStruct, kPointer };
  /// `go_type` without the star of a pointer; views must outlive the object.
  StructValue(std::string_view go_type, Form form, std::vector<StructField> fields);

  const std::vector<StructField>& fields() const { return fields_; }
  /// Where Go declares field `i`: the fields of an embedded struct are all in its place.
  virtual size_t go_index(size_t i) const { return i; }
  /// What yaml v3 writes, in its order: names in lower case, empty fields too. A struct with tags
  /// for yaml or an embedded one has others.
  virtual std::vector<YamlField> yaml_fields() const;
  std::string_view go_type() const override { return go_type_; }
  std::string_view go_kind() const override { return form_ == Form::kPointer ? "ptr" : "struct"; }
  std::optional<value::Value> field(std::string_view name) const override;
  /// "{a b}": templates print what a pointer leads to.
  std::string to_string() const override;
  /// "{a b}" or "&{a b}".
  std::string to_plain_string() const override;
  std::vector<Member> members() const override;
  base::Result<value::Value> to_json_value() const override;
  std::vector<std::string_view> json_order() const override;

 private:
  std::string go_type_;
  Form form_;
  std::vector<StructField> fields_;
};

}  // namespace chartwright::helm::funcs
