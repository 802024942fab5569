// SPDX-License-Identifier: Apache-2.0
#include "diff/print.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::diff {
namespace {

using value::Value;
using value::testing::json;

ObjectChange changed(Fate fate) {
  return {{{"apps", "v1", "Deployment"}, "shop", "w"}, fate, "", {}, {}};
}

FieldChange field(const std::string& path, std::optional<Value> before,
                  std::optional<Value> after) {
  return {path, std::move(before), std::move(after), false, {}};
}

std::string text(const Report& report) { return to_text(report, Color::kNo, Unchanged::kHidden); }

TEST_CASE("A report says what happens to each object and field") {
  Report report;
  ObjectChange apply = changed(Fate::kApply);
  apply.fields.kept = {field("spec.replicas", Value::integer(1), Value::integer(3)),
                       field("spec.new", std::nullopt, Value::string("x")),
                       field("spec.old", Value::boolean(true), std::nullopt)};
  apply.fields.kept[0].managers = {"kubectl-edit"};
  apply.fields.left_out = 2;
  apply.consequences = {"scales from 1 to 3"};
  ObjectChange removal = changed(Fate::kDelete);
  removal.why = "no longer rendered";
  report.objects = {apply, removal, changed(Fate::kUnchanged), changed(Fate::kOwnership)};
  report.notes = {"a note"};
  report.revision = 4;
  CHECK(text(report) ==
        "~ apps/v1 Deployment shop/w: apply\n"
        "    ~ spec.replicas: 1 → 3 (managed by kubectl-edit)\n"
        "    + spec.new: \"x\"\n"
        "    - spec.old: true\n"
        "    … and 2 more fields\n"
        "    ! scales from 1 to 3\n"
        "- apps/v1 Deployment shop/w: delete (no longer rendered)\n"
        "Note: a note\n"
        "Changes: 1 apply, 1 delete, 2 unchanged; recorded as revision 4.\n");
}

TEST_CASE("Objects that stay as they are are listed if that is asked for") {
  Report report;
  report.objects = {changed(Fate::kUnchanged)};
  CHECK(text(report) == "No changes: 1 unchanged.\n");
  CHECK(to_text(report, Color::kNo, Unchanged::kShown) ==
        "= apps/v1 Deployment shop/w: unchanged\nNo changes: 1 unchanged.\n");
  CHECK(text(Report()) == "No changes: no objects.\n");
}

TEST_CASE("A report that ends in an error does not claim to be all") {
  Report report;
  report.failure = base::Error(base::ErrorCode::kInvalid, "no");
  CHECK(text(report) == "Before the error: no objects.\n");
}

TEST_CASE("Only a report in colour has escape sequences") {
  Report report;
  report.objects = {changed(Fate::kCreate)};
  CHECK(text(report).find('\033') == std::string::npos);
  CHECK(to_text(report, Color::kYes, Unchanged::kHidden).starts_with("\033[32m+ apps/v1"));
}

TEST_CASE("The contents of Secrets do not show, wherever they are") {
  Report report;
  report.secrets.add(json(R"({"apiVersion":"v1","kind":"Secret","stringData":{"p":"hunter22"}})"));
  ObjectChange change = changed(Fate::kApply);
  change.fields.kept = {field("data.p", Value::string("b2xk"), Value::string("bmV3")),
                        field("spec.env", Value::string("a"), Value::string("pw=hunter22"))};
  change.fields.kept[0].secret = true;
  change.consequences = {"hunter22 here"};
  report.objects = {change};
  report.notes = {"and hunter22 there"};
  const std::string shown = text(report);
  CHECK(shown.find("data.p: *** → ***") != std::string::npos);
  CHECK(shown.find("spec.env: \"a\" → \"pw=***\"") != std::string::npos);
  for (const std::string& all : {shown, CW_MUST(to_json(report))}) {
    for (const char* secret : {"hunter22", "b2xk", "bmV3"}) {
      CHECK(all.find(secret) == std::string::npos);
    }
  }
}

TEST_CASE("Override values are not shown, of short ones only the name of the field") {
  Report report;
  ObjectChange change = changed(Fate::kApply);
  change.fields.kept = {field("data.a", Value::string("abc"), Value::string("x")),
                        field("data.b", Value::string("x"), Value::string("is hunter22!")),
                        field("data.c", Value::string("x"), Value::string("y"))};
  report.objects = {change};
  report.failure = base::Error(base::ErrorCode::kInvalid, "no hunter22 here");
  const std::vector<std::pair<std::string, std::string>> overrides = {{"a", "abc"},
                                                                      {"b", "hunter22"}};
  hide_overrides(report, bundle::OverrideMask(overrides));
  const std::string shown = text(report);
  CHECK(shown.find("data.a: *** → ***") != std::string::npos);
  CHECK(shown.find("data.b: *** → ***") != std::string::npos);
  CHECK(shown.find("data.c: \"x\" → \"y\"") != std::string::npos);
  CHECK(report.failure->message() == "no *** here");
}

TEST_CASE("Long values are cut around their first difference") {
  const std::string common(5000, 'a');
  Report report;
  ObjectChange change = changed(Fate::kApply);
  change.fields.kept = {
      field("data.f", Value::string(common + "OLD" + common), Value::string(common + "NEW"))};
  report.objects = {change};
  const std::string shown = text(report);
  CHECK(shown.size() < 700);
  CHECK(shown.find("aOLDa") != std::string::npos);
  CHECK(shown.find("aNEW\" (5005 bytes)") != std::string::npos);
  CHECK(shown.find("… (10005 bytes)") != std::string::npos);
}

TEST_CASE("A cut goes through no character") {
  std::string wide;
  for (int i = 0; i < 200; ++i) {
    wide += "ä";
  }
  Report report;
  ObjectChange change = changed(Fate::kApply);
  change.fields.kept = {field("data.f", Value::string(wide), Value::string(wide + "x"))};
  report.objects = {change};
  CHECK(text(report).find("\xEF\xBF\xBD") == std::string::npos);
}

TEST_CASE("A report for machines has the same") {
  Report report;
  ObjectChange change = changed(Fate::kApply);
  change.fields.kept = {field("spec.replicas", Value::integer(1), Value::integer(3))};
  change.fields.kept[0].managers = {"hpa"};
  report.objects = {change};
  report.revision = 2;
  report.decision = {op::Goal::kRender, op::GoalReason::kNewInputs};
  CHECK(
      CW_MUST(to_json(report)) ==
      R"({"changes":true,"counts":{"apply":1,"create":0,"delete":0,"hold":0,"hook":0,)"
      R"("recreate":0,"unchanged":0},"goal":"Render","notes":[],"objects":[{"action":"apply","fields":[)"
      R"({"after":"3","before":"1","managers":["hpa"],"path":"spec.replicas"}],"object":)"
      R"({"apiVersion":"apps/v1","kind":"Deployment","name":"w","namespace":"shop"}}],)"
      R"("reason":"NewInputs","revision":2})"
      "\n");
}

TEST_CASE("Nothing in a report is obeyed by a terminal") {
  Report report;
  ObjectChange change = changed(Fate::kApply);
  change.fields.kept = {field("data.\033[2J", Value::string("\033]0;x\a"), std::nullopt)};
  change.fields.kept[0].managers = {"evil\033[2J"};
  change.why = "\033c";
  report.objects = {change};
  CHECK(text(report).find('\033') == std::string::npos);
}

}  // namespace
}  // namespace chartwright::diff
