// SPDX-License-Identifier: Apache-2.0
#include "bundle/related_config.h"

#include <catch2/catch.hpp>

#include "base/check.h"
#include "bundle/bundle.h"

namespace chartwright::bundle {
namespace {

using Labels = std::vector<std::string>;

/// An entry for pods with these members.
RelatedConfig pods_with(const std::string& members) {
  const std::string text = "related: {r: {apiVersion: v1, kind: Pod, " + members + "}}";
  return CW_MUST(parse_operator_rules(text, "operator.yaml")).related.at(0);
}

TEST_CASE("A related query asks the server for what is the same for all readers") {
  const auto query = [](const std::string& selector) {
    return pods_with("namespace: far, selector: " + selector).query().value();
  };
  const RelatedQuery both = query("{app: db, instance: '{{ .CR.metadata.name }}'}");
  CHECK(both.label_selector == "app=db,instance");
  CHECK(both.index_labels == Labels{"instance"});
  CHECK(both.ns == "far");
  CHECK(query("{a: '{{ x }}', b: '{{ y }}'}").index_labels == Labels{"a", "b"});
  CHECK(query("{app: db}").index_labels.empty());
  CHECK(query("{}").label_selector.empty());
}

TEST_CASE("A related query has the expressions of a selector") {
  const auto query = [](const std::string& selector) {
    return pods_with("selector: " + selector).query().value();
  };
  const RelatedQuery fixed = query(
      "{matchLabels: {app: db}, matchExpressions: [{key: tier, operator: In, values: [a, b]}, "
      "{key: old, operator: DoesNotExist}, {key: up, operator: Exists}, "
      "{key: stage, operator: NotIn, values: [test]}]}");
  CHECK(fixed.label_selector == "app=db,tier in (a,b),!old,up,stage notin (test)");
  CHECK(fixed.index_labels.empty());
  const RelatedQuery varying = query(
      "{matchLabels: {app: db}, matchExpressions: [{key: tier, operator: In, values: "
      "['{{ .CR.metadata.name }}']}, {key: zone, operator: In, values: ['{{ .CR.spec.zone }}', "
      "b]}, "
      "{key: old, operator: NotIn, values: ['{{ .CR.spec.old }}']}]}");
  CHECK(varying.label_selector == "app=db,tier,zone");
  CHECK(varying.index_labels == Labels{"tier"});
  CHECK(query("{matchLabels: {}}").label_selector.empty());
  CHECK(query("{matchLabels: x}").label_selector == "matchLabels=x");  // A label of this name.
}

TEST_CASE("The query of objects that a child selects is known by the keys of its selector") {
  const RelatedConfig pods = pods_with("selectedBy: {apiVersion: v1, kind: Service, name: web}");
  CHECK_FALSE(pods.query());
  const auto query = [&pods](std::string_view selector) {
    return query_by_keys(pods, CW_MUST(kube::LabelSelector::parse(selector)));
  };
  CHECK(query("app=web,tier=a") ==
        RelatedQuery{{"", "v1", "Pod"}, "", "app,tier", {"app", "tier"}});
  // Their values may differ by custom resource, and so many watches would be open.
  CHECK(query("app=web,tier in (a,b),up,old!=yes,!down") ==
        RelatedQuery{{"", "v1", "Pod"}, "", "app,tier,up", {"app"}});
  CHECK(query("old!=yes").label_selector.empty());
}

TEST_CASE("There is no query of an object that is named") {
  CHECK_FALSE(pods_with("name: a").query());
}

TEST_CASE("Only the custom resource tells a namespace that is a template") {
  const RelatedConfig theirs = pods_with("namespace: '{{ .CR.spec.ns }}', selector: {a: b}");
  CHECK(theirs.query()->ns.empty());
  CHECK(theirs.has_templates());
  CHECK_FALSE(pods_with("namespace: far, selector: {a: b}").has_templates());
}

TEST_CASE("Literal texts of a related entry are checked") {
  const auto error = [](const std::string& members) {
    const auto parsed = parse_operator_rules("related:\n  r: {" + members + "}", "operator.yaml");
    return parsed.ok() ? "none" : parsed.error().to_string();
  };
  const std::string version = " is not an API version such as \"v1\" or \"apps/v1\"";
  CHECK(error("apiVersion: a/b/c, kind: Pod, name: x") ==
        "operator.yaml:2:19: related.r.apiVersion: \"a/b/c\"" + version);
  CHECK(error("apiVersion: /v1, kind: Pod, name: x") ==
        "operator.yaml:2:19: related.r.apiVersion: \"/v1\"" + version);
  CHECK(error("apiVersion: v1, kind: configmap, name: x") ==
        "operator.yaml:2:29: related.r.kind: \"configmap\" is not a kind: an upper-case letter, "
        "then letters and digits, such as \"ConfigMap\"");
  const std::string name =
      "\"A_B\" is not a name: it has lower-case letters, digits, \"-\" and \".\", and begins and "
      "ends with a letter or digit";
  CHECK(error("apiVersion: v1, kind: Pod, name: A_B") ==
        "operator.yaml:2:40: related.r.name: " + name);
  CHECK(
      error("apiVersion: v1, kind: Pod, selectedBy: {apiVersion: v1, kind: Service, name: A_B}") ==
      "operator.yaml:2:84: related.r.selectedBy.name: " + name);
  CHECK(error("apiVersion: v1, kind: Pod, name: ''") ==
        "operator.yaml:2:40: related.r.name: an empty name selects no object: write a name, or a "
        "template that gives one");
  CHECK(error("apiVersion: v1, kind: Pod, selector: {}, namespace: A_B") ==
        "operator.yaml:2:59: related.r.namespace: \"A_B\" is not a namespace: it has lower-case "
        "letters, digits and \"-\", and begins and ends with a letter or digit");
  CHECK(error("apiVersion: v1, kind: Pod, selector: {}, namespace: a.b") != "none");
  CHECK(error("apiVersion: v1, kind: Pod, name: '{{ A_B }}', namespace: '{{ C_D }}'") == "none");
  CHECK(error("apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, name: 'system:node'") ==
        "none");
  CHECK(error("apiVersion: apiregistration.k8s.io/v1, kind: APIService, name: v1.apps") == "none");
}

}  // namespace
}  // namespace chartwright::bundle
