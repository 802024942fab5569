// SPDX-License-Identifier: Apache-2.0
#include "report/revisions.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::cmd {
namespace {

using value::Value;

Value shop_with(const std::string& status) {
  return *value::parse_json(R"({"apiVersion":"example.com/v1","kind":"Shop",
          "metadata":{"name":"one","namespace":"team"},"status":)" +
                                status + "}",
                            value::Numbers::kInt64);
}

const std::string kTwo = R"({"revision":2,"history":[
    {"revision":2,"status":"deployed","description":"Upgrade complete","chart":"shop-1.2.0",
     "deployedAt":"2026-11-28T09:01:29Z"},
    {"revision":1,"status":"superseded","description":"Install complete","chart":"shop-1.1.0",
     "deployedAt":"2026-11-08T09:01:28Z"}]})";

release::Revision record_of(const std::string& app_version) {
  release::Revision record;
  record.status = release::RevisionStatus::kPendingUpgrade;
  record.description = "Preparing upgrade";
  record.chart_metadata = Value::dict({{"name", Value::string("shop")},
                                       {"version", Value::string("1.3.0")},
                                       {"appVersion", Value::string(app_version)}});
  record.spec = {7, "kubectl-edit"};
  record.last_deployed = base::WallTime(std::chrono::hours(24 * 20000));
  return record;
}

}  // namespace

TEST_CASE("Revisions are listed as by helm history, the oldest first") {
  RevisionReport report = revisions_of(shop_with(kTwo), 256);
  add_record(report.revisions[1], record_of("1.16.0"));
  CHECK(table_of({report}, false) ==
        "REVISION   UPDATED                    STATUS       CHART        APP VERSION   "
        "DESCRIPTION        SPEC   BY\n"
        "1          Sun Nov  8 09:01:28 2026   superseded   shop-1.1.0   -             "
        "Install complete   -      -\n"
        "2          Sat Nov 28 09:01:29 2026   deployed     shop-1.2.0   1.16.0        "
        "Upgrade complete   7      kubectl-edit\n");
}

TEST_CASE("The newest revisions are listed where fewer are asked for") {
  const RevisionReport report = revisions_of(shop_with(kTwo), 1);
  REQUIRE(report.revisions.size() == 1);
  CHECK(report.revisions[0].revision == 2);
  CHECK(report.revisions[0].is_in_force);
}

TEST_CASE("An attempt is listed with what its record says") {
  RevisionReport report = revisions_of(
      shop_with(R"({"attempt":{"revision":3,"phase":"pre-upgrade","failure":"hook x failed"}})"),
      256);
  REQUIRE(report.revisions.size() == 1);
  RevisionLine& line = report.revisions[0];
  CHECK((line.status == "pending" && line.description == "hook x failed"));
  CHECK(line.record == RecordState::kUnknown);
  add_record(line, record_of(""));
  CHECK((line.status == "pending-upgrade" && line.description == "Preparing upgrade"));
  CHECK((line.chart == "shop-1.3.0" && line.updated == "2024-10-04T00:00:00Z"));
}

TEST_CASE("A wide table has whole descriptions and the state of each record") {
  Value cr = shop_with(kTwo);
  RevisionReport report = revisions_of(cr, 256);
  report.revisions[0].description = std::string(70, 'x');
  report.revisions[0].record = RecordState::kMissing;
  const std::string narrow = table_of({report}, false);
  CHECK(narrow.find(std::string(59, 'x') + "…   -") != std::string::npos);
  const std::string wide = table_of({report}, true);
  CHECK(wide.find(std::string(70, 'x') + "   -      -    Missing\n") != std::string::npos);
}

TEST_CASE("Several custom resources have their names in the table") {
  const RevisionReport report = revisions_of(shop_with(kTwo), 1);
  const std::string text = table_of({report, report}, false);
  CHECK(text.starts_with("NAME                   REVISION"));
  CHECK(text.find("\nshop.example.com/one   2 ") != std::string::npos);
}

TEST_CASE("A history in JSON has every member") {
  RevisionReport report = revisions_of(shop_with(kTwo), 1);
  report.gaps = {"no right"};
  CHECK(*value::to_json(to_value(report), value::JsonEscape::kNone) ==
        R"({"apiVersion":"example.com/v1","gaps":["no right"],"kind":"Shop","name":"one",)"
        R"("namespace":"team","revisions":[{"appVersion":"","by":"","chart":"shop-1.2.0",)"
        R"("current":true,"description":"Upgrade complete","generation":0,)"
        R"("record":"Unknown","revision":2,)"
        R"("status":"deployed","updated":"2026-11-28T09:01:29Z"}]})");
}

TEST_CASE("A status of any shape is read") {
  for (const char* status :
       {"null", "7", R"({"history":7})", R"({"history":[null,{"revision":"1"},{"revision":-1}]})",
        R"({"history":[{"revision":9000000000000}],"attempt":[]})"}) {
    CHECK(revisions_of(shop_with(status), 256).revisions.empty());
  }
  const RevisionReport hostile = revisions_of(
      shop_with(R"({"history":[{"revision":1,"status":"a\nb","description":")" +
                std::string(5000, 'x') + R"(","deployedAt":"\u001b[31m"},{"revision":1}]})"),
      256);
  REQUIRE(hostile.revisions.size() == 1);
  CHECK(hostile.revisions[0].status == "a\\nb");
  CHECK(hostile.revisions[0].description.size() == 1024);
  CHECK(hostile.revisions[0].updated == "\\u001b[31m");
}

TEST_CASE("Records are told by their metadata alone, those that no status names among them") {
  RevisionReport report = revisions_of(shop_with(kTwo), 256);
  const kube::Gvk secret{"", "v1", "Secret"};
  const std::string table = add_records(
      report, {{{secret, "team", "v3"}, 3, release::Holder::kOther, "Shop team/two", "deployed"},
               {{secret, "team", "v2"}, 2, release::Holder::kUs, "", "superseded"}});
  CHECK(table ==
        "SECRET   REVISION   STATUS       CONTROLLED BY\n"
        "v3       3          deployed     Shop team/two\n"
        "v2       2          superseded   this custom resource\n");
  CHECK(report.revisions[0].record == RecordState::kMissing);
  CHECK(report.revisions[1].record == RecordState::kPresent);
}

}  // namespace chartwright::cmd
