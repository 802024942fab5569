// SPDX-License-Identifier: Apache-2.0
#include "subject/cluster_view.h"

#include <algorithm>

#include "base/digest.h"
#include "health/selected.h"
#include "kube/label_selector.h"
#include "subject/verdicts.h"

namespace chartwright::op {
namespace {

constexpr size_t kFingerprintDigits = 32;

void append_version(std::string& text, const value::Value& object) {
  text += kube::uid_of(object);
  text += '@';
  text += kube::resource_version_of(object);
  text += '\n';
}

kube::ObjectRef without_version(kube::ObjectRef ref) {
  ref.gvk.version.clear();
  return ref;
}

}  // namespace

base::Result<bundle::RelatedTexts> ClusterView::render(const bundle::RelatedConfig& config) {
  const auto render = [this, &config] {
    return subject_.services.renderer.render_related(config,
                                                     {subject_.cr, inputs_.release.external});
  };
  return config.has_templates() ? renders_.run(host::Source::kOperatorFolder, render) : render();
}

base::Result<std::optional<std::string>> ClusterView::namespace_of(
    const bundle::RelatedConfig& config, const std::string& asked) {
  const auto mapping = subject_.services.client.mapping_for(config.gvk, subject_.call);
  if (!mapping.ok() && mapping.error().reason() == kube::kNoMatchReason) {
    return std::optional<std::string>();
  }
  if (!mapping.ok()) {
    return mapping.error();
  }
  if (mapping->scope == kube::Scope::kCluster) {
    return std::optional(std::string());
  }
  return std::optional(asked.empty() ? subject_.owner.release_namespace() : asked);
}

base::Result<ClusterView::Objects> ClusterView::selected_by(const kube::GroupKind& kind,
                                                            const bundle::RelatedConfig& config,
                                                            const bundle::RelatedTexts& texts,
                                                            const Objects& owned) {
  const auto child = std::ranges::find_if(owned, [&](const runtime::Stored& one) {
    return kube::gvk_of(*one).group_kind() == kind && kube::name_of(*one) == texts.name;
  });
  const auto body = child == owned.end() ? std::nullopt : release::body_of(**child);
  if (!body) {
    return Objects();  // Nothing selects yet.
  }
  CW_TRY(const kube::LabelSelector selector, kube::LabelSelector::of(*body));
  CW_TRY(Objects found,
         subject_.services.caches.related(bundle::query_by_keys(config, selector),
                                          {subject_.owner.ref(), config.name}, texts.ns, selector,
                                          subject_.context.stop));
  std::erase_if(found, [&](const runtime::Stored& one) {
    return !health::belongs_to(*body, config.gvk.group_kind(), *one);
  });
  return found;
}

base::Result<ClusterView::Objects> ClusterView::related(const bundle::RelatedConfig& config,
                                                        const Objects& owned) {
  using Config = bundle::RelatedConfig;
  CW_TRY(bundle::RelatedTexts texts, render(config));
  CW_TRY(std::optional<std::string> ns, namespace_of(config, texts.ns));
  if (!ns) {
    return Objects();
  }
  texts.ns = *std::move(ns);
  if (const auto* by_child = std::get_if<Config::BySelectorOf>(&config.choice)) {
    return selected_by(by_child->gvk.group_kind(), config, texts, owned);
  }
  observe::Caches& caches = subject_.services.caches;
  const observe::Reader reader{subject_.owner.ref(), config.name};
  if (auto query = config.query()) {
    return caches.related(*std::move(query), reader, texts.ns, texts.selector,
                          subject_.context.stop);
  }
  CW_TRY(runtime::Stored object,
         caches.named(reader, {config.gvk, texts.ns, texts.name}, subject_.context.stop));
  return object == nullptr ? Objects() : Objects{std::move(object)};
}

// A child that the custom resource must not take along, or that is elsewhere, has no reference to
// it. One that is watched in several versions is shown in that of its record.
ClusterView::Objects ClusterView::children() const {
  const observe::Caches& caches = subject_.services.caches;
  const release::Inventory& inventory = subject_.state.inventory;
  Objects all = caches.owned(subject_.owner.uid);
  std::erase_if(all, [&](const runtime::Stored& one) {
    const kube::ObjectRef ref = kube::ref_of(*one);
    const auto recorded = inventory.find(ref);
    if (recorded == inventory.end() || recorded->first.gvk == ref.gvk) {
      return false;
    }
    const auto shown = caches.live(recorded->first);
    return shown && kube::gvk_of(shown->condensed()) != ref.gvk;
  });
  std::set<std::string_view> known;
  for (const runtime::Stored& child : all) {
    known.insert(kube::uid_of(*child));
  }
  for (const auto& [ref, entry] : inventory) {
    const auto live = entry.role == release::Role::kChild ? live_of(subject_, ref) : std::nullopt;
    if (live && !known.contains(live->uid()) &&
        live->claim(subject_.owner) == release::Claim::kOurs) {
      all.push_back(live->stored());
    }
  }
  return all;
}

base::Result<const ClusterView::Snapshot*> ClusterView::snapshot() {
  if (snapshot_) {
    return &*snapshot_;
  }
  Snapshot found;
  const bundle::Bundle& bundle = subject_.watch.bundle;
  if (bundle.status_template || !bundle.patches.empty()) {
    found.cr = subject_.cr;
    if (bundle.reads_live) {
      found.owned = children();
    }
    for (const bundle::RelatedConfig& config : bundle.rules.related) {
      auto objects = related(config, found.owned);
      if (!objects.ok()) {
        return std::move(objects).error().wrap("related." + config.name);
      }
      found.related.emplace_back(config.name, *std::move(objects));
    }
  }
  snapshot_ = std::move(found);
  return &*snapshot_;
}

// Two cases have no fingerprint. A child is missing: no version says whether its cache has caught
// up with our own write. The update of a CRD is refused: what is stored under it is not watched.
base::Result<std::string> ClusterView::input_fingerprint() {
  if (!subject_.state.held_definitions.empty()) {
    return std::string();
  }
  std::string text = inputs_.attempt + "\n";
  append_version(text, subject_.cr);
  for (const auto& [ref, entry] : subject_.state.inventory) {
    const auto live = judged_live(subject_, ref);
    if (!live && is_over(entry, subject_.services.clock.wall())) {
      text += "over\n";
      continue;
    }
    if (!live) {
      return std::string();
    }
    text += live->resource_version();
    text += ' ' + std::to_string(static_cast<int>(entry.motion));
    text += live->present() ? "\n" : " does not count\n";
  }
  const release::Contests& contests = subject_.state.contests;
  for (const auto& [ref, contest] : contests) {
    if (release::is_contested(contest)) {
      const bool waits = release::has_to_wait(contests, ref, subject_.services.clock.monotonic());
      text += ref.to_string() + (waits ? " waits\n" : " may be repaired\n");
    }
  }
  for (const kube::ObjectRef& ref : subject_.state.patches.missing_targets) {
    const auto live = subject_.services.caches.live(ref);
    text += ref.to_string() + (live ? " exists\n" : " is missing\n");
  }
  for (const kube::ObjectRef& ref : subject_.state.patches.refused_targets) {
    const auto live = subject_.services.caches.live(ref);
    text += ref.to_string() + (live && live->is_child() ? " is a child of " : " is no child") +
            (live ? live->owner_text() : "") + "\n";
  }
  for (const auto& [ref, entry] : subject_.state.unconfirmed) {
    text += ref.to_string() + " is unconfirmed\n";
  }
  for (const std::string& rival : subject_.state.rivals) {
    text += rival + "\n";
  }
  CW_TRY(const Snapshot* around, snapshot());
  for (const runtime::Stored& child : around->owned) {
    append_version(text, *child);
  }
  for (const auto& [name, objects] : around->related) {
    text += name + "\n";
    for (const runtime::Stored& object : objects) {
      append_version(text, *object);
    }
  }
  return base::sha256_hex(text).substr(0, kFingerprintDigits);
}

bool ClusterView::is_unchanged() {
  // An error is reported where the snapshot is needed.
  fingerprint_ = input_fingerprint().value_or("");
  return !fingerprint_.empty() && fingerprint_ == subject_.memories.of<Memory>().fingerprint;
}

void ClusterView::mark_converged() { subject_.memories.of<Memory>().fingerprint = fingerprint_; }

base::Result<std::set<kube::ObjectRef>> ClusterView::related_refs() {
  CW_TRY(const Snapshot* around, snapshot());
  std::set<kube::ObjectRef> refs;
  for (const auto& [name, objects] : around->related) {
    for (const runtime::Stored& object : objects) {
      refs.insert(kube::ref_of(*object));
    }
  }
  return refs;
}

base::Result<bool> ClusterView::is_whole() {
  CW_TRY(const Snapshot* around, snapshot());
  if (!subject_.watch.bundle.reads_live) {
    return true;
  }
  std::set<kube::ObjectRef> shown;
  for (const runtime::Stored& child : around->owned) {
    shown.insert(without_version(kube::ref_of(*child)));
  }
  return std::ranges::all_of(subject_.state.inventory, [&shown, this](const auto& item) {
    const auto& [ref, entry] = item;
    return entry.role != release::Role::kChild || shown.contains(without_version(ref)) ||
           is_over(entry, subject_.services.clock.wall());
  });
}

base::Result<bundle::ReleaseInputs> ClusterView::release() {
  const CrState& state = subject_.state;
  bundle::ReleaseInputs release = inputs_.release;
  release.revision = state.progress.revision();
  if (!state.progress.is_pinned() || state.progress.revision() == 0) {
    return release;
  }
  if (config_.is_nil()) {
    CW_TRY(const release::Revision revision, records_.load(state.progress.revision()));
    // Values that nobody has signed could be anything: those of the spec are at least its own.
    config_ = value::Packed(revision.reach == release::Reach::kEverything ? revision.config
                                                                          : inputs_.release.config);
  }
  release.config = config_.unpack();
  return release;
}

base::Result<const value::Value*> ClusterView::scope() {
  if (scope_) {
    return &*scope_;
  }
  CW_TRY(const Snapshot* around, snapshot());
  bundle::OperatorView seen;
  seen.cr = around->cr;
  CW_TRY(seen.release, release());
  seen.live = observe::bodies_of(around->owned);
  for (const auto& [name, objects] : around->related) {
    seen.related.emplace_back(name, observe::bodies_of(objects));
  }
  CW_TRY(scope_, renders_.run(host::Source::kOperatorFolder, [this, &seen] {
    return subject_.services.renderer.scope(subject_.watch.bundle, std::move(seen));
  }));
  return &*scope_;
}

}  // namespace chartwright::op
