// SPDX-License-Identifier: Apache-2.0
#include "bundle/selector_config.h"

#include <catch2/catch.hpp>

namespace chartwright::bundle {
namespace {

base::Result<std::string> read(const std::string& text) {
  return read_label_selector(CW_MUST(yaml::parse_document(text, "w.yaml")));
}

TEST_CASE("A selector becomes the text that the API takes") {
  CHECK(CW_MUST(read("{}")).empty());
  CHECK(CW_MUST(read("{matchLabels: {app: x, tier: z}}")) == "app=x,tier=z");
  CHECK(CW_MUST(read("{matchLabels: {version: 1.0}}")) == "version=1");  // As in Go's decoder.
  CHECK(CW_MUST(read("matchExpressions:\n- {key: a, operator: In, values: [x, w]}\n"
                     "- {key: b, operator: NotIn, values: [z]}\n"
                     "- {key: c, operator: Exists}\n- {key: d, operator: DoesNotExist}\n")) ==
        "a in (x,w),b notin (z),c,!d");
  CHECK(CW_MUST(read("{matchLabels: {app: x}, matchExpressions: [{key: c, operator: Exists, "
                     "values: []}]}")) == "app=x,c");
}

TEST_CASE("An error in a selector names its position") {
  const auto [text, error] = GENERATE(table<std::string, std::string>({
      {"[]", "w.yaml:1:1: expected a map, got a list"},
      {"{matchLabel: {}}", "w.yaml:1:2: unknown key \"matchLabel\", did you mean \"matchLabels\"?"},
      {"{matchLabels: [a]}", "w.yaml:1:15: matchLabels: expected a map, got a list"},
      {"{matchLabels: {a: [b]}}", "w.yaml:1:19: matchLabels.a: expected a string, got a list"},
      {"{matchExpressions: {}}", "w.yaml:1:20: matchExpressions: expected a list, got a map"},
      {"{matchExpressions: [{key: a}]}",
       "w.yaml:1:21: matchExpressions[0]: missing key \"operator\""},
      {"{matchExpressions: [{operator: In}]}",
       "w.yaml:1:21: matchExpressions[0]: missing key \"key\""},
      {"{matchExpressions: [{key: a, operator: in, values: [b]}]}",
       "w.yaml:1:40: matchExpressions[0].operator: \"in\" is not a label selector operator: In, "
       "NotIn, Exists, DoesNotExist"},
      {"{matchExpressions: [{key: a, operator: In}]}",
       "w.yaml:1:21: matchExpressions[0]: values must not be empty with In"},
      {"{matchExpressions: [{key: a, operator: NotIn, values: []}]}",
       "w.yaml:1:21: matchExpressions[0]: values must not be empty with NotIn"},
      {"{matchExpressions: [{key: a, operator: Exists, values: [b]}]}",
       "w.yaml:1:21: matchExpressions[0]: values must be empty with Exists"},
      {"{matchExpressions: [{key: a, operator: Exists, value: b}]}",
       "w.yaml:1:48: matchExpressions[0]: unknown key \"value\", did you mean \"values\"?"},
      {"{matchLabels: {\"a b\": c}}",
       "w.yaml:1:16: matchLabels: \"a b\" is not a label key such as \"app\" or "
       "\"example.com/app\""},
      {"{matchLabels: {app: \"x,tier=y\"}}",
       "w.yaml:1:21: matchLabels.app: \"x,tier=y\" is not a label value: at most 63 letters, "
       "digits, \"-\", \"_\" and \".\", with a letter or digit at both ends"},
      {"{matchExpressions: [{key: \"\", operator: Exists}]}",
       "w.yaml:1:27: matchExpressions[0].key: \"\" is not a label key such as \"app\" or "
       "\"example.com/app\""},
      {"{matchExpressions: [{key: a, operator: In, values: [\"b)\"]}]}",
       "w.yaml:1:53: matchExpressions[0].values[0]: \"b)\" is not a label value: at most 63 "
       "letters, digits, \"-\", \"_\" and \".\", with a letter or digit at both ends"},
  }));
  INFO(text);
  const auto selector = read(text);
  REQUIRE_FALSE(selector.ok());
  CHECK(selector.error().to_string() == error);
}

}  // namespace
}  // namespace chartwright::bundle
