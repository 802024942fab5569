// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value/path.h"
#include "value/value.h"

namespace chartwright::fields {

/// Returns the digest of the projection of a live object: the fields that our own server-side
/// applies own. A change of it is drift. Two objects have the same projection exactly when our
/// managedFields entry and every value under it are the same, whatever other fields they have.
///
/// Returns nullopt when `object` carries no Apply entry of `manager` for the main resource, or its
/// entry was written for another apiVersion than the object now has; both mean "apply again".
/// Source of the field-set grammar: sigs.k8s.io/structured-merge-diff fieldpath/serialize-pe.go.
std::optional<std::string> projection_digest(const value::Value& object, std::string_view manager);

/// The fields that one of our managers applied to an object.
struct AppliedPart {
  std::string manager;  ///< kFieldManager, or that of a custom resource.
  std::string digest;   ///< The result of projection_digest; empty: to be applied again.
};

/// The fields that our managers have set in an object.
struct OurFields {
  /// The fields that our managers applied, ordered by manager: no more parts than the object has
  /// entries.
  std::vector<AppliedPart> parts;
  bool has_mark = false;  ///< One of them has set the mark, by whatever operation.
};

/// Returns the fields that our managers have set in a live object. `mark`: the field to look for,
/// or none.
OurFields our_fields(const value::Value& object, const std::optional<value::Path>& mark);

/// Reports whether the Apply entry of `manager` for the main resource contains the field at `path`,
/// or one that contains it whole.
bool owns_field(const value::Value& object, std::string_view manager, const value::Path& path);

/// Returns the item of a list that a key of a set of fields names, by its key fields
/// (`k:{"name":"a"}`) or its value (`v:"a"`); nullptr if there is none.
const value::Value* find_item(const value::Value& list, std::string_view key);

/// The managers of an object's fields, as its managedFields name them.
class FieldManagers {
 public:
  /// `object` must outlive it.
  explicit FieldManagers(const value::Value& object);

  /// Returns the managers whose entries contain the field at `path`, or one that contains it whole,
  /// or part of it; without duplicates, in the order of the entries.
  std::vector<std::string> of(const value::Path& path) const;
  /// Returns these entries themselves, in their order: with manager, operation, subresource and
  /// time. They are valid for as long as the object.
  std::vector<const value::Value*> entries_of(const value::Path& path) const;

 private:
  struct Entry {
    const value::Value* entry;
    value::Value fields;
  };
  const value::Value& object_;
  std::vector<Entry> entries_;
};

/// Returns the digest of an object that we are about to apply, computed over canonical JSON so that
/// two renders of the same object have the same digest.
std::string desired_digest(const value::Value& object);

/// Reports whether `live` already has every leaf of `partial` with the same meaning (numbers and
/// quantities are compared by value, dicts by the keys that `partial` has). Lists must match whole.
bool already_holds(const value::Value& live, const value::Value& partial);

}  // namespace chartwright::fields
