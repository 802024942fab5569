// SPDX-License-Identifier: Apache-2.0
#include "kinds/resource.h"

#include <catch2/catch.hpp>

namespace chartwright::kinds {

TEST_CASE("The scope of built-in kinds is known, that of others is assumed") {
  CHECK(resource_of({"", "Node"}, {}).scope == kube::Scope::kCluster);
  CHECK(resource_of({"apps", "Deployment"}, {}).scope == kube::Scope::kNamespaced);
  CHECK_FALSE(resource_of({"apps", "Deployment"}, {}).guessed);
  CHECK(resource_of({"x.example.com", "Node"}, {}).guessed);
}

TEST_CASE("A kind that a CRD defines has its names and scope") {
  const DefinedKinds defined{{{"x.example.com", "Mouse"}, {"mice", kube::Scope::kCluster, false}}};
  const Resource mouse = resource_of({"x.example.com", "Mouse"}, defined);
  CHECK(mouse.plural == "mice");
  CHECK(mouse.scope == kube::Scope::kCluster);
}

TEST_CASE("A CRD of a template is known as far as its text is literal") {
  const std::string head =
      "{{- if .Values.crds.enabled }}\napiVersion: apiextensions.k8s.io/v1\n"
      "kind: CustomResourceDefinition\nmetadata:\n  name: mice.x.example.com\n  annotations:\n"
      "    {{- with .Values.annotations }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n"
      "    of: {{ .Release.Name }}-x\nspec:\n  group: x.example.com\n";
  const std::string names = "  names: {kind: Mouse, plural: mice}\n";
  const std::string tail = "  versions: [{name: v1, served: true, storage: true}]\n{{- end }}\n";
  const auto scope_of = [&](const std::string& scope, const std::string& named) {
    DefinedKinds defined;
    add_written_definitions("# A\n---\n" + head + scope + named + tail, defined);
    const auto found = defined.find({"x.example.com", "Mouse"});
    return found == defined.end() ? std::optional<kube::Scope>() : found->second.scope;
  };
  CHECK(scope_of("  scope: Cluster\n", names) == kube::Scope::kCluster);
  CHECK(scope_of("  scope: Namespaced\n", names) == kube::Scope::kNamespaced);
  CHECK(scope_of("  scope: {{ .Values.scope }}\n", names) == std::nullopt);
  CHECK(scope_of("  {{ if .Values.a }}\n  scope: Cluster\n  {{ else }}\n  scope: Namespaced\n"
                 "  {{ end }}\n",
                 names) == std::nullopt);
  CHECK(scope_of("  scope: Cluster\n", "  names: {kind: {{ .Values.kind }}, plural: mice}\n") ==
        std::nullopt);
  CHECK(scope_of("  scope: Cluster {{ \n", names) == std::nullopt);
}

}  // namespace chartwright::kinds
