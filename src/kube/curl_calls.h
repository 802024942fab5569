// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/curl_transfer.h"
#include "kube/exchange.h"
#include "kube/transport.h"

namespace chartwright::kube {

/// Performs each call on the calling thread, over a connection that no other call uses at the same
/// time, so that no other traffic delays it and no other thread must be woken to send or receive.
/// Thread-safe.
class CurlCalls {
 public:
  /// Both must outlive it.
  CurlCalls(const CurlServer& server, base::Clock& clock) : server_(server), clock_(clock) {}

  /// Returns once the exchange has finished. Errors: kCancelled and kTimeout as documented at Call,
  /// and those of the transfer.
  base::Result<Response> perform(const ExchangePtr& exchange, const Call& call) CW_EXCLUDES(mutex_);

 private:
  /// A connection and the handle that uses it.
  struct Line {
    CurlMulti multi;
    CurlEasy easy;
  };
  base::Result<Line> take() CW_EXCLUDES(mutex_);
  void put_back(Line line) CW_EXCLUDES(mutex_);

  const CurlServer& server_;
  base::Clock& clock_;
  base::Mutex mutex_;
  std::vector<Line> idle_ CW_GUARDED_BY(mutex_);  ///< A stack: last used, first taken.
};

}  // namespace chartwright::kube
