// SPDX-License-Identifier: Apache-2.0
#include "operator/reconciler.h"

#include <catch2/catch.hpp>

#include "test/operator/records.h"
#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::create;
using testing::get;
using testing::json;
using testing::kApply;
using testing::kGet;
using testing::kStatus;
using testing::patch;
using testing::World;
using value::Value;

TEST_CASE("A new custom resource is installed: inventory first, then children, revision, status") {
  World world;
  world.spec(R"({"color":"blue"})");
  world.converge();

  CHECK(world.calls() == Calls{kStatus, kApply, create(1), kStatus});
  CHECK(world.color() == "blue");
  CHECK(world.revision() == 1);
  CHECK(world.history() == Calls{"1 deployed Install complete"});
  CHECK(world.condition("Initialized") == "True Initialized: ");
  CHECK(world.condition("Deployed") == "True InstallSuccessful: Painted blue.");
  CHECK(world.condition("ReleaseFailed") == "absent");
  CHECK(world.condition("Stalled") == "absent");
  CHECK(world.status().find("observedGeneration")->as_int() == 1);
  CHECK(world.lines.mention("Installed release"));

  const Value child = *world.api.find(world.config_map("w"));
  REQUIRE(kube::owner_references_of(child).size() == 1);
  CHECK(kube::owner_references_of(child)[0].uid == kube::uid_of(world.cr()));
}

TEST_CASE("The inventory is in the status before the first child exists") {
  World world;
  world.spec("{}");
  Value seen;
  world.api.once(kApply, [&world, &seen] {
    seen = world.status();
    CHECK(world.condition("Ready") == "Unknown Progressing: applying children");
    CHECK(world.condition("Reconciling") == "True Progressing: see the condition Ready");
    return std::optional<Error>();
  });
  world.converge();
  REQUIRE(seen.find("resources") != nullptr);
  REQUIRE(seen.find("resources")->as_list().items.size() == 1);
  CHECK(seen.find("resources")->as_list().items[0].string_at({"name"}) == "w");
}

TEST_CASE("A status is written over the version that is known, and over no other") {
  World world;
  world.spec("{}");
  SECTION("one that was changed meanwhile is read and written") {
    world.api.once(kStatus, [&world] {
      world.annotate("example.com/note", "x");
      return std::optional<Error>();
    });
    world.converge();
    CHECK(world.calls() == Calls{kStatus, kGet, kStatus, kApply, create(1), kStatus});
    CHECK(world.revision() == 1);
  }
  SECTION("one that was made anew meanwhile inherits nothing") {
    world.api.once(kStatus, [&world] {
      world.api.erase(world.ref());
      world.spec("{}");
      return std::optional<Error>();
    });
    CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
    CHECK(world.calls() == Calls{kStatus, kGet});
    CHECK(world.cr().find("status") == nullptr);
    CHECK_FALSE(world.exists("w"));
    world.converge();
    CHECK(world.revision() == 1);
  }
  SECTION("one that is gone is not written") {
    world.api.once(kStatus, [&world] {
      world.api.erase(world.ref());
      return std::optional<Error>();
    });
    CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
    CHECK_FALSE(world.exists("w"));
  }
}

TEST_CASE("A second reconcile makes no call at all, once the caches have caught up") {
  World world;
  world.spec("{}");
  world.converge();
  world.converge();  // Sees the child ready.
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  world.converge();
  CHECK(world.calls().empty());

  SECTION("nor after a restart") {
    world.restart();
    world.converge();
    CHECK(world.calls().empty());
  }
  SECTION("nor when others write beside us") {
    Value child = *world.api.find(world.config_map("w"));
    child.find("data")->mutable_dict().set("theirs", Value::string("x"));
    world.api.put(child);
    world.converge();
    CHECK(world.calls().empty());
  }
}

TEST_CASE("A custom resource that is gone is forgotten") {
  World world;
  world.spec("{}");
  world.converge();
  world.api.erase(world.ref());
  CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
  CHECK(world.calls().empty());
}

