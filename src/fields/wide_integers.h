// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "value/value.h"

namespace chartwright::fields {

/// Reports whether an object has a whole number that does not fit into 32 bits.
bool has_wide_integer(const value::Value& object);

/// Returns the first whole number of `sent` that the API server has cut to 32 bits in `kept`, its
/// reply, for people: "spec.replicas is 10000000000, of which the API server keeps 1410065408";
/// empty if there is none. A server-side apply does that without an error where other writes refuse
/// the number.
std::string cut_integer(const value::Value& sent, const value::Value& kept);

}  // namespace chartwright::fields
