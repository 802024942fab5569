// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "bundle/renderer.h"
#include "external/connections.h"
#include "external/copy.h"
#include "host/render_turn.h"
#include "kube/client.h"
#include "observe/caches.h"
#include "release/plan.h"
#include "resource/decision.h"
#include "runtime/activity.h"
#include "subject/event_recorder.h"

namespace chartwright::op {

class CauseSearches;
class RecordMeter;
class RepairCounter;

/// How old a discovery may be that looks for a kind anew: custom resources that wait for the same
/// one share it.
inline constexpr base::Duration kDiscoveryAge = std::chrono::milliseconds(200);

/// The services that all reconciles of the process share. All must outlive the reconcilers.
struct Services {
  kube::Client& client;
  observe::Caches& caches;
  const bundle::Renderer& renderer;
  const host::RenderResources& render_resources;
  base::Clock& clock;
  NoticeSink& notices;
  base::Duration default_period;  ///< Between resyncs; zero: none.
  int history_max;
  std::string release_namespace;       ///< For cluster-scoped custom resources; "": there is none.
  bool suppress_override_values;       ///< Warnings show **** in place of them.
  external::Connections& connections;  ///< To servers of externals.
  /// Gets each plan before its first step; null: nobody asks.
  std::function<void(const release::Plan&)> on_plan = nullptr;
  /// Gets each decision of a reconcile; null: nobody asks.
  std::function<void(const Decision&)> on_decision = nullptr;
  RepairCounter* repairs = nullptr;       ///< Null: repairs are not counted.
  runtime::Activity* activity = nullptr;  ///< Notes each reconcile; null: nobody asks.
  CauseSearches* causes = nullptr;        ///< Null: no causes are searched for.
  /// The key of the signatures of records and statuses; empty in a rehearsal, which applies
  /// nothing, and so need not tell what others have written.
  std::string master_key = {};
  /// Until then, records without a signature are trusted once, as docs/operate/security.md says.
  base::MonotonicTime trusts_unsigned_until = {};
  RecordMeter* records = nullptr;  ///< Null: the sizes of records are not counted.
};

}  // namespace chartwright::op
