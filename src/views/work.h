// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/result.h"
#include "kube/transport.h"

namespace chartwright::views {

/// The most members of dicts and items of lists that one request may touch beyond reading its body
/// and writing its reply once. A fifth of a second's work.
inline constexpr uint64_t kTouchedMax = 10'000'000;

/// The limits of the work of one request to a view on its thread, from construction. It ends with
/// its client: once the stop token is requested, every check fails. For one thread.
class Work {
 public:
  /// `call` limits the calls that the request makes; its stop token ends the request as well.
  Work(const base::Clock& clock, kube::Call call, base::Duration cpu_max);

  const kube::Call& call() const { return call_; }
  /// Errors: kCancelled if nobody waits for the reply; kBudget for too much CPU time.
  base::Status check() const;
  /// Charges work on the members of containers. Errors: those of check; kBudget beyond kTouchedMax.
  base::Status touch(uint64_t members);

 private:
  const base::Clock& clock_;
  const kube::Call call_;
  const base::Duration cpu_max_;
  const base::Duration cpu_end_;  ///< The thread's CPU time at which the limit is reached.
  uint64_t touched_ = 0;
};

}  // namespace chartwright::views
