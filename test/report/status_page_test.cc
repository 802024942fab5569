// SPDX-License-Identifier: Apache-2.0
#include "report/status_page.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using value::Value;
using value::testing::json;

base::WallTime at(std::string_view time) { return base::parse_rfc3339(std::string(time)).value(); }

const base::WallTime kPageNow = at("2026-01-02T12:00:00Z");

Value shop() {
  return json(R"({"apiVersion":"example.com/v1","kind":"Shop",
    "metadata":{"name":"one","namespace":"team","generation":3,
      "creationTimestamp":"2026-01-01T12:00:00Z",
      "managedFields":[
        {"manager":"helm","time":"2026-01-01T12:00:00Z","fieldsV1":{"f:spec":{}}},
        {"manager":"kubectl-edit","time":"2026-01-02T11:50:00Z","fieldsV1":{"f:spec":{}}},
        {"manager":"operator","time":"2026-01-02T11:59:00Z","fieldsV1":{"f:status":{}}}]},
    "status":{"observedGeneration":2,"revision":2,
      "conditions":[
        {"type":"Ready","status":"False","reason":"ImagePull","message":"Deployment web: no image",
         "lastTransitionTime":"2026-01-02T11:55:00Z"},
        {"type":"Deployed","status":"True","reason":"UpgradeSuccessful","message":"notes",
         "lastTransitionTime":"2026-01-02T11:50:00Z"}],
      "resources":[
        {"kind":"Deployment","name":"web","state":"Progressing","cause":"ImagePull"},
        {"kind":"Service","name":"web","state":"Ready"},
        {"kind":"PersistentVolumeClaim","name":"data","state":"Ready","held":"spec.size: 2 is less"}],
      "history":[
        {"revision":2,"status":"deployed","chart":"shop-2","description":"Upgrade complete",
         "deployedAt":"2026-01-02T11:50:00Z"},
        {"revision":1,"status":"superseded","chart":"shop-1","description":"Install complete",
         "deployedAt":"2026-01-01T12:00:00Z"}]}})");
}

EventLine event(const std::string& reason) {
  EventLine line;
  line.time = "2026-01-02T11:58:00Z";
  line.type = "Warning";
  line.reason = reason;
  line.message = "it happened";
  line.count = 2;
  return line;
}

TEST_CASE("An object of others is shown where a change is held, and not counted") {
  const StatusPage page = page_of(json(R"({"kind":"Shop","metadata":{"name":"one"},
    "status":{"resources":[
      {"kind":"Deployment","name":"web","state":"Ready"},
      {"kind":"PersistentVolumeClaim","name":"a","partial":true},
      {"kind":"PersistentVolumeClaim","name":"b","partial":true,"held":"spec.size: 1 is less"}]}})"));
  CHECK_THAT(text_of(page, Detail::kNotable, kPageNow),
             Catch::Matchers::Contains(
                 "\nChildren: 1 of 1 ready\n"
                 "RESOURCE                  STATE   CAUSE   HELD\n"
                 "PersistentVolumeClaim/b   -       -       spec.size: 1 is less\n"));
  const Value children = *to_value(page).find("children");
  CHECK_FALSE(children.as_list().items[0].bool_at({"partial"}));
  CHECK(children.as_list().items[1].bool_at({"partial"}));
}

