// SPDX-License-Identifier: Apache-2.0
#include "release/desired.h"

#include <catch2/catch.hpp>

#include "test/release/objects.h"
#include "value/json.h"

namespace chartwright::release {
namespace {

using testing::json;

const std::vector<ChildRule> kNoRules;

base::Result<Desired> make(std::string_view text, Role role = Role::kChild,
                           kube::Scope scope = kube::Scope::kNamespaced,
                           const std::vector<ChildRule>& rules = kNoRules) {
  const Owner owner = testing::book_owner();
  return make_desired(json(text), role, scope, {owner, "shop", testing::kBookstore, rules});
}

TEST_CASE("A namespaced object without a namespace gets the release's") {
  const Desired d =
      CW_MUST(make(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})"));
  CHECK(d.ref == testing::config_map("a"));
  CHECK(d.body.string_at({"metadata", "namespace"}) == "shop");
}

TEST_CASE("A namespace that the template names stays") {
  const Desired d = CW_MUST(make(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"other"}})"));
  CHECK(d.ref.ns == "other");
  // Garbage collection does not cross namespaces: annotations instead of a reference.
  CHECK(d.body.find_path({"metadata", "ownerReferences"}) == nullptr);
  CHECK(kube::annotation_of(d.body, kOwnerAnnotation) == "shop/books");
}

TEST_CASE("A cluster-scoped object loses a namespace that means nothing") {
  const Desired d = CW_MUST(
      make(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a","namespace":"shop"}})",
           Role::kChild, kube::Scope::kCluster));
  CHECK(d.ref.ns.empty());
  CHECK(d.body.find_path({"metadata", "namespace"}) == nullptr);
}

TEST_CASE("Fields that only the server may set are dropped") {
  const Desired d = CW_MUST(make(R"({"apiVersion":"v1","kind":"ConfigMap","status":{"x":1},
    "metadata":{"name":"a","uid":"u","resourceVersion":"1","creationTimestamp":null,
                "generation":3,"managedFields":[],"selfLink":"/x"}})"));
  CHECK(d.body.find("status") == nullptr);
  for (std::string_view key :
       {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"}) {
    INFO(key);
    CHECK(d.body.find_path({"metadata", key}) == nullptr);
  }
}

TEST_CASE("stringData of a Secret becomes data") {
  SECTION("beside data, over which it wins") {
    const Desired d = CW_MUST(make(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},
      "data":{"kept":"a2VwdA==","both":"b2xk"},"stringData":{"both":"new","more":"x"}})"));
    CHECK(d.body.find("stringData") == nullptr);
    CHECK(d.body.string_at({"data", "kept"}) == "a2VwdA==");
    CHECK(d.body.string_at({"data", "both"}) == "bmV3");
    CHECK(d.body.string_at({"data", "more"}) == "eA==");
  }
  SECTION("alone") {
    const Desired d = CW_MUST(make(
        R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"k":"v"}})"));
    CHECK(d.body.string_at({"data", "k"}) == "dg==");
  }
  SECTION("of nothing it gives nothing") {
    for (const std::string nothing : {"null", "{}", R"({"k":null})"}) {
      const Desired d = CW_MUST(
          make(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":)" +
               nothing + "}"));
      CHECK(d.body.find("stringData") == nullptr);
      CHECK(d.body.find("data") == nullptr);
    }
  }
  SECTION("of another shape it is the server's to refuse: nothing is lost in silence") {
    for (const std::string wrong :
         {R"("stringData":"no")", R"("data":"no","stringData":{"k":"v"})"}) {
      const std::string text =
          R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},)" + wrong + "}";
      const Desired d = CW_MUST(make(text));
      const value::Value given = json(text);
      CHECK(CW_MUST(value::to_json(*d.body.find("stringData"))) ==
            CW_MUST(value::to_json(*given.find("stringData"))));
    }
  }
  SECTION("another kind's stringData is that kind's affair") {
    const Desired d = CW_MUST(make(
        R"({"apiVersion":"x/v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"k":"v"}})"));
    CHECK(d.body.string_at({"stringData", "k"}) == "v");
  }
}

