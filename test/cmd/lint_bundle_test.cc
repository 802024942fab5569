// SPDX-License-Identifier: Apache-2.0
#include "cmd/lint_bundle.h"

#include <catch2/catch.hpp>

#include "test/bundle/chart_folder.h"

namespace chartwright::cmd {
namespace {

using bundle::testing::Files;
using bundle::testing::Folder;
using bundle::testing::widget_chart;
using bundle::testing::with;
using Lines = std::vector<std::string>;

constexpr std::string_view kCrd = R"(kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgetts}
  versions:
  - {name: v1alpha1, served: true, storage: false}
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {color: {type: string}, extra: {type: string}, colour: {type: string}}
          status:
            type: object
            properties: {conditions: {type: array}, ready: {type: integer}}
)";

/// Lints a chart with a CRD and roles, if there are any: "file: finding" of each, without folders.
Lines lint(const Files& files, const std::string& crd = "", const std::string& roles = "") {
  const Folder folder(with(files, {{"crd.yaml", crd}, {"role.yaml", roles}}));
  const std::string crd_path = crd.empty() ? "" : folder.path() + "/crd.yaml";
  const std::string role_path = roles.empty() ? "" : folder.path() + "/role.yaml";
  const GivenManifests given = CW_MUST(read_given(crd_path, role_path));
  const auto chart = CW_MUST(helm::RenderableChart::load(folder.path()));
  Lines lines;
  for (const helm::lint::Message& message : lint_bundle(folder.path(), *chart, given)) {
    std::string line = message.to_string();
    for (size_t at = 0; (at = line.find(folder.path() + "/")) != std::string::npos;) {
      line.erase(at, folder.path().size() + 1);
    }
    lines.push_back(line);
  }
  return lines;
}

std::string refusal(const std::string& crd, const std::string& role) {
  const Folder folder({{"crd.yaml", crd}, {"role.yaml", role}});
  const auto given = read_given(crd.empty() ? "" : folder.path() + "/crd.yaml",
                                role.empty() ? "" : folder.path() + "/role.yaml");
  const std::string text = given.ok() ? "" : given.error().to_string();
  const size_t at = text.find(folder.path());
  return at == std::string::npos ? text : text.substr(at + folder.path().size() + 1);
}

TEST_CASE("A chart without an operator folder has no faults of one") {
  CHECK(lint(widget_chart()).empty());
}

TEST_CASE("Mistakes that an operator would refuse at start are found without one") {
  CHECK(lint(with(widget_chart(), {{"operator/operator.yaml", "chldren: []\n"}})) ==
        Lines{R"([ERROR] operator/operator.yaml:1:1: unknown key "chldren", did you mean )"
              R"("children"?)"});
  CHECK(lint(with(widget_chart(), {{"operator/status.yaml", "a: {{ .CR.sepc }}\n"}})) ==
        Lines{"[ERROR] operator/status.yaml:1:11: there is no .CR.sepc, did you mean .CR.spec?"});
  // All of them at once.
  CHECK(lint(with(widget_chart(), {{"operator/operator.yaml", "chldren: []\nallowEmpty: 1\n"},
                                   {"operator/status.yaml", "a: {{ if }}\n"}})) ==
        Lines{"[ERROR] operator/operator.yaml:2:13: allowEmpty: expected true or false, got the "
              "number 1",
              R"([ERROR] operator/operator.yaml:1:1: unknown key "chldren", did you mean )"
              R"("children"?)",
              "[ERROR] operator/status.yaml:1:10: missing value for if"});
}

TEST_CASE("A name that is almost that of a value is a warning") {
  CHECK(lint(with(widget_chart(), {{"operator/status.yaml", "a: {{ .Values.colr }}\n"}})) ==
        Lines{"[WARNING] operator/status.yaml:1:15: no value of the chart is named .Values.colr, "
              "did you mean .Values.color?"});
}

TEST_CASE("A CRD is compared with what the chart reads and writes") {
  CHECK(
      lint(with(widget_chart(), {{"operator/status.yaml", "readyy: 1\n"}}), std::string(kCrd)) ==
      Lines{R"([ERROR] operator/status.yaml:1:1: crd.yaml has no field "readyy", did you mean )"
            R"("ready"?)",
            R"([WARNING] crd.yaml: spec: "colour" is read by no template, did you mean "color"?)"});
  CHECK(lint(with(widget_chart(), {{"operator/patches/p.yaml",
                                    "a: {{ .CR.spec.colur }}\napiVersion: v1\nkind: Secret\n"
                                    "metadata: {name: a}\n"}}),
             std::string(kCrd)) ==
        Lines{R"([WARNING] crd.yaml: spec: "colour" is read by no template, did you mean "color"?)",
              "[ERROR] operator/patches/p.yaml:1:16: there is no .CR.spec.colur, did you mean "
              ".CR.spec.color?"});
  CHECK(lint(widget_chart(), "kind: CustomResourceDefinition\nmetadata: {name: w.x}\n") ==
        Lines{"[ERROR] crd.yaml: CRD w.x does not serve the version "});
}

TEST_CASE("Roles are compared with what an operator of the chart needs") {
  const auto rights = [](const std::string& rules) {
    return lint(widget_chart(), std::string(kCrd), "kind: ClusterRole\nrules: " + rules);
  };
  const Lines all = rights("\n- {apiGroups: ['*'], resources: ['*'], verbs: ['*']}\n");
  REQUIRE(all.size() == 2);  // The misspelt field, and a kind that the values decide.
  CHECK_THAT(all[1], Catch::Matchers::StartsWith("[WARNING] templates/widget.yaml:") ||
                         Catch::Matchers::Contains("widget.yaml:"));
  const Lines none = rights("[]\n");
  CHECK(none.size() > all.size());
  // The plural is that of the CRD.
  CHECK(std::find(none.begin(), none.end(),
                  "[ERROR] role.yaml: no right to get, list, patch, watch widgetts.example.com") !=
        none.end());
}

TEST_CASE("Of the roles in a file with bindings, only those that are bound are the operator's") {
  Files plain =
      with(widget_chart(), {{"templates/widget.yaml", "apiVersion: v1\nkind: ConfigMap\n"}});
  const std::string rest = ", rules: [{apiGroups: [''], resources: [nodes], verbs: [get]}]}\n---\n";
  const std::string roles = "{kind: ClusterRole, metadata: {name: operator}" + rest +
                            "{kind: ClusterRole, metadata: {name: viewer}" + rest;
  const auto unneeded = [&](const std::string& text) {
    Lines lines = lint(plain, std::string(kCrd), text);
    std::erase_if(lines, [](const std::string& line) {
      return line.find("grants more") == std::string::npos;
    });
    return lines;
  };
  const std::string more = " grants more than the chart needs: get nodes";
  CHECK(unneeded(roles) == Lines{"[WARNING] role.yaml: ClusterRole operator" + more,
                                 "[WARNING] role.yaml: ClusterRole viewer" + more});
  CHECK(unneeded(roles +
                 "{kind: ClusterRoleBinding, roleRef: {kind: ClusterRole, name: operator}}") ==
        Lines{"[WARNING] role.yaml: ClusterRole operator" + more});
}

TEST_CASE("A CRD that accepts what the chart's schema refuses is wrong") {
  const Files typed =
      with(widget_chart(),
           {{"values.schema.json",
             R"({"properties": {"color": {"type": "string"}, "extra": {"type": "object"}}})"}});
  const std::string conflict =
      "[ERROR] crd.yaml: spec.extra: the CRD wants a string, values.schema.json a map";
  const std::string misspelt =
      R"([WARNING] crd.yaml: spec: "colour" is read by no template, did you mean "color"?)";
  CHECK(lint(typed, std::string(kCrd)) == Lines{conflict, misspelt});
  // Another spec is mapped to the values.
  Lines mapped = lint(with(typed, {{"operator/values.yaml", "color: {{ .CR.spec.color }}\n"}}),
                      std::string(kCrd));
  CHECK(std::find(mapped.begin(), mapped.end(), conflict) == mapped.end());
}

TEST_CASE("Files without the objects that they are given for are refused") {
  const std::string crd = "kind: CustomResourceDefinition\n";
  CHECK(refusal("kind: Role\n", "") == "crd.yaml: no CustomResourceDefinition in this file");
  CHECK(refusal(crd + "---\n" + crd, "") ==
        "crd.yaml: 2 CustomResourceDefinitions in this file: give that of the chart's kind");
  CHECK(refusal(crd, "kind: RoleBinding\n") == "role.yaml: no Role or ClusterRole in this file");
  CHECK(refusal(crd, crd + "---\nkind: Role\n").empty());
  CHECK_THAT(refusal("a: [\n", ""), Catch::Matchers::StartsWith("crd.yaml: "));
}

}  // namespace
}  // namespace chartwright::cmd
