// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::bundle {

/// The fate of members of a table that its schema does not list, if it says nothing of them.
enum class Unlisted : uint8_t {
  kKept,     ///< They are kept, as JSON Schema and Helm say.
  kDropped,  ///< They are dropped, as by an API server.
};

/// A place in a schema: JSON Schema, or the structural one of a CRD. Without a schema, anything may
/// be there.
class SchemaPlace {
 public:
  SchemaPlace() = default;
  /// The root of the document `root`, which must outlive the place.
  SchemaPlace(const value::Value& root, Unlisted unlisted) : SchemaPlace(&root, &root, unlisted) {}

  /// Returns the names of the members; empty where others are possible.
  std::vector<std::string_view> members() const;
  SchemaPlace member(std::string_view name) const;
  SchemaPlace item() const;
  /// Returns the only type that is allowed; "" if there is none.
  std::string_view type() const;
  /// Returns the types that are allowed; empty: any.
  std::vector<std::string_view> types() const;
  /// Returns the values that are allowed, a list; nullptr: any.
  const value::Value* choices() const;
  /// Reports whether a value of the type `found` may be here; "" is not known.
  bool allows(std::string_view found) const;

 private:
  SchemaPlace(const value::Value* schema, const value::Value* root, Unlisted unlisted);
  bool is_open() const;

  const value::Value* schema_ = nullptr;
  const value::Value* root_ = nullptr;
  Unlisted unlisted_ = Unlisted::kKept;
};

}  // namespace chartwright::bundle
