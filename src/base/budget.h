// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "base/memory_limit.h"
#include "base/result.h"

namespace chartwright::base {

/// What one render may use. Units in the names; the defaults fit the largest public charts many
/// times.
struct BudgetLimits {
  uint64_t steps_max = 50'000'000;  ///< Evaluated nodes, loop turns, function calls.
  size_t output_bytes_max = size_t{64} << 20;
  /// Held on the heap at once, by everything that the render does on its thread.
  size_t memory_bytes_max = size_t{512} << 20;
  int depth_max = 1200;  ///< Nested template, include and tpl executions.
  /// Parentheses and branches being evaluated inside each other, over all nested executions. With
  /// depth_max this bounds the stack: 13 MiB in a release build, 58 MiB under AddressSanitizer.
  int nesting_max = 10240;
  Duration cpu_max = std::chrono::seconds(30);   ///< Of the thread that renders.
  Duration wait_max = std::chrono::seconds(30);  ///< For what is outside: `lookup`, names.
};

/// Charges one render for what it does, and says no before the machine suffers. One per render, for
/// the thread that makes it. Every charge returns kBudget once a limit is passed; the caller adds
/// the position.
///
/// Work is counted in steps: what is evaluated, and the bytes that functions read and build. The
/// executor charges each call for its arguments and its result, so that no function can
/// forget to; one that does more than look at each byte a few times charges the rest itself.
///
/// Memory is bounded by a base::MemoryLimit as long as the budget lives: where no charge comes
/// first, operator new throws, and whoever made the budget must be within base::within_memory. A
/// charge before something large is built gives the error a place in the template.
///
/// Time is what the thread uses of a processor, so that a crowded machine fails no honest chart: no
/// function of templates works on another thread. Where a function waits, it charges that apart.
class Budget {
 public:
  Budget(const BudgetLimits& limits, const Clock& clock);
  /// One evaluated step; looks at the time once in 4096 calls.
  Status charge_step() {
    if (++steps_ > limits_.steps_max || (steps_ & 4095U) == 0) [[unlikely]] {
      return check_step();
    }
    return {};
  }
  Status charge_steps(uint64_t count);
  /// Reading or building so many bytes: a step for each kWorkBytesPerStep. Looks at the time once
  /// in kWorkBytesPerLook.
  Status charge_work(size_t bytes) {
    work_bytes_ += bytes;
    return work_bytes_ < kWorkBytesPerLook ? Status() : charge_gathered_work();
  }
  Status charge_output(size_t bytes);
  /// Called by functions before they build something of that size.
  Status charge_alloc(size_t bytes);
  MonotonicTime now() const { return clock_.monotonic(); }
  /// Called by functions that wait for something outside, after they have: since when they did.
  /// Error: kTimeout, since another try may find what is outside in a better state.
  Status charge_wait(MonotonicTime since);
  Status enter();  ///< One more nested execution.
  void leave() { --depth_; }
  /// One more level of nested evaluation; bounds the stack together with enter().
  Status nest();
  void unnest() { --nesting_; }
  /// What was charged so far, in bytes of work.
  uint64_t work_charged() const { return steps_ * kWorkBytesPerStep + work_bytes_; }
  size_t memory_left() const { return MemoryLimit::left(); }
  /// The error of a limit on memory that operator new has met.
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
  Duration cpu_end_;        ///< Where the thread's CPU time is to stop.
  MonotonicTime cpu_next_;  ///< No earlier than then can it be there.
  Duration waited_{0};
  uint64_t steps_ = 0;
  size_t output_bytes_ = 0;
  size_t work_bytes_ = 0;  ///< Not yet made steps.
  int depth_ = 0;
  int nesting_ = 0;
};

}  // namespace chartwright::base