TEST_CASE("A Secret with malformed data is refused by the name of its key, without a value") {
  const auto refusal = [](const std::string& members) {
    const auto made =
        make(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"db"},)" + members + "}");
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code() == base::ErrorCode::kInvalidArgument);
    CHECK(made.error().message().find("hunter2") == std::string::npos);
    return made.error().message();
  };
  CHECK(refusal(R"("stringData":{"port":5432,"p":"hunter2"})") ==
        R"(Secret shop/db: stringData["port"] is a number, not a string: quote it)");
  CHECK(refusal(R"("stringData":{"on":true})") ==
        R"(Secret shop/db: stringData["on"] is a boolean, not a string: quote it)");
  CHECK(refusal(R"("stringData":{"k":["hunter2"]})") ==
        R"(Secret shop/db: stringData["k"] is a list, not a string: quote it)");
  CHECK(refusal(R"("data":{"a":"aHVudGVyMg==","pass":"hunter2!"})") ==
        R"(Secret shop/db: data["pass"] is not base64; plain text belongs in stringData)");
  CHECK(refusal(R"("data":{"pass":5})") ==
        R"(Secret shop/db: data["pass"] is a number, not a string in base64)");
  // As the API server reads it: with line breaks, and with nothing.
  CHECK(make(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"db"},
                 "data":{"a":"aHVu\ndGVyMg==","b":"","c":null}})")
            .ok());
}

TEST_CASE("Only children are stamped") {
  constexpr std::string_view kObject =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})";
  CHECK(claim_on(CW_MUST(make(kObject)).body, testing::book_owner()) == Claim::kOurs);
  const Desired partial = CW_MUST(make(kObject, Role::kPartial));
  CHECK(partial.role == Role::kPartial);
  CHECK(partial.body.find_path({"metadata", "labels"}) == nullptr);
  CHECK(partial.body.find_path({"metadata", "ownerReferences"}) == nullptr);
}

TEST_CASE(
    "Fields that controllers write into a child are left to them, but those of a patch count") {
  constexpr std::string_view kRole =
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a"},)"
      R"("aggregationRule":{"clusterRoleSelectors":[]},"rules":[]})";
  const auto cluster = kube::Scope::kCluster;
  CHECK(CW_MUST(make(kRole, Role::kChild, cluster)).body.find("rules") == nullptr);
  CHECK(CW_MUST(make(kRole, Role::kPartial, cluster)).body.find("rules") != nullptr);
}

TEST_CASE("The replicas of an object that is autoscaled are left to that, once it exists") {
  const Owner owner = testing::book_owner();
  const std::set<kube::ObjectRef> autoscaled = {{{"apps", "v1", "Deployment"}, "shop", "web"}};
  const auto made = [&](const std::string& name, const std::string& spec) {
    return CW_MUST(
        make_desired(json(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" +
                          name + R"("},"spec":)" + spec + "}"),
                     Role::kChild, kube::Scope::kNamespaced,
                     {owner, "shop", testing::kBookstore, kNoRules, &autoscaled}));
  };
  const Desired web = made("web", R"({"replicas":2})");
  CHECK(web.body.find_path({"spec", "replicas"}) != nullptr);
  REQUIRE(rule_over_live(web).ignore.size() == 1);
  CHECK(rule_over_live(web).ignore.front().to_string() == "spec.replicas");
  CHECK_FALSE(rule_over_live(made("other", R"({"replicas":2})")).needs_live());
  CHECK_FALSE(rule_over_live(made("web", R"({"replicas":0})")).needs_live());
  CHECK_FALSE(rule_over_live(made("web", "{}")).needs_live());
}

