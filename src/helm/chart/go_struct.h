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

// Decodes YAML into structs as sigs.k8s.io/yaml does through encoding/json: scalars become strings
// where a string is expected, keys match case-insensitively, null changes nothing, and the first
// member of a wrong type is reported in Go's words after everything else has been read.
namespace chartwright::helm {

/// Decodes values into struct fields and keeps the first type error.
class StructDecoder {
 public:
  /// Reads the value of one member.
  using Read = std::function<void(StructDecoder&, const value::Value&)>;
  struct Field {
    std::string_view name;  ///< JSON name.
    Read read;
  };
  /// A Go struct type: the bare name before a field in errors ("Metadata"), and the full type.
  struct Type {
    std::string_view bare;
    std::string_view full;
  };

  /// Decodes the members of a mapping. Any other value except null is a type error.
  void object(const value::Value& v, const Type& type, std::span<const Field> fields);
  /// Decodes every element of a list. `type` is the Go type of the slice.
  void list(const value::Value& v, std::string_view type, const Read& element);
  void string(const value::Value& v, std::string& into);
  void boolean(const value::Value& v, bool& into);
  void string_list(const value::Value& v, std::vector<std::string>& into);
  /// Decodes a map[string]string. A null entry becomes "".
  void string_map(const value::Value& v, value::Value& into);

  /// Returns the first type error: kParse "error unmarshaling JSON: while decoding JSON: json:
  /// cannot unmarshal ...".
  base::Status status() const;

 private:
  void mismatch(const value::Value& v, std::string_view type);
  std::vector<std::string> path_;
  std::string_view bare_type_;
  std::optional<base::Error> error_;
};

/// Returns encoding/json's name for a value's type: "object", "array", "number", ...
std::string_view json_type(const value::Value& v);
/// Returns the decoding error for a document whose top level is not of the Go type expected, e.g.
/// "[]interface {}".
base::Error wrong_top_type(const value::Value& v, std::string_view go_type);

}  // namespace chartwright::helm
