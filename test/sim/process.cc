// SPDX-License-Identifier: Apache-2.0
#include "test/sim/process.h"

#include <utility>

namespace chartwright::sim {

class Process::NoNotices final : public op::NoticeSink {
 public:
  void tell(op::Notice /*notice*/) override {}
};

namespace {

constexpr int kWorkers = 2;
constexpr int kHistoryMax = 10;

}  // namespace

Process::Process(std::string name, const std::vector<bundle::Watch>& watches, Stage& stage,
                 std::function<void()> on_crash)
    : watches_(watches),
      client_(std::move(name), stage, std::move(on_crash)),
      log_({}, stage.clock, [](std::string_view /*line*/) {}),
      notices_(std::make_unique<NoNotices>()),
      renderer_(helm::Capabilities::offline(), stage.clock),
      connections_(stage.clock),
      memory_(host::plan_render_memory(size_t{1} << 30, kWorkers, std::nullopt)),
      gate_(memory_, stage.clock),
      marks_("", log_),
      resources_{gate_, marks_, memory_},
      informers_(client_, stage.clock, log_) {
  caches_ = std::make_unique<observe::Caches>(
      informers_, observe::cache_options({}, watches_),
      [this](const kube::ObjectRef& cr, observe::Urgency urgency) {
        for (const auto& kind : kinds_) {
          kind->trigger(cr, urgency);
        }
      });
  services_ = std::make_unique<op::Services>(
      op::Services{client_, *caches_, renderer_, resources_, stage.clock, *notices_,
                   base::Duration{}, kHistoryMax, "shop", false, connections_});
  services_->master_key = std::string(64, 'a');
  for (const bundle::Watch& watch : watches_) {
    kinds_.push_back(
        std::make_unique<op::KindController>(watch, *services_, kWorkers, metrics_, log_));
  }
  for (const auto& kind : kinds_) {
    kind->watch_inputs();
  }
  starter_ = base::Thread("start", base::kDefaultStackBytes, [this] { start(); });
}

void Process::start() {
  for (const auto& kind : kinds_) {
    kind->warm_up(informers_, ending_.get_token());
    if (!ending_.stop_requested()) {
      kind->start(cut_short_.get_token());
    }
  }
}

void Process::crash() {
  client_.die();
  end();
}

void Process::end() {
  ending_.request_stop();
  cut_short_.request_stop();
  starter_.join();
  for (const auto& kind : kinds_) {
    kind->stop_now();
  }
  informers_.stop();
}

Process::~Process() { end(); }

}  // namespace chartwright::sim
