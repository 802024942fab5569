// SPDX-License-Identifier: Apache-2.0
#include "observe/endings.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

namespace chartwright::observe {
namespace {

kube::ObjectRef named(const std::string& kind, const std::string& name) {
  return {{"example.com", "v1", kind}, "shop", name};
}

runtime::Stored object(int64_t number) {
  return std::make_shared<const value::Value>(value::Value::integer(number));
}

TEST_CASE("A child that has ended is taken once, as it was seen last") {
  Endings endings;
  endings.note(named("Widget", "w"), named("Job", "a"), object(1));
  endings.note(named("Widget", "w"), named("Job", "a"), object(2));
  CHECK(endings.take(named("Widget", "x")).empty());
  const auto taken = endings.take(named("Widget", "w"));
  REQUIRE(taken.size() == 1);
  CHECK(taken.begin()->first == named("Job", "a"));
  CHECK(taken.begin()->second->as_int() == 2);
  CHECK(endings.take(named("Widget", "w")).empty());
}

TEST_CASE("Of very many children only some are kept") {
  Endings endings;
  for (size_t i = 0; i <= kEndedMax; ++i) {
    endings.note(named("Widget", "w"), named("Job", std::to_string(i)), object(1));
  }
  endings.note(named("Widget", "w"), named("Job", "0"), object(2));
  const auto taken = endings.take(named("Widget", "w"));
  CHECK(taken.size() == kEndedMax);
  CHECK(taken.at(named("Job", "0"))->as_int() == 2);
}

}  // namespace
}  // namespace chartwright::observe
