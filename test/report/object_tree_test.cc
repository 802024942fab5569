// SPDX-License-Identifier: Apache-2.0
#include "report/object_tree.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "report/tree_report.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using value::Value;

constexpr base::WallTime kTreeNow = base::WallTime(std::chrono::hours(24 * 20000));

Value json_of(const std::string& json) { return *value::parse_json(json, value::Numbers::kInt64); }

const std::string kNamedObjects = R"("resources":[
    {"group":"apps","version":"v1","kind":"Deployment","namespace":"team","name":"web",
     "state":"Progressing"},
    {"group":"apps","version":"v1","kind":"StatefulSet","namespace":"team","name":"db",
     "state":"Ready"},
    {"version":"v1","kind":"Service","namespace":"other","name":"web","state":"Ready"},
    {"version":"v1","kind":"Namespace","name":"team","partial":true}],
  "externals":{"pet":{"id":"42"},"friend":{"held":"several candidates"}})";

Value shop_named(const std::string& status = kNamedObjects) {
  return json_of(R"({"apiVersion":"example.com/v1","kind":"Shop",
      "metadata":{"name":"one","namespace":"team","uid":"u-shop","generation":1,
                  "creationTimestamp":"2024-10-02T00:00:00Z"},
      "status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"False",
                "reason":"Progressing","message":"pods are not ready"}],)" +
                 status + "}}");
}

/// Returns an object of a namespace team: "apps/v1 ReplicaSet web-1", with an owner.
Value live(const std::string& what, const std::string& owner_uid, const std::string& more = "") {
  const auto words = base::split(what, ' ');
  const std::string name(words[2]);
  return json_of(R"({"apiVersion":")" + std::string(words[0]) + R"(","kind":")" +
                 std::string(words[1]) + R"(","metadata":{"namespace":"team","name":")" + name +
                 R"(","uid":"u-)" + name +
                 R"(","creationTimestamp":"2024-10-03T00:00:00Z","ownerReferences":[{"apiVersion":)"
                 R"("v1","kind":"x","name":"x","controller":true,"uid":")" +
                 owner_uid + R"("}]})" + more + "}");
}

const std::string kReadyDeployment =
    R"(,"spec":{"replicas":1},"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":1,
        "availableReplicas":1,"conditions":[{"type":"Available","status":"True"}]})";

size_t node_of(const ObjectTree& tree, std::string_view name) {
  const auto& nodes = tree.nodes();
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const TreeNode& node) { return node_name(node) == name; });
  REQUIRE(found != nodes.end());
  return static_cast<size_t>(found - nodes.begin());
}

/// Returns a tree in which a Deployment has a ReplicaSet with a pod, and a hook has run.
TreeReport whole() {
  TreeReport report{ObjectTree(shop_named()), {}};
  ObjectTree& tree = report.tree;
  tree.see(node_of(tree, "Deployment/web"), live("apps/v1 Deployment web", "u-shop"));
  tree.miss(node_of(tree, "Service/web"));
  CHECK(tree.add(live("apps/v1 ReplicaSet web-1", "u-web")));
  CHECK(tree.add(live("v1 Pod web-1-x", "u-web-1",
                      R"(,"status":{"phase":"Running","conditions":[
                            {"type":"Ready","status":"True"}]})")));
  Value hook = live("batch/v1 Job migrate", "u-shop",
                    R"(,"status":{"conditions":[{"type":"Complete","status":"True"}]})");
  hook.mutable_dict()
      .at_or_insert("metadata")
      .mutable_dict()
      .set("annotations", Value::dict({{"helm.sh/hook", Value::string("pre-upgrade")}}));
  CHECK(tree.add(hook));
  return report;
}

}  // namespace

TEST_CASE("A tree shows each object below what owns it") {
  const TreeReport report = whole();
  const std::string text = table_of({report}, {kTreeNow, TreeLines::kUnicode, false});
  const auto lines = base::split(text, '\n');
  std::vector<std::string> names;
  for (const std::string_view line : lines) {
    names.emplace_back(line.substr(0, line.find("   ", line.find('/'))));
  }
  names.erase(names.begin());
  CHECK(names == std::vector<std::string>{
                     "team        Shop/one", "team        ├── Deployment/web",
                     "team        │   └── ReplicaSet/web-1", "team        │       └── Pod/web-1-x",
                     "team        ├── StatefulSet/db", "other       ├── Service/web",
                     "-           ├── Namespace/team (fields)", "-           ├── External/friend",
                     "-           ├── External/pet (42)",
                     "team        └── Job/migrate (hook pre-upgrade)", ""});
  CHECK(
      text.find("Shop/one                             Progressing   2d    pods are not ready\n") !=
      std::string::npos);
  CHECK(text.find("Service/web                      Missing       -     -\n") != std::string::npos);
  CHECK(text.find("External/friend                  Held          -     several candidates\n") !=
        std::string::npos);
}

TEST_CASE("A tree has only ASCII where the terminal has no more") {
  const std::string text = table_of({whole()}, {kTreeNow, TreeLines::kAscii, false});
  CHECK(text.find("team        |-- Deployment/web") != std::string::npos);
  CHECK(text.find("team        |   `-- ReplicaSet/web-1") != std::string::npos);
  CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c > 0; }));
}

TEST_CASE("An object without an owner in the tree does not belong to it") {
  ObjectTree tree(shop_named());
  CHECK_FALSE(tree.add(live("v1 Pod stranger", "u-other")));
  CHECK_FALSE(tree.add(live("v1 Pod early", "u-web-1")));
  CHECK_FALSE(tree.add(json_of("null")));
  CHECK_FALSE(tree.add(json_of(R"({"kind":"Pod","metadata":7})")));
  CHECK(tree.nodes().size() == 7);
}

