// SPDX-License-Identifier: Apache-2.0
#include "bundle/mentions.h"

#include <catch2/catch.hpp>

#include "bundle/bundle.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::bundle {
namespace {

using testing::Files;
using testing::Folder;

/// Returns the faults of operator.yaml, one a line, without the path of the file.
std::string faults_of(const std::string& rules, const Files& more = {}) {
  const Folder folder(testing::with(testing::with(testing::widget_chart(), more),
                                    {{"operator/operator.yaml", rules}}));
  base::Faults faults;
  load_bundle(folder.path(), helm::default_profile(), {}, faults);
  std::string text;
  for (const base::Error& error : faults.all()) {
    text += (text.empty() ? "" : "\n") +
            error.to_string().substr((folder.path() + "/operator/operator.yaml:").size());
  }
  return text;
}

std::string rule_with(const std::string& match) {
  return faults_of("children: [{match: {" + match + "}, onDelete: keep}]\n");
}

std::string related_with(const std::string& kind) {
  return faults_of("related: {a: {" + kind + ", name: x}}\n");
}

TEST_CASE("A rule for a kind that the chart does not render, and Kubernetes does not have") {
  CHECK(rule_with("kind: Deploymnet") ==
        "1:27: children[0].match.kind: the chart renders no kind \"Deploymnet\", did you mean "
        "\"Deployment\"?");
  CHECK(rule_with("apiVersion: v1, kind: ConfigMaps") ==
        "1:43: children[0].match.kind: the chart renders no kind \"ConfigMaps\" in v1, did you "
        "mean \"ConfigMap\"?");
  CHECK(rule_with("apiVersion: app/v1, kind: Deployment") ==
        "1:47: children[0].match.kind: \"app/v1\" has no kind \"Deployment\", did you mean "
        "apiVersion apps/v1?");
  // The chart writes `raw`, which may be an object of any kind: only a near name is a mistake.
  CHECK(rule_with("kind: Zebra").empty());
  const Files whole = {{"templates/widget.yaml", "apiVersion: x.io/v1\nkind: Widget\n"}};
  CHECK(faults_of("children: [{match: {kind: Zebra}, onDelete: keep}]\n", whole) ==
        "1:27: children[0].match.kind: the chart renders no kind \"Zebra\", so this rule never "
        "applies");
  CHECK(faults_of("children: [{match: {kind: Widgte}, onDelete: keep}]\n", whole) ==
        "1:27: children[0].match.kind: the chart renders no kind \"Widgte\", did you mean "
        "\"Widget\"?");
}

TEST_CASE("A kind that exists, or may exist, is accepted") {
  CHECK(rule_with("kind: StatefulSet").empty());
  CHECK(rule_with("apiVersion: policy/v1beta1, kind: PodDisruptionBudget").empty());
  CHECK(rule_with("apiVersion: cert-manager.io/v1, kind: Certificate").empty());
  CHECK(rule_with("name: web-*").empty());
  CHECK(related_with("apiVersion: serving.knative.dev/v1, kind: Service").empty());
  CHECK(related_with("apiVersion: policy/v1beta1, kind: PodSecurityPolicy").empty());
  CHECK(faults_of("children: [{match: {kind: Gadgt}, onDelete: keep}]\n",
                  {{"crds/g.yaml", "spec: {names: {kind: Gadgt}}\n"}})
            .empty());
}

TEST_CASE("Related objects of a kind that its group does not have are refused") {
  CHECK(related_with("apiVersion: v1, kind: PersistentVolumeClaims") ==
        "1:37: related.a.kind: there is no kind \"PersistentVolumeClaims\" in v1, did you mean "
        "\"PersistentVolumeClaim\"?");
  CHECK(faults_of("related:\n  a:\n    apiVersion: v1\n    kind: Pod\n"
                  "    selectedBy: {apiVersion: apps/v1, kind: StatefullSet, name: x}\n") ==
        "5:45: related.a.selectedBy.kind: there is no kind \"StatefullSet\" in apps/v1, did you "
        "mean \"StatefulSet\"?");
}

TEST_CASE("A column or required key that names no field is refused") {
  const auto column = [](const std::string& path, const Files& more = {}) {
    return faults_of("crd: {columns: [{name: A, type: string, jsonPath: '" + path + "'}]}\n", more);
  };
  CHECK(column(".sepc.color") ==
        "1:51: crd.columns[0].jsonPath: there is no .sepc, did you mean .spec?");
  CHECK(column(".spec.colr") ==
        "1:51: crd.columns[0].jsonPath: no value of the chart is named .spec.colr, did you mean "
        ".spec.color?");
  CHECK(column(".metadata.naem") ==
        "1:51: crd.columns[0].jsonPath: there is no .metadata.naem, did you mean .metadata.name?");
  const Files schema = {{"operator/status.yaml", "phase: a\n"},
                        {"operator/status.schema.json", R"({"properties": {"phase": {}}})"}};
  CHECK(column(".status.phse", schema) ==
        "1:51: crd.columns[0].jsonPath: there is no .status.phse, did you mean .status.phase?");
  for (const char* path : {".status.phase", ".spec.color", ".metadata.creationTimestamp",
                           ".status.conditions[?(@.type==\"A\")].status", ".status.revision",
                           ".metadata.annotations[\"a\\.b\"]", ".metadata.labels.app"}) {
    INFO(path);
    CHECK(column(path, schema).empty());
  }
  CHECK(faults_of("crd:\n  required: [color, sizes]\n").empty());
  CHECK(faults_of("crd:\n  required: [color, colr]\n") ==
        "2:21: crd.required[1]: no value of the chart is named .spec.colr, did you mean "
        ".spec.color?");
}

}  // namespace
}  // namespace chartwright::bundle
