// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/parts.h"
#include "test/operator/records.h"

namespace chartwright::op::testing {

/// The custom resource of a World, with the state that a new process has.
struct NewProcess {
  explicit NewProcess(World& world)
      : cr(world.cached()),
        signer(CW_MUST(base::Signer::make(world.master_key, kube::uid_of(cr)))),
        state(state_from_status(cr, &signer)),
        context(world.context()),
        subject(world.watch, world.services(), context, cr, state) {}

  const value::Value cr;
  const base::Signer signer;
  CrState state;
  const runtime::ReconcileContext context;
  const Subject subject;
};

/// The objects that one reconcile in a new process consists of. The calls before it are forgotten.
struct Parts : NewProcess, ReconcileParts {
  explicit Parts(World& world) : NewProcess(world), ReconcileParts(subject, state) {
    world.api.forget_calls();
  }
};

/// The same, with the inputs filled in.
struct PreparedParts : Parts {
  explicit PreparedParts(World& world) : Parts(world) { CW_MUST(digests.prepare()); }
};

}  // namespace chartwright::op::testing
