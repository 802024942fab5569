// SPDX-License-Identifier: Apache-2.0
#include "origin/answer.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::origin {
namespace {

FieldAnswer told() {
  FieldAnswer answer;
  answer.cr = {{"example.com", "v1", "Shop"}, "team", "one"};
  answer.child = kube::ObjectRef{{"apps", "v1", "Deployment"}, "team", "web"};
  answer.field = "spec.replicas";
  answer.state = FieldState::kAsRecorded;
  answer.live = "2";
  answer.writers = {{"chartwright-0a1b2c3d4e5f", "Apply", "", "2026-11-28T09:01:00Z", true},
                    {"scaler", "Update", "scale", "", false}};
  answer.revision = 3;
  answer.recorded = "2";
  answer.places = {"shop/templates/web.yaml:6"};
  answer.values = {{".Release.Name", std::nullopt, Source::kBuiltin, ""},
                   {".Values.a", std::nullopt, Source::kUnset, ""}};
  answer.since =
      FirstRevision{2, "2026-11-28T09:00:00Z", "Upgrade complete", "kubectl-edit", false};
  answer.gaps = {"the rest"};
  return answer;
}

std::string advice_in(FieldState state) {
  FieldAnswer answer = told();
  answer.state = state;
  return advice_for(answer);
}

}  // namespace

TEST_CASE("An answer has a line for each link, and ends with what to do") {
  CHECK(text_of(told()) ==
        "Deployment.apps team/web: spec.replicas\n"
        "  live: 2, set by this operator, chartwright-0a1b2c3d4e5f (Apply, 2026-11-28T09:01:00Z) "
        "and scaler (Update of scale)\n"
        "  revision 3: 2\n"
        "  template: shop/templates/web.yaml:6\n"
        "    reads .Release.Name\n"
        "    reads .Values.a: not set\n"
        "  since: revision 2 or an earlier one, 2026-11-28T09:00:00Z, Upgrade complete, by "
        "kubectl-edit\n"
        "  unknown: the rest\n"
        "→ set spec.a of shop/one\n");
}

TEST_CASE("An answer in JSON has each link") {
  CHECK(CW_MUST(value::to_json(to_value(told()), value::JsonEscape::kNone)) ==
        R"({"advice":"set spec.a of shop/one","apiVersion":"example.com/v1",)"
        R"("field":"spec.replicas","gaps":["the rest"],"kind":"Shop",)"
        R"("live":{"managers":[{"manager":"chartwright-0a1b2c3d4e5f","operation":"Apply",)"
        R"("ours":true,"subresource":"","time":"2026-11-28T09:01:00Z"},{"manager":"scaler",)"
        R"("operation":"Update","ours":false,"subresource":"scale","time":""}],"value":"2"},)"
        R"("moreUses":0,"name":"one","namespace":"team","object":{"apiVersion":"apps/v1",)"
        R"("kind":"Deployment","name":"web","namespace":"team"},)"
        R"("record":{"revision":3,"value":"2"},"secret":false,)"
        R"("since":{"by":"kubectl-edit","certain":false,)"
        R"("description":"Upgrade complete","revision":2,)"
        R"("updated":"2026-11-28T09:00:00Z"},"state":"AsRecorded",)"
        R"("template":{"places":["shop/templates/web.yaml:6"],)"
        R"("values":[{"name":".Release.Name","place":"","source":"builtin"},)"
        R"({"name":".Values.a","place":"","source":"unset"}]},"uses":[]})");
}

TEST_CASE("Each state has its own advice") {
  CHECK(advice_in(FieldState::kAutoscaled) ==
        "change the limits of the autoscaler: the operator leaves the field to it");
  CHECK(advice_in(FieldState::kNotRendered) ==
        "ask scaler, which has set it: no template of the chart writes it");
  CHECK(advice_in(FieldState::kFieldGone) ==
        "chartwright diff shop/one --namespace team: it shows whether the operator brings it back");
  CHECK(advice_in(FieldState::kUnknown) == "chartwright diff shop/one --namespace team");
  CHECK(advice_in(FieldState::kOfSpec) == "change spec.replicas of shop/one");
}

TEST_CASE("Every state and source has a word of its own") {
  CHECK(to_string(FieldState::kChildGone) == "ChildGone");
  CHECK(to_string(FieldState::kFieldGone) == "FieldGone");
  CHECK(to_string(FieldState::kChanged) == "Changed");
  CHECK(to_string(FieldState::kUnknown) == "Unknown");
  CHECK(to_string(Source::kOutside) == "outside");
  CHECK(to_string(Source::kSpec) == "spec");
  CHECK(to_string(Source::kChart) == "chart");
}

}  // namespace chartwright::origin
