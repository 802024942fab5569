// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/signer.h"
#include "bundle/override_mask.h"
#include "bundle/watch.h"
#include "release/owner.h"
#include "release/plan.h"
#include "resource/annotations.h"
#include "resource/cr_state.h"
#include "runtime/controller.h"
#include "subject/services.h"

namespace chartwright::op {

/// Returns what it takes that a custom resource takes over an object without an owner.
inline release::Adoption adoption_of(const bundle::Watch& watch, const value::Value& cr) {
  if (!is_requested(cr, kAdopt) || watch.adoption == bundle::AdoptionPolicy::kNever) {
    return release::Adoption::kRefuse;
  }
  return watch.adoption == bundle::AdoptionPolicy::kAuthor ? release::Adoption::kAdopt
                                                           : release::Adoption::kConsent;
}

/// The subject of one reconcile, which its parts share and only read. A part that changes the state
/// has references to that of it which it may change, beside the subject: see ReconcileParts. All
/// references must outlive it. For one thread.
struct Subject {
  Subject(const bundle::Watch& watched, const Services& shared, const runtime::ReconcileContext& of,
          const value::Value& custom_resource, CrState& remembered)
      : watch(watched),
        services(shared),
        context(of),
        cr(custom_resource),
        state(remembered),
        progress(remembered.progress),
        memories(remembered.memories),
        signer(remembered.signer ? &*remembered.signer : nullptr),
        owner{watched.gvk,
              std::string(kube::namespace_of(cr)),
              std::string(kube::name_of(cr)),
              std::string(kube::uid_of(cr)),
              shared.release_namespace,
              remembered.signer},
        call{.stop = of.stop},
        overrides(watched.override_values),
        adoption(adoption_of(watched, custom_resource)) {}

  const bundle::Watch& watch;
  const Services& services;
  const runtime::ReconcileContext& context;
  const value::Value& cr;  ///< The custom resource as the cache has it.
  const CrState& state;
  const Progress& progress;          ///< `state.progress`.
  Memories& memories;                ///< `state.memories`: each step sees its own alone.
  const base::Signer* const signer;  ///< Null in a rehearsal: nothing is signed or verified.
  const release::Owner owner;        ///< `cr`, as owner of its children.
  const kube::Call call;
  const bundle::OverrideMask overrides;  ///< For all that is told to people.
  const release::Adoption adoption;
};

/// Reports whether an object is outside of the namespace of the release, where only what the
/// operator has rendered itself gives it a reason to act.
inline bool is_elsewhere(const Subject& subject, const kube::ObjectRef& ref) {
  return ref.ns.empty() || ref.ns != subject.owner.release_namespace();
}

/// Reports whether the hooks of the chart run.
inline bool runs_hooks(const Subject& subject) {
  return subject.watch.run_hooks && !is_requested(subject.cr, kDisableHooks);
}

/// The inputs of a release, and the keys that name them. Each key depends on what the one before it
/// does, and on more:
/// - spec_key: the spec and the chart;
/// - chart_key: what is captured of externals;
/// - key: what the chart looked up, where it may;
/// - attempt: the annotations that ask for another attempt.
///
/// The digests are those in the status: spec_digest of spec_key, digest of key, and attempt_digest
/// of chart_key and the annotations that ask for another attempt.
struct Inputs {
  bundle::ReleaseInputs release;
  std::string spec_key;
  std::string chart_key;
  std::string key;
  std::string attempt;
  std::string spec_digest;
  std::string digest;
  std::string attempt_digest;
};

/// Reports whether a pin holds: while the spec and the chart are those that it rejected, and the
/// annotation that asked for the rollback is there; after a failure, while nobody asks for another
/// attempt.
inline bool pin_holds(const Subject& subject, const Inputs& inputs) {
  const std::string* rejected = subject.progress.rejected_inputs();
  if (subject.progress.failed_attempt() != nullptr) {
    return *rejected == inputs.attempt_digest;
  }
  return rejected != nullptr && *rejected == inputs.spec_digest &&
         !requested_rollback(subject.cr).empty();
}

/// Reports whether the revision in force was made from the inputs, or stays in spite of them.
inline bool is_settled_for(const Subject& subject, const Inputs& inputs) {
  return subject.progress.is_pinned() ? pin_holds(subject, inputs)
                                      : subject.progress.inputs() == inputs.digest;
}

}  // namespace chartwright::op
