// SPDX-License-Identifier: Apache-2.0
#include "views/selector.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::views {
namespace {

value::Value pod() {
  return CW_MUST(value::parse_json(
      R"({"metadata":{"name":"web","namespace":"a","labels":{"app":"web","tier":"3"}}})",
      value::Numbers::kInt64));
}

bool selects(std::string_view text) { return CW_MUST(LabelSelector::parse(text)).matches(pod()); }

bool selects_field(std::string_view text) {
  return CW_MUST(FieldSelector::parse(text)).matches(pod());
}

}  // namespace

TEST_CASE("label selectors select as in Kubernetes") {
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

TEST_CASE("a malformed label selector is a bad request") {
  for (const char* text : {"app in", "app in (", "=a", "app=web,", "app~b", "app in a", "a b",
                           "-a=b", "tier>x", "a=b c"}) {
    CAPTURE(text);
    const auto parsed = LabelSelector::parse(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().http_status() == 400);
  }
}

TEST_CASE("field selectors know name and namespace") {
  CHECK(selects_field("metadata.name=web"));
  CHECK(selects_field("metadata.name==web,metadata.namespace!=b"));
  CHECK_FALSE(selects_field("metadata.name!=web"));
  CHECK(FieldSelector::parse("spec.x=1").error().http_status() == 400);
  CHECK(FieldSelector::parse("metadata.name").error().http_status() == 400);
}

}  // namespace chartwright::views
