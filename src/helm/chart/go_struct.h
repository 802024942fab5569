// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

// Decodes YAML into structs as sigs.k8s.io/yaml does through encoding/json: scalars become text
// where a string is wanted, keys match without regard to case, null changes nothing, and the first
// member of a wrong type is reported in Go's words once everything else has been read.
namespace chartwright::helm {

/// Collects the first type error of one decoding.
class StructDecoder {
 public:
  /// Reads one member's value.
  using Read = std::function<void(StructDecoder&, const value::Value&)>;
  struct Field {
    std::string_view name;  ///< JSON name.
    Read read;
  };
  /// A Go struct type: the bare name that stands before a field ("Metadata"), and the full type.
  struct Type {
    std::string_view bare;
    std::string_view full;
  };

  /// Decodes the members of a mapping; anything else but null is a type error.
  void object(const value::Value& v, const Type& type, std::span<const Field> fields);
  /// Decodes every element of a list; `type` is the slice's Go type.
  void list(const value::Value& v, std::string_view type, const Read& element);
  void string(const value::Value& v, std::string& into);
  void boolean(const value::Value& v, bool& into);
  void string_list(const value::Value& v, std::vector<std::string>& into);
  /// map[string]string; a null entry is "".
  void string_map(const value::Value& v, value::Value& into);

  /// Error: kParse, "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ...".
  base::Status status() const;

 private:
  void mismatch(const value::Value& v, std::string_view type);
  std::vector<std::string> path_;
  std::string_view bare_type_;
  std::optional<base::Error> error_;
};

/// encoding/json's word for a value's type: "object", "array", "number", ...
std::string_view json_type(const value::Value& v);
/// The decoding error for a document whose top is not what it must be, e.g. "[]interface {}".
base::Error wrong_top_type(const value::Value& v, std::string_view go_type);

}  // namespace chartwright::helm