TEST_CASE("A recreated custom resource starts with a first install") {
  World world;
  world.spec("{}");
  world.converge();
  world.api.erase(world.ref());
  world.api.erase(world.config_map("w"));
  world.api.erase(world.secret(1));
  world.spec(R"({"color":"green"})");
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.color() == "green");
}

TEST_CASE("A new spec is a new revision, and only what changed is applied") {
  World world;
  world.spec(R"({"extra":"second"})");
  world.converge();
  world.converge();
  world.spec(R"({"extra":"second","color":"blue"})");
  world.converge();
  CHECK(world.calls() == Calls{kApply, get(1), create(2), patch(1), kStatus});
  CHECK(world.color() == "blue");
  CHECK(world.history() == Calls{"2 deployed Upgrade complete", "1 superseded Install complete"});
  CHECK(world.condition("Deployed") == "True UpgradeSuccessful: Painted blue.");
  CHECK(kube::label_of(*world.api.find(world.secret(1)), "status") == "superseded");
  CHECK(kube::label_of(*world.api.find(world.secret(2)), "status") == "deployed");
  CHECK(world.lines.mention("Upgraded release"));
}

TEST_CASE("A child that a new spec no longer renders is pruned") {
  World world;
  world.spec(R"({"extra":"second"})");
  world.converge();
  world.converge();
  world.spec("{}");
  world.converge();
  CHECK_FALSE(world.exists("second"));
  CHECK(world.exists("w"));
  CHECK(world.status().find("resources")->as_list().items.size() == 1);
}

TEST_CASE("Another spec with the same manifest is not a new revision") {
  World world;
  world.spec("{}");
  world.converge();
  world.converge();
  world.spec(R"({"color":"red"})");  // The default.
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.calls() == Calls{kStatus});  // observedGeneration.
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("Drift is repaired from the stored manifest, without a new revision") {
  World world;
  world.spec(R"({"color":"blue"})");
  world.converge();
  world.converge();
  SECTION("an edited field") {
    Value child = *world.api.find(world.config_map("w"));
    child.find("data")->mutable_dict().set("color", Value::string("edited"));
    world.api.put(child);
  }
  SECTION("a deleted child") { world.api.erase(world.config_map("w")); }
  SECTION("a lost owner reference") {
    Value child = *world.api.find(world.config_map("w"));
    child.find("metadata")->mutable_dict().erase("ownerReferences");
    world.api.put(child);
  }
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.revision() == 1);
  CHECK(world.api.count("Secret") == 1);
  world.converge();
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("A chart that cannot render") {
  World world;
  SECTION("fails the install and waits for another spec") {
    world.spec(R"({"broken":true})");
    const runtime::Failed failed = world.fail();
    CHECK(failed.retry == runtime::Retry::kNever);
    CHECK(failed.error.code() == ErrorCode::kTemplate);
    CHECK(world.calls() == Calls{kStatus});
    CHECK_THAT(world.condition("ReleaseFailed"),
               Catch::Matchers::StartsWith("True InstallError: ") &&
                   Catch::Matchers::Contains("the widget is broken"));
    CHECK_THAT(world.condition("Stalled"), Catch::Matchers::StartsWith("True ReconcileError: "));
    CHECK(world.condition("Deployed") == "absent");
    CHECK(world.revision() == 0);

    world.converge();  // Nothing is new: no second try, and the error stays.
    CHECK(world.calls().empty());
    world.spec("{}");
    world.converge();
    CHECK(world.revision() == 1);
    CHECK(world.condition("ReleaseFailed") == "absent");
    CHECK(world.condition("Stalled") == "absent");
  }
  SECTION("leaves what is deployed as it is, and repairs it at each resync") {
    world.watch.reconcile_period = std::chrono::minutes(2);
    world.spec(R"({"color":"blue"})");
    world.converge();
    world.spec(R"({"broken":true})");
    const runtime::Failed failed = world.fail();
    CHECK(failed.retry == runtime::Retry::kNever);
    CHECK(failed.later > base::Duration::zero());
    CHECK(failed.later <= std::chrono::minutes(2));
    CHECK(world.color() == "blue");
    CHECK_THAT(world.condition("Irreconcilable"),
               Catch::Matchers::StartsWith("True ReconcileError: "));
    CHECK_THAT(world.condition("Deployed"), Catch::Matchers::StartsWith("True InstallSuccessful"));
    CHECK(world.revision() == 1);

    world.api.erase(world.config_map("w"));
    world.converge();
    CHECK(world.color() == "blue");
    CHECK_THAT(world.condition("Irreconcilable"),
               Catch::Matchers::StartsWith("True ReconcileError: "));

    world.spec(R"({"color":"green"})");
    world.converge();
    CHECK(world.color() == "green");
    CHECK(world.condition("Irreconcilable") == "absent");
  }
}

