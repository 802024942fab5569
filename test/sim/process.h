// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operator/reconciler.h"
#include "test/sim/sim_client.h"

namespace chartwright::sim {

/// An operator, from its caches to its workers, as run_operator puts it together, on the threads of
/// a schedule.
class Process {
 public:
  /// `on_crash` is called when the plan ends it: crash() must follow.
  Process(std::string name, const std::vector<bundle::Watch>& watches, Stage& stage,
          std::function<void()> on_crash);
  /// Ends it in good order.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Ends it: from the moment of the call, it changes nothing any more.
  void crash();

 private:
  class NoNotices;

  void start();
  void end();

  const std::vector<bundle::Watch>& watches_;
  SimClient client_;
  base::Metrics metrics_;
  base::Logger log_;
  std::unique_ptr<NoNotices> notices_;
  bundle::Renderer renderer_;
  external::Connections connections_;
  host::RenderMemory memory_;
  host::RenderGate gate_;
  host::RenderMarks marks_;
  host::RenderResources resources_;
  runtime::InformerSet informers_;
  std::unique_ptr<observe::Caches> caches_;
  std::unique_ptr<op::Services> services_;
  std::vector<std::unique_ptr<op::KindController>> kinds_;
  std::stop_source ending_;
  std::stop_source cut_short_;
  base::Thread starter_;
};

}  // namespace chartwright::sim
