// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::World;
using value::Value;

Value widget(const std::string& name, const std::string& color) {
  Value object = testing::json(R"({"apiVersion":"example.com/v1","kind":"Widget",
                                   "metadata":{"namespace":"shop"},"spec":{}})");
  object.find("metadata")->mutable_dict().set("name", Value::string(name));
  object.find("spec")->mutable_dict().set("color", Value::string(color));
  return object;
}

TEST_CASE("Changes after the start are reconciled before the rest that was there") {
  World world;
  for (const char* name : {"a", "b", "c", "d"}) {
    world.api.put(widget(name, "red"));
  }
  world.start();
  base::Metrics metrics;
  const base::Logger log({}, world.clock, [](std::string_view /*line*/) {});
  KindController kind(world.watch, world.services(), 1, metrics, log);
  kind.watch_inputs();
  world.api.once("apply ConfigMap shop/a", [&world]() -> std::optional<base::Error> {
    world.api.put(widget("d", "green"));
    return std::nullopt;
  });
  std::atomic<bool> reached{false};
  world.api.once("apply ConfigMap shop/c", [&reached]() -> std::optional<base::Error> {
    reached = true;
    reached.notify_all();
    return std::nullopt;
  });
  kind.start({});
  reached.wait(false);
  kind.stop_now();
  Calls applied;
  for (const std::string& call : world.calls()) {
    if (call.starts_with("apply ConfigMap")) {
      applied.push_back(call.substr(call.rfind('/') + 1));
    }
  }
  CHECK(applied == Calls{"a", "d", "b", "c"});
}

}  // namespace
}  // namespace chartwright::op
