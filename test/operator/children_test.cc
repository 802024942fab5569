// SPDX-License-Identifier: Apache-2.0
// Children that a cache does not show, or not for certain.
#include <catch2/catch.hpp>

#include "subject/children.h"
#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Parts;
using testing::World;
using value::Value;

const std::string kGetExtra = "get ConfigMap shop/extra";
constexpr std::string_view kWithExtra = R"({"extra":"extra"})";
constexpr std::string_view kWithFoo =
    R"({"raw":"apiVersion: foo.example.com/v1\nkind: Foo\nmetadata: {name: foo}"})";

kube::ObjectRef foo_child() { return {{"foo.example.com", "v1", "Foo"}, "shop", "foo"}; }

/// Somebody removes the label by which the caches find a child.
void strip(World& world, const std::string& name) {
  Value object = *world.api.find(world.config_map(name));
  object.find("metadata")->mutable_dict().set("labels", Value::dict());
  world.api.put(object);
}

bool is_recorded(const World& world, const std::string& name) {
  const auto inventory = release::inventory_from_status(*world.status().find("resources"));
  return std::any_of(inventory.begin(), inventory.end(),
                     [&name](const auto& item) { return item.first.name == name; });
}

size_t count(const World& world, const std::string& what) {
  const auto calls = world.calls();
  return static_cast<size_t>(std::count(calls.begin(), calls.end(), what));
}

constexpr std::string_view kData =
    R"({"raw":"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: data}"})";
constexpr std::string_view kKeptData =
    R"({"raw":"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: data, annotations: )"
    R"({helm.sh/resource-policy: keep}}"})";

TEST_CASE(
    "A child that is to be kept since our last write is kept, also if no cache shows it yet") {
  World world;
  world.spec(kData);
  world.converge();
  world.api.settle();
  world.api.hold_watches_of({"", "ConfigMap"});
  world.spec(kKeptData);
  world.converge();
  SECTION("when it is dropped") {
    world.spec("{}");
    world.converge();
  }
  SECTION("when the custom resource goes") {
    world.api.begin_deletion(world.ref());
    world.reconcile();
    world.reconcile();
  }
  world.api.hold_watches(false);
  CHECK(world.exists("data"));
}

TEST_CASE("A child that is dropped before a cache shows it is pruned") {
  World world;
  world.spec("{}");
  world.converge();
  world.api.settle();
  world.api.hold_watches_of({"", "ConfigMap"});
  world.spec(kWithExtra);
  world.converge();
  CHECK(world.exists("extra"));
  world.spec("{}");
  world.converge();
  CHECK_FALSE(world.exists("extra"));
  world.api.hold_watches(false);
  world.converge();
  CHECK_FALSE(is_recorded(world, "extra"));
}

TEST_CASE("A child is forgotten only if the API server does not have it") {
  World world;
  world.spec(kWithExtra);
  world.converge();
  strip(world, "extra");
  world.restart();
  world.spec("{}");
  SECTION("it is pruned without its label") {
    world.converge();
    CHECK(count(world, kGetExtra) == 1);
    CHECK_FALSE(world.exists("extra"));
    CHECK_FALSE(is_recorded(world, "extra"));
  }
  SECTION("it stays recorded while nobody knows") {
    world.api.fail_always(kGetExtra, Error(ErrorCode::kForbidden, "may not get configmaps"));
    CHECK(world.fail().error.code() == ErrorCode::kForbidden);
    CHECK(is_recorded(world, "extra"));
    world.api.fail_always(kGetExtra, std::nullopt);
    world.converge();
    CHECK_FALSE(world.exists("extra"));
  }
  SECTION("it has gone") {
    world.api.erase(world.config_map("extra"));
    world.converge();
    CHECK_FALSE(is_recorded(world, "extra"));
  }
}

