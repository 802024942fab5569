// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "bundle/renderer.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "runtime/informer.h"

namespace chartwright::process {

/// Reads the capabilities of a cluster with that version. Errors: those of discovery.
base::Result<std::shared_ptr<const bundle::CapabilitySet>> read_capabilities(
    kube::RestMapper& mapper, const kube::ServerVersion& version, const kube::Call& call);

/// Keeps a renderer's capabilities up to date: watches CustomResourceDefinitions and APIServices,
/// and reads discovery again when they change, and more often while a server does not answer.
/// Without the right to watch them it reads discovery every few minutes.
class CapabilityWatch {
 public:
  struct Parts {
    kube::Client& client;
    kube::RestMapper& mapper;
    runtime::InformerSet& informers;
    bundle::Renderer& renderer;
    base::Clock& clock;
    const base::Logger& log;
  };
  using OnChange =
      std::function<void(const bundle::CapabilitySet& before, const bundle::CapabilitySet& after)>;

  /// All parts must outlive it; informers must be stopped before it ends. `on_change` runs on the
  /// thread of `run`, when the renderer has the new capabilities.
  CapabilityWatch(const Parts& parts, OnChange on_change)
      : parts_(parts), on_change_(std::move(on_change)) {}

  /// Works until `stop` is requested. One thread calls it, once.
  void run(const std::stop_token& stop);

 private:
  using Source = std::shared_ptr<runtime::Informer>;

  base::Status follow(const std::stop_token& stop);
  base::Result<std::vector<Source>> open(const std::stop_token& stop);
  bool has_unknown() const;
  base::Duration pace(base::Duration otherwise) const;
  bool wait_change(base::Duration longest, const std::stop_token& stop) CW_EXCLUDES(mutex_);
  void take_changes() CW_EXCLUDES(mutex_);
  bool read(const std::stop_token& stop);

  const Parts parts_;
  const OnChange on_change_;
  bool said_ = false;  ///< Whether the log says that the watches are missing.
  base::Mutex mutex_;
  base::CondVar woken_;
  bool changed_ CW_GUARDED_BY(mutex_) = false;
};

}  // namespace chartwright::process