TEST_CASE("A child that the server refuses stalls the upgrade, and nothing is pruned") {
  World world;
  world.spec(R"({"extra":"second"})");
  world.converge();
  world.converge();
  world.spec(R"({"color":"blue"})");
  world.api.fail_once(kApply, Error(ErrorCode::kInvalid, "color: no").with_http(422, "Invalid"));
  const runtime::Failed failed = world.fail();
  CHECK(failed.retry == runtime::Retry::kLater);
  CHECK(world.exists("second"));
  const std::string why =
      "UpgradeError: color: no\nThe objects that the API server took stay, and nothing was pruned.";
  CHECK(world.condition("ReleaseFailed") == "True " + why);
  CHECK(world.condition("Stalled") == "True UpgradeError: see the condition ReleaseFailed");
  CHECK(world.condition("Ready") == "False UpgradeError: color: no");
  CHECK(world.revision() == 1);
  CHECK(world.history() == Calls{"1 deployed Install complete"});

  SECTION("until the spec changes") {
    world.spec(R"({"color":"green"})");
    world.converge();
    CHECK(world.color() == "green");
    CHECK_FALSE(world.exists("second"));
    CHECK(world.condition("ReleaseFailed") == "absent");
    CHECK(world.revision() == 2);
  }
  SECTION("until the server does not refuse it any more, which no event says") {
    const auto early = world.reconcile();
    CHECK(world.calls().empty());
    REQUIRE(std::holds_alternative<runtime::RequeueAfter>(early));
    CHECK(std::get<runtime::RequeueAfter>(early).delay == failed.later);
    world.clock.advance(failed.later);
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(world.condition("Stalled") == "absent");
    CHECK(world.revision() == 2);
    const auto after = world.reconcile();
    CHECK(std::holds_alternative<runtime::Done>(after));
  }
  SECTION("and is tried again by a new process, which knows of no failure") {
    world.restart();
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(world.condition("Stalled") == "absent");
  }
}

TEST_CASE("A temporary error is retried with backoff, and forgotten after a success") {
  World world;
  world.spec("{}");
  const auto code = GENERATE(ErrorCode::kUnavailable, ErrorCode::kTimeout, ErrorCode::kConflict,
                             ErrorCode::kTooManyRequests);
  world.api.fail_once(kApply, Error(code, "not now"));
  CHECK(world.fail().retry == runtime::Retry::kBackoff);
  if (code != ErrorCode::kConflict) {  // After a conflict the live object is read.
    CHECK(world.error() == "not now");
    CHECK(world.condition("Reconciling").starts_with("True ProgressingWithRetry: "));
  }
  CHECK(world.condition("Stalled") == "absent");
  CHECK(world.revision() == 0);
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.condition("ReleaseFailed") == "absent");
}

TEST_CASE("A missing permission is reported as stalled, and retried") {
  World world;
  world.spec("{}");
  world.api.fail_once(kApply, Error(ErrorCode::kForbidden, "cannot patch configmaps"));
  CHECK(world.fail().retry == runtime::Retry::kBackoff);
  CHECK(world.condition("Stalled").starts_with("True InstallError: "));
  CHECK(world.error() == "cannot patch configmaps");
}

