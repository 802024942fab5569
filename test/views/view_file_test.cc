// SPDX-License-Identifier: Apache-2.0
#include "views/view_file.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "test/base/temporary_directory.h"

namespace chartwright::views {
namespace {

const std::string kView = R"(group: farm.example.com
version: v1alpha
resource: {kind: FarmPod, plural: farmpods}
source: {apiVersion: v1, kind: Pod}
project: |
  metadata: {name: "farm-{{ .source.metadata.name }}"}
  spec: {containers: 1}
columns:
- {name: Containers, jsonPath: .spec.containers, type: integer}
)";

/// Returns the error for the view after `from` is replaced by `to`.
std::string error_with(std::string_view from, std::string_view to) {
  const auto view = parse_view(base::replace_all(kView, from, to), "v.yaml");
  return view.ok() ? "" : view.error().to_string();
}

}  // namespace

TEST_CASE("A view has the defaults of a read-only, namespaced resource") {
  const View view = CW_MUST(parse_view(kView, "v.yaml"));
  CHECK(view.resource.singular == "farmpod");
  CHECK(view.resource.namespaced);
  CHECK(view.verbs == std::vector<std::string>{"get", "list", "watch"});
  CHECK(view.source.gvk == kube::Gvk{"", "v1", "Pod"});
  CHECK(view.projects());
  CHECK_FALSE(view.stores());
  CHECK(view.columns.front().path.to_string() == "spec.containers");
}

TEST_CASE("A wrong view is refused with its position and what would be right") {
  CHECK(error_with("version: v1alpha", "versionn: v1alpha").find("v.yaml:") == 0);
  const std::string schema =
      "schema: {type: object, properties: {spec: {type: object, properties: {containers: {}}}}}\n"
      "columns:";
  CHECK(error_with("columns:", schema).empty());
  CHECK(error_with("columns:\n- {name: Containers, jsonPath: .spec.containers",
                   schema + "\n- {name: Containers, jsonPath: .spec.contaners") ==
        "v.yaml:10:32: columns[0].jsonPath: there is no .spec.contaners, did you mean "
        ".spec.containers? (the schema of this file has the fields)");
  CHECK(error_with("columns:", "columnz:") ==
        "v.yaml:8:1: unknown key \"columnz\", did you mean \"columns\"?");
  CHECK(error_with("type: integer", "type: int") ==
        "v.yaml:9:56: columns[0].type: \"int\" is not one of integer, number, string, boolean, "
        "date");
  CHECK(error_with("farm.example.com", "apps").find("is not a group of your own") !=
        std::string::npos);
  CHECK(error_with("farm.example.com", "apps.k8s.io").find("belongs to Kubernetes") !=
        std::string::npos);
  CHECK(error_with("plural: farmpods", "plural: Farm_Pods").find("v.yaml:3:35: ") == 0);
  CHECK(error_with("resource: {kind: FarmPod, plural: farmpods}", "resource: [FarmPod]") ==
        "v.yaml:3:11: resource: expected a map, got a list");
  CHECK(error_with(", kind: Pod", "").find("missing key \"kind\"") != std::string::npos);
  CHECK(error_with("source: {apiVersion: v1, kind: Pod}", "source: {}").find("names neither") !=
        std::string::npos);
  CHECK(error_with("project:", "verbs: [get, lst]\nproject:") ==
        "v.yaml:5:14: verbs[1]: \"lst\" is not one of get, list, watch, create, update, patch, "
        "delete, deletecollection, did you mean \"list\"?");
  CHECK(error_with("project:", "verbs: [get, create]\nproject:").find("needs `store`") !=
        std::string::npos);
  CHECK(error_with("project:", "verbs: [watch]\nproject:").find("needs \"list\"") !=
        std::string::npos);
  CHECK(error_with("jsonPath: .spec.containers", "jsonPath: '.spec[?(@.a)]'").find("v.yaml:9:") ==
        0);
}

TEST_CASE("A template that cannot be parsed is reported at its line of the file") {
  const std::string error = error_with("{containers: 1}", "{{ if }}");
  CHECK(error.find("v.yaml:7: project: ") == 0);
}

