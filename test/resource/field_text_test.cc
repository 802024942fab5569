// SPDX-License-Identifier: Apache-2.0
#include "resource/field_text.h"

#include <catch2/catch.hpp>

namespace chartwright::op {
namespace {

using value::Value;

FieldChange changed(std::optional<Value> before, std::optional<Value> after) {
  return {"spec.a", std::move(before), std::move(after), false, {}};
}

TEST_CASE("Values are shown as JSON that a terminal does not obey") {
  const ShownValues shown = shown_values(changed(Value::string("a\x1b[31m"), Value()), {});
  CHECK(shown.before == "\"a\\u001b[31m\"");
  CHECK(shown.after == "null");
  CHECK_FALSE(shown_values(changed(std::nullopt, Value::integer(1)), {}).before);
}

TEST_CASE("Of long values the part is shown where they differ") {
  const std::string same(300, 'x');
  const ShownValues shown =
      shown_values(changed(Value::string(same + "a"), Value::string(same + "b")), {});
  REQUIRE(shown.before);
  CHECK(shown.before->size() < 200);
  CHECK(shown.before->find("xa\"") != std::string::npos);
  CHECK(shown.after->find("xb\"") != std::string::npos);
  CHECK(shown.before->find("303 bytes") != std::string::npos);
}

TEST_CASE("Secrets are not shown") {
  FieldChange field = changed(Value::string("hidden-1"), Value::string("hidden-2"));
  field.secret = true;
  CHECK(shown_values(field, {}).before == "***");
  CHECK(shown_values(field, {}).after == "***");
}

TEST_CASE("Paths and lists of managers have limits") {
  FieldChange field = changed(std::nullopt, std::nullopt);
  field.path = std::string(5000, 'p');
  CHECK(shown_path(field).size() == 256);
  field.managers = {"a\n", "b"};
  CHECK(shown_managers(field) == "a\\n, b");
  field.managers.assign(9, "m");
  CHECK(shown_managers(field) == "m, m, m, m, m, ...");
}

}  // namespace
}  // namespace chartwright::op
