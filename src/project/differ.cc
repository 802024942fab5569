// SPDX-License-Identifier: Apache-2.0
#include "project/differ.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "base/strings.h"
#include "base/thread.h"
#include "cli/environment.h"
#include "diff/rehearsal.h"
#include "kube/list_refs.h"
#include "resource/cr_state.h"
#include "value/merge_patch.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// Custom resources that are looked at together: few enough for an API server that others use, too.
constexpr size_t kAtOnce = 4;

// Only what users write: the rest is of the cluster.
Value with_content_of(const Value& live, const Value& given) {
  Value metadata = Value::dict();
  for (const std::string_view key : {"labels", "annotations"}) {
    if (const Value* member = given.find_path({"metadata", key})) {
      metadata.mutable_dict().set(key, *member);
    }
  }
  Value changed = value::merge_patched(live, Value::dict({{"metadata", metadata}}));
  for (const auto& [key, member] : given.as_dict()) {
    if (key != "metadata" && key != "status" && key != "apiVersion" && key != "kind") {
      changed.mutable_dict().set(key, member);
    }
  }
  return changed;
}

// The children may be where the custom resource is, where WATCH_NAMESPACE says, or where it is
// recorded.
std::vector<std::string> namespaces_of(const Value& cr) {
  const std::vector<std::string> watched = watched_namespaces();
  std::set<std::string> all(watched.begin(), watched.end());
  if (all.empty() && kube::namespace_of(cr).empty()) {
    return {};
  }
  if (all.empty()) {
    all.emplace(kube::namespace_of(cr));
    for (const auto& [ref, entry] : op::state_from_status(cr).inventory) {
      all.insert(ref.ns);
    }
    all.erase("");
  }
  return {all.begin(), all.end()};
}

}  // namespace

base::Result<kube::ObjectRef> ref_of(const DiffTarget& target, const bundle::Watch& watch,
                                     const DiffPlace& place, Cluster& cluster) {
  CW_TRY(const auto mapping, cluster.client().mapping_for(watch.gvk, cluster.call()));
  if (mapping.scope == kube::Scope::kCluster) {
    return kube::ObjectRef{watch.gvk, "", target.name};
  }
  const std::string_view given = kube::namespace_of(target.given);
  if (!given.empty() && !place.ns.empty() && given != place.ns) {
    return Error(ErrorCode::kInvalidArgument,
                 "--namespace is " + place.ns + ", and the file has " + std::string(given));
  }
  return kube::ObjectRef{
      watch.gvk, given.empty() ? release_namespace(place.ns, place.cluster) : std::string(given),
      target.name};
}

base::Result<std::unique_ptr<Differ>> Differ::make(const DiffPlace& place,
                                                   const bundle::Watch& watch, Cluster& cluster) {
  CW_TRY(auto capabilities, cluster.capabilities());
  return std::unique_ptr<Differ>(new Differ(place, watch, cluster, std::move(capabilities)));
}

// The API server's answer has the defaults of the schema, and refuses what does not fit it.
base::Result<Value> Differ::as_written(const kube::ObjectRef& ref, const Value& given,
                                       base::Result<Value> live) const {
  kube::WriteOptions options;
  options.field_manager = "chartwright-diff";
  options.dry_run = kube::DryRun::kServer;
  if (live.ok()) {
    return cluster_.client().update(with_content_of(*live, given), options, cluster_.call());
  }
  Value fresh = value::deep_copy(given);
  fresh.mutable_dict().erase("status");
  if (!ref.ns.empty()) {
    fresh.find("metadata")->mutable_dict().set("namespace", Value::string(ref.ns));
  }
  return cluster_.client().create(fresh, options, cluster_.call());
}

base::Result<Value> Differ::custom_resource(const DiffTarget& target,
                                            const std::string& file) const {
  CW_TRY(const kube::ObjectRef ref, ref_of(target, watch_, place_, cluster_));
  auto live = cluster_.client().get(ref, cluster_.call());
  const bool is_missing = !live.ok() && live.error().code() == ErrorCode::kNotFound;
  if (!live.ok() && !is_missing) {
    return std::move(live).error();
  }
  if (!target.given.is_nil()) {
    auto written = as_written(ref, target.given, std::move(live));
    return written.ok() ? std::move(written) : std::move(written).error().wrap(file);
  }
  if (is_missing) {
    return Error(ErrorCode::kNotFound,
                 ref.to_string() + " does not exist; -f takes one that is still to be created");
  }
  return live;
}