TEST_CASE("A name that a template of a view is not given is refused with its place") {
  CHECK(error_with("{containers: 1}", "{containers: {{ len .sources.spec.containers }}}") ==
        "v.yaml:5:10: project, line 2: there is no .sources, did you mean .source?");
  CHECK(error_with("{containers: 1}", "{containers: {{ .object.x }}}") ==
        "v.yaml:5:10: project, line 2: there is no .object, only .source");
}

TEST_CASE("Names that clash within a version are refused") {
  View first = CW_MUST(parse_view(kView, "a.yaml"));
  View second = CW_MUST(parse_view(base::replace_all(kView, "FarmPod", "Other"), "b.yaml"));
  const base::Status clash = check_names({first, second});
  REQUIRE_FALSE(clash.ok());
  CHECK(clash.error().to_string() ==
        "b.yaml:3:11: resource: the name \"farmpods\" of farm.example.com/v1alpha is taken by "
        "a.yaml:3:11: choose another");
  second.resource.version = "v1";
  CHECK(check_names({first, second}).ok());
}

TEST_CASE("A view in the group and version of a kind that is watched is refused at its group") {
  const std::vector<View> views = {CW_MUST(parse_view(kView, "v.yaml"))};
  std::vector<bundle::Watch> watches(2);
  watches[0].gvk = {"farm.example.com", "v1", "Farm"};
  watches[1].gvk = {"other.example.com", "v1alpha", "Other"};
  CHECK(check_groups(views, watches).ok());
  CHECK(check_groups(views, {}).ok());
  watches[0].gvk.version = "v1alpha";
  const base::Status refused = check_groups(views, watches);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().to_string() ==
        "v.yaml:1:8: group: farm.example.com/v1alpha is the group and version of the kind Farm, "
        "whose CRD the API server serves itself: choose another group or version");
}

TEST_CASE("Inline items are read beside the view, and checked") {
  const base::TemporaryDirectory folder;
  const std::string view = base::replace_all(
      base::replace_all(kView, "source: {apiVersion: v1, kind: Pod}", "source: {inline: d.list}"),
      "columns:", "columns: []\n#");
  const auto load = [&](const std::string& items) {
    folder.write("v.yaml", view.substr(0, view.find("\n#")));
    folder.write("d.list", items);
    return load_views(folder.path(""));
  };
  const auto good = load("- metadata: {name: dolly, namespace: default}\n");
  REQUIRE(good.ok());
  CHECK(good->front().source.items.size() == 1);
  CHECK(good->front().source.items_version > 0);
  const auto problem = [&](const std::string& items) {
    const auto loaded = load(items);
    return loaded.ok() ? "" : loaded.error().to_string();
  };
  CHECK(problem("- metadata: {name: dolly}\n").find("d.list:1:3: ") != std::string::npos);
  CHECK(problem("- metadata: {name: A, namespace: b}\n").find("metadata.name") !=
        std::string::npos);
  CHECK(problem("- metadata: {name: a, namespace: b, uid: c}\n").find("is not one of name") !=
        std::string::npos);
  CHECK(problem("- metadata: {name: a, namespace: b}\n- metadata: {name: a, namespace: b}\n")
            .find("another item") != std::string::npos);
}

TEST_CASE("The faults of all views of a folder are reported at once") {
  const base::TemporaryDirectory folder;
  folder.write("a.yaml", base::replace_all(kView, "columns:", "columnz:"));
  folder.write("b.yaml", kView);
  folder.write("c.yaml", kView);
  base::Faults faults;
  CHECK(load_views(folder.path(""), faults).size() == 2);
  std::vector<std::string> places;
  for (const base::Error& error : faults.all()) {
    const std::string place = error.pos().value().to_string();
    places.push_back(place.substr(place.rfind('/') + 1));
  }
  CHECK(places == std::vector<std::string>{"a.yaml:8:1", "c.yaml:3:11"});
  CHECK(load_views(folder.path("")).error().message().find("\n") != std::string::npos);
}

TEST_CASE("A folder without views is an error") {
  const base::TemporaryDirectory folder;
  CHECK(load_views(folder.path("")).error().code() == base::ErrorCode::kNotFound);
  CHECK(load_views(folder.path("none")).error().code() == base::ErrorCode::kNotFound);
}

}  // namespace chartwright::views