TEST_CASE("An object whose autoscaler goes gets the replicas of the chart again") {
  const Owner owner = testing::book_owner();
  const std::set<kube::ObjectRef> autoscaled = {{{"apps", "v1", "Deployment"}, "shop", "web"}};
  const auto digest = [&](const std::set<kube::ObjectRef>& scaled,
                          const std::vector<ChildRule>& rules) {
    return CW_MUST(make_desired(json(R"({"apiVersion":"apps/v1","kind":"Deployment",)"
                                     R"("metadata":{"name":"web"},"spec":{"replicas":2}})"),
                                Role::kChild, kube::Scope::kNamespaced,
                                {owner, "shop", testing::kBookstore, rules, &scaled}))
        .digest;
  };
  CHECK(digest(autoscaled, kNoRules) != digest({}, kNoRules));
  ChildRule recreates;
  recreates.update = Update::kRecreate;
  CHECK(digest(autoscaled, {recreates}) == digest({}, {recreates}));
}

TEST_CASE("The rendered object itself is not written to") {
  const value::Value rendered =
      json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u"}})");
  const Owner owner = testing::book_owner();
  CHECK(make_desired(rendered, Role::kChild, kube::Scope::kNamespaced,
                     {owner, "shop", testing::kBookstore, kNoRules})
            .ok());
  CHECK(rendered.string_at({"metadata", "uid"}) == "u");
  CHECK(rendered.find_path({"metadata", "namespace"}) == nullptr);
}

TEST_CASE("The first rule that matches is the object's") {
  std::vector<ChildRule> rules(2);
  rules[0].match.kind = "Secret";
  rules[1].match.kind = "ConfigMap";
  constexpr std::string_view kObject =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})";
  CHECK(CW_MUST(make(kObject, Role::kChild, kube::Scope::kNamespaced, rules)).rule == &rules[1]);
  CHECK(CW_MUST(make(kObject)).rule == nullptr);
}

TEST_CASE("Equal objects have equal digests, in any order of members") {
  const auto digest = [](std::string_view text) { return CW_MUST(make(text)).digest; };
  const std::string one = digest(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1","l":"2"}})");
  CHECK(
      one ==
      digest(
          R"({"kind":"ConfigMap","data":{"l":"2","k":"1"},"metadata":{"name":"a"},"apiVersion":"v1"})"));
  CHECK(
      one !=
      digest(
          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1","l":"3"}})"));
}

TEST_CASE("An object without an identity is refused, and what is missing is named") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {R"({"kind":"ConfigMap","metadata":{"name":"a"}})",
       "rendered object \"a\" has no apiVersion (a string is needed)"},
      {R"({"apiVersion":1,"kind":"ConfigMap","metadata":{"name":"a"}})",
       "rendered object \"a\" has no apiVersion (a string is needed)"},
      {R"({"apiVersion":"v1","metadata":{"name":"a"}})",
       "rendered object \"a\" has no kind (a string is needed)"},
      {R"({"apiVersion":"v1","kind":"Pod"})",
       "rendered Pod has no usable metadata.name (generateName cannot be applied)"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":"a"})",
       "rendered Pod has no usable metadata.name (generateName cannot be applied)"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"a-"}})",
       "rendered Pod has no usable metadata.name (generateName cannot be applied)"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a/../b"}})",
       "rendered Pod has no usable metadata.name (generateName cannot be applied)"},
      {R"({"apiVersion":"v/","kind":"Pod","metadata":{"name":"a"}})",
       "rendered Pod has the apiVersion \"v/\" (VERSION or GROUP/VERSION is needed)"},
      {R"({"apiVersion":"a/b/c","kind":"Pod","metadata":{"name":"a"}})",
       "rendered Pod has the apiVersion \"a/b/c\" (VERSION or GROUP/VERSION is needed)"},
      {R"([])", "rendered object has no apiVersion (a string is needed)"},
  }));
  INFO(text);
  const auto made = make(text);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().code() == base::ErrorCode::kInvalidArgument);
  CHECK(made.error().message() == message);
}

