// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "base/memory_limit.h"
#include "base/result.h"

namespace chartwright::base {

/// The limits for one render. Each name includes its unit. The defaults leave a wide margin over
/// the largest public charts.
struct BudgetLimits {
  uint64_t steps_max = 50'000'000;  ///< Evaluated nodes, loop iterations, function calls.
  size_t output_bytes_max = size_t{64} << 20;
  /// Heap memory held at any one time by everything that the render does on its thread.
  size_t memory_bytes_max = size_t{512} << 20;
  int depth_max = 1200;  ///< Nested template, include and tpl executions.
  /// Nested parentheses and branches under evaluation, counted over all nested executions. Together
  /// with depth_max this bounds the stack: 13 MiB in a release build, 58 MiB under
  /// AddressSanitizer.
  int nesting_max = 10240;
  Duration cpu_max = std::chrono::seconds(30);   ///< CPU time of the rendering thread.
  Duration wait_max = std::chrono::seconds(30);  ///< Waiting for `lookup` and for DNS names.
};

/// Charges one render for the resources that it uses, and stops it before it exhausts the machine.
/// A Budget serves one render, on the thread that runs it. Once a limit is exceeded, every charge
/// returns kBudget (charge_wait returns kTimeout). The caller adds the position.
///
/// Work is counted in steps, for evaluated nodes and for the bytes that functions read and build.
/// The executor charges each call for its arguments and its result, so that no function can bypass
/// the budget. A function that does more than read each byte a few times charges the additional
/// work itself.
///
/// Memory is bounded by a MemoryLimit for the lifetime of the Budget. An allocation that
/// exceeds the limit without a prior charge makes operator new throw, so a Budget must be
/// created inside base::within_memory. Charging before building something large gives the error
/// a position in the template.
///
/// Time is the CPU time of the thread, so that a busy machine does not fail a legitimate chart. No
/// template function uses another thread. A function that waits charges its waiting time
/// separately.
class Budget {
 public:
  Budget(const BudgetLimits& limits, const Clock& clock);
  /// Charges one evaluated step. Checks the time once every 4096 calls.
  Status charge_step() {
    if (++steps_ > limits_.steps_max || (steps_ & 4095U) == 0) [[unlikely]] {
      return check_step();
    }
    return {};
  }
  Status charge_steps(uint64_t count);
  /// Charges reading or building `bytes` bytes: one step for each kWorkBytesPerStep. Checks the
  /// time once every kWorkBytesPerLook bytes.
  Status charge_work(size_t bytes) {
    work_bytes_ += bytes;
    if (work_bytes_ < kWorkBytesPerLook) {
      return {};
    }
    return charge_gathered_work();
  }
  Status charge_output(size_t bytes);
  /// Charges `bytes` that a function is about to build, after checking them against
  /// the memory limit.
  Status charge_alloc(size_t bytes);
  MonotonicTime now() const { return clock_.monotonic(); }
  /// Charges the time since `since`, which a function has spent waiting for something outside the
  /// process. Called after the wait. Error: kTimeout, because a retry may succeed.
  Status charge_wait(MonotonicTime since);
  Status enter();  ///< Enters one more nested execution.
  void leave() { --depth_; }
  /// Enters one more level of nested evaluation. Bounds the stack together with enter().
  Status nest();
  void unnest() { --nesting_; }
  /// Returns the work charged so far, in bytes. A step counts as kWorkBytesPerStep.
  uint64_t work_charged() const { return steps_ * kWorkBytesPerStep + work_bytes_; }
  size_t memory_left() const { return MemoryLimit::left(); }
  /// Returns the error to report when operator new has thrown `cause`.
  Error memory_error(const std::bad_alloc& cause) const;

 private:
  static constexpr size_t kWorkBytesPerStep = 64;
  static constexpr size_t kWorkBytesPerLook = size_t{64} << 10;
  Status check_step();
  Status check_cpu();
  Status charge_gathered_work();
  BudgetLimits limits_;
  MemoryLimit memory_;
  const Clock& clock_;
  Duration cpu_end_;        ///< The thread's CPU time at which the limit is reached.
  MonotonicTime cpu_next_;  ///< The earliest time at which cpu_end_ can be reached.
  Duration waited_{0};
  uint64_t steps_ = 0;
  size_t output_bytes_ = 0;
  size_t work_bytes_ = 0;  ///< Not yet converted to steps.
  int depth_ = 0;
  int nesting_ = 0;
};

}  // namespace chartwright::base