TEST_CASE("Claims and Endpoints belong to what gave them their names") {
  ObjectTree tree(shop_named(R"("resources":[
      {"group":"apps","version":"v1","kind":"StatefulSet","namespace":"team","name":"db"},
      {"version":"v1","kind":"Service","namespace":"team","name":"db"}])"));
  const size_t set = node_of(tree, "StatefulSet/db");
  tree.see(set, live("apps/v1 StatefulSet db", "u-shop",
                     R"(,"spec":{"volumeClaimTemplates":[{"metadata":{"name":"data"}}]})"));
  CHECK(tree.add(live("v1 PersistentVolumeClaim data-db-0", "")));
  CHECK_FALSE(tree.add(live("v1 PersistentVolumeClaim data-web-0", "")));
  CHECK(tree.add(live("v1 Endpoints db", "")));
  CHECK_FALSE(tree.add(live("v1 Endpoints web", "")));
  CHECK(tree.nodes()[set].below.size() == 1);
}

TEST_CASE("Only kinds that an object of the tree may own are listed, where it is") {
  const ObjectTree tree(shop_named());
  std::vector<std::string> listed;
  for (const kube::Gvk& kind : ObjectTree::ownable_kinds()) {
    for (const std::string& ns : tree.namespaces_with(kind)) {
      listed.push_back(ns + " " + kind.kind);
    }
  }
  CHECK(listed == std::vector<std::string>{"team ReplicaSet", "team ControllerRevision", "team Job",
                                           "team Pod", "team PersistentVolumeClaim",
                                           "other Endpoints", "other EndpointSlice"});
  const ObjectTree foreign(shop_named(R"("resources":[
      {"group":"db.example.com","version":"v1","kind":"Cluster","namespace":"team","name":"db"}])"));
  for (const kube::Gvk& kind : ObjectTree::ownable_kinds()) {
    CHECK(foreign.namespaces_with(kind) == std::set<std::string>{"team"});
  }
}

TEST_CASE("An Event is about the tree if its object is, or had the place of one that is missing") {
  const TreeReport report = whole();
  const auto ref = [](const char* version, const char* kind, const char* ns, const char* name) {
    return kube::ObjectRef{kube::Gvk::from_api_version(version, kind), ns, name};
  };
  CHECK(report.tree.has(ref("v1", "Pod", "team", "web-1-x"), "u-web-1-x"));
  CHECK(report.tree.has(ref("v1", "Service", "other", "web"), "u-gone"));
  CHECK_FALSE(report.tree.has(ref("v1", "Pod", "team", "web-1-x"), "u-earlier"));
  CHECK_FALSE(report.tree.has(ref("v1", "Namespace", "", "team"), ""));
}

TEST_CASE("A tree in JSON has every member") {
  ObjectTree tree(
      shop_named(R"("resources":[{"version":"v1","kind":"Pod","namespace":"team","name":"a"}],
                          "externals":{"pet":{"id":"42"}})"));
  const TreeReport report{std::move(tree), {"no right"}};
  CHECK(*value::to_json(to_value(report), value::JsonEscape::kNone) ==
        R"({"apiVersion":"example.com/v1","children":[{"apiVersion":"v1","children":[],)"
        R"("created":"","kind":"Pod","message":"","name":"a","namespace":"team",)"
        R"("relation":"Child","state":"Unknown"},{"apiVersion":"","children":[],"created":"",)"
        R"("id":"42","kind":"External","message":"","name":"pet","namespace":"",)"
        R"("relation":"External","state":"Ready"}],"created":"2024-10-02T00:00:00Z",)"
        R"("gaps":["no right"],"kind":"Shop","message":"pods are not ready","name":"one",)"
        R"("namespace":"team","relation":"Self","state":"Progressing"})");
  CHECK(names_of(report) == "shop.example.com/one\npod/a\n");
}

TEST_CASE("A status of any shape makes a tree") {
  for (const char* status : {R"("resources":7)", R"("resources":[null,{"kind":"Pod"},{"name":"x"},
           {"kind":"Pod","name":"a/b"}])",
                             R"("externals":[1],"resources":{})"}) {
    CHECK(ObjectTree(shop_named(status)).nodes().size() == 1);
  }
  const std::string long_name(300, 'x');
  CHECK(ObjectTree(shop_named(R"("resources":[{"kind":"Pod","name":")" + long_name + R"("}])"))
            .nodes()
            .size() == 1);
  const TreeReport hostile{
      ObjectTree(shop_named(R"("externals":{"a\u001b[31m\nb":{"id":"x\ny"}})")), {}};
  const std::string text = table_of({hostile}, {kTreeNow, TreeLines::kUnicode, true});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
}

TEST_CASE("A chain of owners has an end") {
  ObjectTree tree(shop_named());
  CHECK(tree.add(live("v1 Pod p0", "u-shop")));
  size_t added = 1;
  while (added < 100 &&
         tree.add(live("v1 Pod p" + std::to_string(added), "u-p" + std::to_string(added - 1)))) {
    ++added;
  }
  CHECK(added == ObjectTree::kDepthMax);
  CHECK(tree.is_cut());
}

TEST_CASE("A tree has an end") {
  ObjectTree tree(shop_named());
  size_t added = 0;
  while (added < 2 * ObjectTree::kNodesMax &&
         tree.add(live("v1 Pod p" + std::to_string(added), "u-shop"))) {
    ++added;
  }
  CHECK(tree.nodes().size() == ObjectTree::kNodesMax);
  CHECK(tree.is_cut());
}

}  // namespace chartwright::cmd
