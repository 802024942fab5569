// SPDX-License-Identifier: Apache-2.0
#include "cmd/lint_views.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "test/base/temporary_directory.h"

namespace chartwright::cmd {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kView =
    "group: herd.example.com\nversion: v1\nresource: {kind: Sheep, plural: sheep}\n"
    "source: {apiVersion: store.example.com/v1, kind: Record}\nproject: |\n  spec: {}\n";

/// Lints one view with a CRD and roles, if there are any: "file: finding", without folders.
Lines lint(std::string_view view, const std::string& crd, const std::string& roles) {
  const base::TemporaryDirectory folder;
  const std::string file = folder.write("sheep.yaml", std::string(view));
  const base::TemporaryDirectory others;
  const std::string crd_path = crd.empty() ? "" : others.write("crd.yaml", crd);
  const std::string role_path = roles.empty() ? "" : others.write("role.yaml", roles);
  const GivenManifests given = CW_MUST(read_given(crd_path, role_path));
  Lines lines;
  for (const helm::lint::Message& message :
       lint_views(file.substr(0, file.rfind('/')), given, {"ops", "herd"})) {
    lines.push_back(message.path.substr(message.path.rfind('/') + 1) + ": " + message.text);
  }
  return lines;
}

std::string crd(const std::string& group, const std::string& version, const std::string& scope) {
  return "kind: CustomResourceDefinition\nspec:\n  group: " + group + "\n  scope: " + scope +
         "\n  names: {kind: Record, plural: records}\n  versions: [{name: " + version +
         ", served: true, storage: true}]\n";
}

}  // namespace

TEST_CASE("A view is compared with the CRD of its source") {
  CHECK(lint(kView, crd("store.example.com", "v1", "Namespaced"), "").empty());
  CHECK(lint(kView, crd("store.example.com", "v2", "Namespaced"), "") ==
        Lines{"sheep.yaml:4:50: source.apiVersion: the CRD does not serve the version v1, but v2"});
  CHECK(lint(kView, crd("store.example.com", "v1", "Cluster"), "") ==
        Lines{"sheep.yaml:4:50: source.kind: Record has no namespaces, so neither has the view: "
              "set resource.namespaced to false"});
  CHECK(lint(kView, crd("herd.example.com", "v1", "Namespaced"), "") ==
        Lines{"sheep.yaml: the CRD serves herd.example.com/v1 itself: choose another group or "
              "version for the view"});
}

TEST_CASE("The fields of the source that a view reads are those of its CRD") {
  const auto fields = [](const std::string& version, const std::string& project) {
    const std::string view(kView.substr(0, kView.rfind("  spec: {}")));
    const std::string schema =
        ", schema: {openAPIV3Schema: {properties: {spec: {properties: {wool: {type: integer}, "
        "more: {x-kubernetes-preserve-unknown-fields: true}}}}}}";
    return lint(view + project,
                base::replace_all(crd("store.example.com", version, "Namespaced"),
                                  ", storage: true", ", storage: true" + schema),
                "");
  };
  CHECK(fields("v1",
               "  metadata: {name: '{{ .source.metadata.name }}'}\n"
               "  spec: {wool: {{ .source.spec.wool }}, x: {{ .source.spec.more.any }}}\n")
            .empty());
  CHECK(fields("v1", "  spec: {}\n  x: {{ .source.spec.wol }}\n") ==
        Lines{"sheep.yaml:5:10: project, line 2: there is no .source.spec.wol, did you mean "
              ".source.spec.wool? (the CRD has the fields)"});
  CHECK(fields("v1", "  x: {{ .source.status.wool }}\n").size() == 1);
  // The fields of another version say nothing.
  CHECK(fields("v2", "  x: {{ .source.status.wool }}\n").size() == 1);
}

TEST_CASE("Roles that lack a right of a view are named") {
  CHECK(lint(kView, "",
             "kind: ClusterRole\nrules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]")
            .empty());
  const Lines found = lint(kView, "", "kind: ClusterRole\nrules: []\n");
  REQUIRE(found.size() == 7);
  CHECK(found.front().starts_with(
      "role.yaml: no right to get, list, watch records.store.example.com"));
}

TEST_CASE("A mistake in a view is found with its place") {
  CHECK(lint("group: herd.example.com\nversoin: v1\n", "", "")
            .front()
            .starts_with("sheep.yaml:2:1: "));
}

}  // namespace chartwright::cmd
