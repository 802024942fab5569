// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <stop_token>

#include "base/log.h"
#include "base/thread.h"

namespace chartwright::process {

/// Turns SIGINT and SIGTERM into a stop request; a second signal ends the process at once. Must be
/// created before any other thread, so that all of them inherit the blocked signals.
class SignalWatch {
 public:
  /// `log` must outlive the watch.
  explicit SignalWatch(const base::Logger& log);
  ~SignalWatch();
  std::stop_token token() const { return stop_.get_token(); }
  /// Requests the stop that a signal would. Thread-safe.
  void request_stop() { stop_.request_stop(); }

 private:
  void watch();

  const base::Logger& log_;
  sigset_t signals_{};
  std::stop_source stop_;
  base::Thread thread_;
};

}  // namespace chartwright::process
