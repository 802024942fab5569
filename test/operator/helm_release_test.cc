// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/operator/helms.h"
#include "test/operator/parts.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using release::Revision;
using release::RevisionStatus;
using testing::Calls;
using testing::disown;
using testing::edit;
using testing::Files;
using testing::give_to_helm;
using testing::has;
using testing::kStatus;
using testing::make_helms;
using testing::put_helms_record;
using testing::put_record;
using testing::record;
using testing::widget_chart;
using testing::with;
using testing::World;
using value::Value;
using value::testing::json;

const std::string kList = "list Secret shop owner=helm,name=w";

void install(World& world, const std::string& spec = "{}") {
  world.spec(spec);
  world.converge();
  world.converge();
}

std::string uid_of(const World& world, const std::string& name) {
  return std::string(kube::uid_of(*world.api.find(world.config_map(name))));
}

bool is_ours(const World& world, const kube::ObjectRef& ref) {
  return kube::is_owned_by(*world.api.find(ref), kube::uid_of(world.cr()));
}

/// Reconciles until the release is taken over, and once more.
void take_over(World& world) {
  world.converge();
  world.converge();
  world.converge();
}

TEST_CASE("A release of Helm goes on under its number, with its objects") {
  const auto [manager, operation] = GENERATE(values<std::pair<std::string, std::string>>(
      {{"helm", "Update"}, {"helm", "Apply"}, {"helm-controller", "Update"}}));
  CAPTURE(manager, operation);
  World world;
  install(world);
  world.spec(R"({"color": "blue"})");
  world.converge();
  const std::string uid = uid_of(world, "w");
  give_to_helm(world, {"w"}, manager, operation);

  take_over(world);
  CHECK(world.revision() == 2);
  CHECK(world.history() == Calls{"2 deployed Upgrade complete", "1 superseded Install complete"});
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  CHECK(uid_of(world, "w") == uid);
  CHECK(is_ours(world, world.config_map("w")));
  CHECK(is_ours(world, world.secret(1)));
  CHECK(is_ours(world, world.secret(2)));
  CHECK(world.lines.mention("Took over release"));
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("A child that the chart drops after the takeover of a release of Helm is deleted") {
  World world;
  install(world, R"({"extra": "more"})");
  give_to_helm(world, {"w", "more"});
  world.spec("{}");
  take_over(world);
  CHECK_FALSE(world.exists("more"));
  CHECK(world.revision() == 2);
  CHECK(record(world, 1).status == RevisionStatus::kSuperseded);
}

TEST_CASE("A password that chance has made for Helm stays") {
  const Files chart = with(widget_chart(), {{"templates/password.yaml",
                                             R"(apiVersion: v1
kind: ConfigMap
metadata: {name: password}
data: {color: {{ randAlphaNum 24 }}}
)"}});
  World world(chart);
  install(world);
  const std::string password = world.color("password");
  give_to_helm(world, {"w", "password"});
  take_over(world);
  CHECK(world.color("password") == password);
  CHECK(world.revision() == 1);
}

TEST_CASE("An install of Helm that was interrupted is installed under the next number") {
  World world;
  install(world, R"({"extra": "more"})");
  Revision pending = record(world, 1);
  pending.status = GENERATE(RevisionStatus::kPendingInstall, RevisionStatus::kUninstalling);
  put_record(world, pending);
  give_to_helm(world, {"w", "more"});
  world.spec("{}");
  take_over(world);
  CHECK(world.history() == Calls{"2 deployed Install complete", "1 failed Install complete"});
  CHECK(record(world, 1).status == RevisionStatus::kFailed);
  CHECK_FALSE(world.exists("more"));
}

TEST_CASE("An upgrade of Helm that was interrupted goes on from the revision before it") {
  World world;
  install(world);
  Revision pending = record(world, 1);
  pending.number = 2;
  pending.status = RevisionStatus::kPendingUpgrade;
  pending.last_deployed += std::chrono::hours(1);
  put_helms_record(world, pending);
  give_to_helm(world);
  take_over(world);
  CHECK(world.revision() == 1);
  CHECK(record(world, 2).status == RevisionStatus::kFailed);
  world.spec(R"({"color": "blue"})");
  world.converge();
  CHECK(world.revision() == 3);
}

TEST_CASE("A release that Helm has uninstalled is not taken over") {
  World world;
  install(world);
  Revision gone = record(world, 1);
  gone.status = RevisionStatus::kUninstalled;
  put_record(world, gone);
  give_to_helm(world);
  CHECK(world.fail().error.code() == ErrorCode::kOwnership);
  CHECK(world.revision() == 0);
}

TEST_CASE("A release of another chart keeps its name") {
  World world;
  install(world);
  Revision theirs = record(world, 1);
  theirs.chart_metadata = json(R"({"name":"other","version":"1.0.0"})");
  put_record(world, theirs);
  give_to_helm(world);
  const Value before = *world.api.find(world.config_map("w"));
  const runtime::Failed failed = world.fail();
  CHECK(failed.error.code() == ErrorCode::kOwnership);
  CHECK(failed.error.message() ==
        "the name of the release is taken: Secret shop/sh.helm.release.v1.w.v1 is a record of a "
        "release of the chart other; uninstall it, or rename the custom resource");
  CHECK(value::json_equal(*world.api.find(world.config_map("w")), before));
  CHECK_FALSE(is_ours(world, world.secret(1)));

  SECTION("until it is uninstalled") {
    world.api.erase(world.secret(1));
    world.api.erase(world.config_map("w"));
    world.converge();
    CHECK(world.revision() == 1);
  }
  SECTION("but does not hold up a deletion") {
    edit(world, world.ref(), [](Value& cr) {
      cr.find("metadata")
          ->mutable_dict()
          .set("finalizers", json(R"(["helm.sdk.operatorframework.io/uninstall-release"])"));
    });
    world.api.begin_deletion(world.ref());
    world.converge();
    CHECK_FALSE(world.api.find(world.ref()));
    CHECK(world.exists("w"));
  }
}

TEST_CASE("The release of another custom resource keeps its name") {
  World world;
  install(world);
  const release::Owner gadget{{"example.com", "v1", "Gadget"}, "shop", "w", "uid-gadget"};
  const Revision theirs = record(world, 1);
  give_to_helm(world);
  world.api.put(CW_MUST(release::encode_revision(theirs, gadget)));
  CHECK(world.fail().error.message() ==
        "the name of the release is taken: Secret shop/sh.helm.release.v1.w.v1 is a record of "
        "Gadget w (uid uid-gadget); rename one of the two");
}

TEST_CASE("The records of a namesake that was deleted are passed over") {
  World world;
  install(world);
  const Revision old = record(world, 1);
  const release::Owner namesake{world.watch.gvk, "shop", "w", "uid-before"};
  world.api.erase(world.ref());
  world.api.erase(world.config_map("w"));
  world.api.put(CW_MUST(release::encode_revision(old, namesake)));
  world.restart();
  install(world);
  CHECK(world.revision() == 2);
  CHECK(record(world, 1).status == RevisionStatus::kDeployed);
}

TEST_CASE("An object in the way that is of no release is refused as before") {
  World world;
  install(world);
  give_to_helm(world);
  world.api.erase(world.secret(1));
  const runtime::Failed failed = world.fail();
  CHECK(failed.error.code() == ErrorCode::kOwnership);
  CHECK(has(world.calls(), kList));
  world.fail();
  CHECK_FALSE(has(world.calls(), kList));
}

TEST_CASE("Hooks of an upgrade, not of an install, run after a takeover from Helm") {
  const Files chart = with(widget_chart(), {{"templates/hook.yaml",
                                             R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ if .Release.IsInstall }}installs{{ else }}upgrades{{ end }}
  annotations: {helm.sh/hook: "pre-install,pre-upgrade"}
)"}});
  World world(chart);
  install(world);
  world.api.erase(world.config_map("installs"));
  give_to_helm(world);
  world.spec(R"({"color": "blue"})");
  take_over(world);
  CHECK(world.revision() == 2);
  CHECK(world.exists("upgrades"));
  CHECK_FALSE(world.exists("installs"));
}

TEST_CASE("A revision that Helm records while the operator runs is superseded") {
  World world;
  install(world);
  Revision theirs = record(world, 1);
  theirs.number = 2;
  put_helms_record(world, theirs);
  world.spec(R"({"color": "blue"})");
  world.converge();
  CHECK(world.revision() == 3);
  CHECK(record(world, 1).status == RevisionStatus::kSuperseded);
  CHECK(record(world, 2).status == RevisionStatus::kSuperseded);
  CHECK(record(world, 3).status == RevisionStatus::kDeployed);
}

TEST_CASE("A record that a crash has hidden from the status is superseded by the next spec") {
  World world;
  install(world);
  world.spec(R"({"color": "blue"})");
  world.api.fail_once(kStatus, base::Error(ErrorCode::kUnavailable, "killed"));
  world.fail();
  REQUIRE(record(world, 2).status == RevisionStatus::kDeployed);
  world.restart();
  world.spec(R"({"color": "green"})");
  world.converge();
  CHECK(world.revision() == 3);
  CHECK(record(world, 1).status == RevisionStatus::kSuperseded);
  CHECK(record(world, 2).status == RevisionStatus::kSuperseded);
}

TEST_CASE(
    "A record that a crash has hidden from the status is superseded when the spec goes back") {
  World world;
  install(world);
  world.spec(R"({"color": "blue"})");
  const std::string cut = GENERATE(as<std::string>(), kStatus, testing::patch(1));
  world.api.fail_once(cut, base::Error(ErrorCode::kUnavailable, "killed"));
  world.fail();
  REQUIRE(record(world, 2).status == RevisionStatus::kDeployed);
  const bool restarts = GENERATE(false, true);
  if (restarts) {
    world.restart();
  }
  world.spec("{}");
  CAPTURE(cut, restarts);
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.revision() == 3);
  CHECK(record(world, 1).status == RevisionStatus::kSuperseded);
  CHECK(record(world, 2).status == RevisionStatus::kSuperseded);
  CHECK(record(world, 3).status == RevisionStatus::kDeployed);
  world.converge();
  CHECK(world.calls().empty());
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.revision() == 4);
}

}  // namespace
}  // namespace chartwright::op