TEST_CASE("A page shows what somebody should look at") {
  StatusPage page = page_of(shop());
  page.events = {event("Odd")};
  CHECK(text_of(page, Detail::kNotable, kPageNow) ==
        "Shop.example.com team/one\n"
        "  Ready:      False: ImagePull, since 5m\n"
        "              Deployment web: no image\n"
        "  Revision:   2 of shop-2, 10m ago (Upgrade complete)\n"
        "  Spec:       generation 3, changed by kubectl-edit, 10m ago; the operator has looked at "
        "2\n"
        "  Age:        24h\n"
        "\n"
        "Conditions\n"
        "TYPE    STATUS   REASON      AGE   MESSAGE\n"
        "Ready   False    ImagePull   5m    Deployment web: no image\n"
        "\n"
        "Children: 2 of 3 ready\n"
        "RESOURCE                     STATE         CAUSE       HELD\n"
        "Deployment/web               Progressing   ImagePull   -\n"
        "PersistentVolumeClaim/data   Ready         -           spec.size: 2 is less\n"
        "\n"
        "Revisions\n"
        "REVISION   AGE   STATUS       CHART    DESCRIPTION\n"
        "1          24h   superseded   shop-1   Install complete\n"
        "2          10m   deployed     shop-2   Upgrade complete\n"
        "\n"
        "Events\n"
        "AGE   TYPE      REASON     MESSAGE\n"
        "2m    Warning   Odd (x2)   it happened\n"
        "\n"
        "→ chartwright why shop.example.com/one --namespace team\n");
  const std::string all = text_of(page, Detail::kAll, kPageNow);
  CHECK(all.find("Deployed   True") != std::string::npos);
  CHECK(all.find("Service/web") != std::string::npos);
  page.summary.problem->message = "web.yaml:7:3: no\n  a: b\n    ^";
  CHECK(
      text_of(page, Detail::kNotable, kPageNow)
          .find("\n              web.yaml:7:3: no\n                a: b\n                  ^\n") !=
      std::string::npos);
}

TEST_CASE("A page of what no operator has seen") {
  const Value fresh = json(R"({"apiVersion":"example.com/v1","kind":"Shop",
    "metadata":{"name":"one","generation":1}})");
  CHECK(text_of(page_of(fresh), Detail::kNotable, kPageNow) ==
        "Shop.example.com one\n"
        "  Ready:      Unknown: NotReconciled\n"
        "              no operator has looked at it\n"
        "  Revision:   none\n"
        "  Spec:       generation 1; no operator has looked at it\n"
        "\n"
        "Children: 0 of 0 ready\n"
        "\n"
        "→ chartwright why shop.example.com/one\n");
}

TEST_CASE("A page of a status of any shape is bounded and printable") {
  const Value odd = json(R"({"kind":"Shop","metadata":{"name":"one","managedFields":[1,
      {"manager":")" + std::string(5000, 'm') +
                         R"(","fieldsV1":{"f:spec":1}}]},
    "status":{"observedGeneration":"x","conditions":[1,{"type":7},{"type":"Own\u001b[2J"}],
      "resources":[1,{"kind":"\u001b","state":[]}],"history":{},"revision":"two"}})");
  const std::string text = text_of(page_of(odd), Detail::kAll, kPageNow);
  CHECK(text.size() < 8000);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(page_of(Value()).children.empty());
}

TEST_CASE("The JSON of a page has all of it") {
  StatusPage page = page_of(shop());
  page.events = {event("Odd")};
  const Value item = to_value(page);
  CHECK(item.find("generation")->as_int() == 3);
  CHECK(item.find("observedGeneration")->as_int() == 2);
  CHECK(item.string_at({"specChange", "manager"}) == "kubectl-edit");
  CHECK(item.items_at({"conditions"}).size() == 2);
  CHECK(item.items_at({"children"}).size() == 3);
  CHECK(item.items_at({"revisions"}).size() == 2);
  CHECK(item.items_at({"events"}).size() == 1);
  CHECK(item.string_at({"problem", "reason"}) == "ImagePull");
}

TEST_CASE("A message of several lines is the same in a problem and in its condition") {
  Value cr = shop();
  const std::string message = "web.yaml:7:3: no\n  a: b\n    ^";
  cr.mutable_dict().set("status", json(R"({"conditions":[{"type":"Ready","status":"False",
      "reason":"InstallError","message":"web.yaml:7:3: no\n  a: b\n    ^"}]})"));
  const StatusPage page = page_of(cr);
  const Value item = to_value(page);
  CHECK(item.string_at({"problem", "message"}) == message);
  CHECK(item.items_at({"conditions"})[0].string_at({"message"}) == message);
  CHECK(text_of(page, Detail::kAll, kPageNow).find("web.yaml:7:3: no\\n  a: b\\n    ^\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace chartwright::cmd
