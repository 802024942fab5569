// SPDX-License-Identifier: Apache-2.0
#include "coverage/changed_values.h"

#include <catch2/catch.hpp>

#include "test/coverage/covered_chart.h"

namespace chartwright::coverage {
namespace {

using Words = std::vector<std::string>;

Words unset(const std::string& defaults, const std::string& text,
            const std::vector<std::string>& values) {
  return testing::covered({{"values.yaml", defaults}, {"templates/a.yaml", text}}, values)
      .defaults.unset;
}

constexpr const char* kReadsAll = "{{ toYaml .Values }}";

TEST_CASE("A value is unset if a template reads it and no test changes it") {
  const std::string defaults = "image: {tag: a, pull: b}\nsize: 1\nunread: 1\n";
  const std::string text = "{{ .Values.image.tag }}{{ .Values.image.pull }}{{ .Values.size }}";
  CHECK(unset(defaults, text, {}) == Words{"image.pull", "image.tag", "size"});
  CHECK(unset(defaults, text, {R"({"image": {"tag": "x"}})"}) == Words{"image.pull", "size"});
  CHECK(
      unset(defaults, text, {R"({"image": {"tag": "x"}})", R"({"size": 2, "image": {"pull": ""}})"})
          .empty());
}

TEST_CASE("A value that is set to its default is unset, whatever the type of a number") {
  CHECK(unset("a: 1\nb: [x]\n", kReadsAll, {R"({"a": 1.0, "b": ["x"]})"}) == Words{"a", "b"});
  CHECK(unset("a: 1\nb: [x]\n", kReadsAll, {R"({"a": "1", "b": ["x", "y"]})"}).empty());
}

TEST_CASE("Who replaces or removes a table changes all in it") {
  CHECK(unset("t: {a: 1, b: {c: 1}}\n", kReadsAll, {R"({"t": null})"}).empty());
  CHECK(unset("t: {a: 1, b: {c: 1}}\n", kReadsAll, {R"({"t": {"b": 1}})"}) == Words{"t.a"});
}

TEST_CASE("An empty table is a value, which its first member changes") {
  CHECK(unset("labels: {}\nnone:\n", kReadsAll, {"{}"}) == Words{"labels", "none"});
  CHECK(unset("labels: {}\nnone:\n", kReadsAll, {R"({"labels": {"a": "b"}, "none": 1})"}).empty());
}

TEST_CASE("Names with dots are quoted, and values that the chart does not have are passed over") {
  CHECK(unset("a.b: {c: 1}\n", kReadsAll, {R"({"other": {"x": 1}})"}) == Words{R"(["a.b"].c)"});
}

}  // namespace
}  // namespace chartwright::coverage
