// SPDX-License-Identifier: Apache-2.0
#include "kube/selector.h"

#include <catch2/catch.hpp>

#include "base/check.h"
#include "value/json.h"

namespace chartwright::kube {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

base::Result<Labels> labels_of(const std::string& spec) {
  return selected_labels(CW_MUST(
      value::parse_json(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web",
                            "namespace":"shop"},"spec":)" +
                            spec + "}",
                        value::Numbers::kInt64)));
}

TEST_CASE("The labels that a selector requires are read in both of its forms") {
  const Labels expected = {{"app", "web"}, {"tier", "a"}};
  CHECK(CW_MUST(labels_of(R"({"selector":{"matchLabels":{"tier":"a","app":"web"}}})")) == expected);
  CHECK(CW_MUST(labels_of(R"({"selector":{"tier":"a","app":"web"}})")) == expected);
  CHECK(CW_MUST(labels_of(
            R"({"selector":{"matchLabels":{"tier":"a","app":"web"},"matchExpressions":[]}})")) ==
        expected);
}

TEST_CASE("A selector that labels do not express is refused") {
  const auto [spec, problem] = GENERATE(table<std::string, std::string>({
      {"{}", "has no spec.selector"},
      {"null", "has no spec.selector"},
      {R"({"selector":"app=web"})", "has no spec.selector"},
      {R"({"selector":{}})", "selects everything: its spec.selector is empty"},
      {R"({"selector":{"matchLabels":{}}})", "selects everything: its spec.selector is empty"},
      {R"({"selector":{"app":1}})", "has a spec.selector that is not a map of labels"},
      {R"({"selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"a"}]}})",
       "selects by matchExpressions: name its labels in `selector`"},
  }));
  const auto labels = labels_of(spec);
  REQUIRE_FALSE(labels.ok());
  CHECK(labels.error().code() == base::ErrorCode::kInvalidArgument);
  CHECK(labels.error().message() == "Deployment.apps shop/web " + problem);
}

}  // namespace
}  // namespace chartwright::kube
