// SPDX-License-Identifier: Apache-2.0
#include "report/object_tree.h"

#include <algorithm>
#include <array>

#include "health/readiness.h"
#include "health/selected.h"
#include "report/summary.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

using kube::GroupKind;
using kube::Gvk;
using value::Value;

constexpr size_t kNone = static_cast<size_t>(-1);
constexpr size_t kNameBytesMax = 253;  // As for the API server.

const Gvk kReplicaSet = {"apps", "v1", "ReplicaSet"};
const Gvk kControllerRevision = {"apps", "v1", "ControllerRevision"};
const Gvk kJob = {"batch", "v1", "Job"};
const Gvk kPod = {"", "v1", "Pod"};
const Gvk kClaim = {"", "v1", "PersistentVolumeClaim"};
const Gvk kEndpoints = {"", "v1", "Endpoints"};
const Gvk kEndpointSlice = {"discovery.k8s.io", "v1", "EndpointSlice"};

/// Reports whether the API server itself, and its controllers, define the group.
bool is_built_in(std::string_view group) {
  return group.find('.') == std::string_view::npos || group.ends_with(".k8s.io");
}

/// Reports whether an object may have that reference. Anyone may have written a status.
bool may_exist(const kube::ObjectRef& ref) {
  const auto is_short = [](const std::string& text) { return text.size() <= kNameBytesMax; };
  return !ref.gvk.kind.empty() && is_short(ref.gvk.kind) && is_short(ref.gvk.group) &&
         is_short(ref.ns) && is_short(ref.name) && kube::is_path_segment(ref.name);
}

bool has_ephemeral_claim(const Value& pod) {
  const auto& volumes = pod.items_at({"spec", "volumes"});
  return std::ranges::any_of(
      volumes, [](const Value& volume) { return volume.find("ephemeral") != nullptr; });
}

/// Returns the kinds that the built-in controller of a kind makes; none if it makes none.
std::vector<Gvk> made_by(const GroupKind& kind) {
  static const std::map<GroupKind, std::vector<Gvk>> kMade = {
      {{"apps", "Deployment"}, {kReplicaSet, kPod}},
      {{"apps", "ReplicaSet"}, {kPod}},
      {{"apps", "StatefulSet"}, {kControllerRevision, kPod, kClaim}},
      {{"apps", "DaemonSet"}, {kControllerRevision, kPod}},
      {{"batch", "CronJob"}, {kJob, kPod}},
      {{"batch", "Job"}, {kPod}},
      {{"", "ReplicationController"}, {kPod}},
      {{"", "Service"}, {kEndpoints, kEndpointSlice}},
      {{"", "Endpoints"}, {kEndpointSlice}},
  };
  const auto found = kMade.find(kind);
  return found == kMade.end() ? std::vector<Gvk>() : found->second;
}

}  // namespace

std::string_view to_string(Relation relation) {
  constexpr std::array<std::string_view, 6> kNames = {"Self", "Child", "Patched",
                                                      "Hook", "Owned", "External"};
  return kNames[static_cast<size_t>(relation)];
}

ObjectTree::ObjectTree(const Value& cr) {
  const Summary summary = summary_of(cr);
  TreeNode self;
  self.ref = summary.ref;
  self.relation = Relation::kSelf;
  self.uid = kube::uid_of(cr);
  self.state = summary.problem ? short_line(summary.problem->reason) : "Ready";
  self.message = summary.problem ? short_line(summary.problem->message) : "";
  self.created = summary.created;
  by_ref_[self.ref] = 0;
  if (!self.uid.empty()) {
    by_uid_[self.uid] = 0;
  }
  nodes_.push_back(std::move(self));
  add_named(cr);
}

void ObjectTree::add_named(const Value& cr) {
  for (const Value& item : cr.items_at({"status", "resources"})) {
    const auto text = [&item](std::string_view key) { return std::string(item.string_at({key})); };
    TreeNode node;
    node.ref = {{text("group"), text("version"), text("kind")}, text("namespace"), text("name")};
    node.relation = item.bool_at({"partial"}) ? Relation::kPatched : Relation::kChild;
    node.state = short_line(item.string_at({"state"}));
    if (may_exist(node.ref)) {
      insert(0, std::move(node));
    }
  }
  const Value* externals = cr.find_path({"status", "externals"});
  if (externals == nullptr || !externals->is_dict()) {
    return;
  }
  for (const auto& [name, record] : externals->as_dict()) {
    TreeNode node;
    node.ref.name = name.substr(0, kNameBytesMax);
    node.relation = Relation::kExternal;
    node.id = short_line(record.string_at({"id"}));
    node.message = short_line(record.string_at({"held"}));
    node.state = node.id.empty() ? "Progressing" : "Ready";
    node.state = node.message.empty() ? node.state : "Held";
    insert(0, std::move(node));
  }
}

