// SPDX-License-Identifier: Apache-2.0
// Records that there is no memory to read: nobody takes them for lost.
#include <catch2/catch.hpp>

#include "test/operator/hooked.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::Files;
using testing::Hooked;
using testing::World;

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kTooLittle = 1024;
const std::string kCannot = "cannot be read now: more than 1024 bytes of memory";

// No second render repeats its password, so that each attempt has a record before its first
// effect. Its manifest has some megabytes, most of which are `color`.
Files large_chart(int blocks) {
  return testing::with(
      testing::widget_chart(),
      {{"templates/large.yaml",
        "{{- range until " + std::to_string(blocks) +
            " }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: large-{{ . }}}\n"
            "data: {color: {{ $.Values.color }}, text: {{ repeat 100000 \"y\" }}}\n{{- end }}\n"},
       {"templates/password.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: password}\n"
        "data: {color: {{ randAlpha 12 }}}\n"}});
}

Calls records_of(const World& world) {
  Calls all;
  for (int number = 1; number < 9; ++number) {
    if (world.api.find(world.secret(number))) {
      all.emplace_back(*kube::label_of(*world.api.find(world.secret(number)), "status"));
      CHECK(to_string(testing::record(world, number).status) == all.back());
    }
  }
  return all;
}

TEST_CASE("A large manifest in little memory leaves one deployed record, and none pending",
          "[large]") {
  World world(large_chart(GENERATE(24, 30)));
  world.memory = {.usable_bytes = 128 * kMiB, .bytes = 24 * kMiB, .at_once = 1};
  world.spec("{}");
  world.converge();
  CHECK(records_of(world) == Calls{"deployed"});
  world.spec(R"({"color":"green"})");
  world.converge();
  CHECK(records_of(world) == Calls{"superseded", "deployed"});
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(records_of(world) == Calls{"superseded", "superseded", "deployed"});
  CHECK_FALSE(world.lines.mention("lost"));
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.revision() == 3);
}

TEST_CASE("A record that there is no memory to read stops a repair until there is") {
  World world;
  world.spec("{}");
  world.converge();
  const auto before = world.api.find(world.secret(1));
  world.watch.render_memory = kTooLittle;
  world.api.erase(world.config_map("w"));
  CHECK(world.fail().retry == runtime::Retry::kLater);
  CHECK_THAT(world.error(), Catch::Contains(kCannot));
  CHECK(value::json_equal(*world.api.find(world.secret(1)), *before));
  CHECK_FALSE(world.exists("w"));
  world.watch.render_memory.reset();
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.revision() == 1);
  CHECK(records_of(world) == Calls{"deployed"});
}

TEST_CASE("An attempt whose record cannot be read goes on once it can") {
  Hooked world;
  world.step();
  REQUIRE(world.records() == Calls{"pending-install"});
  world.watch.render_memory = kTooLittle;
  world.complete_jobs();
  world.fail();
  CHECK_THAT(world.condition("Irreconcilable") + world.condition("ReleaseFailed"),
             Catch::Contains(kCannot));
  CHECK(world.records() == Calls{"pending-install"});
  world.watch.render_memory.reset();
  world.clock.advance(std::chrono::minutes(5));
  world.settle();
  CHECK(world.take_created() == Calls{"before", "after"});
  CHECK(world.passwords.size() == 1);
  CHECK(world.records() == Calls{"deployed"});
  CHECK_FALSE(world.lines.mention("is lost"));
}

TEST_CASE("A deletion whose hooks cannot be read waits for them") {
  Hooked world;
  world.settle();
  world.take_created();
  world.watch.render_memory = kTooLittle;
  world.restart();
  world.api.begin_deletion(world.ref());
  world.fail();
  CHECK(world.exists("w"));
  world.watch.render_memory.reset();
  world.settle();
  CHECK(world.take_created() == Calls{"farewell", "last"});
}

TEST_CASE("A takeover passes over no record that it cannot read") {
  World world;
  world.spec("{}");
  world.converge();
  world.watch.render_memory = kTooLittle;
  value::Value cr = world.cr();
  cr.mutable_dict().erase("status");
  cr.find("metadata")
      ->mutable_dict()
      .set("finalizers", testing::json(R"(["uninstall-helm-release"])"));
  world.restart();
  world.api.put(cr);
  world.fail();
  CHECK(world.revision() == 0);
  CHECK_THAT(world.condition("Irreconcilable") + world.condition("ReleaseFailed"),
             Catch::Contains(kCannot));
  world.watch.render_memory.reset();
  world.clock.advance(std::chrono::minutes(5));
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(records_of(world) == Calls{"deployed"});
}

TEST_CASE("Too many Secrets of the name are an error of this custom resource") {
  World world;
  world.spec("{}");
  world.clock.advance(std::chrono::hours(1));
  for (int number = 1; number <= 1001; ++number) {
    world.api.put(testing::json(
        R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"sh.helm.release.v1.w.v)" +
        std::to_string(number) +
        R"(","namespace":"shop","labels":{"owner":"helm","name":"w","status":"deployed"}}})"));
  }
  CHECK(world.fail().retry == runtime::Retry::kLater);
  CHECK_THAT(world.condition("Irreconcilable") + world.condition("ReleaseFailed"),
             Catch::Contains("there are more than 1000"));
}

}  // namespace
}  // namespace chartwright::op