TEST_CASE(
    "The objects that a refused upgrade has applied are held, and drift leads to no other "
    "manifest") {
  World world;
  world.spec(R"({"extra":"second"})");
  world.converge();
  world.spec(R"({"color":"blue","extra":"third"})");
  world.api.fail_always(kApply, Error(ErrorCode::kInvalid, "no").with_http(422, "Invalid"));
  const runtime::Failed failed = world.fail();
  CHECK(world.exists("second"));
  CHECK(world.exists("third"));
  CHECK(std::holds_alternative<runtime::RequeueAfter>(world.reconcile()));
  CHECK(world.calls().empty());

  world.api.erase(world.config_map("third"));
  CHECK(world.fail().error.code() == ErrorCode::kInvalid);
  CHECK(world.exists("third"));
  CHECK(world.exists("second"));
  CHECK(world.color() == "red");
  CHECK_THAT(world.condition("ReleaseFailed"),
             Catch::Matchers::StartsWith("True UpgradeError: no"));

  world.api.fail_always(kApply, std::nullopt);
  world.clock.advance(failed.later);
  world.converge();
  CHECK(world.color() == "blue");
  CHECK_FALSE(world.exists("second"));
  CHECK(world.condition("ReleaseFailed") == "absent");
}

TEST_CASE("A user can ask for another attempt after a permanent failure") {
  World world;
  world.spec("{}");
  world.api.fail_once(kApply, Error(ErrorCode::kInvalid, "no").with_http(422, "Invalid"));
  world.fail();
  world.converge();
  CHECK(world.revision() == 0);
  world.annotate(kReconcileRequestedAt, "2026-01-02T03:04:05Z");
  world.converge();
  CHECK(world.revision() == 1);
}

TEST_CASE("A kind that is not served is reported, and nothing is applied") {
  World world;
  world.api.unserve("Gadget");
  world.spec(R"({"raw":"apiVersion: x/v1\nkind: Gadget\nmetadata: {name: g}"})");
  const runtime::Failed failed = world.fail();
  CHECK(failed.error.code() == ErrorCode::kNotFound);
  CHECK(failed.retry == runtime::Retry::kBackoff);
  CHECK_FALSE(world.exists("w"));
}

TEST_CASE("A kind that may not be watched is reported with its own error") {
  World world;
  world.api.refuse_watches("Gadget", Error(ErrorCode::kUnavailable, "cannot list gadgets"));
  world.spec(R"({"raw":"apiVersion: x/v1\nkind: Gadget\nmetadata: {name: g}"})");
  const runtime::Failed failed = world.fail();
  CHECK_THAT(failed.error.message(), Catch::Matchers::Contains("cannot list gadgets"));
  CHECK_FALSE(world.exists("w"));
}

TEST_CASE("A rendered object without a name is refused before anything is written") {
  World world;
  world.spec(R"({"raw":"apiVersion: v1\nkind: ConfigMap"})");
  const runtime::Failed failed = world.fail();
  CHECK(failed.error.code() == ErrorCode::kInvalidArgument);
  CHECK(failed.retry == runtime::Retry::kNever);
  CHECK(world.calls() == Calls{kStatus});
}

TEST_CASE("An empty render needs the user's permission") {
  World world;
  world.spec("{}");
  world.converge();
  world.converge();
  SECTION("without it nothing is pruned") {
    world.spec(R"({"empty":true})");
    const runtime::Failed failed = world.fail();
    CHECK(failed.retry == runtime::Retry::kNever);
    CHECK(world.exists("w"));
    CHECK(world.condition("ReleaseFailed") ==
          "True UpgradeError: the chart renders no object, and pruning every child needs the "
          "annotation chartwright.io/allow-empty-render: \"true\"");
  }
  SECTION("with it everything goes") {
    world.annotate(kAllowEmptyRender, "true");
    world.spec(R"({"empty":true})");
    world.converge();
    CHECK_FALSE(world.exists("w"));
    CHECK(world.revision() == 2);
  }
  SECTION("given after the refusal it counts without another change of the spec") {
    world.spec(R"({"empty":true})");
    world.fail();
    world.annotate(kAllowEmptyRender, "true");
    world.converge();
    CHECK_FALSE(world.exists("w"));
  }
}

