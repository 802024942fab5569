// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "views/view.h"

namespace chartwright::cmd {

/// Views that are served beside an operator, on threads of their own: neither waits for the other's
/// start.
class ViewsBeside {
 public:
  /// Begins to serve. Calls `on_failure` from a thread of its own if that turns out to be
  /// impossible. The references must outlive this.
  ViewsBeside(apiserver::ServeOptions options, std::vector<views::View> views, base::Clock& clock,
              const base::Logger& log, std::function<void()> on_failure);
  /// Ends.
  ~ViewsBeside();
  /// Returns why the views cannot be served; nullopt if they are, or may be yet.
  std::optional<base::Error> failure() const CW_EXCLUDES(mutex_);

 private:
  void run(base::Clock& clock, const base::Logger& log) CW_EXCLUDES(mutex_);

  const apiserver::ServeOptions options_;
  const std::vector<views::View> views_;
  const std::function<void()> on_failure_;
  std::stop_source stop_;
  mutable base::Mutex mutex_;
  std::optional<base::Error> failure_ CW_GUARDED_BY(mutex_);
  base::Thread thread_;
};

}  // namespace chartwright::cmd
