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
  base::Duration time_max = std::chrono::seconds(30);
};

/// Charges one render for what it does, and says no before the machine suffers. One per render, not
/// thread-safe. Every charge returns kBudget once a limit is passed; the caller adds the position.
class Budget {
 public:
  Budget(const BudgetLimits& limits, const base::Clock& clock);
  /// One evaluated step; looks at the clock once in 4096 calls.
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
  base::Status enter();  ///< One more nested execution.
  void leave() { --depth_; }
  /// One more level of nested evaluation; bounds the stack together with enter().
  base::Status nest();
  void unnest() { --nesting_; }
  size_t alloc_bytes_left() const { return limits_.alloc_bytes_max - alloc_bytes_; }

 private:
  base::Status check_step();
  BudgetLimits limits_;
  const base::Clock& clock_;
  base::MonotonicTime deadline_;
  uint64_t steps_ = 0;
  size_t output_bytes_ = 0;
  size_t alloc_bytes_ = 0;
  int depth_ = 0;
  int nesting_ = 0;
};

}  // namespace chartwright::tmpl
