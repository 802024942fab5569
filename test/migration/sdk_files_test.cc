// SPDX-License-Identifier: Apache-2.0
#include "migration/sdk_files.h"

#include <catch2/catch.hpp>

#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

using value::Value;

Value read_yaml(const std::string& text) {
  return CW_MUST(yaml::parse_yaml(text, value::Numbers::kInt64));
}

/// Returns "WARN text" of each finding.
std::vector<std::string> lines_of(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& one : findings) {
    lines.push_back(std::string(to_string(one.grade)) + " " + one.text);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("A Dockerfile is based on one of the two programs, or on neither") {
  CHECK(lines_of(check_dockerfile("# Build\nFROM quay.io/operator-framework/helm-operator:v1.42.3\n"
                                  "COPY watches.yaml ./\n")) ==
        Lines{"WARN the base image is still quay.io/operator-framework/helm-operator:v1.42.3"});
  CHECK(lines_of(check_dockerfile("from --platform=linux/amd64  registry:5000/chartwright@sha256:0 "
                                  "as base\n")) ==
        Lines{"OK the base image is registry:5000/chartwright@sha256:0"});
  CHECK(check_dockerfile("FROM debian\nFROM\nFROM --platform=x\n").empty());
  CHECK(check_dockerfile("").empty());
}

TEST_CASE("Flags are found in Deployments and in the patches of kustomize") {
  const std::vector<Value> documents = {
      read_yaml("spec: {template: {spec: {containers: [{args: [--leader-elect, --old=1, 7]}]}}}"),
      read_yaml("[{op: add, path: /spec/containers/0/args/0, value: '--metrics-secure'}, "
                "{op: add, path: /metadata/labels/a, value: '--label'}]"),
      Value::string("--text"), Value()};
  CHECK(lines_of(check_arguments(documents, {"--leader-elect", "--metrics-secure"})) ==
        Lines{"FAIL the manager is given --old, which chartwright run does not have"});
  CHECK(lines_of(check_arguments(documents, {"--leader-elect", "--metrics-secure", "--old"})) ==
        Lines{"OK all 3 flags of the manager are known"});
  CHECK(check_arguments({}, {}).empty());
}

TEST_CASE("Annotations of helm-operator without an effect are told") {
  const auto findings = check_annotations(read_yaml(R"(apiVersion: example.com/v1
kind: Shop
metadata:
  name: one
  annotations: {helm.sdk.operatorframework.io/upgrade-force: "true"}
)"));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].text.starts_with(
      "Shop.example.com one: helm.sdk.operatorframework.io/upgrade-force: true has no effect"));
  CHECK(check_annotations(Value()).empty());
}

TEST_CASE("Roles count if they are bound, or if nothing is") {
  const Value mine = read_yaml("{kind: ClusterRole, metadata: {name: manager}}");
  const Value editor = read_yaml("{kind: ClusterRole, metadata: {name: editor}}");
  const Value binding =
      read_yaml("{kind: ClusterRoleBinding, roleRef: {kind: ClusterRole, name: manager}}");
  CHECK(bound_roles({mine, editor}).size() == 2);
  const auto bound = bound_roles({editor, binding, mine, Value()});
  REQUIRE(bound.size() == 1);
  CHECK(bound[0].string_at({"metadata", "name"}) == "manager");
}

}  // namespace chartwright::cmd