TEST_CASE(
    "An uninstall deletes children without their label, and asks once whether they are gone") {
  World world;
  world.spec(kWithExtra);
  world.annotate(kUninstallWait, "true");
  world.converge();
  strip(world, "extra");
  Value child = *world.api.find(world.config_map("w"));
  child.find("metadata")
      ->mutable_dict()
      .set("finalizers", Value::list({Value::string("example.com/slow")}));
  world.api.put(child);
  world.api.begin_deletion(world.ref());
  SECTION("one that cannot be read does not hold up the others") {
    world.api.fail_once(kGetExtra, Error(ErrorCode::kForbidden, "may not get configmaps"));
    CHECK(world.fail().error.code() == ErrorCode::kForbidden);
    CHECK(world.api.last("delete ConfigMap shop/w").what.size() > 0);
  }
  world.reconcile();
  CHECK_FALSE(world.exists("extra"));
  world.reconcile();
  CHECK(count(world, kGetExtra) == 1);
  world.reconcile();
  CHECK(world.calls().empty());
  world.api.erase(world.config_map("w"));
  world.reconcile();
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("A kind that is not served any more holds up nothing else") {
  World world;
  world.spec(kWithFoo);
  world.annotate(kUninstallWait, "true");
  world.converge();
  REQUIRE(world.api.find(foo_child()));
  world.api.erase(foo_child());
  world.api.unserve("Foo");
  world.api.erase(world.config_map("w"));
  if (GENERATE(false, true)) {
    world.restart();
  }
  CHECK(world.fail().error.reason() == kube::kNoMatchReason);
  CHECK(world.exists("w"));
  CHECK(is_recorded(world, "foo"));
  SECTION("an uninstall ends") {
    world.api.begin_deletion(world.ref());
    world.reconcile();
    world.reconcile();
    CHECK_FALSE(world.api.find(world.ref()));
  }
  SECTION("it is forgotten with its template") {
    world.spec("{}");
    world.converge();
    CHECK_FALSE(is_recorded(world, "foo"));
  }
  SECTION("its objects come back with it") {
    world.api.serve("Foo");
    CW_MUST(world.api.refresh_kinds({}, {}));
    world.converge();
    CHECK(world.api.find(foo_child()));
  }
}

TEST_CASE("A child whose server does not answer is not taken for gone") {
  World world;
  world.spec(kWithFoo);
  world.annotate(kUninstallWait, "true");
  world.converge();
  world.api.silence("Foo");
  world.restart();
  SECTION("at the deletion") {
    world.api.begin_deletion(world.ref());
    CHECK(world.fail().error.code() == ErrorCode::kUnavailable);
    CHECK_FALSE(world.exists("w"));
    CHECK(world.fail().error.code() == ErrorCode::kUnavailable);
    CHECK(world.api.find(world.ref()));
  }
  SECTION("when its template goes") {
    world.spec("{}");
    CHECK(world.fail().error.code() == ErrorCode::kUnavailable);
    CHECK(is_recorded(world, "foo"));
  }
  CHECK(world.api.find(foo_child()));
}

TEST_CASE("A kind whose watch is refused holds up nothing else") {
  World world;
  world.spec(kWithFoo);
  world.converge();
  const Error refusal(ErrorCode::kForbidden, "may not list foos");
  world.api.refuse_watches("Foo", refusal);
  world.api.fail_always("list Foo  helm.sdk.operatorframework.io/chart=widget", refusal);
  world.restart();
  world.api.erase(world.config_map("w"));
  CHECK(world.fail().error.code() == ErrorCode::kForbidden);
  CHECK(world.exists("w"));
  CHECK(world.api.find(foo_child()));
  // A child that cannot be watched is asked for.
  world.api.erase(foo_child());
  CHECK(world.fail().error.code() == ErrorCode::kForbidden);
  CHECK(world.api.find(foo_child()));
  // One that cannot be read, either, is left alone.
  world.api.fail_always("get Foo.foo.example.com shop/foo", refusal);
  CHECK(world.fail().error.code() == ErrorCode::kForbidden);
  CHECK(count(world, "apply Foo.foo.example.com shop/foo") == 0);
}

TEST_CASE("A child that no cache shows is as the API server had it") {
  World world;
  world.spec(kWithExtra);
  world.converge();
  strip(world, "extra");
  Parts parts(world);
  CW_MUST(parts.children.look());
  CHECK(world.calls().empty());  // A cache covers them.
  CHECK(CW_MUST(parts.children.find(world.config_map("w"), {})));
  CHECK(world.calls().empty());
  CHECK(CW_MUST(parts.children.find(world.config_map("extra"), {})));
  CHECK(CW_MUST(parts.children.find(world.config_map("extra"), {})));
  CHECK(world.calls() == std::vector<std::string>{kGetExtra});
  CHECK_FALSE(CW_MUST(parts.children.find(world.config_map("other"), {})));
  CHECK_FALSE(parts.children.needs_poll());
  CHECK(parts.children.first_error().ok());
  CHECK_FALSE(CW_MUST(parts.children.lost_kind()));
}

}  // namespace
}  // namespace chartwright::op
