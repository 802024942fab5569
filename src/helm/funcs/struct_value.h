// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::helm::funcs {

/// Whether JSON omits a field if it is empty.
enum class JsonEmpty : uint8_t { kWrite, kOmit };

/// An exported field of a Go struct that templates can access.
struct StructField {
  std::string_view go_name;
  std::string_view json_name;
  value::Value value;
  JsonEmpty empty = JsonEmpty::kOmit;
};

/// An entry of the mapping that yaml v3 writes for a struct.
struct YamlField {
  std::string name;
  value::Value value;
};

/// A Go struct, or a pointer to one, without methods. Immutable.
class StructValue : public value::Native {
 public:
  enum class Form : uint8_t { kStruct, kPointer };
  /// `go_type` has no star, even for a pointer. The views in `fields` must outlive the object.
  StructValue(std::string_view go_type, Form form, std::vector<StructField> fields);

  const std::vector<StructField>& fields() const { return fields_; }
  /// Returns the index of field `i` in Go's declaration; all fields of an embedded struct have the
  /// index of that struct.
  virtual size_t go_index(size_t i) const { return i; }
  /// Returns the fields as yaml v3 writes them, in order: names in lower case, empty fields
  /// included. Override for a struct with yaml tags or an embedded struct.
  virtual std::vector<YamlField> yaml_fields() const;
  std::string_view go_type() const override { return go_type_; }
  std::string_view go_kind() const override { return form_ == Form::kPointer ? "ptr" : "struct"; }
  std::optional<value::Value> field(std::string_view name) const override;
  /// Returns "{a b}", also for a pointer: templates print the pointed-to value.
  std::string to_string() const override;
  /// Returns "{a b}", or "&{a b}" for a pointer.
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
