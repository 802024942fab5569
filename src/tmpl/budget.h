// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "base/result.h"

namespace chartwright::tmpl {

/// What one render may use. Units in the names; the defaults fit the largest public charts many
/// times.
struct BudgetLimits {
  uint64_t steps_max = 50'000'000;  ///< Evaluated nodes, loop turns, function calls.
  size_t output_bytes_max = size_t{64} << 20;
  size_t alloc_bytes_max = size_t{512} << 20;  ///< Sum of what functions build, not the live peak.
  int depth_max = 1200;                        ///< Nested template, include and tpl executions.
  /// Parentheses and branches being evaluated inside each other, over all nested executions. With
  /// depth_max this bounds the stack: 13 MiB in a release build, 58 MiB under AddressSanitizer.
  int nesting_max = 10240;
  base::Duration cpu_max = std::chrono::seconds(30);   ///< Of the thread that renders.
  base::Duration wait_max = std::chrono::seconds(30);  ///< For what is outside: `lookup`, names.
};

/// Charges one render for what it does, and says no before the machine suffers. One per render, for
/// the thread that makes it. Every charge returns kBudget once a limit is passed; the caller adds
/// the position.
/// Time is what the thread uses of a processor, so that a crowded machine fails no honest chart: no
/// function of templates works on another thread. Where a function waits, it charges that apart.
class Budget {
 public:
  Budget(const BudgetLimits& limits, const base::Clock& clock);
  /// One evaluated step; looks at the time once in 4096 calls.
  base::Status charge_step() {
    if (++steps_ > limits_.steps_max || (steps_ & 4095U) == 0) [[unlikely]] {
      return check_step();
    }
    return {};
  }
  base::Status charge_steps(uint64_t count);
  base::Status charge_output(size_t bytes);
  /// Called by functions before they build `bytes` of result.
  base::Status charge_alloc(size_t bytes);
  base::MonotonicTime now() const { return clock_.monotonic(); }
  /// Called by functions that wait for something outside, after they have: since when they did.
  base::Status charge_wait(base::MonotonicTime since);
  base::Status enter();  ///< One more nested execution.
  void leave() { --depth_; }
  /// One more level of nested evaluation; bounds the stack together with enter().
  base::Status nest();
  void unnest() { --nesting_; }
  size_t alloc_bytes_left() const { return limits_.alloc_bytes_max - alloc_bytes_; }

 private:
  base::Status check_step();
  base::Status check_cpu();
  BudgetLimits limits_;
  const base::Clock& clock_;
  base::Duration cpu_end_;        ///< Where the thread's CPU time is to stop.
  base::MonotonicTime cpu_next_;  ///< No earlier than then can it be there.
  base::Duration waited_{0};
  uint64_t steps_ = 0;
  size_t output_bytes_ = 0;
  size_t alloc_bytes_ = 0;
  int depth_ = 0;
  int nesting_ = 0;
};

}  // namespace chartwright::tmpl