size_t ObjectTree::insert(size_t parent, TreeNode node) {
  if (nodes_.size() == kNodesMax || nodes_[parent].depth == kDepthMax) {
    is_cut_ = true;
    return kNone;
  }
  const size_t index = nodes_.size();
  node.depth = nodes_[parent].depth + 1;
  if (node.relation != Relation::kExternal && !by_ref_.emplace(node.ref, index).second) {
    return kNone;
  }
  nodes_.push_back(std::move(node));
  nodes_[parent].below.push_back(index);
  return index;
}

void ObjectTree::see(size_t node, const Value& object) {
  TreeNode& seen = nodes_[node];
  seen.uid = kube::uid_of(object);
  if (!seen.uid.empty()) {
    by_uid_.emplace(seen.uid, node);
  }
  const health::Readiness readiness = health::readiness_of(object);
  seen.state = health::to_string(readiness.state);
  seen.message = short_line(readiness.message);
  seen.created = short_line(object.string_at({"metadata", "creationTimestamp"}));
  const GroupKind kind = seen.ref.group_kind();
  if (kind == GroupKind{"apps", "StatefulSet"}) {
    sets_.push_back({node, object});
  }
  has_ephemeral_claims_ =
      has_ephemeral_claims_ || (kind == kPod.group_kind() && has_ephemeral_claim(object));
}

void ObjectTree::miss(size_t node) {
  nodes_[node].state = "Missing";
  nodes_[node].message.clear();
}

size_t ObjectTree::owner_of(const Value& object) const {
  size_t owner = kNone;
  for (const kube::OwnerReference& reference : kube::owner_references_of(object)) {
    const auto found = by_uid_.find(reference.uid);
    if (found != by_uid_.end() && (owner == kNone || reference.controller)) {
      owner = found->second;
    }
  }
  const kube::ObjectRef ref = kube::ref_of(object);
  if (owner == kNone && ref.group_kind() == kEndpoints.group_kind()) {
    // They have the name of their Service, and no owner.
    const auto service = by_ref_.find({{"", "v1", "Service"}, ref.ns, ref.name});
    owner = service == by_ref_.end() ? kNone : service->second;
  }
  if (owner == kNone && ref.group_kind() == kClaim.group_kind()) {
    const auto set = std::ranges::find_if(sets_, [&](const Maker& one) {
      return nodes_[one.node].ref.ns == ref.ns &&
             health::belongs_to(one.object, kClaim.group_kind(), object);
    });
    owner = set == sets_.end() ? kNone : set->node;
  }
  return owner;
}

bool ObjectTree::add(const Value& object) {
  const kube::ObjectRef ref = kube::ref_of(object);
  if (const auto known = by_ref_.find(ref); known != by_ref_.end()) {
    if (known->second != 0) {
      see(known->second, object);
    }
    return true;
  }
  const size_t owner = owner_of(object);
  if (owner == kNone || ref.name.empty()) {
    return false;
  }
  TreeNode node;
  node.ref = ref;
  const auto hook = kube::annotation_of(object, "helm.sh/hook");
  if (owner == 0 && hook) {
    node.relation = Relation::kHook;
    node.hook = short_line(*hook);
  }
  const size_t index = insert(owner, std::move(node));
  if (index != kNone) {
    see(index, object);
  }
  return index != kNone;
}

bool ObjectTree::has(const kube::ObjectRef& ref, std::string_view uid) const {
  const auto by_uid = by_uid_.find(uid);
  const auto by_ref = by_ref_.find(ref);
  size_t found = kNone;
  if (by_uid != by_uid_.end()) {
    found = by_uid->second;
  } else if (by_ref != by_ref_.end() && nodes_[by_ref->second].uid.empty()) {
    found = by_ref->second;
  }
  return found != kNone && nodes_[found].relation != Relation::kPatched;
}

std::span<const Gvk> ObjectTree::ownable_kinds() {
  static const std::array kKinds = {kReplicaSet, kControllerRevision, kJob,          kPod,
                                    kClaim,      kEndpoints,          kEndpointSlice};
  return kKinds;
}

bool ObjectTree::may_own(const TreeNode& node, const Gvk& kind) const {
  switch (node.relation) {
    case Relation::kSelf:
      return kind == kJob || kind == kPod;  // Hooks.
    case Relation::kExternal:
    case Relation::kPatched:
      return false;
    case Relation::kChild:
    case Relation::kHook:
    case Relation::kOwned:
      break;
  }
  const GroupKind owner = node.ref.group_kind();
  if (!is_built_in(owner.group)) {
    return true;  // Another operator may make anything.
  }
  if (owner == kPod.group_kind()) {
    return kind == kClaim && has_ephemeral_claims_;
  }
  const std::vector<Gvk> made = made_by(owner);
  return std::ranges::find(made, kind) != made.end();
}

std::set<std::string> ObjectTree::namespaces_with(const Gvk& kind) const {
  std::set<std::string> namespaces;
  for (const TreeNode& node : nodes_) {
    if (!node.ref.ns.empty() && may_own(node, kind)) {
      namespaces.insert(node.ref.ns);
    }
  }
  return namespaces;
}

}  // namespace chartwright::cmd
