// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "health/condition_types.h"
#include "value/value.h"

namespace chartwright::op {

/// The status of a condition, and why. The texts must outlive it.
struct Verdict {
  std::string_view status;
  std::string_view reason;
  std::string message;
  /// It may get better by itself, whatever the reason is.
  bool may_pass = false;
};

/// Collects conditions by type, and keeps the transition times of those that did not change.
/// Not thread-safe.
class Conditions {
 public:
  /// `previous_status` may be nil. `generation` is the one that the conditions are about.
  Conditions(const value::Value& previous_status, int64_t generation, base::WallTime now);

  void set(std::string_view type, const Verdict& verdict) { set(type, verdict, generation_); }
  void set(const health::ConditionType& type, const Verdict& verdict) { set(type.name, verdict); }
  /// Sets it for another generation. One that is not known, 0, is left out.
  void set(std::string_view type, const Verdict& verdict, int64_t generation);
  /// Sets a type to True that has one reason.
  void set_true(const health::ConditionType& type, std::string message);
  /// Leaves a condition as it was.
  void keep(const health::ConditionType& type);
  /// Returns the list of all, by type.
  value::Value to_value() const;

 private:
  std::string transition_time(std::string_view type, std::string_view status) const;

  const int64_t generation_;
  const std::string now_;
  std::map<std::string, value::Value> previous_;
  std::map<std::string, value::Value> current_;
};

}  // namespace chartwright::op
