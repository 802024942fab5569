// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::helm {

/// The object kinds that an API server knows, with their fields.
class ObjectTypes {
 public:
  using Id = uint32_t;
  enum class Kind : uint8_t {
    kAny,
    kString,
    kBytes,    ///< Base64 in a string.
    kInteger,  ///< An integer of 64 bits.
    kInt32,
    kNumber,
    kBoolean,
    kQuantity,       ///< A string or a number.
    kInt32OrString,  ///< Kubernetes' own IntOrString.
    kIntOrString,    ///< The type of custom resources: whole numbers may have any size.
    kList,
    kMap,     ///< A map from any names to one type.
    kObject,  ///< An object with known fields.
  };
  /// A field that, with others, identifies the items of a list.
  struct Key {
    std::string field;
    value::Value preset = {};  ///< Counts where an item lacks the field; nil for none.
  };
  struct Type {
    Kind kind = Kind::kAny;
    Id element = 0;  ///< The element type of a list or map.
    /// Whether the items of a list differ: in their keys, or as a whole in a list without keys.
    bool distinct = false;
    std::vector<Key> keys = {};
    std::map<std::string, Id, std::less<>> fields = {};
    std::vector<std::string> required = {};
    bool open = false;  ///< Whether unknown fields are kept.
  };

  /// Returns the built-in kinds of one version of Kubernetes, from kubernetes_fields.txt.
  static ObjectTypes bundled();
  /// Returns the names of these kinds: apiVersion and kind.
  static std::vector<std::pair<std::string, std::string>> bundled_kinds();
  /// Knows no kinds.
  ObjectTypes();

  /// Adds the kinds of an OpenAPI document, version 2 or 3, as printed by `kubectl get --raw
  /// /openapi/v2`. Errors: kParse, kBudget, kInvalidArgument for JSON that is not such a document.
  base::Status add_openapi(std::string_view json);
  /// Adds the kinds of a CustomResourceDefinition; none if it is malformed.
  void add_crd(const value::Value& crd);

  /// Returns the type of a kind; nullptr if it is unknown.
  const Type* find(std::string_view api_version, std::string_view kind) const;
  const Type& at(Id id) const { return types_[id]; }

 private:
  friend class SchemaReader;
  Id add(Type type);
  void name_kind(const std::string& api_version, const std::string& kind, Id id);
  Id read_code(std::string_view code, Id first);
  Id read_distinct(std::string_view code, Id first);
  void read_fields(std::string_view line, Id first, Type& into);

  std::vector<Type> types_;
  std::map<std::string, Id, std::less<>> kinds_;  ///< Types by "apiVersion kind".
};

}  // namespace chartwright::helm
