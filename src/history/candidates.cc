// SPDX-License-Identifier: Apache-2.0
#include "history/candidates.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "history/chart_definitions.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;

base::Result<bundle::RenderedRelease> Candidates::render_release(host::ClusterLookup& lookup) {
  auto rendering = renders_.run(host::Source::kChart, [this, &lookup] {
    return subject_.services.renderer.render(subject_.watch.bundle, digests_.inputs().release,
                                             &lookup);
  });
  rendered_ = rendered_ || rendering.ok();
  looked_up_ = !lookup.lookups().empty();
  secrets_ = subject_.overrides.texts();
  secrets_.add(lookup.secrets());  // Also where the chart failed: its error may quote them.
  return rendering;
}

base::Result<Candidate> Candidates::make(const std::optional<Rollback>& rollback) {
  CW_TRY(Candidate candidate, rollback ? replay(*rollback) : render());
  CW_TRY_VOID(digests_.ensure_key());
  CW_TRY(candidate.digest, op::digest_of(subject_.state.key, candidate.manifest, candidate.hooks));
  return candidate;
}

base::Result<Candidate> Candidates::render() {
  const Inputs& inputs = digests_.inputs();
  host::ClusterLookup lookup(subject_.services.client, subject_.call);
  CW_TRY(bundle::RenderedRelease rendered, render_release(lookup));
  skipped_hooks_ = runs_hooks(subject_) ? "" : bundle::list_hooks(rendered.hooks);
  if (!skipped_hooks_.empty()) {
    subject_.context.log.warn("Chart hooks are not run", {{"hooks", skipped_hooks_}});
  }
  Candidate candidate;
  CW_TRY(candidate.definitions, chosen_definitions(rendered.crds, subject_.watch.crds));
  candidate.manifest = std::move(rendered.manifest);
  candidate.objects = std::move(rendered.objects);
  candidate.hooks = std::move(rendered.hooks);
  candidate.repeatable = rendered.repeatable && !looked_up_;
  candidate.notes = secrets_.masked(rendered.notes);
  candidate.config = inputs.release.config;
  candidate.chart_metadata = std::move(rendered.chart_metadata);
  candidate.chart_values = std::move(rendered.chart_values);
  CW_TRY(candidate.chart_files, subject_.watch.bundle.recorded->packed());
  candidate.description = complete();
  candidate.inputs = inputs.digest;
  if (subject_.watch.dry_run == bundle::DryRunMode::kServer) {
    candidate.lookups = lookup.lookups();
    CW_TRY(candidate.inputs, digests_.digest_of(host::with_lookups(
                                 inputs.chart_key, host::seen_versions(lookup.lookups()))));
  }
  return candidate;
}

std::string Candidates::complete() const {
  return subject_.progress.revision() == 0 ? "Install complete" : "Upgrade complete";
}

base::Result<int> Candidates::rollback_target(std::string_view request) const {
  if (request == "previous") {
    const std::optional<int> previous = previous_revision(subject_.state);
    if (!previous) {
      return Error(ErrorCode::kInvalidArgument,
                   "cannot roll back: there is no revision before " +
                       std::to_string(subject_.state.progress.revision()));
    }
    return *previous;
  }
  const auto number = base::parse_int(request);
  if (!number || *number < 1) {
    return Error(ErrorCode::kInvalidArgument,
                 std::string(kRollbackTo) + ": \"" + std::string(request) +
                     "\" is neither a revision number nor \"previous\"");
  }
  const std::vector<HistoryItem>& history = subject_.state.history;
  const bool known =
      std::any_of(history.begin(), history.end(),
                  [&number](const HistoryItem& item) { return item.revision == *number; });
  if (!known) {
    return Error(
        ErrorCode::kInvalidArgument,
        "cannot roll back: revision " + std::to_string(*number) + " is not in status.history");
  }
  return static_cast<int>(*number);
}

base::Result<Candidate> Candidates::replay(const Rollback& rollback) {
  CW_TRY(const int target, rollback_target(rollback.target));
  CW_TRY(release::Revision revision, records_.load(target));
  return restore(std::move(revision), rollback);
}

// No record has them. A rollback may lead away from values that the chart cannot be prepared with:
// then they stay as they are.
base::Result<std::vector<release::Definition>> Candidates::definitions_for(
    const std::optional<Rollback>& rollback) const {
  const bundle::Bundle& bundle = subject_.watch.bundle;
  if (!bundle.has_crds) {
    return std::vector<release::Definition>();
  }
  auto files = subject_.services.renderer.crds(bundle, digests_.inputs().release);
  if (!files.ok() && rollback) {
    return std::vector<release::Definition>();
  }
  CW_TRY(const std::vector<helm::Crd> known, std::move(files));
  return chosen_definitions(known, subject_.watch.crds);
}

base::Result<Candidate> Candidates::restore(release::Revision revision,
                                            const std::optional<Rollback>& rollback) {
  Candidate candidate;
  candidate.description = complete();
  if (rollback) {
    CW_TRY(const int target, rollback_target(rollback->target));
    candidate.description = std::string(kRollbackDescription) + std::to_string(target);
    CW_TRY(const std::string spec_digest, digests_.digest_of(digests_.inputs().spec_key));
    candidate.after = rollback->on_failure ? subject_.progress.pin() : Pin(RolledBack{spec_digest});
    candidate.rollback = rollback;
  }
  CW_TRY(candidate.objects, records_.parse(revision.manifest));
  candidate.manifest = std::move(revision.manifest);
  candidate.hooks = std::move(revision.hooks);
  candidate.notes = std::move(revision.notes);
  candidate.reach = revision.reach;
  candidate.config = digests_.inputs().release.config;
  if (revision.reach == release::Reach::kEverything) {
    candidate.config = std::move(revision.config);
  }
  candidate.chart_metadata = std::move(revision.chart_metadata);
  candidate.chart_values = std::move(revision.chart_values);
  candidate.chart_files = std::move(revision.chart_files);
  CW_TRY(candidate.definitions, definitions_for(rollback));
  CW_TRY(candidate.inputs, digests_.digest_of(digests_.inputs().key));
  return candidate;
}

}  // namespace chartwright::op
