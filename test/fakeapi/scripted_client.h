// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "test/fakeapi/refusing_client.h"

namespace chartwright::fakeapi {

/// A Client whose lists and watches follow a script. Each call takes the next step; a call without
/// one blocks until it is stopped. Thread-safe.
class ScriptedClient final : public RefusingClient {
 public:
  using ListStep = std::function<base::Result<kube::ListPage>(const kube::ListOptions& options)>;
  using WatchStep =
      std::function<base::Status(const kube::WatchOptions& options, const kube::WatchSink& sink)>;

  void on_list(ListStep step) {
    base::MutexLock lock(mutex_);
    lists_.push_back(std::move(step));
  }
  void on_watch(WatchStep step) {
    base::MutexLock lock(mutex_);
    watches_.push_back(std::move(step));
  }
  /// Returns one line per call so far: "list rv= continue=" or "watch rv=5 initial=no".
  std::vector<std::string> asked() const {
    base::MutexLock lock(mutex_);
    return asked_;
  }
  /// Blocks until the script is over: until a call finds no step left.
  void await_end() {
    base::MutexLock lock(mutex_);
    while (!idle_) {
      changed_.wait(mutex_);
    }
  }

  base::Result<kube::ListPage> list(const kube::Gvk& /*gvk*/, const kube::ListOptions& options,
                                    const kube::Call& call) override {
    ListStep step =
        next(lists_, "list rv=" + options.resource_version + " continue=" + options.continue_token,
             call.stop);
    if (!step) {
      return stopped();
    }
    return step(options);
  }

  base::Status watch(const kube::Gvk& /*gvk*/, const kube::WatchOptions& options,
                     std::stop_token stop, const kube::WatchSink& sink) override {
    const bool initial = options.send_initial_events == kube::SendInitialEvents::kYes;
    WatchStep step =
        next(watches_,
             "watch rv=" + options.resource_version + " initial=" + (initial ? "yes" : "no"), stop);
    if (!step) {
      return stopped();
    }
    return step(options, sink);
  }

 private:
  static base::Error stopped() { return {base::ErrorCode::kCancelled, "stopped"}; }

  /// Returns the next step. If there is none, waits for the stop and returns an empty one.
  template <typename Step>
  Step next(std::deque<Step>& steps, std::string what, const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] {
      base::MutexLock lock(mutex_);
      changed_.notify_all();
    });
    base::MutexLock lock(mutex_);
    asked_.push_back(std::move(what));
    if (!steps.empty()) {
      Step step = std::move(steps.front());
      steps.pop_front();
      return step;
    }
    idle_ = true;
    changed_.notify_all();
    while (!stop.stop_requested()) {
      changed_.wait(mutex_);
    }
    return nullptr;
  }

  mutable base::Mutex mutex_;
  base::CondVar changed_;
  // Not annotated, because they are passed by reference to next(), which locks the mutex.
  std::deque<ListStep> lists_;
  std::deque<WatchStep> watches_;
  std::vector<std::string> asked_ CW_GUARDED_BY(mutex_);
  bool idle_ CW_GUARDED_BY(mutex_) = false;
};

}  // namespace chartwright::fakeapi
