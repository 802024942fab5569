// SPDX-License-Identifier: Apache-2.0
#include "subject/live_resource.h"

#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::kGet;
using testing::kStatus;
using testing::Parts;
using testing::World;

TEST_CASE("The API server is asked once whether the custom resource is there") {
  World world;
  world.spec("{}");
  Parts parts(world);
  CW_MUST(parts.live.confirm_once());
  CW_MUST(parts.live.confirm_once());
  CHECK(world.calls() == Calls{kGet});
  CW_MUST(parts.live.confirm());
  CHECK(world.calls() == Calls{kGet, kGet});
  CHECK_FALSE(parts.live.gone());
}

TEST_CASE("A status that was written confirms the custom resource") {
  World world;
  world.spec("{}");
  Parts parts(world);
  CW_MUST(parts.live.write_status({.activity = Activity::kWorking}));
  CW_MUST(parts.live.confirm_once());
  CHECK(world.calls() == Calls{kStatus});
}

TEST_CASE("A custom resource that is missing, recreated or being deleted counts as gone") {
  World world;
  world.spec("{}");
  world.converge();
  Parts parts(world);
  SECTION("missing") { world.api.erase(world.ref()); }
  SECTION("another one") {
    world.api.erase(world.ref());
    world.spec("{}");
  }
  SECTION("on its way out") {
    value::Value held = world.cr();
    held.find("metadata")
        ->mutable_dict()
        .set("finalizers", value::Value::list({value::Value::string("example.com/hold")}));
    world.api.put(held);
    world.api.begin_deletion(world.ref());
  }
  CHECK(parts.live.confirm_once().error().code() == ErrorCode::kCancelled);
  CHECK(parts.live.gone());
}

TEST_CASE("A custom resource that cannot be asked for is not gone") {
  World world;
  world.spec("{}");
  Parts parts(world);
  world.api.fail_once(kGet, Error(ErrorCode::kUnavailable, "not now"));
  CHECK(parts.live.confirm_once().error().code() == ErrorCode::kUnavailable);
  CHECK_FALSE(parts.live.gone());
  CHECK(parts.live.confirm_once().ok());
}

TEST_CASE("An unchanged status is not written again") {
  World world;
  world.spec("{}");
  Parts parts(world);
  const StatusReport working{.activity = Activity::kWorking, .waiting = "waiting for paint"};
  CW_MUST(parts.live.write_status(working));
  CW_MUST(parts.live.write_status(working));
  CHECK(world.calls() == Calls{kStatus});
  CHECK(world.condition("Ready") == "Unknown Progressing: waiting for paint");
  CW_MUST(parts.live.write_status({.activity = Activity::kWorking, .waiting = "it dries"}));
  CHECK(world.calls() == Calls{kStatus, kStatus});
}

TEST_CASE("A write over another client's learns the newest version first") {
  World world;
  world.spec("{}");
  Parts parts(world);
  world.annotate("example.com/note", "x");
  CW_MUST(parts.live.write_status({.activity = Activity::kWorking}));
  CHECK(world.calls() == Calls{kStatus, kGet, kStatus});
  CHECK(parts.state.stored.version == kube::resource_version_of(world.cr()));
}

/// Another process goes on with the release: it has made another child, and says so in the status.
void go_on_elsewhere(World& world) {
  value::Value extra = *world.api.find(world.config_map("w"));
  extra.find("metadata")->mutable_dict().set("name", value::Value::string("extra"));
  world.api.put(extra);
  value::Value cr = value::deep_copy(world.cr());
  const value::Value& resources = *cr.find_path({"status", "resources"});
  std::vector<value::Value> items = resources.as_list().items;
  items.push_back(value::deep_copy(items.front()));
  items.back().mutable_dict().set("name", value::Value::string("extra"));
  cr.find("status")->mutable_dict().set("resources", value::Value::list(std::move(items)));
  world.api.put(cr);
}

size_t recorded(const World& world) {
  return world.status().find("resources")->as_list().items.size();
}

TEST_CASE("A status with which another process has gone on is not written over") {
  World world;
  world.spec("{}");
  world.converge();
  Parts parts(world);
  world.api.hold_watches(true);
  go_on_elsewhere(world);
  base::Status refused;
  SECTION("when that conflicts") {
    refused = parts.live.write_status({.activity = Activity::kWorking, .waiting = "x"});
    CHECK(world.calls() == Calls{kStatus, kGet});
  }
  SECTION("when the API server is asked before") {
    refused = parts.live.confirm_once();
    CHECK(parts.live.confirm_once().error().code() == ErrorCode::kConflict);
    CHECK_FALSE(parts.live.write_status({.activity = Activity::kWorking, .waiting = "x"}).ok());
    CHECK(world.calls() == Calls{kGet});
  }
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code() == ErrorCode::kConflict);
  CHECK_FALSE(parts.live.gone());
  CHECK(recorded(world) == 2);
  world.api.hold_watches(false);
}

TEST_CASE("A reconcile that another process has overtaken starts again from its status") {
  World world;
  world.spec("{}");
  world.converge();
  world.spec(R"({"color":"blue"})");
  world.api.once(kStatus, [&world]() -> std::optional<Error> {
    world.api.hold_watches(true);
    go_on_elsewhere(world);
    return std::nullopt;
  });
  CHECK(world.fail().error.code() == ErrorCode::kConflict);
  CHECK(recorded(world) == 2);
  world.converge();  // The cache has the older status, which is not taken for the state.
  CHECK(world.calls().empty());
  world.api.hold_watches(false);
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.revision() == 2);
  CHECK_FALSE(world.exists("extra"));
  CHECK(recorded(world) == 1);
}

