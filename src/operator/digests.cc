// SPDX-License-Identifier: Apache-2.0
// What the status keeps of manifests and inputs, which may hold secrets: digests under a key that
// only the release records have, so that who reads the status cannot try values (docs/design/006).
#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "operator/reconcile.h"
#include "release/keyed_digest.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;

// What a digest without a key begins with. In a history it is one from before there were keys.
constexpr std::string_view kPlainPrefix = "sha256:";

bool is_plain(const HistoryItem& item) { return item.digest.starts_with(kPlainPrefix); }

// A record that no try will bring back.
bool is_lost(ErrorCode code) {
  return code == ErrorCode::kNotFound || code == ErrorCode::kOwnership ||
         code == ErrorCode::kParse || code == ErrorCode::kBudget;
}

}  // namespace

// The key in the record of the revision in force, if the status vouches for that record. Otherwise
// a new one, under which no digest is what it was: what is in force has to be recorded anew.
base::Status Reconcile::ensure_key() {
  if (!state_.key.empty()) {
    return {};
  }
  if (state_.revision > 0) {
    auto revision = load(state_.revision);
    if (revision.ok()) {
      state_.key = std::move(revision->key);
      return {};
    }
    if (!is_lost(revision.error().code())) {
      return std::move(revision).error().wrap("read the key of digests");
    }
  }
  CW_TRY(state_.key, release::make_key());
  return {};
}

// How the status names inputs. Without overrides the spec, which stands in the same object, is all
// that they could tell: no key is needed, and a new process at rest has nothing to ask for.
base::Result<std::string> Reconcile::digest_of(const std::string& inputs) const {
  return watch_.override_values.empty() ? std::string(kPlainPrefix) + inputs
                                        : release::keyed_digest(state_.key, inputs);
}

base::Status Reconcile::name_inputs() {
  CW_TRY_VOID(watch_.override_values.empty() ? base::Status() : ensure_key());
  CW_TRY(spec_digest_, digest_of(spec_key_));
  CW_TRY(inputs_digest_, digest_of(inputs_key_));
  return bring_up_to_date();
}

// From before there were keys: digests of the history say that they have none, and those of inputs
// are bare digits. None of them may stay, whatever becomes of this pass.
base::Status Reconcile::bring_up_to_date() {
  const auto rename = [](std::string& stored, const std::string& key, const std::string& digest) {
    if (stored.find(':') == std::string::npos) {
      stored = stored == key ? digest : "";
    }
  };
  rename(state_.inputs, inputs_key_, inputs_digest_);
  if (state_.pin) {
    rename(state_.pin->rejected_inputs, spec_key_, spec_digest_);
  }
  if (std::none_of(state_.history.begin(), state_.history.end(), is_plain)) {
    return {};
  }
  CW_TRY_VOID(ensure_key());
  release::RevisionStore store = records();
  for (size_t i = 0; i < state_.history.size(); ++i) {
    HistoryItem& item = state_.history[i];
    if (!is_plain(item)) {
      continue;
    }
    if (i >= static_cast<size_t>(services_.history_max)) {
      item.digest.clear();  // Its record goes next; a status may claim any number of them.
      continue;
    }
    CW_TRY(item.digest, store.rekey(item.revision, state_.key, [&item](std::string_view manifest) {
      return item.digest == std::string(kPlainPrefix) + base::sha256_hex(manifest);
    }));
  }
  return {};
}

bool Reconcile::is_in_force(const std::string& digest) const {
  return !state_.history.empty() && state_.history.front().digest == digest &&
         state_.history.front().revision == state_.revision;
}

}  // namespace chartwright::op
