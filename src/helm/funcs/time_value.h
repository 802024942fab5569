// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/clock.h"
#include "go/time.h"
#include "value/value.h"

namespace chartwright::helm::funcs {

/// Returns a time.Time with the methods that templates can call.
value::Value make_time(go::Time time);
/// Returns nullptr if `v` is not a time.Time.
const go::Time* as_time(const value::Value& v);

/// Returns a time.Duration, which prints as "1h30m0s".
value::Value make_duration(base::Duration duration);

/// Returns nullptr if `v` is not a time.Duration.
const base::Duration* as_duration(const value::Value& v);

/// Returns the number of a time.Month or time.Weekday, which print as names; nullopt for other
/// values.
std::optional<int64_t> as_named_number(const value::Value& v);

}  // namespace chartwright::helm::funcs
