// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace chartwright::value {

/// The element type of a Go slice or map.
enum class Element : uint8_t { kInterface, kString, kInt, kBytes, kOther };

/// Describes a Go slice type, or a map type with string keys. There is one constant for each type.
struct GoType {
  std::string_view name;  ///< The text that %T prints: "[]string", "url.Values".
  Element element = Element::kInterface;
  bool is_named = false;  ///< Declared under a name, so that it may have methods.
};

/// A reference to a GoType, which decides %T, typeOf, conversions and comparison. Two are equal if
/// they refer to the same constant. A package that adds named types declares their constants.
template <typename Collection>
class CollectionType {
 public:
  constexpr explicit CollectionType(const GoType& type) : type_(&type) {}
  constexpr const GoType& operator*() const { return *type_; }
  constexpr const GoType* operator->() const { return type_; }
  bool operator==(const CollectionType&) const = default;
  /// Reports whether the elements are of type interface{}.
  constexpr bool holds_any() const { return type_->element == Element::kInterface; }

 private:
  const GoType* type_;
};

class Dict;
struct List;
using ListType = CollectionType<List>;
using DictType = CollectionType<Dict>;

namespace go_types {
inline constexpr GoType kAnySlice{"[]interface {}"};
inline constexpr GoType kStringSlice{"[]string", Element::kString};
inline constexpr GoType kIntSlice{"[]int", Element::kInt};
inline constexpr GoType kMapSlice{"[]map[string]interface {}", Element::kOther};
inline constexpr GoType kSliceSlice{"[][]interface {}", Element::kOther};
inline constexpr GoType kAnyMap{"map[string]interface {}"};
inline constexpr GoType kStringMap{"map[string]string", Element::kString};
}  // namespace go_types

inline constexpr ListType kAnyList(go_types::kAnySlice);
inline constexpr ListType kStringList(go_types::kStringSlice);
inline constexpr ListType kIntList(go_types::kIntSlice);
inline constexpr ListType kDictList(go_types::kMapSlice);
inline constexpr ListType kListList(go_types::kSliceSlice);
inline constexpr DictType kAnyDict(go_types::kAnyMap);
inline constexpr DictType kStringDict(go_types::kStringMap);

}  // namespace chartwright::value