TEST_CASE("A chart whose author allows it may render nothing") {
  World world(
      testing::with(testing::widget_chart(), {{"operator/operator.yaml", "allowEmpty: true\n"}}));
  world.spec("{}");
  world.converge();
  world.converge();
  world.spec(R"({"empty":true})");
  world.converge();
  CHECK_FALSE(world.exists("w"));
}

TEST_CASE("An empty first render is an empty release") {
  World world;
  world.spec(R"({"empty":true})");
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("A process that ends between inventory and children leaves nothing behind") {
  World world;
  world.spec(R"({"extra":"second"})");
  // The first child is written, and the process ends before the second: no status, no revision.
  world.api.once("apply ConfigMap shop/w", [&world] {
    world.api.fail_always(kStatus, Error(ErrorCode::kCancelled, "stopped"));
    return std::optional(Error(ErrorCode::kCancelled, "stopped"));
  });
  world.fail();
  world.api.fail_always(kStatus, std::nullopt);
  CHECK(world.exists("second"));
  SECTION("the next one finishes the work") {
    world.restart();
    world.converge();
    CHECK(world.exists("w"));
    CHECK(world.revision() == 1);
  }
  SECTION("or prunes what is no longer wanted by then") {
    world.spec(R"({"color":"blue"})");
    world.restart();
    world.converge();
    CHECK_FALSE(world.exists("second"));
    CHECK(world.color() == "blue");
  }
}

TEST_CASE("A process that ends between children and revision stores it the next time") {
  World world;
  world.spec("{}");
  world.api.fail_once(create(1), Error(ErrorCode::kUnavailable, "gone"));
  world.fail();
  CHECK(world.color() == "red");
  world.restart();
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.history() == Calls{"1 deployed Install complete"});
}

TEST_CASE("A process that ends between revision and status does not store it twice") {
  World world;
  world.spec("{}");
  world.api.once(create(1), [&world] {
    world.api.fail_always(kStatus, Error(ErrorCode::kUnavailable, "gone"));
    return std::optional<Error>();
  });
  CHECK(world.fail().error.message() == "write status: gone");
  world.api.fail_always(kStatus, std::nullopt);
  world.restart();
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.api.count("Secret") == 1);
}

TEST_CASE("A record that cannot be stored is stored by the next try, under the same number") {
  World world;
  world.spec("{}");
  world.converge();
  world.spec(R"({"color":"blue"})");
  world.api.fail_once(patch(1), Error(ErrorCode::kUnavailable, "not now"));
  world.fail();
  CHECK(world.revision() == 1);
  world.converge();
  CHECK(world.history() == Calls{"2 deployed Upgrade complete", "1 superseded Install complete"});
  CHECK(world.api.count("Secret") == 2);
}

TEST_CASE("A revision number that is taken is passed over") {
  World world;
  world.spec("{}");
  world.api.put(json(R"({"apiVersion":"v1","kind":"Secret",
      "metadata":{"name":"sh.helm.release.v1.w.v1","namespace":"shop",
                  "labels":{"owner":"helm","name":"w","version":"1"}}})"));
  world.converge();
  CHECK(world.revision() == 2);
  CHECK(world.history() == Calls{"2 deployed Install complete"});
}

TEST_CASE("Old revisions go, the newest stay") {
  World world;
  world.history_max = 2;
  for (const std::string color : {"a", "b", "c", "d"}) {
    world.spec(R"({"color":")" + color + R"("})");
    world.converge();
  }
  CHECK(world.history() == Calls{"4 deployed Upgrade complete", "3 superseded Upgrade complete"});
  CHECK(world.api.count("Secret") == 2);
  CHECK(world.api.find(world.secret(3)));
  CHECK(world.api.find(world.secret(4)));
}

