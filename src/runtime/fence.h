// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "base/clock.h"
#include "base/result.h"
#include "kube/transport.h"

namespace chartwright::runtime {

/// The time until which this process may write. At first it has no end. Thread-safe.
class Fence {
 public:
  void set_end(base::MonotonicTime end) { end_.store(end); }
  base::MonotonicTime end() const { return end_.load(); }
  /// Returns `call`, a write that begins now, with no more time than is left. Error: kCancelled,
  /// with the reason kube::kNotSent, after the end.
  base::Result<kube::Call> bounded(const kube::Call& call, const base::Clock& clock) const;

 private:
  std::atomic<base::MonotonicTime> end_{base::MonotonicTime::max()};
};

/// A Transport that sends nothing but GETs once its fence has ended, whatever its caller believes:
/// the thread that holds a lease may learn late that it is lost, and other threads later. A request
/// before the end gets no more time than is left. Only a process that is suspended between the
/// check and the system call can still write late.
class FencedTransport final : public kube::Transport {
 public:
  /// All must outlive it.
  FencedTransport(kube::Transport& transport, const Fence& fence, const base::Clock& clock)
      : transport_(transport), fence_(fence), clock_(clock) {}

  /// Errors: also kCancelled, with reason kube::kNotSent, after the end.
  base::Result<kube::Response> perform(kube::Request request, const kube::Call& call) override;
  base::Result<kube::Response> stream(kube::Request request, const kube::StreamLimits& limits,
                                      std::stop_token stop, const kube::ChunkSink& sink) override;

 private:
  kube::Transport& transport_;
  const Fence& fence_;
  const base::Clock& clock_;
};

}  // namespace chartwright::runtime
