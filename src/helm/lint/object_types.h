// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::helm::lint {

/// The fields of the kinds of object that an API server knows.
class ObjectTypes {
 public:
  using Id = uint32_t;
  enum class Kind : uint8_t {
    kAny,
    kString,
    kInteger,
    kNumber,
    kBoolean,
    kQuantity,     ///< A string or a number.
    kIntOrString,  ///< A string or a whole number.
    kList,
    kMap,     ///< From any names to one type.
    kObject,  ///< With known fields.
  };
  struct Type {
    Kind kind = Kind::kAny;
    Id element = 0;  ///< Of a list or map.
    std::map<std::string, Id, std::less<>> fields = {};
    std::vector<std::string> required = {};
    bool open = false;  ///< Other fields are kept, too.
  };

  /// The built-in kinds of one version of Kubernetes, from src/helm/lint/kubernetes_fields.txt.
  static ObjectTypes bundled();
  /// None.
  ObjectTypes();

  /// Adds the kinds of an OpenAPI document, version 2 or 3, as `kubectl get --raw /openapi/v2`
  /// prints it. Errors: kParse, kBudget, kInvalidArgument for JSON that is no such document.
  base::Status add_openapi(std::string_view json);
  /// Adds the kinds of a CustomResourceDefinition; one that is malformed adds none.
  void add_crd(const value::Value& crd);

  /// nullptr when the kind is not known.
  const Type* find(std::string_view api_version, std::string_view kind) const;
  const Type& at(Id id) const { return types_[id]; }

 private:
  friend class SchemaReader;
  Id add(Type type);
  void name_kind(const std::string& api_version, const std::string& kind, Id id);
  Id read_code(std::string_view code, Id first);
  void read_fields(std::string_view line, Id first, Type& into);

  std::vector<Type> types_;
  std::map<std::string, Id, std::less<>> kinds_;  ///< By "apiVersion kind".
};

}  // namespace chartwright::helm::lint
