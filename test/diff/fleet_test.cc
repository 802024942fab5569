// SPDX-License-Identifier: Apache-2.0
#include "diff/fleet.h"

#include <catch2/catch.hpp>
#include <utility>

#include "diff/structured.h"
#include "test/value/json_text.h"
#include "value/compare.h"

namespace chartwright::diff {
namespace {

using value::Value;
using value::testing::json;

kube::ObjectRef deployment(const std::string& name) {
  return {{"apps", "v1", "Deployment"}, "shop", name};
}

Member member(const std::string& name) {
  return {{{"example.com", "v1", "Shop"}, "shop", name}, {}};
}

/// A custom resource whose Deployment gets another image.
Member upgraded(const std::string& name, const std::string& image) {
  Member one = member(name);
  ObjectChange change{deployment(name + "-web"), Fate::kApply, "", {}, {}};
  change.fields.kept = {{"spec.image", Value::string("web:1"), Value::string(image), false, {}}};
  change.consequences = {std::string(kRestartsMark) + "the 2 pods of this workload"};
  one.report.objects = {std::move(change)};
  one.report.revision = static_cast<int>(name.size());  // Differs, and does not count.
  return one;
}

Member failing(const std::string& name) {
  Member one = member(name);
  one.report.failure = base::Error(base::ErrorCode::kTemplate, "shop " + name + " does not render");
  return one;
}

std::string summary(const std::vector<Member>& fleet) { return to_summary(fleet, Color::kNo); }

TEST_CASE("Equal changes are shown once, the largest group first") {
  CHECK(summary({failing("x"), upgraded("one", "web:3"), upgraded("two", "web:2"), member("idle"),
                 upgraded("three", "web:2"), failing("y")}) ==
        "2 custom resources, as Shop shop/two:\n"
        "~ apps/v1 Deployment shop/two-web: apply\n"
        "    ~ spec.image: \"web:1\" → \"web:2\"\n"
        "    ! restarts the 2 pods of this workload\n"
        "Also: shop/three\n"
        "\n"
        "Shop shop/one:\n"
        "~ apps/v1 Deployment shop/one-web: apply\n"
        "    ~ spec.image: \"web:1\" → \"web:3\"\n"
        "    ! restarts the 2 pods of this workload\n"
        "\n"
        "2 custom resources, as Shop shop/x:\n"
        "Error: shop x does not render\n"
        "Also: shop/y\n"
        "\n"
        "1 custom resource would stay as it is: shop/idle\n"
        "\n"
        "6 custom resources: 3 change (3 restart pods), 2 fail, 1 stays as it is.\n");
}

TEST_CASE("A name counts only as a whole word") {
  // The name "web" is in "web:2", and "e" in every word.
  CHECK(groups_of({upgraded("web", "web:2"), upgraded("e", "web:2")}).size() == 2);
  CHECK(groups_of({upgraded("a", "x:2"), upgraded("e", "x:2")}).size() == 1);
  CHECK(groups_of({}).empty());
  CHECK(summary({}) == "0 custom resources.\n");
}

TEST_CASE("Of a large group ten are named") {
  std::vector<Member> fleet;
  for (char c = 'a'; c <= 'z'; ++c) {
    fleet.push_back(member(std::string(2, c)));
  }
  const std::string text = summary(fleet);
  CHECK(text.starts_with("26 custom resources would stay as they are: shop/aa, shop/bb, "));
  CHECK(text.find("shop/jj and 16 more\n") != std::string::npos);
}

TEST_CASE("A note is shown, also where nothing changes") {
  Member paused = member("p");
  paused.report.notes = {"the custom resource is paused"};
  CHECK(summary({paused}) ==
        "Shop shop/p:\nNote: the custom resource is paused\n\n"
        "1 custom resource: 1 stays as it is.\n");
}

TEST_CASE("Reports of several custom resources stand below their names") {
  CHECK(to_text({upgraded("one", "web:2"), failing("x")}, Color::kNo, Unchanged::kHidden) ==
        "Shop.example.com shop/one:\n"
        "~ apps/v1 Deployment shop/one-web: apply\n"
        "    ~ spec.image: \"web:1\" → \"web:2\"\n"
        "    ! restarts the 2 pods of this workload\n"
        "Changes: 1 apply; recorded as revision 3.\n"
        "\n"
        "Shop.example.com shop/x:\n"
        "Before the error: no objects.\n"
        "Error: shop x does not render\n"
        "\n"
        "2 custom resources: 1 changes (1 restarts pods), 1 fails.\n");
}

TEST_CASE("The JSON of several custom resources has the report of each, and counts") {
  const Value all = json(*to_json(std::vector<Member>{upgraded("one", "web:2"), failing("x")}));
  const auto items = all.items_at({"items"});
  REQUIRE(items.size() == 2);
  CHECK(value::json_equal(*items[0].find("customResource"),
                          json(R"({"apiVersion":"example.com/v1","kind":"Shop","namespace":"shop",)"
                               R"("name":"one"})")));
  CHECK(items[0].find("changes")->as_bool());
  CHECK(items[1].string_at({"error"}) == "shop x does not render");
  CHECK(value::json_equal(*all.find("counts"),
                          json(R"({"changed":1,"restarted":1,"failed":1,"unchanged":0})")));
}

TEST_CASE("The structured form is that of helm-diff") {
  Member one = upgraded("one", "web:2");
  ObjectChange& change = one.report.objects.front();
  change.fields.kept.push_back({R"(data["a.b"])", std::nullopt, json("3"), false, {}});
  change.fields.kept.push_back({"spec.containers[name=x]", json("{}"), std::nullopt, false, {}});
  change.fields.kept.push_back({"password", Value::string("old"), Value::string("new"), true, {}});
  one.report.objects.push_back({deployment("new"), Fate::kCreate, "", {}, {}});
  one.report.objects.push_back({deployment("old"), Fate::kDelete, "", {}, {}});
  one.report.objects.push_back({deployment("held"), Fate::kHold, "", {}, {}});
  one.report.objects.push_back({deployment("same"), Fate::kUnchanged, "", {}, {}});
  CHECK(value::json_equal(json(*to_structured({one})), json(R"([
    {"apiVersion":"apps/v1","kind":"Deployment","namespace":"shop","name":"one-web",
     "changeType":"MODIFY","resourceStatus":{"oldExists":true,"newExists":true},"changes":[
      {"path":"spec","field":"image","change":"replace","oldValue":"web:1","newValue":"web:2"},
      {"path":"data","field":"a.b","change":"add","newValue":3},
      {"path":"spec.containers","field":"[name=x]","change":"remove","oldValue":{}},
      {"field":"password","change":"replace","oldValue":"***","newValue":"***"}]},
    {"apiVersion":"apps/v1","kind":"Deployment","namespace":"shop","name":"new",
     "changeType":"ADD","resourceStatus":{"oldExists":false,"newExists":true}},
    {"apiVersion":"apps/v1","kind":"Deployment","namespace":"shop","name":"old",
     "changeType":"REMOVE","resourceStatus":{"oldExists":true,"newExists":false}}])")));
  CHECK(*to_structured({}) == "[]\n");
}

}  // namespace
}  // namespace chartwright::diff
