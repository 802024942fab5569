// SPDX-License-Identifier: Apache-2.0
#include "runtime/fence.h"

#include <algorithm>
#include <utility>

namespace chartwright::runtime {

base::Result<kube::Call> Fence::bounded(const kube::Call& call, const base::Clock& clock) const {
  const base::MonotonicTime last = end();
  if (last == base::MonotonicTime::max()) {
    return call;
  }
  const base::MonotonicTime now = clock.monotonic();
  if (now >= last) {
    return base::Error(base::ErrorCode::kCancelled, "the lease is lost: another process may lead")
        .with_http(0, std::string(kube::kNotSent));
  }
  kube::Call bounded = call;
  bounded.timeout = std::min(call.timeout, call.spent + (last - now));
  return bounded;
}

base::Result<kube::Response> FencedTransport::perform(kube::Request request,
                                                      const kube::Call& call) {
  if (request.method == kube::Method::kGet) {
    return transport_.perform(std::move(request), call);
  }
  CW_TRY(const kube::Call bounded, fence_.bounded(call, clock_));
  return transport_.perform(std::move(request), bounded);
}

base::Result<kube::Response> FencedTransport::stream(kube::Request request,
                                                     const kube::StreamLimits& limits,
                                                     std::stop_token stop,
                                                     const kube::ChunkSink& sink) {
  return transport_.stream(std::move(request), limits, std::move(stop), sink);
}

}  // namespace chartwright::runtime
