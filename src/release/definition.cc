// SPDX-License-Identifier: Apache-2.0
#include "release/definition.h"

#include <algorithm>
#include <utility>

#include "fields/managed_fields.h"
#include "health/conditions.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr std::string_view kGroup = "apiextensions.k8s.io";
constexpr std::string_view kKind = "CustomResourceDefinition";
constexpr std::string_view kApiVersion = "apiextensions.k8s.io/v1";

Error invalid(std::string text) { return {ErrorCode::kInvalidArgument, std::move(text)}; }

// Describes an object that is not a CRD, such as "a ConfigMap named x".
std::string describe(const Value& object) {
  const std::string kind(object.string_at({"kind"}));
  const std::string name(kube::name_of(object));
  return (kind.empty() ? "an object without a kind" : "a " + kind) +
         (name.empty() ? "" : " named \"" + name + "\"");
}

void read_versions(Definition& definition) {
  for (const Value& version : definition.object.items_at({"spec", "versions"})) {
    std::string name(version.string_at({"name"}));
    if (name.empty()) {
      continue;
    }
    if (version.bool_at({"served"})) {
      definition.served.push_back(name);
    }
    definition.versions.push_back(std::move(name));
  }
}

// Without the entries by which the owner applied it, as a child.
Value other_managers(const Value& live, const Owner& owner) {
  Value rest = value::deep_copy(live);
  for (const std::string& manager : {field_manager_of(owner), std::string(fields::kFieldManager)}) {
    if (Value others = fields::managed_fields_without(rest, manager); !others.is_nil()) {
      rest.mutable_dict().find("metadata")->mutable_dict().set("managedFields", std::move(others));
    }
  }
  return Value::list(rest.items_at({"metadata", "managedFields"}));
}

}  // namespace

bool Definition::serves(const kube::Gvk& gvk) const {
  return gvk.group_kind() == kind &&
         std::find(served.begin(), served.end(), gvk.version) != served.end();
}

bool is_definition(const kube::GroupKind& kind) {
  return kind.group == kGroup && kind.kind == kKind;
}

base::Result<Definition> read_definition(Value object) {
  if (!is_definition(kube::gvk_of(object).group_kind())) {
    return invalid("this is " + describe(object) + ", and only a " + std::string(kKind) + " (" +
                   std::string(kApiVersion) + ") belongs here");
  }
  const std::string api_version(object.string_at({"apiVersion"}));
  if (api_version != kApiVersion) {
    return invalid(describe(object) + " has apiVersion " + api_version + "; " +
                   std::string(kApiVersion) + " is needed");
  }
  Definition definition;
  definition.ref = kube::ref_of(object);
  definition.ref.ns.clear();
  definition.kind = {std::string(object.string_at({"spec", "group"})),
                     std::string(object.string_at({"spec", "names", "kind"}))};
  const std::string plural(object.string_at({"spec", "names", "plural"}));
  for (const auto& [field, text] : {std::pair{"spec.group", definition.kind.group},
                                    {"spec.names.kind", definition.kind.kind},
                                    {"spec.names.plural", plural}}) {
    if (text.empty()) {
      return invalid(describe(object) + " has no " + field);
    }
  }
  const std::string name = plural + "." + definition.kind.group;
  if (definition.ref.name != name) {
    return invalid(describe(object) + " defines " + plural + " of " + definition.kind.group +
                   ": its metadata.name must be \"" + name + "\"");
  }
  definition.scope = object.string_at({"spec", "scope"}) == "Cluster" ? kube::Scope::kCluster
                                                                      : kube::Scope::kNamespaced;
  definition.object = std::move(object);
  read_versions(definition);
  if (definition.versions.empty()) {
    return invalid("CustomResourceDefinition " + name + " has no spec.versions");
  }
  return definition;
}

EstablishmentReport establishment_of(const Value& live) {
  if (kube::is_deleting(live)) {
    return {Establishment::kLeaving, ""};
  }
  if (health::has_condition(live, "Established", "True")) {
    return {Establishment::kEstablished, ""};
  }
  if (health::has_condition(live, "NamesAccepted", "False")) {
    const Value* names = health::condition_of(live, "NamesAccepted");
    return {Establishment::kRefused, std::string(names->string_at({"message"}))};
  }
  return {Establishment::kPending, ""};
}

std::vector<std::string> dropped_stored_versions(const Value& live, const Definition& wanted) {
  std::vector<std::string> dropped;
  for (const Value& stored : live.items_at({"status", "storedVersions"})) {
    const auto& kept = wanted.versions;
    if (stored.is_string() &&
        std::find(kept.begin(), kept.end(), stored.as_string()) == kept.end()) {
      dropped.emplace_back(stored.as_string());
    }
  }
  return dropped;
}

Value release_patch(const Value& live, const Owner& owner) {
  const Value none;
  const Value labels = Value::dict({{kChartLabel, none}});
  if (kube::label_of(live, kManagedByLabel) == "Helm") {
    labels.mutable_dict().set(kManagedByLabel, none);
  }
  const Value annotations = Value::dict({{kOwnerAnnotation, none},
                                         {kOwnerTypeAnnotation, none},
                                         {kReleaseNameAnnotation, none},
                                         {kReleaseNamespaceAnnotation, none}});
  const Value metadata =
      Value::dict({{"uid", Value::string(kube::uid_of(live))},
                   {"resourceVersion", Value::string(kube::resource_version_of(live))},
                   {"labels", labels},
                   {"annotations", annotations},
                   {"ownerReferences", other_owners(live, owner)},
                   {"managedFields", other_managers(live, owner)}});
  return Value::dict({{"metadata", metadata}});
}

}  // namespace chartwright::release
