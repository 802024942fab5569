// SPDX-License-Identifier: Apache-2.0
#include "sim/process.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "model/client_transport.h"

namespace chartwright::sim {

void ProcessClock::wait_until(base::CondVar& cv, base::Mutex& mutex, base::MonotonicTime deadline) {
  // Some time, or a thread that tries for ever would keep the turn.
  constexpr base::Duration kMoment = std::chrono::milliseconds(1);
  const base::Duration left = deadline - monotonic();
  if (ended_ && left > kMoment) {
    ahead_ = ahead_.load() + left - kMoment;
  }
  cv.wait_until(mutex, clock_.monotonic() + (ended_ ? std::min(left, kMoment) : left));
}

Process::Process(std::string name, const OperatorSetup& setup, Stage& stage,
                 std::function<void()> on_end)
    : name_(std::move(name)),
      setup_(setup),
      stage_(stage),
      on_end_(std::move(on_end)),
      clock_(stage.scheduler),
      log_({}, clock_, [](std::string_view /*line*/) {}),
      client_(name_, stage, [this] {
        clock_.end();
        on_end_();
      }) {
  const Scheduler::InGroup group(stage.scheduler, name_);
  thread_ = base::Thread("operator", base::kDefaultStackBytes, [this] { run(); });
}

void Process::run() {
  process::OperatorOptions options = setup_.options;
  options.make_transport = [this](const kube::TransportOptions& /*options*/)
      -> base::Result<std::unique_ptr<kube::Transport>> {
    return std::unique_ptr<kube::Transport>(
        std::make_unique<model::ClientTransport>(client_, setup_.kinds));
  };
  static_cast<void>(
      process::run_operator(options, setup_.watches, clock_, log_, stop_.get_token()));
  if (!stop_.stop_requested()) {
    on_end_();
  }
}

void Process::crash() {
  client_.die();
  clock_.end();
  stop();
}

void Process::stop() {
  stage_.scheduler.freeze(name_, {});
  stop_.request_stop();
  thread_.join();
}

Process::~Process() { crash(); }

}  // namespace chartwright::sim
