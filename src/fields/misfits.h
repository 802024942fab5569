// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value/path.h"
#include "value/value.h"

namespace chartwright::fields {

/// Removes from `body`, an unshared object that a server-side apply was refused for, what does not
/// fit the schema of its kind and other writes drop or merge: fields that the schema lacks, of list
/// items with the same key all but the last, and nulls in custom resources. Returns what was left
/// out, for people, without the nulls, which nobody misses; nullopt, without a change, if the body
/// does not fit for another reason, too.
std::optional<std::vector<std::string>> leave_misfits(const base::Error& refusal,
                                                      value::Value& body);

/// Returns a text about what was left out of an object, for people: "spec.a; spec.b", of bounded
/// length. Returns `former`, which may have places, where it names the same.
std::string left_out_text(const std::vector<std::string>& left_out, const std::string& former);

/// Returns such a text with a place behind each part that was left out, as "spec.a (x.yaml:3)".
/// `place_of` gets the parts without their places; "": it is not known.
std::string with_places(const std::string& left_out,
                        const std::function<std::string(std::string_view part)>& place_of);

/// Returns the first value of an object that a part of such a text names; nullopt if there is none.
std::optional<value::Path> place_of_left_out(std::string_view part, const value::Value& object);

}  // namespace chartwright::fields
