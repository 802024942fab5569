// SPDX-License-Identifier: Apache-2.0
#include "subject/records.h"

#include <algorithm>

#include "helm/render/stored_manifest.h"
#include "release/secret_digest.h"
#include "revision/keyed_digest.h"
#include "revision/record_signature.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

namespace {

Error no_digest(int number) {
  return {ErrorCode::kOwnership, "status.history has no digest of revision " +
                                     std::to_string(number) +
                                     " to tell whether its record was changed"};
}

Error changed(int number) {
  return {ErrorCode::kOwnership, "the record of revision " + std::to_string(number) +
                                     " was changed: its manifest is not the one that "
                                     "status.history has the digest of"};
}

base::Result<bool> has_digest(const release::Revision& revision, std::string_view known) {
  CW_TRY(const std::vector<std::string> digests, digests_of(revision));
  return !revision.key.empty() && std::ranges::find(digests, known) != digests.end();
}

}  // namespace

base::Result<std::string> digest_of(const std::string& key, const std::string& manifest,
                                    const std::vector<release::Hook>& hooks) {
  CW_TRY(const std::string text, release::text_of_release(manifest, hooks));
  return release::keyed_digest(key, text);
}

base::Result<std::string> former_digest_of(const std::string& key, const std::string& manifest,
                                           const std::vector<release::Hook>& hooks) {
  CW_TRY(const std::string text, release::former_text_of_release(manifest, hooks));
  return release::keyed_digest(key, text);
}

base::Result<std::vector<std::string>> digests_of(const release::Revision& revision) {
  CW_TRY(std::string today, digest_of(revision.key, revision.manifest, revision.hooks));
  CW_TRY(std::string former, former_digest_of(revision.key, revision.manifest, revision.hooks));
  return std::vector<std::string>{std::move(today), std::move(former)};
}

bool is_lost(ErrorCode code) {
  return code == ErrorCode::kNotFound || code == ErrorCode::kOwnership || code == ErrorCode::kParse;
}

base::Status check_digest(const release::Revision& revision, std::string_view known) {
  if (!known.starts_with(release::kKeyedPrefix)) {
    return no_digest(revision.number);
  }
  CW_TRY(const bool is_same, has_digest(revision, known));
  if (!is_same) {
    return changed(revision.number);
  }
  return {};
}

Error beyond_reach(const Subject& subject, int number) {
  return Error(ErrorCode::kOwnership,
               "revision " + std::to_string(number) + " has objects outside of the namespace " +
                   subject.owner.release_namespace() +
                   ", for which its record counts no more: the operator has not signed it when it "
                   "was made")
      .with_help("Change the spec or the chart, so that a new revision is rendered.");
}

release::RevisionStore Records::store() {
  return {subject_.services.client, subject_.call, subject_.owner, subject_.signer,
          [this](const Value& secret) {
            return renders_.run(host::Source::kManifest,
                                [&secret] { return release::decode_revision(secret); });
          }};
}

base::Result<std::optional<release::Reach>> Records::reach_of(
    const release::Revision& revision) const {
  if (subject_.signer == nullptr) {
    return std::optional(release::Reach::kEverything);
  }
  return release::verified_reach(revision, *subject_.signer);
}

// Our permissions must not be used to apply what we did not render.
base::Result<release::Finding<release::Revision>> Records::find_signed(int number) {
  using Found = release::Finding<release::Revision>;
  CW_TRY(Found finding, store().find(number));
  if (!finding.found()) {
    return finding;
  }
  CW_TRY(const std::optional<release::Reach> reach, reach_of(finding.thing()));
  if (!reach || finding.thing().number != number) {
    return Found::absent(Error(ErrorCode::kOwnership,
                               "the record of revision " + std::to_string(number) +
                                   " has no valid signature: somebody else wrote or changed it, or "
                                   "the operator's key was another one"));
  }
  finding.thing().reach = *reach;
  return finding;
}

// The digest of an attempt enters the history at its end.
std::string_view Records::known_digest(int number) const {
  const CrState& state = subject_.state;
  const auto item = std::ranges::find(state.history, number, &HistoryItem::revision);
  if (item != state.history.end()) {
    return item->digest;
  }
  const bool is_attempt = state.progress.attempt() && state.progress.attempt()->revision == number;
  return is_attempt ? std::string_view(state.progress.attempt()->content) : std::string_view();
}

base::Result<release::Finding<release::Revision>> Records::find(int number) {
  using Found = release::Finding<release::Revision>;
  const std::string known(known_digest(number));
  if (!known.starts_with(release::kKeyedPrefix)) {
    return Found::absent(no_digest(number));
  }
  CW_TRY(Found finding, find_signed(number));
  if (!finding.found()) {
    return finding;
  }
  release::Revision& revision = finding.thing();
  CW_TRY(const bool is_same, has_digest(revision, known));
  if (!is_same) {
    return Found::absent(changed(number));
  }
  if (revision.reach == release::Reach::kOwnNamespace) {
    revision.hooks.clear();
  }
  // Older records include the CRDs of crds/. These are not children, and are not replayed.
  revision.manifest = helm::without_crds(std::move(revision.manifest));
  return finding;
}

base::Result<release::Revision> Records::load(int number) {
  CW_TRY(release::Finding<release::Revision> finding, find(number));
  return std::move(finding).required();
}

base::Result<std::vector<Value>> Records::parse(const std::string& manifest) {
  auto objects = renders_.run(host::Source::kManifest,
                              [&manifest] { return bundle::Renderer::parse_manifest(manifest); });
  if (!objects.ok()) {
    return release::unreadable_now(std::move(objects).error(), "the recorded manifest");
  }
  return objects;
}

}  // namespace chartwright::op