TEST_CASE("Kinds that others refer to come first, webhooks last") {
  CHECK(stage_of({"", "Namespace"}) == Stage::kDefinitions);
  CHECK(stage_of({"apiextensions.k8s.io", "CustomResourceDefinition"}) == Stage::kDefinitions);
  CHECK(stage_of({"", "Secret"}) == Stage::kConfiguration);
  CHECK(stage_of({"rbac.authorization.k8s.io", "RoleBinding"}) == Stage::kConfiguration);
  CHECK(stage_of({"apps", "Deployment"}) == Stage::kWorkloads);
  CHECK(stage_of({"", "Service"}) == Stage::kWorkloads);
  CHECK(stage_of({"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"}) ==
        Stage::kWebhooks);
  // The same kind in another group is not special.
  CHECK(stage_of({"example.com", "Namespace"}) == Stage::kWorkloads);
}

TEST_CASE("A list of any kind stands for its items") {
  for (const char* kind : {"List", "ConfigMapList", "AllowList"}) {
    INFO(kind);
    value::Value list = json(R"({"apiVersion":"v1","items":[
      {"apiVersion":"a/v1","kind":"A"},{"apiVersion":"b/v1","kind":"B"}]})");
    list.mutable_dict().set("kind", value::Value::string(kind));
    const auto two = CW_MUST(expand_lists(list));
    REQUIRE(two.size() == 2);
    CHECK(two[1].string_at({"kind"}) == "B");
  }
  CHECK(CW_MUST(expand_lists(json(R"({"apiVersion":"v1","kind":"List","items":[]})"))).empty());
  // A range over nothing below "items:".
  CHECK(CW_MUST(expand_lists(json(R"({"apiVersion":"v1","kind":"List","items":null})"))).empty());
  CHECK(CW_MUST(expand_lists(json(R"({"apiVersion":"v1","kind":"List"})"))).size() == 1);
  CHECK(CW_MUST(expand_lists(json(R"({"apiVersion":"v1","kind":"List","items":{}})"))).size() == 1);
}

TEST_CASE("Items without a kind have that of their list") {
  const auto all = CW_MUST(expand_lists(json(R"({"apiVersion":"v1","kind":"ConfigMapList","items":[
    {"metadata":{"name":"a"}},{"apiVersion":"v1","kind":"Secret"},{"kind":"Half"}]})")));
  REQUIRE(all.size() == 3);
  CHECK(all[0].string_at({"apiVersion"}) == "v1");
  CHECK(all[0].string_at({"kind"}) == "ConfigMap");
  CHECK(all[0].string_at({"metadata", "name"}) == "a");
  CHECK(all[1].string_at({"kind"}) == "Secret");
  CHECK(all[2].string_at({"apiVersion"}).empty());
}

TEST_CASE("Lists that share their items are not unfolded without end") {
  value::Value list = json(R"({"apiVersion":"v1","kind":"List","items":[{"kind":"A"}]})");
  for (int i = 0; i < 40; ++i) {
    value::Value outer = json(R"({"apiVersion":"v1","kind":"List"})");
    outer.mutable_dict().set("items", value::Value::list({list, list}));
    list = outer;
  }
  CHECK(expand_lists(list).error().code() == base::ErrorCode::kBudget);
}

TEST_CASE("The items of lists within a list come last") {
  const auto all = CW_MUST(expand_lists(json(R"({"apiVersion":"v1","kind":"List","items":[
    {"apiVersion":"v1","kind":"List","items":[{"kind":"C"},{"kind":"List","items":[{"kind":"D"}]}]},
    {"kind":"A"},{"kind":"B","items":{}}]})")));
  std::string kinds;
  for (const value::Value& one : all) {
    kinds += one.string_at({"kind"});
  }
  CHECK(kinds == "ABCD");
}

}  // namespace
}  // namespace chartwright::release
