// SPDX-License-Identifier: Apache-2.0
#include "cmd/serve_views.h"

#include <utility>

#include "runtime/pause.h"

namespace chartwright::cmd {

ViewsBeside::ViewsBeside(apiserver::ServeOptions options, std::vector<views::View> views,
                         base::Clock& clock, const base::Logger& log,
                         std::function<void()> on_failure)
    : options_(std::move(options)), views_(std::move(views)), on_failure_(std::move(on_failure)) {
  thread_ = base::Thread("views-main", base::kDefaultStackBytes,
                         [this, &clock, &log] { run(clock, log); });
}

ViewsBeside::~ViewsBeside() {
  stop_.request_stop();
  thread_.join();
}

std::optional<base::Error> ViewsBeside::failure() const {
  const base::MutexLock lock(mutex_);
  return failure_;
}

void ViewsBeside::run(base::Clock& clock, const base::Logger& log) {
  const std::stop_token stop = stop_.get_token();
  auto server = apiserver::Server::start(options_, views_, clock, log, stop);
  if (!server.ok()) {
    if (!stop.stop_requested()) {
      log.error("Failed to serve views", server.error());
      {
        const base::MutexLock lock(mutex_);
        failure_ = base::Error(server.error().code(), server.error().to_string());
      }
      on_failure_();
    }
    return;
  }
  while (!stop.stop_requested()) {
    runtime::pause(clock, std::chrono::hours(1), stop);
  }
}

}  // namespace chartwright::cmd
