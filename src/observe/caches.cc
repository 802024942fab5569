// SPDX-License-Identifier: Apache-2.0
#include "observe/caches.h"

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "base/unicode.h"
#include "kube/label_selector.h"
#include "value/packed.h"

namespace chartwright::observe {
namespace {

using value::Value;

std::string label_selector_for(const std::vector<kube::LabelValue>& charts) {
  kube::LabelRequirement of_charts;
  of_charts.key = release::kChartLabel;
  of_charts.op = kube::LabelRequirement::Op::kIn;
  for (const kube::LabelValue& chart : charts) {
    of_charts.values.push_back(chart.text());
  }
  return of_charts.to_string();
}

// The prefixes of helm-operator's and our own annotations that ask for something.
constexpr std::array<std::string_view, 2> kRequestPrefixes = {"chartwright.io/",
                                                              "helm.sdk.operatorframework.io/"};
constexpr size_t kRequestBytesMax = size_t{4} << 10;
constexpr size_t kRequestsBytesMax = size_t{16} << 10;

// Returns the annotations that may ask for something, cut to what a person writes. All others
// become a digest, under a name that none can have: a change of them is a change.
Value condense_annotations(const Value& annotations) {
  Value kept = Value::dict();
  std::string rest;
  size_t bytes = 0;
  for (const auto& [key, member] : annotations.as_dict()) {
    const bool is_request = std::ranges::any_of(
        kRequestPrefixes,
        [&name = key](std::string_view prefix) { return name.starts_with(prefix); });
    const std::string text = member.is_string() ? member.as_string() : "";
    const std::string cut = base::shortened(text, kRequestBytesMax);
    if (is_request && bytes + key.size() + cut.size() <= kRequestsBytesMax) {
      bytes += key.size() + cut.size();
      kept.mutable_dict().set(key, Value::string(cut));
    } else {
      rest = base::sha256_hex(rest + "\n" + key + "\n" + text);
    }
  }
  if (!rest.empty()) {
    kept.mutable_dict().set("", Value::string(rest));
  }
  return kept;
}

enum class Annotations : uint8_t { kAll, kOfRequests };

/// The member of a stored custom resource that says who changed its spec. No field has this name.
constexpr std::string_view kSpecChange;

Value spec_change_value(const fields::SpecChange& change) {
  constexpr size_t kNameBytesMax = 128;  // The API server takes no longer names.
  return Value::dict({{"manager", Value::string(base::shortened(change.manager, kNameBytesMax))},
                      {"time", Value::string(change.time.substr(0, kNameBytesMax))}});
}

// Keeps of managedFields who changed the spec: the rest only the API server reads. Spec and
// status are packed: they are most of a custom resource, and are read once per reconcile.
Value condense_custom_resource(const Value& object, Annotations annotations) {
  Value out = Value::dict();
  for (const auto& [key, member] : object.as_dict()) {
    const bool packed = key == "spec" || key == "status";
    out.mutable_dict().set(key, packed ? value::Packed(member).to_bytes() : member);
  }
  if (const Value* metadata = object.find("metadata"); metadata != nullptr && metadata->is_dict()) {
    Value kept = value::deep_copy(*metadata);
    kept.mutable_dict().erase("managedFields");
    const Value* all = kept.find("annotations");
    if (annotations == Annotations::kOfRequests && all != nullptr && all->is_dict()) {
      kept.mutable_dict().set("annotations", condense_annotations(*all));
    }
    out.mutable_dict().set("metadata", std::move(kept));
  }
  if (const fields::SpecChange change = fields::spec_change_in(object); !change.manager.empty()) {
    out.mutable_dict().set(kSpecChange, value::Packed(spec_change_value(change)).to_bytes());
  }
  return out;
}

// Only the deletion matters of those that are not selected.
Value condense_unselected(const Value& object) {
  constexpr std::array<std::string_view, 7> kKept = {
      "name",      "namespace", "uid", "resourceVersion", "ownerReferences", "deletionTimestamp",
      "finalizers"};
  Value metadata = Value::dict();
  for (std::string_view key : kKept) {
    if (const Value* member = object.find_path({"metadata", key})) {
      metadata.mutable_dict().set(key, *member);
    }
  }
  Value out = Value::dict();
  for (std::string_view key : {"apiVersion", "kind"}) {
    if (const Value* member = object.find(key)) {
      out.mutable_dict().set(key, *member);
    }
  }
  out.mutable_dict().set("metadata", std::move(metadata));
  return value::Packed(out).unpack();
}

// The number of requirements of a selector for each of which there is a watch.
constexpr size_t kComplementMax = 20;

// Returns selectors of objects that do not meet one of the requirements each. Together they select
// all others than `selector`. Of very many requirements there are none.
std::vector<std::string> complement_of(const std::string& selector) {
  using Op = kube::LabelRequirement::Op;
  std::vector<std::string> complement;
  const auto parsed = kube::LabelSelector::parse(selector);
  if (!parsed.ok() || parsed->requirements().size() > kComplementMax) {
    return complement;
  }
  for (kube::LabelRequirement one : parsed->requirements()) {
    constexpr std::array<std::pair<Op, Op>, 4> kOpposites = {{{Op::kIn, Op::kNotIn},
                                                              {Op::kNotIn, Op::kIn},
                                                              {Op::kExists, Op::kAbsent},
                                                              {Op::kAbsent, Op::kExists}}};
    const auto* found = std::ranges::find(kOpposites, one.op, &std::pair<Op, Op>::first);
    if (found != kOpposites.end()) {
      one.op = found->second;
      complement.push_back(one.to_string());
    }
  }
  return complement;
}

runtime::Transform child_transform(std::set<std::string> charts_with_live) {
  return [charts = std::move(charts_with_live)](Value object) {
    const auto chart = kube::label_of(object, release::kChartLabel);
    const bool keep = chart && charts.contains(std::string(*chart));
    return release::condense(object, keep ? release::KeepBody::kYes : release::KeepBody::kNo);
  };
}

Value related_transform(Value object) { return release::condense(object, release::KeepBody::kYes); }

std::optional<kube::ObjectRef> owner_from_annotations(const Value& condensed) {
  const auto name = kube::annotation_of(condensed, release::kOwnerAnnotation);
  const auto type = kube::annotation_of(condensed, release::kOwnerTypeAnnotation);
  if (!name || !type) {
    return std::nullopt;
  }
  const size_t slash = name->find('/');
  const size_t dot = type->find('.');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  kube::ObjectRef ref;
  ref.gvk.kind = type->substr(0, dot);
  ref.gvk.group = dot == std::string_view::npos ? "" : type->substr(dot + 1);
  ref.ns = name->substr(0, slash);
  ref.name = name->substr(slash + 1);
  return ref;
}

std::vector<std::string> watched_namespaces(const CacheOptions& options) {
  return options.namespaces.empty() ? std::vector<std::string>{""} : options.namespaces;
}

ChildSelection child_selection(const CacheOptions& options) {
  return {watched_namespaces(options), label_selector_for(options.charts),
          child_transform(options.charts_with_live)};
}

// Reports whether nobody can tell from the error when the watch will go on. After others it is
// resumed where it ended.
bool has_lost_sight(const runtime::Informer& informer) {
  const auto error = informer.last_error();
  return error && (error->code() == base::ErrorCode::kForbidden ||
                   error->code() == base::ErrorCode::kNotFound);
}

}  // namespace

Value unpack_custom_resource(const Value& kept) {
  Value out = Value::dict();
  for (const auto& [key, member] : kept.as_dict()) {
    if (key != kSpecChange) {
      out.mutable_dict().set(key, member.is_bytes() ? value::Packed::unpack_bytes(member) : member);
    }
  }
  return out;
}

fields::SpecChange spec_change_of(const Value& kept) {
  const Value* packed = kept.find(kSpecChange);
  if (packed == nullptr || !packed->is_bytes()) {
    return {};
  }
  const Value change = value::Packed::unpack_bytes(*packed);
  return {std::string(change.string_at({"manager"})), std::string(change.string_at({"time"}))};
}

std::vector<Value> bodies_of(const std::vector<runtime::Stored>& condensed) {
  std::vector<Value> bodies;
  for (const runtime::Stored& one : condensed) {
    if (auto body = release::body_of(*one)) {  // That of a Secret is never stored.
      bodies.push_back(*std::move(body));
    }
  }
  return bodies;
}

std::optional<kube::ObjectRef> owner_of(const kube::ObjectRef& child, const Value& condensed) {
  for (const kube::OwnerReference& owner : kube::owner_references_of(condensed)) {
    if (owner.controller) {
      return kube::ObjectRef{kube::Gvk::from_api_version(owner.api_version, owner.kind), child.ns,
                             owner.name};
    }
  }
  return owner_from_annotations(condensed);
}

CacheOptions cache_options(const std::vector<std::string>& namespaces,
                           const std::vector<bundle::Watch>& watches) {
  CacheOptions result;
  result.namespaces = namespaces;
  for (const bundle::Watch& watch : watches) {
    const kube::LabelValue& chart = watch.bundle.chart_label;
    if (std::find(result.charts.begin(), result.charts.end(), chart) == result.charts.end()) {
      result.charts.push_back(chart);
    }
    if (watch.bundle.reads_live) {
      result.charts_with_live.insert(chart.text());
    }
    if (watch.bundle.reads_annotations) {
      result.kinds_with_annotations.insert(watch.gvk.group_kind());
    }
  }
  return result;
}

Caches::Caches(runtime::InformerSet& informers, CacheOptions options, Trigger trigger)
    : informers_(informers),
      options_(std::move(options)),
      trigger_(std::move(trigger)),
      children_(informers_, child_selection(options_),
                [this](const runtime::Change& change) { on_child_change(change); }),
      targets_(informers, trigger_),
      patch_conflicts_(trigger_) {}

void Caches::watch_custom_resources(const kube::Gvk& gvk, const std::string& label_selector,
                                    const runtime::ChangeListener& on_change) {
  const Annotations annotations = options_.kinds_with_annotations.contains(gvk.group_kind())
                                      ? Annotations::kAll
                                      : Annotations::kOfRequests;
  for (const std::string& ns : watched_namespaces(options_)) {
    auto informer = informers_.get({gvk, {ns, label_selector, ""}, "custom resources"},
                                   [annotations](const Value& object) {
                                     return condense_custom_resource(object, annotations);
                                   });
    {
      base::MutexLock lock(mutex_);
      custom_resources_[gvk.group_kind()].push_back({ns, informer});
    }
    informer->store().add_listener(on_change);
  }
}

void Caches::watch_unselected(const kube::Gvk& gvk, const std::string& label_selector,
                              const runtime::ChangeListener& on_change) {
  for (const std::string& selector : complement_of(label_selector)) {
    for (const std::string& ns : watched_namespaces(options_)) {
      auto informer = informers_.get({gvk, {ns, selector, ""}, "unselected"}, condense_unselected);
      {
        base::MutexLock lock(mutex_);
        unselected_[gvk.group_kind()].push_back({ns, informer});
      }
      informer->store().add_listener(on_change);
    }
  }
}

runtime::Stored Caches::unselected(const kube::ObjectRef& ref) const {
  base::MutexLock lock(mutex_);
  const auto it = unselected_.find(ref.group_kind());
  if (it == unselected_.end()) {
    return nullptr;
  }
  for (const Source& source : it->second) {
    if (auto stored = source.informer->store().get(ref.ns, ref.name)) {
      return stored;
    }
  }
  return nullptr;
}

runtime::Stored Caches::custom_resource(const kube::ObjectRef& ref) const {
  base::MutexLock lock(mutex_);
  auto it = custom_resources_.find(ref.group_kind());
  if (it == custom_resources_.end()) {
    return nullptr;
  }
  for (const Source& source : it->second) {
    if (auto stored = source.informer->store().get(ref.ns, ref.name)) {
      return stored;
    }
  }
  return nullptr;
}

bool Caches::is_current(const kube::ObjectRef& custom_resource) const {
  base::MutexLock lock(mutex_);
  const auto found = custom_resources_.find(custom_resource.group_kind());
  return found == custom_resources_.end() ||
         std::ranges::all_of(found->second, [&custom_resource](const Source& source) {
           return !looks_at(source.ns, custom_resource) || source.informer->has_synced();
         });
}

std::vector<runtime::Stored> Caches::custom_resources(const kube::Gvk& gvk) const {
  std::vector<runtime::Stored> all;
  base::MutexLock lock(mutex_);
  auto it = custom_resources_.find(gvk.group_kind());
  if (it != custom_resources_.end()) {
    for (const Source& source : it->second) {
      const auto some = source.informer->store().list();
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

base::Status Caches::watch_children(const kube::ObjectRef& cr,
                                    const std::vector<kube::ObjectRef>& children,
                                    std::stop_token stop) {
  std::set<kube::Gvk> kinds;
  std::set<kube::ObjectRef> places;  // Without names: one for each kind and namespace.
  for (const kube::ObjectRef& child : children) {
    kinds.insert(child.gvk);
    places.insert({child.gvk, child.ns, ""});
  }
  children_.follow(cr, {kinds.begin(), kinds.end()});
  std::set<std::shared_ptr<runtime::Informer>> looking;
  for (const kube::ObjectRef& place : places) {
    for (auto& informer : children_.looking_at(place)) {
      looking.insert(std::move(informer));
    }
  }
  std::vector<const runtime::Informer*> awaited;
  for (const auto& informer : looking) {
    if (!informer->has_synced()) {
      awaited.push_back(informer.get());
    }
  }
  if (awaited.empty()) {
    return {};
  }
  return informers_.wait_synced(awaited, std::move(stop), kSyncTimeout);
}

bool Caches::is_watched(const std::string& ns) const {
  const std::vector<std::string>& all = options_.namespaces;
  return all.empty() || std::ranges::find(all, ns) != all.end();
}

base::Status Caches::watch_related(const bundle::RelatedQuery& query) {
  CW_TRY_DISCARD(follow_related(query));
  return {};
}

base::Result<const Caches::Related*> Caches::follow_related(const bundle::RelatedQuery& query) {
  base::MutexLock setup(setup_mutex_);  // A second caller finds all informers.
  {
    base::MutexLock lock(mutex_);
    if (auto it = related_.find(query); it != related_.end()) {
      return &it->second;
    }
    const auto same_kind = [&query](const auto& item) { return item.first.gvk == query.gvk; };
    if (std::ranges::count_if(related_, same_kind) >= static_cast<std::ptrdiff_t>(kSelectionsMax)) {
      return base::Error(base::ErrorCode::kBudget,
                         "more than " + std::to_string(kSelectionsMax) +
                             " selections of related objects of the kind " +
                             query.gvk.group_kind().to_string() + " are watched")
          .with_http(0, std::string(runtime::kTooManyWatches));
    }
  }
  Related related{std::make_unique<RelatedSource>(query.index_labels, trigger_), {}};
  const std::vector<std::string> one{query.ns};
  for (const std::string& ns : query.ns.empty() ? watched_namespaces(options_) : one) {
    auto informer =
        informers_.get({query.gvk, {ns, query.label_selector, ""}, "related"}, related_transform);
    related.source->follow(*informer);
    related.informers.push_back(informer);
    base::MutexLock lock(mutex_);
    related_informers_[query.gvk].push_back({ns, std::move(informer)});
  }
  base::MutexLock lock(mutex_);
  return &related_.emplace(query, std::move(related)).first->second;
}

std::vector<std::shared_ptr<runtime::Informer>> Caches::informers_for(
    const kube::ObjectRef& ref) const {
  auto found = children_.looking_at(ref);
  base::MutexLock lock(mutex_);
  if (const auto related = related_informers_.find(ref.gvk); related != related_informers_.end()) {
    for (const Source& source : related->second) {
      if (looks_at(source.ns, ref)) {
        found.push_back(source.informer);
      }
    }
  }
  return found;
}

bool Caches::covers(const kube::ObjectRef& child) const {
  const auto found = children_.looking_at(child);
  return std::ranges::any_of(found, [](const auto& informer) {
    return informer->has_synced() && !has_lost_sight(*informer);
  });
}

std::optional<release::Observed> Caches::live(const kube::ObjectRef& ref) const {
  for (const auto& informer : informers_for(ref)) {
    if (auto stored = informer->store().get(ref.ns, ref.name)) {
      return release::Observed(std::move(stored));
    }
  }
  auto target = targets_.find(ref);
  return target == nullptr ? std::nullopt : std::optional(release::Observed(std::move(target)));
}

std::string Caches::seen_version(const kube::ObjectRef& ref) const {
  const auto informers = informers_for(ref);
  return informers.empty() ? targets_.seen_version(ref)
                           : informers.front()->store().resource_version();
}

base::Result<std::vector<runtime::Stored>> Caches::related(bundle::RelatedQuery query,
                                                           const Reader& reader,
                                                           const std::string& ns,
                                                           const kube::LabelSelector& selector,
                                                           std::stop_token stop) {
  if (query.ns.empty() && !is_watched(ns)) {
    query.ns = ns;
  }
  CW_TRY(const Related* found, follow_related(query));
  std::vector<const runtime::Informer*> awaited;
  for (const auto& informer : found->informers) {
    if (!informer->has_synced()) {
      awaited.push_back(informer.get());
    }
  }
  if (!awaited.empty()) {
    CW_TRY_VOID(informers_.wait_synced(awaited, std::move(stop), kSyncTimeout));
  }
  return found->source->read(reader, ns, selector);
}

base::Result<runtime::Stored> Caches::named(const Reader& reader, const kube::ObjectRef& name,
                                            std::stop_token stop) {
  const bool any = !name.name.empty();
  CW_TRY_VOID(
      targets_.set(reader, any ? std::set{name} : std::set<kube::ObjectRef>{}, std::move(stop)));
  return any ? targets_.find(name) : nullptr;
}

void Caches::forget(const kube::ObjectRef& cr) {
  children_.keep(cr, {});
  endings_.take(cr);
  targets_.forget(cr);
  patch_conflicts_.set(cr, {});
  followed_.forget(cr);
  std::vector<RelatedSource*> sources;
  {
    base::MutexLock lock(mutex_);
    for (auto& [query, related] : related_) {
      sources.push_back(related.source.get());
    }
  }
  for (RelatedSource* source : sources) {
    source->forget(cr);
  }
}

std::optional<kube::ObjectRef> Caches::owner_of_child(const kube::ObjectRef& child,
                                                      const Value& condensed) const {
  auto owner = owner_of(child, condensed);
  return owner ? std::optional(resolve(*std::move(owner))) : std::nullopt;
}

std::optional<kube::ObjectRef> Caches::custom_resource_of(std::string_view manager) const {
  base::MutexLock lock(mutex_);
  for (const auto& [kind, sources] : custom_resources_) {
    for (const Source& source : sources) {
      for (const runtime::Stored& cr : source.informer->store().list()) {
        if (fields::manager_of_owner(kube::uid_of(*cr)) == manager) {
          return kube::ref_of(*cr);
        }
      }
    }
  }
  return std::nullopt;
}

// An owner reference has no namespace: the owner is in that of the child, or cluster-scoped.
kube::ObjectRef Caches::resolve(kube::ObjectRef owner) const {
  base::MutexLock lock(mutex_);
  auto it = custom_resources_.find(owner.group_kind());
  if (owner.ns.empty() || it == custom_resources_.end()) {
    return owner;
  }
  const auto has = [&](const std::string& ns) {
    return std::any_of(it->second.begin(), it->second.end(), [&](const Source& source) {
      return source.informer->store().get(ns, owner.name) != nullptr;
    });
  };
  if (!has(owner.ns) && has("")) {
    owner.ns.clear();
  }
  return owner;
}

void Caches::on_child_change(const runtime::Change& change) {
  Urgency urgency = change.after ? Urgency::kSoon : Urgency::kNow;
  if (change.before && change.after) {
    const auto difference = release::difference_for_owner(*change.before, *change.after);
    switch (difference) {
      case release::Difference::kNone:
        if (!followed_.contains(change.ref)) {
          return;
        }
        urgency = Urgency::kSoon;
        break;
      case release::Difference::kRecounted:
        urgency = Urgency::kLate;
        break;
      case release::Difference::kShown:
        urgency = Urgency::kSoon;
        break;
      case release::Difference::kDrift:
        urgency = Urgency::kNow;
        break;
    }
  }
  const bool has_ended =
      change.before && !change.after && release::Observed(change.before).ending().has_value();
  // An owner whose reference was edited away must be triggered as well.
  for (const runtime::Stored& side : {change.before, change.after}) {
    if (side != nullptr) {
      if (auto owner = owner_of(change.ref, *side)) {
        const kube::ObjectRef cr = resolve(*std::move(owner));
        if (has_ended && custom_resource(cr) != nullptr) {
          endings_.note(cr, change.ref, change.before);
        }
        trigger_(cr, urgency);
      }
    }
  }
}

}  // namespace chartwright::observe
