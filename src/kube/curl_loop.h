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

/// Runs all streams from one server on a dedicated thread, over a single connection if the server
/// speaks HTTP/2. Thread-safe.
class CurlLoop {
 public:
  /// `server` must outlive the loop. Error: kInternal when libcurl is out of memory.
  static base::Result<std::unique_ptr<CurlLoop>> make(const CurlServer& server,
                                                      std::string thread_name);
  /// Cancels the running transfers. Afterwards every exchange is finished.
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;
  void start(ExchangePtr exchange) CW_EXCLUDES(mutex_);
  /// Ends the transfer of an exchange that its caller no longer waits for.
  void abandon(const ExchangePtr& exchange) CW_EXCLUDES(mutex_);
  /// Goes on with the transfer of an exchange that was paused.
  void resume(ExchangePtr exchange) CW_EXCLUDES(mutex_);

 private:
  CurlLoop(const CurlServer& server, CurlMulti multi, std::string thread_name);
  void run();
  bool take_commands() CW_EXCLUDES(mutex_);
  void begin(ExchangePtr exchange);
  void reap();
  void finish(const Exchange* key, CURLcode result);

  const CurlServer& server_;
  const CurlMulti multi_;
  // Used by the loop's thread only.
  std::unordered_map<const Exchange*, std::unique_ptr<CurlTransfer>> active_;

  base::Mutex mutex_;
  std::vector<ExchangePtr> starting_ CW_GUARDED_BY(mutex_);
  std::vector<ExchangePtr> abandoned_ CW_GUARDED_BY(mutex_);
  std::vector<ExchangePtr> resuming_ CW_GUARDED_BY(mutex_);
  bool stopping_ CW_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

}  // namespace chartwright::kube
