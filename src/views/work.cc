// SPDX-License-Identifier: Apache-2.0
#include "views/work.h"

#include <string>
#include <utility>

namespace chartwright::views {

using base::Error;
using base::ErrorCode;

namespace {

constexpr uint64_t kTouchedPerLook = 4096;

}  // namespace

Work::Work(const base::Clock& clock, kube::Call call, base::Duration cpu_max)
    : clock_(clock),
      call_(std::move(call)),
      cpu_max_(cpu_max),
      cpu_end_(clock.thread_cpu() + cpu_max) {}

base::Status Work::check() const {
  if (call_.stop.stop_requested()) {
    return Error(ErrorCode::kCancelled, "the client has gone");
  }
  if (clock_.thread_cpu() > cpu_end_) {
    return Error(ErrorCode::kBudget,
                 "more than " + base::format_go_duration(cpu_max_) + " of CPU time");
  }
  return {};
}

base::Status Work::touch(uint64_t members) {
  if (members > kTouchedMax - touched_) {
    touched_ = kTouchedMax;
    return Error(ErrorCode::kBudget,
                 "more than " + std::to_string(kTouchedMax) + " members are touched");
  }
  const uint64_t before = std::exchange(touched_, touched_ + members);
  // A look at the clock costs as much as many members.
  if (before / kTouchedPerLook == touched_ / kTouchedPerLook) {
    return {};
  }
  return check();
}

}  // namespace chartwright::views
