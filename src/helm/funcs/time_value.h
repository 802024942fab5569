// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/clock.h"
#include "go/time.h"
#include "value/value.h"

namespace chartwright::helm::funcs {

/// A time.Time with its methods that templates can call.
value::Value make_time(go::Time time);
/// nullptr when `v` is no time.Time.
const go::Time* as_time(const value::Value& v);

/// A time.Duration: prints as "1h30m0s".
value::Value make_duration(base::Duration duration);

/// nullptr when `v` is no time.Duration.
const base::Duration* as_duration(const value::Value& v);

/// The number of a time.Month or time.Weekday, which print as names; nullopt for other values.
std::optional<int64_t> as_named_number(const value::Value& v);

}  // namespace chartwright::helm::funcs
