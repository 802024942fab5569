// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "value/path.h"
#include "value/value.h"

namespace chartwright::fields {

/// An object within a live object, of which another form is desired. A server-side apply keeps the
/// members that others, or defaults, have set beside ours; some exclude each other.
struct Siblings {
  std::vector<std::string> way;      ///< The keys that lead to it in a set of fields.
  value::Path place;                 ///< In the live object.
  value::Value desired;              ///< The desired form of the object; empty if there is none.
  value::Value beside;               ///< The desired form of other members of the live object.
  std::vector<std::string> members;  ///< Those that it has, and the desired form lacks.
};

/// Returns the objects that a refusal of an apply of `desired` over `live` may be about. `field` is
/// that of its cause, in the API server's words ("spec.containers[0].env[1].valueFrom"): it names
/// the object, or something in it; the innermost ones come first. An index stands for all items of
/// a list that both have. A name that neither has is one of the internal version of the kind, and
/// stands for all objects there; a key of a map of the whole ("data[a]") for each such map. Only
/// those with members that the desired form lacks, or has as null; not the whole live object, and
/// nothing in its metadata.
std::vector<Siblings> find_siblings(const value::Value& live, const value::Value& desired,
                                    std::string_view field);

/// Returns a JSON patch that brings `one` in `live`, and what is beside it, to its desired form,
/// without `members` of it.
value::Value patch_without(const value::Value& live, const Siblings& one,
                           const std::vector<std::string>& members);

/// Returns the managedFields of `live` with members as fields of `manager` alone, so that its next
/// apply removes those that it does not have, also if it has applied nothing yet. Each of `chosen`
/// names the members to move.
value::Value managed_fields_with_members(const value::Value& live, std::string_view manager,
                                         const std::vector<Siblings>& chosen);

}  // namespace chartwright::fields
