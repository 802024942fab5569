// SPDX-License-Identifier: Apache-2.0
#include "fields/controllers.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/digest.h"
#include "fields/projection.h"
#include "value/compare.h"
#include "value/path.h"

namespace chartwright::fields {
namespace {

using value::Dict;
using value::Value;

// The dict at a path; nullptr if there is none.
Dict* dict_at(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* found = object.find_path(path);
  return found != nullptr && found->is_dict() ? &found->mutable_dict() : nullptr;
}

bool is_empty_map(const Value& v) {
  return value::is_null(v) || (v.is_dict() && v.as_dict().empty());
}

bool is_empty_list(const Value& v) {
  return value::is_null(v) || (v.is_list() && v.as_list().items.empty());
}

bool is_empty_text(const Value& v) {
  return value::is_null(v) || (v.is_string() && v.as_string().empty());
}

// A member of another shape is left to the API server to refuse.
void erase_if(Dict* members, std::string_view key, bool (*is_empty)(const Value&)) {
  const Value* member = members == nullptr ? nullptr : members->find(key);
  if (member != nullptr && is_empty(*member)) {
    members->erase(key);
  }
}

// "cert-manager.io/inject-ca-from", "service.beta.openshift.io/inject-cabundle", and those of
// others who go by these names. Source: cert-manager/cert-manager pkg/apis/certmanager/v1/types.go,
// openshift/service-ca-operator pkg/controller/api/api.go.
bool asks_for_injection(std::string_view annotation, const Value& answer) {
  const std::string_view name = annotation.substr(annotation.find('/') + 1);
  const bool asks = name.starts_with("inject-ca") || name == "inject-apiserver-ca";
  return asks && answer.is_string() && !answer.as_string().empty() && answer.as_string() != "false";
}

bool has_injection(const Value& object) {
  const Dict* annotations = dict_at(object, {"metadata", "annotations"});
  return annotations != nullptr &&
         std::any_of(annotations->begin(), annotations->end(),
                     [](const auto& item) { return asks_for_injection(item.first, item.second); });
}

// Without a certificate nothing can be verified: it stands for one that is to come, as "" and
// "Cg==" do. Another text than base64 is left to the API server to refuse.
bool has_no_certificate(const Value& bundle) {
  if (!bundle.is_string()) {
    return value::is_null(bundle);
  }
  const auto decoded = base::base64_decode(bundle.as_string());
  return decoded.ok() && decoded->find("-----BEGIN") == std::string::npos;
}

void leave_webhooks(Value& object) {
  for (const Value& webhook : object.items_at({"webhooks"})) {
    erase_if(dict_at(webhook, {"clientConfig"}), "caBundle", has_no_certificate);
  }
}

void leave_api_service(Value& object) {
  erase_if(dict_at(object, {"spec"}), "caBundle", has_no_certificate);
}

void leave_definition(Value& object) {
  erase_if(dict_at(object, {"spec", "conversion", "webhook", "clientConfig"}), "caBundle",
           has_no_certificate);
}

// Source: kubernetes/kubernetes pkg/controller/clusterroleaggregation.
void leave_cluster_role(Value& object) {
  if (dict_at(object, {"aggregationRule"}) != nullptr) {
    object.mutable_dict().erase("rules");
  }
}

void leave_config_map(Value& object) {
  Dict& members = object.mutable_dict();
  erase_if(&members, "data", is_empty_map);
  erase_if(&members, "binaryData", is_empty_map);
}

void leave_secret(Value& object) { erase_if(&object.mutable_dict(), "data", is_empty_map); }

// The volume is chosen when the claim is bound, and cannot be changed any more.
void leave_claim(Value& object) {
  erase_if(dict_at(object, {"spec"}), "volumeName", is_empty_text);
}

// OpenShift adds its own, and these lists of ours would replace them.
void leave_service_account(Value& object) {
  erase_if(&object.mutable_dict(), "imagePullSecrets", is_empty_list);
  erase_if(&object.mutable_dict(), "secrets", is_empty_list);
}

// Numbers that go up with each change, in manifests that were copied from a cluster.
void leave_deployment(Value& object) {
  if (Dict* annotations = dict_at(object, {"metadata", "annotations"})) {
    annotations->erase("deployment.kubernetes.io/revision");
  }
}

void leave_daemon_set(Value& object) {
  if (Dict* annotations = dict_at(object, {"metadata", "annotations"})) {
    annotations->erase("deprecated.daemonset.template.generation");
  }
}

struct Leaver {
  std::string_view group;
  std::string_view kind;
  void (*leave)(Value&);
};

constexpr std::array kLeavers = {
    Leaver{"admissionregistration.k8s.io", "MutatingWebhookConfiguration", leave_webhooks},
    Leaver{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", leave_webhooks},
    Leaver{"apiextensions.k8s.io", "CustomResourceDefinition", leave_definition},
    Leaver{"apiregistration.k8s.io", "APIService", leave_api_service},
    Leaver{"apps", "DaemonSet", leave_daemon_set},
    Leaver{"apps", "Deployment", leave_deployment},
    Leaver{"rbac.authorization.k8s.io", "ClusterRole", leave_cluster_role},
    Leaver{"", "ConfigMap", leave_config_map},
    Leaver{"", "PersistentVolumeClaim", leave_claim},
    Leaver{"", "Secret", leave_secret},
    Leaver{"", "ServiceAccount", leave_service_account},
};

bool is_of(const Value& object, const kube::GroupKind& kind) {
  return kube::gvk_of(object).group_kind() == kind;
}

bool is_webhooks(const Value& object) {
  return is_of(object, {"admissionregistration.k8s.io", "MutatingWebhookConfiguration"}) ||
         is_of(object, {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"});
}

// Source: openshift/service-ca-operator pkg/controller/cabundleinjector/configmap.go, which
// replaces all of the data.
bool has_injected_data(const Value& map) {
  return kube::annotation_of(map, "service.beta.openshift.io/inject-cabundle") == "true" ||
         kube::annotation_of(map, "service.alpha.openshift.io/inject-cabundle") == "true";
}

// Source: openshift/cluster-network-operator pkg/controller/configmap_ca_injector.
bool has_injected_bundle(const Value& map) {
  return kube::label_of(map, "config.openshift.io/inject-trusted-cabundle") == "true";
}

value::Path path_of(std::initializer_list<std::string_view> names) {
  std::vector<value::Path::Step> steps;
  for (std::string_view name : names) {
    steps.emplace_back(std::string(name));
  }
  return value::Path(std::move(steps));
}

// Without an injector, the object keeps what the chart gives.
void leave_written(const value::Path& path, const Value& live, std::string_view manager,
                   Dict* members) {
  const auto* name = std::get_if<std::string>(&path.steps().back());
  if (members != nullptr && name != nullptr && path.get(live) != nullptr &&
      !owns_field(live, manager, path)) {
    members->erase(*name);
  }
}

// The order of the live webhooks may be another one.
void leave_written_webhooks(const Value& live, std::string_view manager, Value& desired) {
  std::map<std::string_view, size_t> places;
  for (const Value& webhook : live.items_at({"webhooks"})) {
    places.emplace(webhook.string_at({"name"}), places.size());
  }
  for (const Value& webhook : desired.items_at({"webhooks"})) {
    if (const auto at = places.find(webhook.string_at({"name"})); at != places.end()) {
      const value::Path path({std::string("webhooks"), at->second, std::string("clientConfig"),
                              std::string("caBundle")});
      leave_written(path, live, manager, dict_at(webhook, {"clientConfig"}));
    }
  }
}

// The object that an autoscaler scales; nullopt if `object` is not an autoscaler.
// Source: kubernetes/api autoscaling/v2 types.go; kedacore/keda apis/keda/v1alpha1
// scaledobject_types.go, whose target is a Deployment unless it says otherwise.
std::optional<kube::ObjectRef> target_of(const Value& object, std::string_view ns) {
  const kube::GroupKind kind = kube::gvk_of(object).group_kind();
  const bool is_keda = kind == kube::GroupKind{"keda.sh", "ScaledObject"};
  if (!is_keda && kind != kube::GroupKind{"autoscaling", "HorizontalPodAutoscaler"}) {
    return std::nullopt;
  }
  std::string_view target_version = object.string_at({"spec", "scaleTargetRef", "apiVersion"});
  std::string_view target_kind = object.string_at({"spec", "scaleTargetRef", "kind"});
  if (is_keda) {
    target_version = target_version.empty() ? "apps/v1" : target_version;
    target_kind = target_kind.empty() ? "Deployment" : target_kind;
  }
  const std::string_view own = kube::namespace_of(object);
  return kube::ObjectRef{kube::Gvk::from_api_version(target_version, target_kind),
                         std::string(own.empty() ? ns : own),
                         std::string(object.string_at({"spec", "scaleTargetRef", "name"}))};
}

}  // namespace

void leave_to_controllers(Value& object) {
  const kube::GroupKind kind = kube::gvk_of(object).group_kind();
  for (const Leaver& one : kLeavers) {
    if (one.kind == kind.kind && one.group == kind.group) {
      one.leave(object);
    }
  }
  Dict* metadata = dict_at(object, {"metadata"});
  erase_if(metadata, "annotations", is_empty_map);
  erase_if(metadata, "labels", is_empty_map);
}

bool is_injected(const Value& object) {
  if (is_of(object, {"", "ConfigMap"})) {
    return has_injected_data(object) || has_injected_bundle(object);
  }
  return has_injection(object) &&
         (is_webhooks(object) || is_of(object, {"apiregistration.k8s.io", "APIService"}) ||
          is_of(object, {"apiextensions.k8s.io", "CustomResourceDefinition"}));
}

void leave_to_injectors(const Value& live, std::string_view manager, Value& desired) {
  if (is_of(desired, {"", "ConfigMap"})) {
    if (has_injected_data(desired)) {
      leave_written(path_of({"data"}), live, manager, &desired.mutable_dict());
    }
    if (has_injected_bundle(desired)) {
      leave_written(path_of({"data", "ca-bundle.crt"}), live, manager, dict_at(desired, {"data"}));
    }
  } else if (is_webhooks(desired)) {
    leave_written_webhooks(live, manager, desired);
  } else if (is_of(desired, {"apiregistration.k8s.io", "APIService"})) {
    leave_written(path_of({"spec", "caBundle"}), live, manager, dict_at(desired, {"spec"}));
  } else {
    leave_written(path_of({"spec", "conversion", "webhook", "clientConfig", "caBundle"}), live,
                  manager, dict_at(desired, {"spec", "conversion", "webhook", "clientConfig"}));
  }
}

std::set<kube::ObjectRef> autoscaled(const std::vector<Value>& objects, std::string_view ns) {
  std::set<kube::ObjectRef> targets;
  for (const Value& object : objects) {
    if (auto target = target_of(object, ns)) {
      targets.insert(*std::move(target));
    }
  }
  return targets;
}

}  // namespace chartwright::fields