// Returns what keeps the operator from seeing it, as the begin of a sentence; "": nothing does.
base::Result<std::string> Differ::why_unseen(const Value& cr, bool exists) const {
  const std::vector<std::string> watched = watched_namespaces();
  const std::string ns(kube::namespace_of(cr));
  const bool is_elsewhere = !watched.empty() && std::ranges::find(watched, ns) == watched.end();
  if (!ns.empty() && is_elsewhere) {
    return "WATCH_NAMESPACE (" + base::join(watched, ",") + ") leaves out the namespace of";
  }
  CW_TRY(const bool selected, is_selected(cr));
  if (!selected && exists) {
    return "the selector of the watch (" + watch_.label_selector + ") does not select";
  }
  return std::string();
}

base::Result<bool> Differ::is_selected(const Value& cr) const {
  if (watch_.label_selector.empty()) {
    return true;
  }
  kube::ListOptions options;
  options.selection = {std::string(kube::namespace_of(cr)), watch_.label_selector,
                       "metadata.name=" + std::string(kube::name_of(cr))};
  CW_TRY(const auto page, cluster_.client().list(watch_.gvk, options, cluster_.call()));
  return !page.items.empty();
}

base::Result<diff::Report> Differ::plan(const Value& cr, bool exists) const {
  CW_TRY(const std::string hidden, why_unseen(cr, exists));
  if (!hidden.empty()) {
    diff::Report none;
    none.notes.push_back(hidden + " the custom resource: the operator does not see it");
    return none;
  }
  const diff::Scene scene{cluster_.client(),
                          watch_,
                          renderer_,
                          clock_,
                          cr,
                          namespaces_of(cr),
                          release_namespace(place_.ns, place_.cluster)};
  CW_TRY(diff::Rehearsal rehearsal, diff::rehearse(scene, {}));
  return diff::report_of(std::move(rehearsal));
}

base::Result<diff::Report> Differ::plan_one(const DiffTarget& target,
                                            const std::string& file) const {
  CW_TRY(const Value cr, custom_resource(target, file));
  return plan(cr, target.given.is_nil());
}

base::Result<std::vector<kube::ObjectRef>> Differ::all_of_kind() const {
  CW_TRY(const auto mapping, cluster_.client().mapping_for(watch_.gvk, cluster_.call()));
  const bool is_everywhere = place_.all_namespaces || mapping.scope == kube::Scope::kCluster;
  const std::string ns = is_everywhere ? "" : release_namespace(place_.ns, place_.cluster);
  return kube::list_refs(cluster_.client(), watch_.gvk, {ns, place_.selector, ""}, cluster_.call());
}

diff::Member Differ::look_at(const kube::ObjectRef& ref) const {
  diff::Member member{ref, {}};
  const base::Status status = on_render_stack([&]() -> base::Status {
    CW_TRY(const Value cr, cluster_.client().get(ref, cluster_.call()));
    CW_TRY(member.report, plan(cr, true));
    return {};
  });
  if (!status.ok()) {
    member.report.failure = status.error();
  }
  return member;
}

base::Result<std::vector<diff::Member>> Differ::plan_all() const {
  CW_TRY(const auto refs, all_of_kind());
  std::vector<diff::Member> fleet(refs.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < refs.size(); i = next++) {
      fleet[i] = look_at(refs[i]);
    }
  };
  std::vector<base::Thread> threads;
  threads.reserve(kAtOnce);
  for (size_t i = 0; i < std::min(kAtOnce, refs.size()); ++i) {
    threads.emplace_back("diff", base::kDefaultStackBytes, work);
  }
  threads.clear();  // Waits for all.
  // One that was deleted meanwhile is not part of the fleet any more.
  std::erase_if(fleet, [](const diff::Member& member) {
    return member.report.failure && member.report.failure->code() == ErrorCode::kNotFound &&
           member.report.objects.empty();
  });
  return fleet;
}

}  // namespace chartwright::cmd
