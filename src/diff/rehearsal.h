// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bundle/renderer.h"
#include "bundle/watch.h"
#include "diff/rehearsal_client.h"
#include "release/plan.h"
#include "resource/annotations.h"
#include "resource/cr_state.h"
#include "resource/decision.h"

namespace chartwright::diff {

/// A step of a plan, as it was planned first.
struct PlannedStep {
  kube::ObjectRef ref;
  release::Action action = release::Action::kNone;
  release::Reason reason = release::Reason::kInSync;
  value::Value desired;  ///< Nil for an object that is no longer desired.
};

/// The effects that the next reconciles of a custom resource would have, until they would have to
/// wait for something that only the cluster can do.
struct Rehearsal {
  std::vector<Write> writes;
  std::vector<PlannedStep> steps;
  value::Value cr;     ///< The custom resource as it would be.
  op::CrState before;  ///< The state as the status has it.
  op::CrState after;
  std::optional<op::Pause> pause;
  std::optional<op::Decision> decision;  ///< The first goal, and why; nullopt: there was none.
  std::vector<std::string> withheld;     ///< Calls to servers of externals.
  std::string waiting;  ///< For what the cluster has to do; empty: the reconcile has ended.
  std::optional<base::Error> failure;
  host::SecretMask secrets;  ///< Masks the contents of all Secrets that were seen.
};

/// The subject of a rehearsal. The references must outlive it.
struct Scene {
  kube::Client& client;  ///< Gets reads and dry runs only.
  const bundle::Watch& watch;
  const bundle::Renderer& renderer;
  base::Clock& clock;
  const value::Value& cr;
  std::vector<std::string> namespaces;  ///< In which children are looked for; empty: all.
  std::string release_namespace;        ///< For a cluster-scoped custom resource.
};

/// Runs reconciles of the custom resource as an operator would that has just been started, with a
/// client that writes nothing. Blocks. Errors: those of the caches; an error of a reconcile is part
/// of the result.
base::Result<Rehearsal> rehearse(const Scene& scene, const std::stop_token& stop);

}  // namespace chartwright::diff
