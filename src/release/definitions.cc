// SPDX-License-Identifier: Apache-2.0
#include "release/definitions.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "fields/managed_fields.h"
#include "release/small_writes.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// The API server's message names user, verb, resource and group. The help says what to do.
Error with_missing_rule(Error error, DefinitionPolicy policy) {
  if (error.code() != ErrorCode::kForbidden) {
    return error;
  }
  const std::string_view verbs =
      policy == DefinitionPolicy::kCreateOrUpdate ? "get, create, patch" : "get, create";
  return std::move(error).with_help(
      "The chart has CRDs in crds/. Add to the operator's ClusterRole:\n"
      "  - apiGroups: [apiextensions.k8s.io]\n"
      "    resources: [customresourcedefinitions]\n"
      "    verbs: [" +
      std::string(verbs) + "]\nor install them yourself and set \"crds: skip\" in watches.yaml.");
}

std::string held_text(const Definition& wanted, const std::vector<std::string>& dropped) {
  const std::string versions = base::join(dropped, ", ");
  return "CustomResourceDefinition " + wanted.ref.name +
         " is not updated: the chart no longer has " + versions +
         ", in which objects may be stored (status.storedVersions). Rewrite all objects " +
         "in a version that stays, remove " + versions +
         " from status.storedVersions, or put it back into the chart with served: false";
}

// Two writers with different wishes would undo each other's work for ever.
std::string child_text(const Definition& wanted, const Value& live) {
  return "CustomResourceDefinition " + wanted.ref.name + " is not updated: it is a child of " +
         describe_owner(live) + ", which has it in templates/. Move it to crds/ there";
}

// Returns `error`, except that an object that is gone needs no release.
base::Status unless_gone(Error error) {
  if (error.code() == ErrorCode::kNotFound) {
    return {};
  }
  return error;
}

}  // namespace

// The API server allows 128 bytes; a label has at most 63.
std::string manager_of_definitions(const kube::LabelValue& chart) {
  return "chartwright-crds-" + chart.text();
}

Definitions::Definitions(kube::Client& client, const kube::Call& call,
                         const DefinitionSource& source, const base::Logger& log,
                         std::function<base::Status()> before_create)
    : client_(client),
      call_(call),
      policy_(source.policy),
      manager_(manager_of_definitions(source.chart)),
      owner_(source.owner),
      log_(log),
      before_create_(std::move(before_create)) {}

base::Result<DefinitionReport> Definitions::install(const std::vector<Definition>& wanted) {
  DefinitionReport report;
  for (const Definition& one : wanted) {
    auto done = install_one(one, report);
    if (!done.ok()) {
      return with_missing_rule(std::move(done).error(), policy_);
    }
  }
  return report;
}

base::Status Definitions::install_one(const Definition& wanted, DefinitionReport& report) {
  auto live = client_.get(wanted.ref, call_);
  if (!live.ok() && live.error().code() == ErrorCode::kForbidden &&
      policy_ == DefinitionPolicy::kCreate && is_served(wanted)) {
    return {};  // The kind is served, so the CRD exists, even if we may not read it.
  }
  if (!live.ok() && live.error().code() == ErrorCode::kNotFound) {
    report.awaited.push_back(wanted.ref.name);
    return create(wanted);
  }
  CW_TRY(Value present, std::move(live));
  if (policy_ == DefinitionPolicy::kCreateOrUpdate && !kube::is_deleting(present)) {
    CW_TRY(present, update(wanted, std::move(present), report));
  }
  const EstablishmentReport found = establishment_of(present);
  switch (found.state) {
    case Establishment::kEstablished:
      return {};
    case Establishment::kPending:
    case Establishment::kLeaving:
      report.awaited.push_back(wanted.ref.name);
      return {};
    case Establishment::kRefused:
      return Error(ErrorCode::kOwnership, "CustomResourceDefinition " + wanted.ref.name +
                                              " is not established: " + found.message);
  }
  return {};
}

