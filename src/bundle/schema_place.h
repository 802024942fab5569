// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "helm/schema/view.h"
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
  SchemaPlace(const value::Value& root, Unlisted unlisted);

  /// Returns the names of the members; empty where others are possible.
  std::vector<std::string_view> members() const;
  SchemaPlace member(std::string_view name) const;
  SchemaPlace item() const;
  /// Returns the types that are allowed; empty: any.
  std::vector<std::string_view> types() const;
  /// Returns the values that are allowed; nullopt: any.
  std::optional<std::vector<value::Value>> choices() const;
  /// Reports whether a value of the type `found` may be here; "" is not known. Where there is a
  /// choice of types, beside null, any may be: a CRD does not check them.
  bool allows(std::string_view found) const;

 private:
  using View = helm::SchemaView<value::Value>;

  SchemaPlace below(const std::vector<const value::Value*>& schemas) const;
  bool is_open(const value::Value& table) const;

  std::shared_ptr<const View> document_;
  std::vector<const value::Value*> tables_;  ///< All are in force; empty: anything may be here.
  Unlisted unlisted_ = Unlisted::kKept;
};

}  // namespace chartwright::bundle
