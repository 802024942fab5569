// SPDX-License-Identifier: Apache-2.0
#include "doctor/doctor.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "generate/crd.h"
#include "test/generate/projects.h"
#include "yaml/yaml.h"

namespace chartwright::doctor {
namespace {

using generate::Access;
using generate::crd_of;
using generate::Purpose;
using generate::testing::shop_watch;
using Lines = std::vector<std::string>;

Lines faults_of(const std::string& crd) {
  const auto read = yaml::parse_yaml(crd, value::Numbers::kInt64);
  REQUIRE(read.ok());
  Lines lines;
  for (const Complaint& complaint : check_definition(*read, shop_watch({}))) {
    CHECK(complaint.fix({}) == "chartwright generate crd | kubectl apply -f -");
    lines.push_back(complaint.text);
  }
  return lines;
}

std::string crd(const std::string& version) {
  return "metadata: {name: shops.x}\nspec:\n  versions:\n  - {name: v1alpha1, served: true, " +
         version + "}\n";
}

}  // namespace

TEST_CASE("A generated CRD has no faults") {
  const auto generated = crd_of(shop_watch({}));
  REQUIRE(generated.ok());
  CHECK(faults_of(generated->text) == Lines{});
}

TEST_CASE("A CRD that drops what the operator writes is named") {
  CHECK(faults_of(crd("subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, "
                      "properties: {spec: {type: object}}}}")) ==
        Lines{"CRD shops.x drops every key of the spec: its schema has no properties",
              "CRD shops.x drops the operator's status: its schema does not have it"});
  CHECK(faults_of(crd("subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, "
                      "properties: {status: {type: object, properties: {phase: {}}}}}}")) ==
        Lines{"CRD shops.x drops the spec: its schema does not have it",
              "CRD shops.x drops the operator's status: its schema does not have it"});
  CHECK(faults_of(crd("schema: {openAPIV3Schema: {x-kubernetes-preserve-unknown-fields: true}}")) ==
        Lines{"CRD shops.x has no status subresource: the operator cannot report"});
}

TEST_CASE("A CRD without the version of the watch is named") {
  CHECK(faults_of("metadata: {name: shops.x}\nspec: {versions: [{name: v1, served: true}]}") ==
        Lines{"CRD shops.x does not serve the version v1alpha1"});
  CHECK(faults_of("{}") == Lines{"CRD  does not serve the version v1alpha1"});
}

TEST_CASE("A role lacks what none of its rules grants") {
  const auto missing = [](const std::string& rules, const std::string& kind = "ClusterRole") {
    Access access;
    access.rules = {
        {Purpose::kChildren,
         "apps",
         "deployments",
         {},
         {"get", "patch"},
         kube::Scope::kNamespaced,
         {"charts/x/templates/web.yaml"}},
        {Purpose::kStatus, "shop.io", "shops/status", {}, {"patch"}, kube::Scope::kNamespaced, {}},
        {Purpose::kDefinitions, "", "nodes", {"a", "b"}, {"get"}, kube::Scope::kCluster, {}}};
    const auto role =
        yaml::parse_yaml("kind: " + kind + "\nrules: " + rules, value::Numbers::kInt64);
    REQUIRE(role.ok());
    Lines lines;
    for (const Complaint& complaint : check_roles({*role}, access)) {
      CHECK(complaint.fix({}) == "chartwright generate rbac | kubectl apply -f -");
      lines.push_back(complaint.text);
    }
    return lines;
  };
  const std::string deployments =
      "no right to get, patch deployments.apps (for charts/x/"
      "templates/web.yaml)";
  const std::string status = "no right to patch shops/status.shop.io";
  const std::string nodes = "no right to get nodes";
  CHECK(missing("[]") == Lines{deployments, status, nodes});
  CHECK(missing("\n- {apiGroups: ['*'], resources: ['*'], verbs: ['*']}") == Lines{});
  // Of a role in a namespace, cluster-scoped kinds are out of reach.
  CHECK(missing("\n- {apiGroups: ['*'], resources: ['*'], verbs: ['*']}", "Role") == Lines{nodes});
  CHECK(missing("\n- {apiGroups: [apps], resources: [deployments], verbs: [get, patch]}\n"
                "- {apiGroups: [shop.io], resources: ['*/status'], verbs: [patch]}\n"
                "- {apiGroups: [''], resources: [nodes], resourceNames: [a, b], verbs: [get]}") ==
        Lines{});
  CHECK(
      missing("\n- {apiGroups: [apps], resources: [deployments], verbs: [get]}\n"
              "- {apiGroups: [shop.io], resources: [shops], verbs: [patch]}\n"
              "- {apiGroups: [''], resources: [nodes], resourceNames: [a], verbs: [get]}") ==
      Lines{"no right to patch deployments.apps (for charts/x/templates/web.yaml)", status, nodes});
  CHECK(missing("\n- {apiGroups: [apps], resources: [deployments], resourceNames: [a], "
                "verbs: ['*']}") == Lines{deployments, status, nodes});
  CHECK(missing("5") == Lines{deployments, status, nodes});
}

TEST_CASE("A right that nothing needs is named") {
  Access access;
  access.rules = {{Purpose::kChildren, "apps", "deployments", {}, {"get", "patch"}, {}, {}},
                  {Purpose::kRelated, "", "pods", {}, {"list", "watch"}, {}, {}},
                  {Purpose::kStatus, "shop.io", "shops/status", {}, {"patch"}, {}, {}}};
  const auto unneeded = [&access](const std::string& rules) {
    const auto role = yaml::parse_yaml("kind: ClusterRole\nmetadata: {name: r}\nrules:\n" + rules,
                                       value::Numbers::kInt64);
    REQUIRE(role.ok());
    return unneeded_rights({*role}, access);
  };
  const std::string more = "ClusterRole r grants more than the chart needs: ";
  CHECK(unneeded("- {apiGroups: [apps], resources: [deployments], verbs: [get, patch]}\n"
                 "- {apiGroups: [''], resources: [pods], verbs: [watch]}\n"
                 "- {nonResourceURLs: [/metrics], verbs: [get]}\n")
            .empty());
  CHECK(
      unneeded("- {apiGroups: [apps], resources: [deployments, replicasets], verbs: [get, delete]}"
               "\n- {apiGroups: [''], resources: [pods, secrets], verbs: ['*']}\n") ==
      Lines{more + "delete deployments.apps", more + "get, delete replicasets.apps",
            more + "* pods, secrets"});
  CHECK(unneeded("- {apiGroups: ['*'], resources: ['*'], verbs: ['*']}") == Lines{more + "* *.*"});
  // Of the pairs of groups and resources, most do not exist.
  CHECK(unneeded("- {apiGroups: ['', apps], resources: [pods, deployments], verbs: [get, list]}") ==
        Lines{more + "get pods", more + "list deployments.apps"});
  // For leader election and metrics.
  CHECK(
      unneeded("- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: ['*']}\n"
               "- {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}"
               "\n- {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], "
               "verbs: [create]}\n")
          .empty());
  const std::string nodes = "- {apiGroups: [''], resources: [nodes], verbs: [get]}\n";
  CHECK(unneeded(nodes) == Lines{more + "get nodes"});
  SECTION("the operator has other kinds, too") {
    CHECK(
        unneeded(nodes + "- {apiGroups: [a.io], resources: [bs/status], verbs: [patch]}").empty());
    CHECK(unneeded(nodes + "- {apiGroups: [a.io], resources: [bs/status], verbs: [get]}").size() ==
          2);
  }
  SECTION("it serves views, too") {
    CHECK(unneeded(nodes + "- {apiGroups: [apiregistration.k8s.io], resources: [apiservices], "
                           "verbs: [patch]}")
              .empty());
  }
  SECTION("a kind depends on the values") {
    access.notes = {{"a.yaml", "the kind is computed", true}};
    CHECK(unneeded(nodes).empty());
  }
  SECTION("the chart makes roles, which need the rights that they give") {
    access.rules.push_back(
        {Purpose::kGrants, "rbac.authorization.k8s.io", "roles", {}, {"bind"}, {}, {}});
    CHECK(unneeded(nodes).empty());
  }
}

TEST_CASE("A right in one namespace is granted by the roles of that namespace") {
  Access access;
  access.rules = {
      {Purpose::kServing, "", "secrets", {}, {"create"}, kube::Scope::kNamespaced, {}, "ops"}};
  const auto missing = [&access](const std::string& head) {
    const auto role =
        yaml::parse_yaml(head + "rules: [{apiGroups: [''], resources: [secrets], verbs: [create]}]",
                         value::Numbers::kInt64);
    REQUIRE(role.ok());
    Lines lines;
    for (const Complaint& complaint : check_roles({*role}, access)) {
      lines.push_back(complaint.text);
    }
    return lines;
  };
  CHECK(missing("kind: Role\nmetadata: {namespace: ops}\n") == Lines{});
  CHECK(missing("kind: ClusterRole\n") == Lines{});
  CHECK(missing("kind: Role\nmetadata: {namespace: other}\n") ==
        Lines{"no right to create secrets in namespace ops"});
}

TEST_CASE("A fix has the flags of its product and no others") {
  const FixArguments arguments{"charts/x --group a.io", "--watch-namespaces a"};
  CHECK(Complaint{"", "crd"}.fix(arguments) ==
        "chartwright generate crd charts/x --group a.io | kubectl apply -f -");
  CHECK(
      Complaint{"", "rbac"}.fix(arguments) ==
      "chartwright generate rbac charts/x --group a.io --watch-namespaces a | kubectl apply -f -");
  CHECK(Complaint{"", "", "install it"}.fix(arguments) == "install it");
}

TEST_CASE("Faults with one fix have it once, and notes have none") {
  const std::vector<Complaint> complaints = {{"a", "rbac"},
                                             {"b", "crd"},
                                             {"c", "rbac"},
                                             {"d", "", "install d"},
                                             {"e", "", "", Complaint::Weight::kNote}};
  Lines lines;
  for (const Repair& repair : repairs_of(complaints, {})) {
    lines.push_back(base::join(repair.faults, "+") + ": " + repair.fix);
  }
  CHECK(lines == Lines{"a+c: chartwright generate rbac | kubectl apply -f -",
                       "b: chartwright generate crd | kubectl apply -f -", "d: install d"});
}

TEST_CASE(
    "A role is generated for the account and the namespaces that differ from the usual ones") {
  CHECK(role_flags({}).empty());
  CHECK(role_flags({"op", "ops", {"a", "b"}}) ==
        "--watch-namespaces a,b --name op --namespace ops");
}

}  // namespace chartwright::doctor
