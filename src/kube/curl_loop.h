// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "kube/curl_transfer.h"
#include "kube/exchange.h"

namespace chartwright::kube {

/// Carries streams from one server on a thread of its own, all over one connection where the server
/// speaks HTTP/2. Thread-safe.
class CurlLoop {
 public:
  /// `server` must outlive the loop. Error: kInternal when libcurl has no memory.
  static base::Result<std::unique_ptr<CurlLoop>> make(const CurlServer& server,
                                                      std::string thread_name);
  /// Cancels what is on its way; every exchange is finished afterwards.
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;
  void start(ExchangePtr exchange) CW_EXCLUDES(mutex_);
  /// The caller has stopped waiting: ends the transfer.
  void abandon(const ExchangePtr& exchange) CW_EXCLUDES(mutex_);

 private:
  CurlLoop(const CurlServer& server, CurlMulti multi, std::string thread_name);
  void run();
  bool take_commands() CW_EXCLUDES(mutex_);
  void begin(ExchangePtr exchange);
  void reap();
  void finish(const Exchange* key, CURLcode result);

  const CurlServer& server_;
  const CurlMulti multi_;
  // The loop's thread alone uses it.
  std::unordered_map<const Exchange*, std::unique_ptr<CurlTransfer>> active_;

  base::Mutex mutex_;
  std::vector<ExchangePtr> starting_ CW_GUARDED_BY(mutex_);
  std::vector<ExchangePtr> abandoned_ CW_GUARDED_BY(mutex_);
  bool stopping_ CW_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

}  // namespace chartwright::kube
