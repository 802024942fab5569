// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "release/plan.h"

namespace chartwright::release {

/// An object that was repaired, and may be changed again soon.
struct Contest {
  int repairs = 0;          ///< Without a quiet time between; from 1.
  base::MonotonicTime due;  ///< The earliest time of the next repair.
  std::string managers;  ///< The managers of the fields that the last repair set back, for people.
};

/// The contests by object. Two controllers that do not agree would write as fast as the API server
/// answers, so after the first 10 repairs the next ones wait: a second, then twice as long each
/// time, at most 5 minutes. It starts over after a quiet time of twice the last wait, at least 30
/// s.
using Contests = std::map<kube::ObjectRef, Contest>;

/// Reports whether repairs of the object wait.
bool is_contested(const Contest& contest);

/// Reports whether a repair of `ref` has to wait.
bool has_to_wait(const Contests& contests, const kube::ObjectRef& ref, base::MonotonicTime now);

/// Holds back the repairs in `plan` that have to wait. Changes that the user asks for do not wait.
void hold_repairs(const Contests& contests, base::MonotonicTime now, Plan& plan);

/// Notes a repair of `ref` by now, and returns whether it is the one with which a contest begins.
bool note_repair(Contests& contests, const kube::ObjectRef& ref, base::MonotonicTime now,
                 std::string managers);

/// Forgets the objects that were quiet for long enough, and those that are not recorded any more.
void end_contests(Contests& contests, const Inventory& inventory, base::MonotonicTime now);

/// Returns how soon a repair that waits is due, or a contest may be over; nullopt: there is none.
std::optional<base::Duration> next_of(const Contests& contests, base::MonotonicTime now);

}  // namespace chartwright::release
