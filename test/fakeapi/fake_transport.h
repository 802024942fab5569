// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "kube/transport.h"

namespace chartwright::fakeapi {

/// A Transport that answers from a function and records its requests. Thread-safe.
class FakeTransport final : public kube::Transport {
 public:
  using Answer = std::function<base::Result<kube::Response>(const kube::Request& request)>;
  explicit FakeTransport(Answer answer) : answer_(std::move(answer)) {}

  base::Result<kube::Response> perform(kube::Request request, const kube::Call& call) override {
    remember(request);
    last_spent = call.spent;
    last_timeout = call.timeout;
    return answer_(request);
  }

  /// Passes the body of a 200 answer to the sink in pieces of `piece_size` bytes.
  base::Result<kube::Response> stream(kube::Request request, const kube::StreamLimits& /*limits*/,
                                      std::stop_token /*stop*/,
                                      const kube::ChunkSink& sink) override {
    remember(request);
    CW_TRY(kube::Response response, answer_(request));
    if (response.status != 200) {
      return response;
    }
    for (size_t at = 0; at < response.body.size(); at += piece_size) {
      CW_TRY_VOID(sink(std::string_view(response.body).substr(at, piece_size)));
    }
    response.body.clear();
    return response;
  }

  std::vector<kube::Request> requests() const {
    base::MutexLock lock(mutex_);
    return requests_;
  }

  size_t piece_size = 7;
  base::Duration last_spent{};    ///< Call::spent of the last perform(). Not thread-safe.
  base::Duration last_timeout{};  ///< Call::timeout of the last perform(). Not thread-safe.

 private:
  void remember(const kube::Request& request) {
    base::MutexLock lock(mutex_);
    requests_.push_back(request);
  }

  const Answer answer_;
  mutable base::Mutex mutex_;
  std::vector<kube::Request> requests_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::fakeapi
