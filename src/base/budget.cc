// SPDX-License-Identifier: Apache-2.0
#include "base/budget.h"

#include <algorithm>
#include <string>
#include <utility>

namespace chartwright::base {
namespace {

Error exceeded(std::string_view what, const std::string& limit,
               ErrorCode code = ErrorCode::kBudget) {
  return Error(code, "render budget exceeded: more than " + limit + " " + std::string(what));
}

}  // namespace

Budget::Budget(const BudgetLimits& limits, const Clock& clock)
    : limits_(limits),
      memory_(limits.memory_bytes_max),
      clock_(clock),
      cpu_end_(clock.thread_cpu() + limits.cpu_max),
      cpu_next_(after(clock.monotonic(), limits.cpu_max)) {}

Status Budget::check_step() {
  if (steps_ > limits_.steps_max) {
    return exceeded("evaluation steps", std::to_string(limits_.steps_max));
  }
  if (clock_.monotonic() <= cpu_next_) {
    return {};
  }
  return check_cpu();
}

// A thread's CPU time never advances faster than the clock, and the clock is cheaper to read: it
// decides when to check the CPU time again.
Status Budget::check_cpu() {
  const Duration left = cpu_end_ - clock_.thread_cpu();
  if (left < Duration::zero()) {
    return exceeded("of CPU time", format_go_duration(limits_.cpu_max));
  }
  cpu_next_ = after(clock_.monotonic(), left);
  return {};
}

Status Budget::charge_wait(MonotonicTime since) {
  waited_ += clock_.monotonic() - since;
  if (waited_ > limits_.wait_max) {
    return exceeded("of waiting", format_go_duration(limits_.wait_max), ErrorCode::kTimeout);
  }
  return {};
}

Status Budget::charge_steps(uint64_t count) {
  // Saturate: a very large count must not wrap around to a small one.
  steps_ = count > limits_.steps_max - std::min(steps_, limits_.steps_max) ? limits_.steps_max + 1
                                                                           : steps_ + count;
  return check_step();
}

Status Budget::charge_gathered_work() {
  const size_t bytes = std::exchange(work_bytes_, work_bytes_ % kWorkBytesPerStep);
  return charge_steps(bytes / kWorkBytesPerStep);
}

Error Budget::memory_error(const std::bad_alloc& cause) const {
  return base::memory_error(cause).wrap("render budget exceeded");
}

Status Budget::charge_output(size_t bytes) {
  if (bytes > limits_.output_bytes_max - output_bytes_) {
    return exceeded("bytes of output", std::to_string(limits_.output_bytes_max));
  }
  output_bytes_ += bytes;
  return {};
}

Status Budget::charge_alloc(size_t bytes) {
  if (!MemoryLimit::allows(bytes)) {
    return memory_error(MemoryLimitReached(MemoryLimit::bytes_in_force()));
  }
  return charge_work(bytes);
}

Status Budget::enter() {
  if (depth_ >= limits_.depth_max) {
    return Error(ErrorCode::kBudget,
                 "exceeded maximum template depth (" + std::to_string(limits_.depth_max) + ")");
  }
  ++depth_;
  return {};
}

Status Budget::nest() {
  if (nesting_ >= limits_.nesting_max) {
    return Error(ErrorCode::kBudget,
                 "exceeded maximum evaluation depth (" + std::to_string(limits_.nesting_max) + ")");
  }
  ++nesting_;
  return {};
}

}  // namespace chartwright::base
