// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bundle/bundle.h"
#include "kube/object.h"
#include "release/definitions.h"

namespace chartwright::bundle {

/// More workers than this for one kind help nobody.
inline constexpr int kWorkersMax = 256;

enum class DryRunMode : uint8_t {
  kClient,
  kServer
};  ///< kServer: templates' `lookup` reads the cluster.

/// One entry of watches.yaml, resolved.
struct Watch {
  kube::Gvk gvk;
  std::string chart_path;
  Bundle bundle;
  std::vector<std::pair<std::string, std::string>>
      override_values;         ///< Expanded; as `--set-string`.
  std::string label_selector;  ///< Of custom resources; "" = all.
  std::optional<base::Duration> reconcile_period;
  std::optional<int> max_concurrent_reconciles;
  std::optional<size_t> render_memory;  ///< Bytes that one render may hold.
  bool watch_dependents = true;
  DryRunMode dry_run = DryRunMode::kClient;
  release::DefinitionPolicy crds = release::DefinitionPolicy::kCreate;  ///< Of crds/.
};

}  // namespace chartwright::bundle
