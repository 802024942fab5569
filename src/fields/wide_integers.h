// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "value/path.h"
#include "value/value.h"

namespace chartwright::fields {

/// Reports whether an object has a whole number that does not fit into 32 bits.
bool has_wide_integer(const value::Value& object);

/// A whole number that the API server has cut to 32 bits.
struct CutInteger {
  value::Path place;
  int64_t kept;
  /// For people: "spec.replicas is 10000000000, of which the API server keeps 1410065408".
  std::string text;
};

/// Returns the whole numbers of `sent` that the API server has cut in `kept`, its reply or the live
/// object. A server-side apply does that without an error where other writes refuse the number.
std::vector<CutInteger> cut_integers(const value::Value& sent, const value::Value& kept);

}  // namespace chartwright::fields