TEST_CASE("A spec that is not a map is refused, in helm-operator's words") {
  World world;
  world.spec("[1]");
  const runtime::Failed failed = world.fail();
  CHECK(failed.error.message() == "failed to get spec: expected a map");
  CHECK(failed.retry == runtime::Retry::kNever);
}

TEST_CASE("A custom resource without a spec takes the chart's defaults") {
  World world;
  world.api.put(world.cr());
  world.converge();
  CHECK(world.color() == "red");
}

TEST_CASE("Keys of the spec that no template reads are reported") {
  World world;
  world.spec(R"({"color":"blue","colour":"green"})");
  world.converge();
  const std::string said =
      R"(True UnreadKeys: "colour" is read by no template, did you mean "color"?)";
  CHECK(world.condition("UnknownKeys") == said);
  world.converge();
  world.converge();
  CHECK(world.condition("Ready").starts_with("True"));
  CHECK(world.condition("UnknownKeys") == said);
  world.restart();
  world.converge();
  CHECK(world.condition("UnknownKeys") == said);
  world.spec(R"({"color":"green"})");
  world.converge();
  CHECK(world.condition("UnknownKeys") == "absent");
}

TEST_CASE("Disabled hooks are not run, and that is reported") {
  World world;
  world.watch.run_hooks = false;
  world.spec(
      R"({"raw":"apiVersion: v1\nkind: Pod\nmetadata:\n  name: h\n  annotations:\n    helm.sh/hook: pre-install"})");
  world.converge();
  CHECK(world.api.count("Pod") == 0);
  CHECK(world.lines.mention("Chart hooks are not run"));
  const std::string said =
      "True HooksDisabled: hooks of the chart are not run: Pod h (pre-install)";
  CHECK(world.condition("HooksSkipped") == said);
  world.restart();
  world.annotate(kReconcileRequestedAt, "now");
  world.converge();
  CHECK(world.condition("HooksSkipped") == said);
  world.spec("{}");
  world.converge();
  CHECK(world.condition("HooksSkipped") == "absent");
}

bool is_about(std::optional<base::Duration> delay, base::Duration period) {
  return delay && *delay <= period && *delay >= period - period / 10;
}

TEST_CASE("When to come back without an event") {
  World world;
  const auto delay = [&world]() -> std::optional<base::Duration> {
    const auto outcome = world.reconcile();
    const auto* requeue = std::get_if<runtime::RequeueAfter>(&outcome);
    return requeue == nullptr ? std::nullopt : std::optional(requeue->delay);
  };
  world.spec("{}");
  SECTION("never, without any period") { CHECK(delay() == std::nullopt); }
  SECTION("by the flag") {
    world.default_period = std::chrono::minutes(1);
    CHECK(is_about(delay(), std::chrono::minutes(1)));
  }
  SECTION("by the watch") {
    world.default_period = std::chrono::minutes(1);
    world.watch.reconcile_period = std::chrono::minutes(2);
    CHECK(is_about(delay(), std::chrono::minutes(2)));
  }
  SECTION("by the annotation, which can turn it off") {
    world.watch.reconcile_period = std::chrono::minutes(2);
    world.annotate(kReconcilePeriod, "3m");
    CHECK(is_about(delay(), std::chrono::minutes(3)));
    world.annotate(kReconcilePeriod, "0s");
    CHECK(delay() == std::nullopt);
  }
  SECTION("an annotation that is not a duration is an error that says so") {
    world.annotate(kReconcilePeriod, "soon");
    const auto outcome = world.reconcile();
    const auto* failed = std::get_if<runtime::Failed>(&outcome);
    REQUIRE(failed != nullptr);
    CHECK(failed->retry == runtime::Retry::kNever);
    CHECK(failed->error.message() ==
          "helm.sdk.operatorframework.io/reconcile-period: time: invalid duration \"soon\"");
  }
}

TEST_CASE("Override values win over the spec, as strings") {
  World world;
  world.watch.override_values = {{"color", "0123"}};
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(world.color() == "0123");
}

}  // namespace
}  // namespace chartwright::op
