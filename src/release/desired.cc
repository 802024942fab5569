// SPDX-License-Identifier: Apache-2.0
#include "release/desired.h"

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "fields/controllers.h"
#include "fields/projection.h"
#include "go/base_encoding.h"
#include "go/quote.h"
#include "release/secret_digest.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using value::Dict;
using value::Value;

constexpr size_t kListedObjectsMax = 100'000;

struct StagedKind {
  std::string_view group;
  std::string_view kind;
  Stage stage;
};

// Objects that all others may refer to come first; webhooks, which can reject the others, come
// last.
constexpr std::array kStagedKinds = {
    StagedKind{"", "Namespace", Stage::kDefinitions},
    StagedKind{"apiextensions.k8s.io", "CustomResourceDefinition", Stage::kDefinitions},
    StagedKind{"scheduling.k8s.io", "PriorityClass", Stage::kDefinitions},
    StagedKind{"storage.k8s.io", "StorageClass", Stage::kDefinitions},
    StagedKind{"", "ServiceAccount", Stage::kConfiguration},
    StagedKind{"", "Secret", Stage::kConfiguration},
    StagedKind{"", "ConfigMap", Stage::kConfiguration},
    StagedKind{"", "ResourceQuota", Stage::kConfiguration},
    StagedKind{"", "LimitRange", Stage::kConfiguration},
    StagedKind{"", "PersistentVolume", Stage::kConfiguration},
    StagedKind{"", "PersistentVolumeClaim", Stage::kConfiguration},
    StagedKind{"rbac.authorization.k8s.io", "ClusterRole", Stage::kConfiguration},
    StagedKind{"rbac.authorization.k8s.io", "ClusterRoleBinding", Stage::kConfiguration},
    StagedKind{"rbac.authorization.k8s.io", "Role", Stage::kConfiguration},
    StagedKind{"rbac.authorization.k8s.io", "RoleBinding", Stage::kConfiguration},
    StagedKind{"networking.k8s.io", "NetworkPolicy", Stage::kConfiguration},
    StagedKind{"admissionregistration.k8s.io", "MutatingWebhookConfiguration", Stage::kWebhooks},
    StagedKind{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", Stage::kWebhooks},
};

bool is_dict_or_nil(const Value* v) { return v == nullptr || v->is_nil() || v->is_dict(); }

Error misfit(const Value& secret, std::string_view member, const std::string& key,
             std::string_view fault) {
  return Error(ErrorCode::kInvalidArgument, kube::ref_of(secret).to_string() + ": " +
                                                std::string(member) + "[" + go::quote(key) +
                                                "] is " + std::string(fault));
}

// The server's refusals are withheld, as they may quote the Secret. This one names the key and the
// kind of fault, and no value.
base::Status check_secret(const Value& secret) {
  const Value* text = secret.find("stringData");
  const Value* data = secret.find("data");
  if (text != nullptr && text->is_dict()) {
    for (const auto& [key, v] : text->as_dict()) {
      if (!v.is_string() && !v.is_nil()) {
        return misfit(secret, "stringData", key,
                      std::string(value::kind_noun(v.kind())) + ", not a string: quote it");
      }
    }
  }
  if (data == nullptr || !data->is_dict()) {
    return {};
  }
  for (const auto& [key, v] : data->as_dict()) {
    if (!v.is_string() && !v.is_nil()) {
      return misfit(secret, "data", key,
                    std::string(value::kind_noun(v.kind())) + ", not a string in base64");
    }
    if (v.is_string() && !go::decode_base64(v.as_string()).ok()) {
      return misfit(secret, "data", key, "not base64; plain text belongs in stringData");
    }
  }
  return {};
}

// A key removed from the write-only stringData would stay in the live data; one removed from data
// does not. Malformed fields are left for the server to reject.
void convert_string_data(Value& secret) {
  const Value* text = secret.find("stringData");
  if (text == nullptr || !is_dict_or_nil(text) || !is_dict_or_nil(secret.find("data"))) {
    return;
  }
  Value data = Value::dict();
  if (const Value* existing = secret.find("data"); existing != nullptr && existing->is_dict()) {
    data = value::deep_copy(*existing);
  }
  if (text->is_dict()) {
    for (const auto& [key, v] : text->as_dict()) {
      if (v.is_string()) {
        data.mutable_dict().set(key, Value::string(base::base64_encode(v.as_string())));
      }
    }
  }
  secret.mutable_dict().erase("stringData");
  secret.mutable_dict().set("data", std::move(data));
}

// Templates copied from a cluster have these fields; the server rejects or ignores them.
void drop_server_fields(Value& object) {
  object.mutable_dict().erase("status");
  Dict& metadata = object.mutable_dict().find("metadata")->mutable_dict();
  for (std::string_view key :
       {"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}) {
    metadata.erase(key);
  }
}

// With none, the autoscaler is off.
bool asks_for_replicas(const Value& object) {
  const Value* replicas = object.find_path({"spec", "replicas"});
  return replicas != nullptr && !(replicas->is_int() && replicas->as_int() == 0);
}

bool is_changed_by_apply(const ChildRule* rule) {
  return rule == nullptr ||
         (rule->update != Update::kRecreate && rule->update != Update::kOnDelete);
}

// Reads the prefix of the live name, and notes in the object which slot it is for.
base::Status read_slot(Value& object, Desired& desired) {
  const auto prefix = kube::annotation_of(object, kGenerateNameAnnotation);
  if (!prefix) {
    return {};
  }
  if (!kube::is_path_segment(*prefix)) {
    return Error(ErrorCode::kInvalidArgument,
                 kube::ref_of(object).to_string() + ": the annotation " +
                     std::string(kGenerateNameAnnotation) + " is \"" + std::string(*prefix) +
                     "\" (the beginning of a name is needed, such as \"web-\")");
  }
  desired.prefix = *prefix;
  desired.slot = object.string_at({"metadata", "name"});
  set_annotation(object, kSlotAnnotation, desired.slot);
  return {};
}

/// Gives items that have neither apiVersion nor kind those that the list implies: "PodList" has
/// pods.
std::vector<Value> with_kinds(std::vector<Value> items, const Value& list) {
  std::string_view kind = list.string_at({"kind"});
  kind.remove_suffix(kind.ends_with("List") ? 4 : 0);
  for (Value& item : items) {
    if (item.is_dict() && item.string_at({"apiVersion"}).empty() &&
        item.string_at({"kind"}).empty()) {
      item = value::deep_copy(item);
      item.mutable_dict().set("apiVersion", Value::string(list.string_at({"apiVersion"})));
      item.mutable_dict().set("kind", Value::string(kind));
    }
  }
  return items;
}

}  // namespace

base::Status check_identity(const Value& object) {
  for (std::string_view key : {"apiVersion", "kind"}) {
    if (object.string_at({key}).empty()) {
      const std::string_view name = object.string_at({"metadata", "name"});
      return Error(ErrorCode::kInvalidArgument,
                   "rendered object " + (name.empty() ? "" : go::quote(name) + " ") + "has no " +
                       std::string(key) + " (a string is needed)");
    }
  }
  const std::string_view api_version = object.string_at({"apiVersion"});
  const size_t slash = api_version.find('/');
  if (slash != std::string_view::npos && !kube::is_path_segment(api_version.substr(slash + 1))) {
    return Error(ErrorCode::kInvalidArgument,
                 "rendered " + std::string(object.string_at({"kind"})) + " has the apiVersion \"" +
                     std::string(api_version) + "\" (VERSION or GROUP/VERSION is needed)");
  }
  if (!kube::is_path_segment(object.string_at({"metadata", "name"}))) {
    return Error(ErrorCode::kInvalidArgument,
                 "rendered " + std::string(object.string_at({"kind"})) +
                     " has no usable metadata.name (generateName cannot be applied)");
  }
  return {};
}

Stage stage_of(const kube::GroupKind& kind) {
  for (const StagedKind& staged : kStagedKinds) {
    if (staged.kind == kind.kind && staged.group == kind.group) {
      return staged.stage;
    }
  }
  return Stage::kWorkloads;
}

ChildRule rule_over_live(const Desired& desired) {
  ChildRule rule = desired.rule == nullptr ? ChildRule() : *desired.rule;
  if (desired.is_autoscaled) {
    rule.ignore.emplace_back(
        std::vector<value::Path::Step>{std::string("spec"), std::string("replicas")});
  }
  return rule;
}

// A rule stands for an annotation, so that the live object says by itself what is to become of it.
void set_on_delete(OnDelete on_delete, Value& object) {
  if (on_delete == OnDelete::kCascade) {
    return;
  }
  const bool keeps = on_delete == OnDelete::kKeep;
  set_annotation(object, keeps ? kResourcePolicyAnnotation : kOnDeleteAnnotation,
                 keeps ? "keep" : "orphan");
}

std::string digest_of(const Desired& desired) {
  if (!desired.is_autoscaled || !is_changed_by_apply(desired.rule)) {
    return fields::desired_digest(desired.body);
  }
  Value marked = value::deep_copy(desired.body);
  marked.mutable_dict().set("", Value::string("autoscaled"));
  return fields::desired_digest(marked);
}

bool is_same_as(const Desired& desired, std::string_view applied, const Owner& owner) {
  return applied == desired.digest ||
         std::ranges::any_of(desired.formers, [&](const Value& former) {
           const auto digest =
               recorded_desired(desired.ref.gvk, owner, fields::desired_digest(former));
           return digest.ok() && *digest == applied;
         });
}

base::Result<Desired> make_desired(Value object, Role role, kube::Scope scope,
                                   const DesiredContext& context) {
  CW_TRY_VOID(check_identity(object));
  Value body = value::deep_copy(object);
  drop_server_fields(body);
  Dict& metadata = body.mutable_dict().find("metadata")->mutable_dict();
  if (scope == kube::Scope::kCluster) {
    metadata.erase("namespace");
  } else if (body.string_at({"metadata", "namespace"}).empty()) {
    metadata.set("namespace", Value::string(context.release_namespace));
  }
  if (kube::is_secret(kube::gvk_of(body))) {
    CW_TRY_VOID(check_secret(body));
    convert_string_data(body);
  }
  const ChildRule* rule = find_rule(context.rules, body);
  Desired desired;
  if (role == Role::kChild) {
    const auto finish = [&](Value& child, DataMark mark) -> base::Status {
      CW_TRY_VOID(read_slot(child, desired));
      if (rule != nullptr) {
        set_on_delete(rule->on_delete, child);
      }
      stamp_child(child, context.owner, scope, context.chart, mark);
      return {};
    };
    if (!is_changed_by_apply(rule)) {
      desired.formers.push_back(value::deep_copy(body));
    }
    fields::leave_to_controllers(body);
    if (holds_data(kube::gvk_of(body).group_kind())) {
      desired.formers.push_back(value::deep_copy(body));
    }
    for (Value& former : desired.formers) {
      CW_TRY_VOID(finish(former, DataMark::kReference));
    }
    CW_TRY_VOID(finish(body, context.data_mark));
  }
  desired.ref = kube::ref_of(body);
  desired.rule = rule;
  desired.is_autoscaled = role == Role::kChild && context.autoscaled != nullptr &&
                          context.autoscaled->contains(desired.ref) && asks_for_replicas(body);
  desired.is_injected = role == Role::kChild && fields::is_injected(body);
  desired.body = std::move(body);
  desired.role = role;
  CW_TRY(desired.digest, recorded_desired(desired.ref.gvk, context.owner, digest_of(desired)));
  return desired;
}

base::Result<std::vector<Value>> expand_lists(Value document) {
  const Value* first = document.find("items");
  if (first == nullptr || !(first->is_list() || first->is_nil())) {
    return std::vector<Value>{std::move(document)};
  }
  std::vector<Value> left =
      first->is_list() ? with_kinds(first->as_list().items, document) : std::vector<Value>();
  std::vector<Value> objects;
  for (size_t i = 0; i < left.size(); ++i) {
    const Value* items = left[i].find("items");
    if (items != nullptr && items->is_list()) {
      const std::vector<Value> inner = items->as_list().items;
      // Aliases make few lists into very many objects.
      if (left.size() + inner.size() > kListedObjectsMax) {
        return Error(ErrorCode::kBudget, "a list has more than " +
                                             std::to_string(kListedObjectsMax) +
                                             " objects in lists of lists");
      }
      left.insert(left.end(), inner.begin(), inner.end());
    } else {
      objects.push_back(left[i]);
    }
  }
  return objects;
}

}  // namespace chartwright::release
