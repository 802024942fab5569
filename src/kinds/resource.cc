// SPDX-License-Identifier: Apache-2.0
#include "kinds/resource.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "helm/render/manifest.h"
#include "kinds/known_kinds.h"
#include "kinds/plural.h"
#include "yaml/yaml.h"

namespace chartwright::kinds {
namespace {

struct ClusterKind {
  std::string_view group;
  std::string_view kind;
};

/// The cluster-scoped kinds of Kubernetes, those of past versions included.
constexpr std::array kClusterKinds = {
    ClusterKind{"", "ComponentStatus"},
    ClusterKind{"", "Namespace"},
    ClusterKind{"", "Node"},
    ClusterKind{"", "PersistentVolume"},
    ClusterKind{"admissionregistration.k8s.io", "MutatingAdmissionPolicy"},
    ClusterKind{"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"},
    ClusterKind{"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
    ClusterKind{"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"},
    ClusterKind{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"},
    ClusterKind{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"},
    ClusterKind{"apiextensions.k8s.io", "CustomResourceDefinition"},
    ClusterKind{"apiregistration.k8s.io", "APIService"},
    ClusterKind{"authentication.k8s.io", "SelfSubjectReview"},
    ClusterKind{"authentication.k8s.io", "TokenReview"},
    ClusterKind{"authorization.k8s.io", "SelfSubjectAccessReview"},
    ClusterKind{"authorization.k8s.io", "SelfSubjectRulesReview"},
    ClusterKind{"authorization.k8s.io", "SubjectAccessReview"},
    ClusterKind{"certificates.k8s.io", "CertificateSigningRequest"},
    ClusterKind{"certificates.k8s.io", "ClusterTrustBundle"},
    ClusterKind{"extensions", "PodSecurityPolicy"},
    ClusterKind{"flowcontrol.apiserver.k8s.io", "FlowSchema"},
    ClusterKind{"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"},
    ClusterKind{"internal.apiserver.k8s.io", "StorageVersion"},
    ClusterKind{"networking.k8s.io", "IPAddress"},
    ClusterKind{"networking.k8s.io", "IngressClass"},
    ClusterKind{"networking.k8s.io", "ServiceCIDR"},
    ClusterKind{"node.k8s.io", "RuntimeClass"},
    ClusterKind{"policy", "PodSecurityPolicy"},
    ClusterKind{"rbac.authorization.k8s.io", "ClusterRole"},
    ClusterKind{"rbac.authorization.k8s.io", "ClusterRoleBinding"},
    ClusterKind{"resource.k8s.io", "DeviceClass"},
    ClusterKind{"resource.k8s.io", "DeviceTaintRule"},
    ClusterKind{"resource.k8s.io", "ResourceSlice"},
    ClusterKind{"scheduling.k8s.io", "PriorityClass"},
    ClusterKind{"storage.k8s.io", "CSIDriver"},
    ClusterKind{"storage.k8s.io", "CSINode"},
    ClusterKind{"storage.k8s.io", "StorageClass"},
    ClusterKind{"storage.k8s.io", "VolumeAttachment"},
    ClusterKind{"storage.k8s.io", "VolumeAttributesClass"},
    ClusterKind{"storagemigration.k8s.io", "StorageVersionMigration"},
};

/// Reports whether only Kubernetes defines kinds in a group.
bool is_built_in(std::string_view group) {
  return group.find('.') == std::string_view::npos || group == "rbac.authorization.k8s.io" ||
         std::any_of(kClusterKinds.begin(), kClusterKinds.end(),
                     [&](const ClusterKind& each) { return each.group == group; }) ||
         group == "events.k8s.io" || group == "coordination.k8s.io" ||
         group == "discovery.k8s.io" || group == "scheduling.k8s.io";
}

/// Stands for what a template computes. No name of a CRD and no scope contains it.
constexpr std::string_view kComputed = "COMPUTED";

/// Returns the text of a template with kComputed in place of its actions. Lines that have nothing
/// but actions, such as `if` and `end`, are left out.
std::string literal_text(std::string_view text) {
  std::string literal;
  std::string line;
  bool is_action = false;
  const auto end_line = [&] {
    if (!is_action || !base::trim(base::replace_all(line, kComputed, "")).empty()) {
      literal += line + "\n";
    }
    line.clear();
    is_action = false;
  };
  while (!text.empty()) {
    if (text.starts_with("{{")) {
      const size_t end = text.find("}}");
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
      line += kComputed;
      is_action = true;
      continue;
    }
    if (text.front() == '\n') {
      end_line();
    } else {
      line += text.front();
    }
    text.remove_prefix(1);
  }
  end_line();
  return literal;
}

}  // namespace

void add_written_definitions(std::string_view text, DefinedKinds& into) {
  if (text.find("CustomResourceDefinition") == std::string_view::npos) {
    return;  // Cheaper than parsing it.
  }
  for (const std::string& document : helm::split_manifests(literal_text(text))) {
    // Without its actions, a text may be no YAML, or have one key on two branches.
    auto object = yaml::parse_yaml(document, value::Numbers::kInt64);
    const std::string_view scope = object.ok() ? object->string_at({"spec", "scope"}) : "";
    const bool has_both = document.find("scope: Cluster") != std::string::npos &&
                          document.find("scope: Namespaced") != std::string::npos;
    if (has_both || (scope != "Cluster" && scope != "Namespaced")) {
      continue;
    }
    const auto definition = release::read_definition(*std::move(object));
    if (definition.ok() && definition->kind.kind.find(kComputed) == std::string::npos) {
      add_definition(*definition, into);
    }
  }
}

void add_definition(const release::Definition& definition, DefinedKinds& into) {
  const std::string& name = definition.ref.name;
  into.emplace(definition.kind, Resource{name.substr(0, name.find('.')), definition.scope, false});
}

Resource own_resource(const bundle::Watch& watch) {
  const bundle::CrdOptions& crd = watch.bundle.rules.crd;
  return {crd.plural.empty() ? own_plural_of(watch.gvk.kind) : crd.plural, crd.scope, false};
}

Resource resource_of(const kube::GroupKind& kind, const DefinedKinds& defined) {
  if (const auto found = defined.find(kind); found != defined.end()) {
    return found->second;
  }
  if (auto known = known_resource(kind)) {
    return *std::move(known);
  }
  if (!is_built_in(kind.group)) {
    return {own_plural_of(kind.kind), kube::Scope::kNamespaced, true};
  }
  const bool cluster = std::any_of(
      kClusterKinds.begin(), kClusterKinds.end(),
      [&](const ClusterKind& each) { return each.group == kind.group && each.kind == kind.kind; });
  return {plural_of(kind.kind), cluster ? kube::Scope::kCluster : kube::Scope::kNamespaced, false};
}

}  // namespace chartwright::kinds
