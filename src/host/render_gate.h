// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <stop_token>

#include "base/mutex.h"
#include "base/result.h"

namespace chartwright::host {

/// Admits renders, in the order in which they ask, as memory for them becomes free. Thread-safe.
class RenderGate {
 public:
  /// `bytes` is the memory for all renders together.
  explicit RenderGate(size_t bytes) : bytes_(bytes) {}

  /// Waits until `bytes` are free, and takes them. A request for more than the total takes the
  /// total, so that the render is alone. Returns how many bytes were taken; the caller gives them
  /// back with `leave`. Error: kCancelled once `stop` is requested.
  base::Result<size_t> enter(size_t bytes, const std::stop_token& stop) CW_EXCLUDES(mutex_);
  void leave(size_t bytes) CW_EXCLUDES(mutex_);

  size_t bytes() const { return bytes_; }
  /// Returns how many callers are waiting.
  size_t waiting() const CW_EXCLUDES(mutex_);

 private:
  bool may_enter(uint64_t ticket, size_t bytes) const CW_REQUIRES(mutex_);

  const size_t bytes_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  size_t taken_ CW_GUARDED_BY(mutex_) = 0;
  uint64_t last_ticket_ CW_GUARDED_BY(mutex_) = 0;
  std::list<uint64_t> queue_ CW_GUARDED_BY(mutex_);  ///< Waiting tickets, oldest first.
};

}  // namespace chartwright::host
