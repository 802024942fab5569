// SPDX-License-Identifier: Apache-2.0
// What a pass goes by beside the spec: what the caches hold around the custom resource.
#include "base/digest.h"
#include "operator/reconcile.h"

namespace chartwright::op {
namespace {

constexpr size_t kKeyDigits = 32;

void append_version(std::string& text, const value::Value& object) {
  text += kube::uid_of(object);
  text += '@';
  text += kube::resource_version_of(object);
  text += '\n';
}

}  // namespace

base::Result<const ClusterSnapshot*> Reconcile::snapshot() {
  if (snapshot_) {
    return &*snapshot_;
  }
  ClusterSnapshot found;
  const bundle::Bundle& bundle = watch_.bundle;
  if (bundle.status_template || !bundle.patches.empty()) {
    found.cr = cr_;
    if (bundle.reads_live) {
      found.owned = services_.caches.owned(owner_.uid);
    }
    for (const bundle::RelatedConfig& related : bundle.rules.related) {
      const auto select = [this, &related, &found] {
        return services_.renderer.render_selector(related, found.cr);
      };
      CW_TRY(const LabelMap labels,
             related.has_templates() ? in_turn(host::Material::kOperatorFolder, select) : select());
      found.related.emplace_back(related.name,
                                 services_.caches.related(related.query(), owner_.ref(),
                                                          owner_.release_namespace(), labels));
    }
  }
  snapshot_ = std::move(found);
  return &*snapshot_;
}

// Names everything that a pass without a new wish goes by: equal keys, the same pass again. Empty
// while an object is missing: how long that is a cache behind our own write is not in any version;
// and while the update of a CRD is refused: what is stored in it is not looked at.
base::Result<std::string> Reconcile::input_fingerprint() {
  if (!state_.held_definitions.empty()) {
    return std::string();
  }
  std::string text = attempt_ + "\n";
  append_version(text, cr_);
  for (const auto& [ref, entry] : state_.inventory) {
    const auto live = services_.caches.live(ref);
    if (!live) {
      return std::string();
    }
    text += live->resource_version();
    text += '\n';
  }
  CW_TRY(const ClusterSnapshot* around, snapshot());
  for (const runtime::Stored& child : around->owned) {
    append_version(text, *child);
  }
  for (const auto& [name, objects] : around->related) {
    text += name + "\n";
    for (const runtime::Stored& object : objects) {
      append_version(text, *object);
    }
  }
  return base::sha256_hex(text).substr(0, kKeyDigits);
}

// Whether a pass has found the same situation before and left it as it was. What a pass writes
// shows in the versions, so that it is followed by one that looks.
bool Reconcile::is_settled() {
  auto now = input_fingerprint();
  // Whoever needs the surroundings reports why they are not to be had.
  fingerprint_ = std::move(now).value_or("");
  return !fingerprint_.empty() && fingerprint_ == state_.last_converged;
}

// What the templates of the operator/ folder see of the world right now. A pinned revision is shown
// with its own values, not with those that it turned down.
base::Result<const value::Value*> Reconcile::scope() {
  if (scope_) {
    return &*scope_;
  }
  CW_TRY(const ClusterSnapshot* around, snapshot());
  OperatorView seen;
  seen.cr = around->cr;
  seen.release = inputs_;
  seen.release.revision = state_.revision;
  if (state_.pin) {
    if (state_.config.is_nil()) {
      CW_TRY(release::Revision revision, load(state_.revision));
      state_.config = value::Packed(revision.config);
    }
    seen.release.config = state_.config.unpack();
  }
  seen.live = bodies_of(around->owned);
  for (const auto& [name, objects] : around->related) {
    seen.related.emplace_back(name, bodies_of(objects));
  }
  CW_TRY(scope_, in_turn(host::Material::kOperatorFolder, [this, &seen] {
           return services_.renderer.scope(watch_.bundle, std::move(seen));
         }));
  return &*scope_;
}

}  // namespace chartwright::op
