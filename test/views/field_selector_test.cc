// SPDX-License-Identifier: Apache-2.0
#include "views/field_selector.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::views {
namespace {

value::Value pod() {
  return CW_MUST(value::parse_json(
      R"({"metadata":{"name":"web","namespace":"a","labels":{"app":"web","tier":"3"}}})",
      value::Numbers::kInt64));
}

bool selects_field(std::string_view text) {
  return CW_MUST(FieldSelector::parse(text)).matches(pod());
}

}  // namespace

TEST_CASE("Field selectors know name and namespace") {
  CHECK(selects_field("metadata.name=web"));
  CHECK(selects_field("metadata.name==web,metadata.namespace!=b"));
  CHECK_FALSE(selects_field("metadata.name!=web"));
  CHECK(FieldSelector::parse("spec.x=1").error().http_status() == 400);
  CHECK(FieldSelector::parse("metadata.name").error().http_status() == 400);
}

}  // namespace chartwright::views
