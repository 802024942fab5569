// SPDX-License-Identifier: Apache-2.0
#include "kube/label_selector.h"

#include <catch2/catch.hpp>

#include "base/check.h"
#include "base/strings.h"
#include "value/json.h"

namespace chartwright::kube {
namespace {

value::Value web_with(const std::string& members) {
  return CW_MUST(value::parse_json(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop",)"
      R"("labels":{"app":"web","tier":"3"}})" +
          members + "}",
      value::Numbers::kInt64));
}

base::Result<LabelSelector> selector_in(const std::string& spec) {
  return LabelSelector::of(web_with(R"(,"spec":)" + spec));
}

std::string text_of(const LabelSelector& selector) {
  std::vector<std::string> parts;
  for (const LabelRequirement& one : selector.requirements()) {
    parts.push_back(one.to_string());
  }
  return base::join(parts, ",");
}

bool selects(std::string_view text) {
  return CW_MUST(LabelSelector::parse(text)).matches(web_with(""));
}

TEST_CASE("Label selectors select as in Kubernetes") {
  for (const char* text : {"", "app", "app=web", "app==web", "app!=db", "!x", "x!=1", "x notin (a)",
                           "app in (db, web)", "tier>2", "tier<4", " app = web , tier in (3) "}) {
    CAPTURE(text);
    CHECK(selects(text));
  }
  for (const char* text : {"x", "app=db", "app!=web", "!app", "app in (db)", "app notin (web)",
                           "tier>3", "tier<3", "app>1", "x in (a)", "app=web,x"}) {
    CAPTURE(text);
    CHECK_FALSE(selects(text));
  }
}

TEST_CASE("A label selector has one text") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"", ""},
      {"app==web", "app=web"},
      {"app in (web)", "app=web"},
      {" tier in (b, a) , !old,app!=db", "tier in (b,a),!old,app notin (db)"},
      {"tier>2,tier<4,x", "tier>2,tier<4,x"},
  }));
  CHECK(text_of(CW_MUST(LabelSelector::parse(text))) == expected);
}

TEST_CASE("A malformed label selector is refused") {
  const auto [text, problem] = GENERATE(table<std::string, std::string>({
      {"app in", "a list of values in parentheses is needed before \"\""},
      {"app in (", "a closing parenthesis is missing"},
      {"app in a", "a list of values in parentheses is needed before \"a\""},
      {"=a", "\"\" is not a label key such as \"app\" or \"example.com/app\""},
      {"-a=b", "\"-a\" is not a label key such as \"app\" or \"example.com/app\""},
      {"app=web,", "a requirement is needed after the last comma"},
      {"app~b", "\"app~b\" is not a label key such as \"app\" or \"example.com/app\""},
      {"a b", "\"b\" is not an operator: =, ==, !=, in, notin, >, <"},
      {"tier>x", "\"x\" is not a whole number, which > and < need"},
      {"a=b c", "a comma is needed before \"c\""},
      {"a=b_", "\"b_\" is not a label value"},
      {std::string(16385, 'a'), "it is longer than 16 KiB"},
  }));
  const auto parsed = LabelSelector::parse(text);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().code() == base::ErrorCode::kInvalidArgument);
  CHECK(parsed.error().message() == problem);
}

TEST_CASE("The selector of an object is read in all of its forms") {
  const auto [spec, expected] = GENERATE(table<std::string, std::string>({
      {R"({"selector":{"matchLabels":{"tier":"a","app":"web"}}})", "app=web,tier=a"},
      {R"({"selector":{"tier":"a","app":"web"}})", "app=web,tier=a"},
      {R"({"selector":{"matchLabels":{"app":"web"},"matchExpressions":[]}})", "app=web"},
      {R"({"selector":{"matchLabels":{"app":"web"},"matchExpressions":[
           {"key":"tier","operator":"In","values":["b","a"]},
           {"key":"stage","operator":"In","values":["x"]},
           {"key":"old","operator":"NotIn","values":["yes"]},
           {"key":"up","operator":"Exists"},{"key":"down","operator":"DoesNotExist","values":[]}]}})",
       "app=web,tier in (b,a),stage=x,old notin (yes),up,!down"},
      {R"({"selector":{"matchExpressions":[{"key":"app","operator":"Exists"}]}})", "app"},
  }));
  CHECK(text_of(CW_MUST(selector_in(spec))) == expected);
}

TEST_CASE("A selector that selects everything, or cannot be read, is refused") {
  const auto expression = [](const std::string& members) {
    return R"({"selector":{"matchExpressions":[{)" + members + "}]}}";
  };
  const auto [spec, problem] = GENERATE_COPY(table<std::string, std::string>({
      {"{}", "has no spec.selector"},
      {"null", "has no spec.selector"},
      {R"({"selector":"app=web"})", "has no spec.selector"},
      {R"({"selector":{}})", "selects everything: its spec.selector is empty"},
      {R"({"selector":{"matchLabels":{}}})", "selects everything: its spec.selector is empty"},
      {R"({"selector":{"app":1}})", "has a spec.selector that is not a map of labels"},
      {R"({"selector":{"matchLabels":{"app":1}}})",
       "has a spec.selector that is not a map of labels"},
      {expression(R"("key":"a")"),
       "has a spec.selector with an expression that lacks a key or an operator"},
      {expression(R"("operator":"Exists")"),
       "has a spec.selector with an expression that lacks a key or an operator"},
      {expression(R"("key":"a","operator":"in","values":["b"])"),
       "has a spec.selector with an expression that lacks a key or an operator"},
      {expression(R"("key":"a","operator":"In")"),
       "has a spec.selector with an expression that lacks values"},
      {expression(R"("key":"a","operator":"NotIn","values":[1])"),
       "has a spec.selector with an expression whose values are not strings"},
      {expression(R"("key":"a","operator":"Exists","values":["b"])"),
       "has a spec.selector with an expression that has values, but needs none"},
  }));
  const auto selector = selector_in(spec);
  REQUIRE_FALSE(selector.ok());
  CHECK(selector.error().code() == base::ErrorCode::kInvalidArgument);
  CHECK(selector.error().message() == "Deployment.apps shop/web " + problem);
}

TEST_CASE("The only value of a label is known from the selector") {
  const LabelSelector selector =
      CW_MUST(LabelSelector::parse("app in (a,b),tier in (x),stage=y,old!=z,up"));
  CHECK(*selector.only_value("tier") == "x");
  CHECK(*selector.only_value("stage") == "y");
  for (const char* key : {"app", "old", "up", "none"}) {
    CHECK(selector.only_value(key) == nullptr);
  }
}

}  // namespace
}  // namespace chartwright::kube