base::Status Definitions::create(const Definition& wanted) {
  CW_TRY_VOID(before_create_());
  kube::WriteOptions options;
  options.field_manager = manager_;
  options.validation = kube::FieldValidation::kWarn;  // As Helm.
  auto created = client_.create(wanted.object, options, call_);
  if (!created.ok()) {
    if (created.error().code() == ErrorCode::kAlreadyExists) {
      return {};  // Somebody else was faster.
    }
    return std::move(created).error();
  }
  log_.info("Created CRD", {{"object", wanted.ref.to_string()}});
  return {};
}

// Never drops a version that objects may be stored in. With the uid in the body, an apply cannot
// recreate a CRD that is deleted meanwhile.
base::Result<Value> Definitions::update(const Definition& wanted, Value live,
                                        DefinitionReport& report) {
  if (claim_on(live, owner_) == Claim::kOther) {
    report.held.push_back(child_text(wanted, live));
    return live;
  }
  const std::vector<std::string> dropped = dropped_stored_versions(live, wanted);
  if (!dropped.empty()) {
    report.held.push_back(held_text(wanted, dropped));
    return live;
  }
  Value body = value::deep_copy(wanted.object);
  body.mutable_dict().erase("status");
  value::Dict& metadata = body.find("metadata")->mutable_dict();
  for (std::string_view key : {"creationTimestamp", "generation", "managedFields", "selfLink"}) {
    metadata.erase(key);
  }
  metadata.set("uid", Value::string(kube::uid_of(live)));
  CW_TRY(const std::string version, take_shared_fields(body, live));
  metadata.set("resourceVersion", Value::string(version));
  kube::ApplyOptions options;
  options.field_manager = manager_;
  options.force = kube::Force::kYes;
  options.validation = kube::FieldValidation::kWarn;
  CW_TRY(kube::Applied applied, client_.apply(body, options, call_));
  if (kube::resource_version_of(applied.object) != version) {
    log_.info("Updated CRD", {{"object", wanted.ref.to_string()}});
  }
  return std::move(applied.object);
}

// Takes the fields that were applied by the manager which all custom resources had in common.
// Otherwise those that a chart drops later would stay. Returns the resourceVersion of the CRD.
base::Result<std::string> Definitions::take_shared_fields(const Value& body, const Value& live) {
  Value managers = fields::managed_fields_with_shared(live, body, manager_);
  if (managers.is_nil()) {
    return std::string(kube::resource_version_of(live));
  }
  const Value metadata =
      Value::dict({{"managedFields", std::move(managers)},
                   {"resourceVersion", Value::string(kube::resource_version_of(live))},
                   {"uid", Value::string(kube::uid_of(live))}});
  CW_TRY(const Value moved,
         client_.patch(kube::ref_of(live),
                       {kube::PatchType::kMerge, Value::dict({{"metadata", metadata}})},
                       short_reply(), call_));
  return std::string(kube::resource_version_of(moved));
}

bool Definitions::is_served(const Definition& wanted) {
  return std::all_of(wanted.served.begin(), wanted.served.end(), [&](const std::string& version) {
    return client_.mapping_for({wanted.kind.group, version, wanted.kind.kind}, call_).ok();
  });
}

base::Status Definitions::release(const kube::ObjectRef& ref) {
  auto live = client_.get(ref, call_);
  if (!live.ok()) {
    return unless_gone(std::move(live).error());
  }
  if (claim_on(*live, owner_) != Claim::kOurs) {
    return {};
  }
  kube::WriteOptions options;
  options.field_manager = fields::kFieldManager;
  const Value body = release_patch(*live, owner_);
  auto patched = client_.patch(ref, {kube::PatchType::kMerge, body}, options, call_);
  if (!patched.ok()) {
    return unless_gone(std::move(patched).error());
  }
  log_.info("Released CRD", {{"object", ref.to_string()}});
  return {};
}

}  // namespace chartwright::release
