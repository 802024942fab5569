// SPDX-License-Identifier: Apache-2.0
#include "generate/view_rules.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "generate/access.h"
#include "test/generate/projects.h"

namespace chartwright::generate {
namespace {

using testing::only;
using testing::served_views;
using testing::shop_watch;
using Lines = std::vector<std::string>;

/// Returns "namespace: group/resource [names] verbs" of each rule, without those that every server
/// of views needs.
Lines sources_of(const ServedViews& served) {
  Lines lines;
  for (const Rule& rule : view_rules(served, {})) {
    if (rule.purpose == Purpose::kViews) {
      CHECK(rule.scope == kube::Scope::kCluster);
      lines.push_back(rule.group + "/" + rule.resource + " " +
                      base::join({rule.verbs.begin(), rule.verbs.end()}, " "));
    }
  }
  return lines;
}

/// Returns the roles of an access, without their comments.
std::string roles_of(const Access& access, const Naming& naming) {
  std::string text;
  const std::string yaml = role_yaml(access, naming);
  for (std::string_view line : base::split(yaml, '\n')) {
    text += line.starts_with("#") ? "" : std::string(line) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("A view needs of its source what its verbs do with it") {
  CHECK(sources_of(served_views("verbs: [list]")) == Lines{"/pods list watch"});
  CHECK(sources_of(served_views("verbs: [get, list, watch]")) == Lines{"/pods get list watch"});
  CHECK(sources_of(served_views("verbs: [get, list, create]\nstore: |\n  kind: Pod")) ==
        Lines{"/pods create get list watch"});
  CHECK(sources_of(served_views("verbs: [list, patch]\nstore: |\n  kind: Pod")) ==
        Lines{"/pods get list update watch"});
  CHECK(sources_of(served_views("verbs: [list, deletecollection]\nstore: |\n  kind: Pod")) ==
        Lines{"/pods delete get list watch"});
}

TEST_CASE("A server of views registers itself, and keeps its certificate") {
  Lines lines;
  for (const Rule& rule : view_rules(served_views("verbs: [list]"), {})) {
    lines.push_back(rule.ns + ": " + rule.resource + " [" + base::join(rule.names, " ") + "] " +
                    base::join({rule.verbs.begin(), rule.verbs.end()}, " "));
  }
  CHECK(lines ==
        Lines{": pods [] list watch", ": apiservices [] create list watch",
              ": apiservices [v1.farm.example.com] delete get patch", "ops: secrets [] create",
              "ops: secrets [views-serving-certificate] get update",
              "ops: services [views] get list watch",
              "kube-system: configmaps [extension-apiserver-authentication] get list watch"});
}

TEST_CASE("A server asks about users only if it is told to") {
  ServedViews served = served_views("verbs: [list]");
  served.reviews_access = true;
  const std::vector<Rule> rules = view_rules(served, {});
  CHECK(rules.back().resource == "subjectaccessreviews");
  CHECK(rules.back().verbs == std::set<std::string>{"create"});
}

TEST_CASE("A project of views alone has no rights on custom resources, revisions and events") {
  const auto access = access_of({}, served_views("verbs: [list]"));
  REQUIRE(access.ok());
  for (const Rule& rule : access->rules) {
    CHECK(rule.purpose >= Purpose::kViews);
  }
}

TEST_CASE("Rights in watched namespaces do not stand for those that a view needs in all") {
  const auto access =
      access_of(only(shop_watch({{"templates/a.yaml", "apiVersion: v1\nkind: Pod\n"}})),
                served_views("verbs: [list]"));
  REQUIRE(access.ok());
  const std::string roles = roles_of(*access, {"op", "ops", {"a"}});
  CHECK(roles.find("  name: op\nrules:\n- apiGroups: [\"\"]\n") == std::string::npos);
  CHECK(roles.find("- apiGroups: [\"\"]\n  resources: [pods]\n  verbs: [list, watch]\n") !=
        std::string::npos);
}

TEST_CASE("The roles of a namespace have a name of their own") {
  const auto access = access_of({}, served_views("verbs: [list]"));
  REQUIRE(access.ok());
  const std::string roles = roles_of(*access, {"views", "ops"});
  for (const char* part : {"kind: Role\nmetadata:\n  name: views-views\n  namespace: ops\n",
                           "kind: Role\nmetadata:\n  name: views-views\n  namespace: kube-system\n",
                           "kind: ClusterRole\nmetadata:\n  name: views\n"}) {
    INFO(part);
    CHECK(roles.find(part) != std::string::npos);
  }
}

TEST_CASE("A view of a kind that no CRD of a chart defines has its resource guessed, with a note") {
  const auto access = access_of({}, served_views("verbs: [list]", "example.com/v1", "Bird"));
  REQUIRE(access.ok());
  REQUIRE(access->notes.size() == 1);
  CHECK(access->notes.front().text.find("Bird.example.com") != std::string::npos);
}

}  // namespace chartwright::generate
