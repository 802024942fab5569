// SPDX-License-Identifier: Apache-2.0
#include "resource/condition_list.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/unicode.h"

namespace chartwright::op {

using health::ConditionType;
using value::Value;

namespace {

// The limit of metav1.Condition.
constexpr size_t kMessageBytesMax = 32768;

}  // namespace

Conditions::Conditions(const Value& previous_status, int64_t generation, base::WallTime now)
    : generation_(generation), now_(base::format_rfc3339(now)) {
  const Value* previous = previous_status.find("conditions");
  if (previous != nullptr && previous->is_list()) {
    for (const Value& c : previous->as_list().items) {
      previous_[std::string(c.string_at({"type"}))] = c;
    }
  }
}

void Conditions::set(std::string_view type, const Verdict& verdict, int64_t generation) {
  Value c = Value::dict(
      {{"type", Value::string(type)},
       {"status", Value::string(verdict.status)},
       {"reason", Value::string(verdict.reason)},
       {"message",
        Value::string(base::shortened(base::printable_lines(verdict.message), kMessageBytesMax))},
       {"lastTransitionTime", Value::string(transition_time(type, verdict.status))}});
  if (generation > 0) {
    c.mutable_dict().set("observedGeneration", Value::integer(generation));
  }
  current_.insert_or_assign(std::string(type), std::move(c));
}

void Conditions::set_true(const ConditionType& type, std::string message) {
  set(type, {"True", type.reason(), std::move(message)});
}

void Conditions::keep(const ConditionType& type) {
  if (const auto it = previous_.find(std::string(type.name)); it != previous_.end()) {
    current_.insert_or_assign(it->first, it->second);
  }
}

Value Conditions::to_value() const {
  std::vector<Value> items;
  items.reserve(current_.size());
  for (const auto& [type, c] : current_) {
    items.push_back(c);
  }
  return Value::list(std::move(items));
}

std::string Conditions::transition_time(std::string_view type, std::string_view status) const {
  auto it = previous_.find(std::string(type));
  if (it == previous_.end() || it->second.string_at({"status"}) != status) {
    return now_;
  }
  const std::string_view since = it->second.string_at({"lastTransitionTime"});
  return since.empty() ? now_ : std::string(since);
}

}  // namespace chartwright::op
