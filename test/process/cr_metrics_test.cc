// SPDX-License-Identifier: Apache-2.0
#include "process/cr_metrics.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/packed.h"

namespace chartwright::process {
namespace {

using value::Value;

const kube::Gvk kWidgets{"example.com", "v1", "Widget"};

/// A custom resource as a cache stores it, with the status packed.
runtime::Stored stored(const std::string& name, const std::string& status) {
  Value cr = value::testing::json(
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"shop"}})");
  cr.find("metadata")->mutable_dict().set("name", Value::string(name));
  cr.mutable_dict().set("status", value::Packed(value::testing::json(status)).to_bytes());
  return std::make_shared<const Value>(std::move(cr));
}

/// A status with these conditions: "Ready=True Paused=True".
std::string with_conditions(const std::string& conditions) {
  std::string items;
  size_t from = 0;
  while (from < conditions.size()) {
    const size_t end = std::min(conditions.find(' ', from), conditions.size());
    const size_t equals = conditions.find('=', from);
    items += std::string(items.empty() ? "" : ",") + R"({"type":")" +
             conditions.substr(from, equals - from) + R"(","status":")" +
             conditions.substr(equals + 1, end - equals - 1) + R"(","reason":"ChildFailed"})";
    from = end + 1;
  }
  return R"({"revision":2,"history":[{"revision":2,"chart":"shop-1.2.0"},)"
         R"({"revision":1,"chart":"shop-1.1.0"}],"conditions":[)" +
         items + "]}";
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST_CASE("A custom resource has one series for its state and one for its readiness") {
  CrMetrics metrics(10);
  const std::string text = metrics.samples(
      {{kWidgets, {stored("w", with_conditions("Ready=False Stalled=True RolledBack=True"))}}});
  INFO(text);
  CHECK(has_line(text, R"(chartwright_cr_ready{group="example.com",kind="Widget",name="w",)"
                       R"(namespace="shop"} 0)"));
  CHECK(has_line(
      text, R"(chartwright_cr_info{group="example.com",kind="Widget",name="w",namespace="shop",)"
            R"(chart="shop-1.2.0",revision="2",reason="ChildFailed",stalled="true",failed="false",)"
            R"(contested="false",paused="false",rolled_back="true"} 1)"));
}

TEST_CASE("A kind shows how many are ready, and how many have each condition") {
  CrMetrics metrics(10);
  const std::string text =
      metrics.samples({{kWidgets,
                        {stored("a", with_conditions("Ready=True")),
                         stored("b", with_conditions("Ready=True Paused=True")),
                         stored("c", with_conditions("Ready=False Paused=True")),
                         stored("d", with_conditions("RolledBack=False")), stored("e", "{}")}},
                       {{"example.com", "v1", "Gadget"}, {}}});
  INFO(text);
  const std::string widgets = R"({group="example.com",kind="Widget",)";
  CHECK(has_line(text, "chartwright_crs" + widgets + R"(ready="true"} 2)"));
  CHECK(has_line(text, "chartwright_crs" + widgets + R"(ready="false"} 1)"));
  CHECK(has_line(text, "chartwright_crs" + widgets + R"(ready="unknown"} 2)"));
  CHECK(has_line(text, "chartwright_cr_conditions" + widgets + R"(condition="Paused"} 2)"));
  CHECK(has_line(text, "chartwright_cr_conditions" + widgets + R"(condition="RolledBack"} 0)"));
  CHECK(text.find(R"(condition="Ready")") == std::string::npos);
  CHECK(has_line(text, R"(chartwright_crs{group="example.com",kind="Gadget",ready="true"} 0)"));
  CHECK(has_line(text, "chartwright_crs_left_out 0"));
}

TEST_CASE("With more custom resources than the limit, none has series of its own") {
  CrMetrics metrics(1);
  const runtime::Stored a = stored("a", with_conditions("Ready=True"));
  const runtime::Stored b = stored("b", with_conditions("Ready=True"));
  CHECK(metrics.samples({{kWidgets, {a}}}).find("name=\"a\"") != std::string::npos);
  const std::string text = metrics.samples({{kWidgets, {a, b}}});
  CHECK(text.find("name=") == std::string::npos);
  CHECK(has_line(text, "chartwright_crs_left_out 2"));
  CHECK(has_line(text, R"(chartwright_crs{group="example.com",kind="Widget",ready="true"} 2)"));
}

TEST_CASE("A status is read once, and the series end with the custom resource") {
  CrMetrics metrics(10);
  const runtime::Stored a = stored("a", with_conditions("Ready=False"));
  const runtime::Stored b = stored("b", with_conditions("Ready=True"));
  const std::string first = metrics.samples({{kWidgets, {a, b}}});
  CHECK(metrics.samples({{kWidgets, {a, b}}}) == first);
  CHECK(metrics.reads() == 2);
  const std::string later =
      metrics.samples({{kWidgets, {stored("a", with_conditions("Ready=True"))}}});
  CHECK(metrics.reads() == 3);
  CHECK(later.find("name=\"b\"") == std::string::npos);
  CHECK(later.find("name=\"a\",namespace=\"shop\"} 1") != std::string::npos);
  CHECK(metrics.samples({}).find("chartwright_cr_ready{") == std::string::npos);
}

TEST_CASE("The reason may be the type of another condition, or the cause of a child") {
  for (const std::string reason : {"Contested", "RollbackRefused", "Paused", "ImagePull"}) {
    CrMetrics metrics(10);
    const std::string text = metrics.samples(
        {{kWidgets,
          {stored("w", R"({"conditions":[{"type":"Ready","status":"True","reason":")" + reason +
                           R"("}]})")}}});
    CHECK(text.find("reason=\"" + reason + "\"") != std::string::npos);
  }
}

TEST_CASE("A status that others wrote adds no text of its own but the name of a chart") {
  CrMetrics metrics(10);
  const std::string text = metrics.samples(
      {{kWidgets,
        {stored("w", R"({"revision":1,"history":[{"revision":1,"chart":")" + std::string(999, 'x') +
                         R"("}],"conditions":[{"type":"Ready","status":"Maybe",)"
                         R"("reason":"a secret"},{"type":"Own","status":"True"}]})")}}});
  CHECK(text.find("secret") == std::string::npos);
  CHECK(text.find("Own") == std::string::npos);
  CHECK(text.find(R"(reason="Other")") != std::string::npos);
  CHECK(text.find(R"(chart=")" + std::string(253, 'x') + R"(...")") != std::string::npos);
  CHECK(text.find("namespace=\"shop\"} -1\n") != std::string::npos);
}

TEST_CASE("The cause for which a child is not ready is a known reason") {
  CrMetrics metrics(10);
  const std::string text = metrics.samples(
      {{kWidgets,
        {stored("w",
                R"({"conditions":[{"type":"Ready","status":"False","reason":"ImagePull"}]})")}}});
  CHECK(text.find(R"(reason="ImagePull")") != std::string::npos);
}

}  // namespace
}  // namespace chartwright::process
