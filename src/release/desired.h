// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/discovery.h"
#include "kube/names.h"
#include "kube/object.h"
#include "release/owner.h"
#include "release/rules.h"
#include "value/value.h"

namespace chartwright::release {

/// How an object belongs to a release.
enum class Role : uint8_t {
  kChild,    ///< Rendered by the chart: created, owned, pruned.
  kPartial,  ///< Some fields of an object that others own: applied only while it exists.
};

/// When an object is applied relative to others. Stages run one after another.
enum class Stage : uint8_t { kDefinitions, kConfiguration, kWorkloads, kWebhooks };

/// Returns the stage in which objects of a kind are applied.
Stage stage_of(const kube::GroupKind& kind);

/// Whether the API server serves a kind. A kind that is not served yet is defined by a CRD of the
/// same release.
enum class Serving : uint8_t { kYes, kNotYet };

/// One object that should exist, ready to be applied.
struct Desired {
  kube::ObjectRef ref;
  value::Value body;
  /// fields::desired_digest() of `body`, and of `is_autoscaled`, as recorded_desired gives it.
  std::string digest;
  Role role = Role::kChild;
  Serving serving = Serving::kYes;
  /// For a child whose live name is generated, its rendered name and the prefix of the live one.
  std::string slot;
  std::string prefix;
  int serial = 0;                   ///< The number of its live name among those of the slot.
  const ChildRule* rule = nullptr;  ///< Points into the bundle's rules; null when none matches.
  /// Once the object exists, its number of replicas is left to an autoscaler of the release.
  bool is_autoscaled = false;
  bool is_injected = false;  ///< Others may write CAs into it (fields::is_injected).
  /// `body` as earlier versions applied it: of a child that is not changed by an apply
  /// (Update::kRecreate, Update::kOnDelete) with the fields that are left to controllers, of one
  /// that holds data with an owner reference.
  std::vector<value::Value> formers = {};
};

/// Returns the digest of a desired object. It changes as well when an autoscaler comes or goes: its
/// number of replicas is the chart's again.
std::string digest_of(const Desired& desired);

/// Reports whether an object of `owner` was last applied with what `desired` says, whose digest was
/// `applied`, by this version or an earlier one.
bool is_same_as(const Desired& desired, std::string_view applied, const Owner& owner);

/// Returns the rule by which an object is applied over a live one: its own, with what is left to an
/// autoscaler.
ChildRule rule_over_live(const Desired& desired);

/// The release that make_desired prepares an object for. All must outlive it.
struct DesiredContext {
  const Owner& owner;
  std::string_view release_namespace;
  const kube::LabelValue& chart;
  const std::vector<ChildRule>& rules;
  const std::set<kube::ObjectRef>* autoscaled = nullptr;  ///< See fields::autoscaled.
  DataMark data_mark = DataMark::kAnnotations;
};

/// Checks that an object has what identifies it. Error: kInvalidArgument, saying what is missing.
base::Status check_identity(const value::Value& object);

/// Prepares a rendered object: fills in the namespace, turns Secret stringData into data, drops
/// fields that only the server may set and, of children, those that controllers write, stamps
/// ownership and reads the annotation kGenerateNameAnnotation (children only), finds its rule.
/// Errors: those of check_identity; kInvalidArgument when the annotation is not a prefix of a name,
/// or the data of a Secret is malformed: the error names its key.
base::Result<Desired> make_desired(value::Value object, Role role, kube::Scope scope,
                                   const DesiredContext& context);

/// Returns the objects of a rendered document: the document itself, or if it has `items`, those,
/// and theirs after them. Source: Kubernetes apimachinery unstructured/helpers.go decodeToList,
/// cli-runtime resource/visitor.go FlattenListVisitor. Error: kBudget for very many.
base::Result<std::vector<value::Value>> expand_lists(value::Value document);

}  // namespace chartwright::release
