// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "release/definition.h"
#include "subject/input_digests.h"
#include "subject/render_queue.h"

namespace chartwright::op {

/// Begins the description of a revision that a rollback made, before the number of its target.
inline constexpr std::string_view kRollbackDescription = "Rollback to ";

/// A desired state that may become a revision.
struct Candidate {
  std::string manifest;
  std::vector<value::Value> objects;
  std::vector<release::Hook> hooks;
  std::string notes;
  value::Value config;
  value::Value chart_metadata;
  value::Value chart_values;
  std::shared_ptr<const record::PackedChart> chart_files;
  std::string description;
  std::string inputs;  ///< Digest of the current inputs, whatever the candidate was made from.
  std::string digest;  ///< The digest of the manifest and the hooks, as the status has it.
  /// Another render of the same inputs gives the same.
  bool repeatable = true;
  /// It has other values than the revision in force, and they reach objects outside the cluster,
  /// which no manifest has.
  bool alters_externals = false;
  /// The reach of the record that it comes from.
  release::Reach reach = release::Reach::kEverything;
  std::optional<Rollback> rollback;  ///< The rollback that it carries out; nullopt: a render.
  Pin after;                         ///< The pin once it is in force.
  std::optional<std::vector<host::Lookup>> lookups;
  std::vector<release::Definition> definitions;  ///< To be in force before the objects.
};

/// Makes candidates: from the chart, or from an earlier revision. Blocks.
class Candidates {
 public:
  /// All must outlive it.
  Candidates(const Subject& subject, InputDigests& digests, RenderQueue& renders, Records& records,
             std::string& skipped_hooks)
      : subject_(subject),
        digests_(digests),
        renders_(renders),
        records_(records),
        skipped_hooks_(skipped_hooks),
        secrets_(subject.overrides.texts()) {}

  /// Returns replay(*rollback), or else render(), with its digest. Errors: theirs, and those of
  /// InputDigests::ensure_key.
  base::Result<Candidate> make(const std::optional<Rollback>& rollback);
  /// Renders the chart. Errors: those of bundle::Renderer::render, of read_definitions and of
  /// lookups.
  base::Result<Candidate> render();
  /// Makes a candidate of the target of `rollback`. Errors: those of rollback_target and of
  /// Records.
  base::Result<Candidate> replay(const Rollback& rollback);
  /// Makes a candidate of a record: that of an attempt that has begun, or the target of `rollback`.
  /// Its CRDs are those of the chart. Errors: those of rollback_target, of Records::parse, and of
  /// reading the files of crds/.
  base::Result<Candidate> restore(release::Revision revision,
                                  const std::optional<Rollback>& rollback);
  /// Returns the revision that `request`, a number or "previous", names. Error: kInvalidArgument
  /// where there is none in status.history.
  base::Result<int> rollback_target(std::string_view request) const;

  /// Masks overrideValues, and the Secrets that the chart looked up in this reconcile.
  const host::SecretMask& secrets() const { return secrets_; }
  /// Reports whether the chart was rendered in this reconcile.
  bool rendered() const { return rendered_; }
  /// Reports whether the chart looked up objects in this reconcile.
  bool looked_up() const { return looked_up_; }

 private:
  base::Result<bundle::RenderedRelease> render_release(host::ClusterLookup& lookup);
  base::Result<std::vector<release::Definition>> definitions_for(
      const std::optional<Rollback>& rollback) const;
  std::string complete() const;

  const Subject& subject_;
  InputDigests& digests_;
  RenderQueue& renders_;
  Records& records_;
  std::string& skipped_hooks_;  ///< The chart's hooks that do not run, for people.
  host::SecretMask secrets_;
  bool rendered_ = false;
  bool looked_up_ = false;
};

}  // namespace chartwright::op
