// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <stop_token>

#include "base/mutex.h"
#include "base/result.h"

namespace chartwright::host {

/// Lets renders begin as there is memory for them, in the order in which they ask. Thread-safe.
class RenderGate {
 public:
  /// `bytes` are for all renders together.
  explicit RenderGate(size_t bytes) : bytes_(bytes) {}

  /// Waits until so many bytes are free, and takes them; who asks for more than there are gets all,
  /// and so is alone. Returns what was taken, to be given back by `leave`. Error: kCancelled once
  /// `stop` is requested.
  base::Result<size_t> enter(size_t bytes, const std::stop_token& stop) CW_EXCLUDES(mutex_);
  void leave(size_t bytes) CW_EXCLUDES(mutex_);

  size_t bytes() const { return bytes_; }
  /// How many wait.
  size_t waiting() const CW_EXCLUDES(mutex_);

 private:
  bool may_enter(uint64_t ticket, size_t bytes) const CW_REQUIRES(mutex_);

  const size_t bytes_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  size_t taken_ CW_GUARDED_BY(mutex_) = 0;
  uint64_t last_ticket_ CW_GUARDED_BY(mutex_) = 0;
  std::list<uint64_t> queue_ CW_GUARDED_BY(mutex_);  ///< Of those who wait, oldest first.
};

}  // namespace chartwright::host
