// SPDX-License-Identifier: Apache-2.0
#include "release/contest.h"

#include <algorithm>
#include <utility>

namespace chartwright::release {
namespace {

constexpr int kFreeRepairs = 10;
constexpr base::Duration kFirstWait = std::chrono::seconds(1);
constexpr base::Duration kWaitMax = std::chrono::minutes(5);
constexpr base::Duration kQuietMin = std::chrono::seconds(30);

base::Duration wait_after(int repairs) {
  if (repairs < kFreeRepairs) {
    return base::Duration::zero();
  }
  return base::doubled(kFirstWait, repairs - kFreeRepairs, kWaitMax);
}

// The end of the quiet time after which the next repair is the first one again.
base::MonotonicTime end_of(const Contest& contest) {
  return contest.due + std::max(kQuietMin, wait_after(contest.repairs));
}

bool is_repair(const Step& step) {
  return step.acts() && (step.reason == Reason::kDrifted || step.reason == Reason::kOrphaned ||
                         step.reason == Reason::kMissing);
}

}  // namespace

bool is_contested(const Contest& contest) { return contest.repairs >= kFreeRepairs; }

bool has_to_wait(const Contests& contests, const kube::ObjectRef& ref, base::MonotonicTime now) {
  const auto contest = contests.find(ref);
  return contest != contests.end() && now < contest->second.due;
}

void hold_repairs(const Contests& contests, base::MonotonicTime now, Plan& plan) {
  for (Step& step : plan) {
    if (is_repair(step) && has_to_wait(contests, step.ref, now)) {
      step.action = Action::kNone;
      step.reason = Reason::kContested;
    }
  }
}

bool note_repair(Contests& contests, const kube::ObjectRef& ref, base::MonotonicTime now,
                 std::string managers) {
  Contest& contest = contests[ref];
  if (contest.repairs > 0 && now >= end_of(contest)) {
    contest = {};
  }
  ++contest.repairs;
  contest.due = now + wait_after(contest.repairs);
  contest.managers = std::move(managers);
  return contest.repairs == kFreeRepairs;
}

void end_contests(Contests& contests, const Inventory& inventory, base::MonotonicTime now) {
  std::erase_if(contests, [&inventory, now](const auto& item) {
    return now >= end_of(item.second) || !inventory.contains(item.first);
  });
}

std::optional<base::Duration> next_of(const Contests& contests, base::MonotonicTime now) {
  std::optional<base::Duration> next;
  for (const auto& [ref, contest] : contests) {
    if (is_contested(contest)) {
      const base::Duration left = (now < contest.due ? contest.due : end_of(contest)) - now;
      next = next ? std::min(*next, left) : left;
    }
  }
  return next;
}

}  // namespace chartwright::release