TEST_CASE("A wiped status is written again") {
  World world;
  world.spec("{}");
  world.converge();
  Parts parts(world);
  value::Value cr = value::deep_copy(world.cr());
  cr.mutable_dict().erase("status");
  world.api.put(cr);
  CW_MUST(parts.live.write_status({.activity = Activity::kWorking, .waiting = "x"}));
  CHECK(world.revision() == 1);
  CHECK(recorded(world) == 1);
}

TEST_CASE("Finalizers are not written over a version that is not the one read") {
  World world;
  world.spec("{}");
  Parts parts(world);
  world.annotate("example.com/note", "x");
  const auto refused = parts.live.write_finalizers({"example.com/hold"});
  CHECK(refused.error().code() == ErrorCode::kConflict);
  CHECK_THAT(refused.error().message(), Catch::Matchers::StartsWith("write finalizers: "));
  CHECK(kube::finalizers_of(world.cr()).empty());
}

TEST_CASE("Finalizers follow the last write, with those that others added before it") {
  World world;
  world.spec("{}");
  Parts parts(world);
  value::Value cr = world.cr();
  cr.find("metadata")->mutable_dict().set("finalizers", testing::json(R"(["example.com/others"])"));
  world.api.put(cr);
  CW_MUST(parts.live.write_status({.activity = Activity::kWorking, .waiting = "x"}));
  std::vector<std::string> finalizers = parts.live.finalizers();
  CHECK(finalizers == std::vector<std::string>{"example.com/others"});
  finalizers.emplace_back("example.com/hold");
  CW_MUST(parts.live.write_finalizers(finalizers));
  CHECK(kube::finalizers_of(world.cr()) == finalizers);
  CHECK(parts.live.finalizers() == finalizers);
}

constexpr auto kNoSubresource = "the CRD of example.com/v1, Kind=Widget has no status subresource";

TEST_CASE("A CRD without a status subresource is named, and asked for again within seconds") {
  World world;
  world.spec("{}");
  world.api.serve_status(false);
  const runtime::Failed failed = world.fail();
  CHECK_THAT(failed.error.message(), Catch::Matchers::Contains(kNoSubresource));
  CHECK(failed.retry == runtime::Retry::kBackoff);
  CHECK(failed.at_most == std::chrono::seconds(10));
  CHECK(world.color() == "none");
  world.api.serve_status(true);
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
}

TEST_CASE("A CRD that loses its status subresource loses no release") {
  World world;
  world.spec("{}");
  world.converge();
  world.api.serve_status(false);
  SECTION("at an upgrade") {
    world.spec(R"({"color":"blue"})");
    CHECK_THAT(world.fail().error.message(), Catch::Matchers::Contains(kNoSubresource));
    CHECK(world.color() == "blue");
    world.api.serve_status(true);
    world.converge();
    CHECK(world.revision() == 2);
  }
  SECTION("in a pause") {
    world.annotate("chartwright.io/paused", "why");
    const runtime::Failed failed = world.fail();
    CHECK_THAT(failed.error.message(), Catch::Matchers::Contains(kNoSubresource));
    CHECK(failed.at_most == std::chrono::seconds(10));
  }
  SECTION("at the deletion of the custom resource") {
    value::Value cr = world.cr();
    cr.find("metadata")
        ->mutable_dict()
        .set("finalizers", testing::json(R"(["helm.sdk.operatorframework.io/uninstall-release"])"));
    world.api.put(cr);
    world.annotate("helm.sdk.operatorframework.io/uninstall-wait", "true");
    world.api.begin_deletion(world.ref());
    world.reconcile();
    CHECK(world.color() == "none");
    world.reconcile();
    CHECK_FALSE(world.api.find(world.ref()).has_value());
  }
}

TEST_CASE("A schema that lacks members of the status is named, and costs no writes") {
  World world;
  world.api.restrict_status({"conditions"});
  world.spec("{}");
  world.converge();
  world.converge();
  CHECK(world.status().as_dict().size() == 1);
  CHECK_THAT(
      world.condition("StatusPruned"),
      Catch::Matchers::Contains("no status.attempt, status.deployedRelease, status.history"));
  CHECK(world.lines.mention("The API server does not keep all of the status"));
  CHECK(world.condition("Ready") ==
        "True StatusPruned: all children are ready; see the condition StatusPruned");
  CHECK(world.calls().empty());
  world.annotate("example.com/note", "x");  // The live status is newer than our write.
  world.converge();
  CHECK(world.calls().empty());

  world.api.restrict_status({"conditions", "revision"});
  world.restart();
  world.clock.advance(std::chrono::minutes(5));
  world.converge();
  CHECK(world.revision() == 1);
  CHECK_THAT(world.condition("StatusPruned"), !Catch::Matchers::Contains("status.revision"));
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
}

TEST_CASE("A schema without a status keeps nothing, and stops nothing") {
  World world;
  world.api.restrict_status({});
  world.spec("{}");
  world.converge();
  CHECK(world.color() == "red");
  world.converge();
  CHECK(world.calls().empty());
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.status().as_dict().empty());
}

}  // namespace
}  // namespace chartwright::op
