// SPDX-License-Identifier: Apache-2.0
#include "kinds/known_kinds.h"

#include <catch2/catch.hpp>

namespace chartwright::kinds {

TEST_CASE("Kinds of other projects have the names and scopes of their CRDs") {
  struct Row {
    kube::GroupKind kind;
    std::string_view plural;
    kube::Scope scope;
  };
  // As the projects publish them.
  const std::vector<Row> rows = {
      {{"gateway.networking.k8s.io", "Gateway"}, "gateways", kube::Scope::kNamespaced},
      {{"gateway.networking.k8s.io", "GatewayClass"}, "gatewayclasses", kube::Scope::kCluster},
      {{"cert-manager.io", "ClusterIssuer"}, "clusterissuers", kube::Scope::kCluster},
      {{"monitoring.coreos.com", "Prometheus"}, "prometheuses", kube::Scope::kNamespaced},
      {{"keda.sh", "ClusterTriggerAuthentication"},
       "clustertriggerauthentications",
       kube::Scope::kCluster},
      {{"cilium.io", "CiliumClusterwideNetworkPolicy"},
       "ciliumclusterwidenetworkpolicies",
       kube::Scope::kCluster},
      {{"external-secrets.io", "ClusterSecretStore"}, "clustersecretstores", kube::Scope::kCluster},
      {{"snapshot.storage.k8s.io", "VolumeSnapshotClass"},
       "volumesnapshotclasses",
       kube::Scope::kCluster},
      {{"traefik.io", "IngressRouteTCP"}, "ingressroutetcps", kube::Scope::kNamespaced},
      {{"networking.istio.io", "ServiceEntry"}, "serviceentries", kube::Scope::kNamespaced},
      {{"telemetry.istio.io", "Telemetry"}, "telemetries", kube::Scope::kNamespaced},
      {{"argoproj.io", "EventBus"}, "eventbus", kube::Scope::kNamespaced},
      {{"argoproj.io", "ClusterWorkflowTemplate"},
       "clusterworkflowtemplates",
       kube::Scope::kCluster},
      {{"source.toolkit.fluxcd.io", "HelmRepository"},
       "helmrepositories",
       kube::Scope::kNamespaced},
      {{"k8s.cni.cncf.io", "NetworkAttachmentDefinition"},
       "network-attachment-definitions",
       kube::Scope::kNamespaced},
      {{"security.openshift.io", "SecurityContextConstraints"},
       "securitycontextconstraints",
       kube::Scope::kCluster},
  };
  for (const Row& row : rows) {
    INFO(row.kind.to_string());
    const auto found = known_resource(row.kind);
    REQUIRE(found.has_value());
    CHECK(found->plural == row.plural);
    CHECK(found->scope == row.scope);
    CHECK_FALSE(found->guessed);
  }
}

TEST_CASE("A kind is known by its group, too") {
  CHECK_FALSE(known_resource({"example.com", "Gateway"}).has_value());
  CHECK_FALSE(known_resource({"gateway.networking.k8s.io", "Gate"}).has_value());
  CHECK_FALSE(known_resource({"gateway.networking.k8s.io", ""}).has_value());
}

}  // namespace chartwright::kinds
