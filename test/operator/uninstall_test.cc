// SPDX-License-Identifier: Apache-2.0
// Deletion of custom resources.
#include <catch2/catch.hpp>

#include "operator/uninstall.h"
#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Parts;
using testing::World;
using value::Value;
using Calls = std::vector<std::string>;

const std::string kFinalize = "patch Widget.example.com shop/w";
const std::string kRead = "get Widget.example.com shop/w";
// A child that garbage collection cannot reach from a namespaced owner.
constexpr std::string_view kFar =
    R"({"raw":"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far, namespace: other}"})";

kube::ObjectRef far() { return {{"", "v1", "ConfigMap"}, "other", "far"}; }

bool done(const runtime::Outcome& outcome) {
  return std::holds_alternative<runtime::Done>(outcome);
}

bool waits(const runtime::Outcome& outcome) {
  return std::holds_alternative<runtime::RequeueAfter>(outcome);
}

void finalize(World& world, std::string_view finalizer) {
  Value object = world.cr();
  std::vector<Value> items;
  for (const std::string& present : kube::finalizers_of(object)) {
    items.push_back(Value::string(present));
  }
  items.push_back(Value::string(finalizer));
  object.find("metadata")->mutable_dict().set("finalizers", Value::list(std::move(items)));
  world.api.put(object);
}

TEST_CASE("Where garbage collection reaches everything there is no finalizer") {
  World world;
  world.spec("{}");
  world.converge();
  CHECK(kube::finalizers_of(world.cr()).empty());
}

TEST_CASE("A custom resource under deletion that another finalizer holds is left alone") {
  World world;
  world.spec("{}");
  world.converge();
  finalize(world, "example.com/other");
  world.api.begin_deletion(world.ref());
  CHECK(done(world.reconcile()));
  CHECK(world.calls().empty());
  CHECK(world.exists("w"));
  // Also if a child is deleted: nothing may be created any more.
  world.api.erase(world.config_map("w"));
  CHECK(done(world.reconcile()));
  CHECK(world.calls().empty());
}

TEST_CASE("A child that garbage collection cannot reach gets a finalizer before it exists") {
  World world;
  world.spec(kFar);
  bool finalizer_first = false;
  world.api.once("apply ConfigMap other/far", [&world, &finalizer_first] {
    finalizer_first = kube::finalizers_of(world.cr()) ==
                      std::vector<std::string>{std::string(kUninstallFinalizer)};
    return std::optional<Error>();
  });
  world.converge();
  CHECK(finalizer_first);
  CHECK(world.api.find(far()));
  const Value sent = world.api.last(kFinalize).body;
  CHECK_FALSE(sent.string_at({"metadata", "uid"}).empty());
  CHECK_FALSE(sent.string_at({"metadata", "resourceVersion"}).empty());
  world.converge();
  world.converge();
  CHECK(world.calls().empty());
}

/// A custom resource with a child that garbage collection cannot reach.
struct Finalized : World {
  Finalized() {
    spec(kFar);
    converge();
    REQUIRE(api.find(far()));
  }
};

TEST_CASE("A child that garbage collection cannot reach is deleted with its custom resource") {
  Finalized world;
  SECTION("over its uid") {
    const std::string uid(kube::uid_of(*world.api.find(far())));
    world.api.begin_deletion(world.ref());
    CHECK(done(world.reconcile()));
    CHECK(world.api.last("delete ConfigMap other/far").uid == uid);
    CHECK_FALSE(world.api.find(far()));
    CHECK_FALSE(world.api.find(world.ref()));
    CHECK(world.lines.mention("Uninstalled release"));
  }
  SECTION("also by a process that has just started") {
    world.api.begin_deletion(world.ref());
    world.restart();
    CHECK(done(world.reconcile()));
    CHECK_FALSE(world.api.find(far()));
    CHECK_FALSE(world.api.find(world.ref()));
  }
  SECTION("but not if it has another owner") {
    Value object = *world.api.find(far());
    object.find("metadata")->mutable_dict().set("annotations", Value::dict());
    world.api.put(object);
    world.api.begin_deletion(world.ref());
    CHECK(done(world.reconcile()));
    CHECK(world.api.find(far()));
    CHECK_FALSE(world.api.find(world.ref()));
  }
  SECTION("a deletion that fails is reported and tried again") {
    world.api.begin_deletion(world.ref());
    world.api.fail_once("delete ConfigMap other/far", Error(ErrorCode::kForbidden, "may not"));
    const runtime::Failed failed = world.fail();
    CHECK(failed.retry == runtime::Retry::kBackoff);
    CHECK(world.condition("ReleaseFailed") == "True UninstallError: may not");
    CHECK(world.api.find(world.ref()));
    CHECK(done(world.reconcile()));
    CHECK_FALSE(world.api.find(world.ref()));
  }
  SECTION("finalizers of others stay") {
    finalize(world, "example.com/other");
    world.api.begin_deletion(world.ref());
    CHECK(done(world.reconcile()));
    CHECK(kube::finalizers_of(world.cr()) == std::vector<std::string>{"example.com/other"});
  }
  SECTION("a custom resource that changed meanwhile is finalized the next time") {
    world.api.begin_deletion(world.ref());
    world.api.once(kFinalize, [&world] {
      world.annotate("example.com/note", "x");
      return std::optional<Error>();
    });
    CHECK(world.fail().error.code() == ErrorCode::kConflict);
    CHECK(world.api.find(world.ref()));
    CHECK(done(world.reconcile()));
    CHECK_FALSE(world.api.find(world.ref()));
  }
}

TEST_CASE("A child that is to be deleted is looked for if the server refuses") {
  Finalized world;
  SECTION("it is gone, or another one by now") {
    world.api.begin_deletion(world.ref());
    const bool comes_back = GENERATE(false, true);
    world.api.once("delete ConfigMap other/far", [&world, comes_back] {
      world.api.erase(far());
      if (comes_back) {
        world.api.put(testing::json(R"({"apiVersion":"v1","kind":"ConfigMap",
                               "metadata":{"namespace":"other","name":"far"}})"));
      }
      return std::optional<Error>();
    });
    CHECK(done(world.reconcile()));
    CHECK_FALSE(world.api.find(world.ref()));
    CHECK(world.api.has(far()) == comes_back);
  }
  SECTION("it is there: the deletion is tried again") {
    world.api.begin_deletion(world.ref());
    world.api.fail_once("delete ConfigMap other/far",
                        Error(ErrorCode::kConflict, "says a webhook"));
    CHECK(world.fail().error.message() == "says a webhook");
    CHECK(world.api.find(world.ref()));
    CHECK(done(world.reconcile()));
    CHECK_FALSE(world.api.has(far()));
  }
}

TEST_CASE("A finalizer that is missing although it is needed is added") {
  World world;
  SECTION("somebody has removed it") {
    world.spec(kFar);
    world.converge();
    Value object = world.cr();
    object.find("metadata")->mutable_dict().erase("finalizers");
    world.api.put(object);
    if (GENERATE(false, true)) {
      world.restart();
    }
  }
  SECTION("it is asked for later") {
    world.spec("{}");
    world.converge();
    CHECK(kube::finalizers_of(world.cr()).empty());
    world.annotate(kUninstallWait, "true");
  }
  SECTION("it was asked for, and somebody has removed it") {
    world.spec("{}");
    world.annotate(kUninstallWait, "true");
    world.converge();
    world.converge();
    Value object = world.cr();
    object.find("metadata")->mutable_dict().erase("finalizers");
    object.find("metadata")->mutable_dict().erase("annotations");
    world.api.put(object);
  }
  world.converge();
  CHECK(kube::finalizers_of(world.cr()) ==
        std::vector<std::string>{std::string(kUninstallFinalizer)});
}

TEST_CASE("A finalizer is written over the newest version, also where the cache has an older one") {
  World world;
  world.spec(kFar);
  Parts parts(world);  // As the cache has the custom resource now.
  const auto desired = CW_MUST(parts.applier.desired_from(
      {testing::json(
          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"far","namespace":"other"}})")},
      release::Role::kChild));
  std::vector<std::string> expected{std::string(kUninstallFinalizer)};
  Calls calls{kRead};
  SECTION("another client has written") {
    world.annotate("example.com/note", "x");
    calls = {kFinalize, kRead, kFinalize};
  }
  SECTION("another client has added a finalizer") {
    Value object = world.cr();
    object.find("metadata")->mutable_dict().set("finalizers", testing::json(R"(["x.io/y"])"));
    world.api.put(object);
    expected.insert(expected.begin(), "x.io/y");
    calls = {kFinalize, kRead, kFinalize};
  }
  SECTION("the operator has added it in its last reconcile") {
    Parts last(world);
    CW_MUST(last.uninstall.ensure_finalizer(desired, {}));
    parts.state.stored.version = last.state.stored.version;
  }
  world.api.forget_calls();
  CW_MUST(parts.uninstall.ensure_finalizer(desired, {}));
  CHECK(world.calls() == calls);
  CHECK(kube::finalizers_of(world.cr()) == expected);
}

TEST_CASE("No unreachable child is created before the finalizer is written") {
  World world;
  world.spec(kFar);
  world.api.fail_once(kFinalize, Error(ErrorCode::kUnavailable, "not now"));
  CHECK(world.fail().error.message() == "write finalizers: not now");
  CHECK_FALSE(world.api.find(far()));
  world.converge();
  CHECK(world.api.find(far()));
}

TEST_CASE("A kept child outlives its custom resource") {
  World world;
  world.spec(R"({"raw":"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kept\n  annotations: )"
             R"({helm.sh/resource-policy: keep}"})");
  world.converge();
  CHECK(kube::finalizers_of(world.cr()).empty());
  CHECK(kube::owner_references_of(*world.api.find(world.config_map("kept"))).empty());
  // With the finalizer that helm-operator left.
  finalize(world, kLegacyUninstallFinalizer);
  world.api.begin_deletion(world.ref());
  CHECK(done(world.reconcile()));
  CHECK(world.exists("kept"));
  CHECK_FALSE(world.exists("w"));
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("Both of helm-operator's finalizers are honoured") {
  const auto finalizer = GENERATE(kUninstallFinalizer, kLegacyUninstallFinalizer);
  World world;
  world.spec("{}");
  finalize(world, finalizer);
  world.converge();
  CHECK(kube::finalizers_of(world.cr()).size() == 1);
  world.api.begin_deletion(world.ref());
  CHECK(done(world.reconcile()));
  CHECK_FALSE(world.exists("w"));
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("A user can ask that the custom resource is deleted after its children") {
  World world;
  world.spec("{}");
  world.annotate(kUninstallWait, "true");
  world.converge();
  CHECK(kube::finalizers_of(world.cr()).size() == 1);
  Value child = *world.api.find(world.config_map("w"));
  child.find("metadata")
      ->mutable_dict()
      .set("finalizers", Value::list({Value::string("example.com/slow")}));
  world.api.put(child);

  world.api.begin_deletion(world.ref());
  CHECK(waits(world.reconcile()));
  CHECK(world.api.find(world.ref()));  // The child is still being deleted.
  CHECK(world.condition("Deployed") ==
        "False UninstallSuccessful: Waiting until all resources are deleted.");
  CHECK(waits(world.reconcile()));
  CHECK(world.calls().empty());

  world.api.erase(world.config_map("w"));
  CHECK(done(world.reconcile()));
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("A custom resource that another finalizer keeps says that its release is gone") {
  World world;
  world.spec("{}");
  world.annotate(kUninstallWait, "true");
  world.converge();
  Value cr = world.cr();
  cr.find("metadata")
      ->mutable_dict()
      .set("finalizers",
           Value::list({Value::string(kUninstallFinalizer), Value::string("b.com/x")}));
  world.api.put(cr);
  world.api.begin_deletion(world.ref());
  CHECK(waits(world.reconcile()));  // The child is deleted,
  CHECK(done(world.reconcile()));   // and gone.
  CHECK(kube::finalizers_of(world.cr()) == std::vector<std::string>{"b.com/x"});
  CHECK(world.condition("Deployed") == "False UninstallSuccessful: ");
  CHECK(world.status().find("deployedRelease") == nullptr);
}

// Children and revisions are collected before the event of the custom resource's deletion arrives.
TEST_CASE("Nothing is created for a custom resource that is deleted but still in the cache") {
  World world;
  world.spec("{}");
  world.converge();
  world.converge();
  const std::string get_cr = "get Widget.example.com shop/w";
  world.api.erase(world.config_map("w"));
  SECTION("gone") { world.api.fail_once(get_cr, Error(ErrorCode::kNotFound, "gone")); }
  SECTION("another one of that name") {
    world.api.once(get_cr, [&world] {
      world.api.erase(world.ref());
      world.spec("{}");
      return std::optional<Error>();
    });
  }
  SECTION("with its revisions") {
    world.api.erase(world.secret(1));
    world.api.fail_once(get_cr, Error(ErrorCode::kNotFound, "gone"));
  }
  CHECK(done(world.reconcile()));
  CHECK_FALSE(world.exists("w"));
}

TEST_CASE("A custom resource that cannot be read is read again") {
  World world;
  world.spec("{}");
  world.converge();
  world.api.erase(world.config_map("w"));
  world.api.fail_once("get Widget.example.com shop/w", Error(ErrorCode::kUnavailable, "not now"));
  CHECK(world.fail().retry == runtime::Retry::kBackoff);
  CHECK_FALSE(world.exists("w"));
  world.converge();
  CHECK(world.exists("w"));
}

TEST_CASE("A finalizer is added only for a child out of reach, and once") {
  World world;
  world.spec("{}");
  Parts parts(world);
  const auto desired_in = [&parts](const std::string& ns) {
    return CW_MUST(parts.applier.desired_from(
        {testing::json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"far",
                           "namespace":")" +
                       ns + R"("}})")},
        release::Role::kChild));
  };
  const auto close = desired_in("shop");
  const auto distant = desired_in("other");
  world.api.forget_calls();
  CW_MUST(parts.uninstall.ensure_finalizer(close, {}));
  CHECK(world.calls().empty());
  CW_MUST(parts.uninstall.ensure_finalizer(distant, {}));
  CHECK(world.calls() == Calls{kFinalize});

  Parts next(world);
  CW_MUST(next.uninstall.ensure_finalizer(distant, {}));
  CHECK(world.calls().empty());
}

TEST_CASE("An uninstall deletes children that are recorded as ours, and nothing else") {
  World world;
  world.spec(R"({"extra":"more"})");
  world.annotate(kUninstallWait, "true");
  world.converge();
  world.api.begin_deletion(world.ref());
  Parts parts(world);
  parts.state.inventory[world.config_map("more")].role = release::Role::kPartial;
  CHECK(waits(parts.uninstall.run()));
  CHECK_FALSE(world.exists("w"));
  CHECK(world.exists("more"));
}

}  // namespace
}  // namespace chartwright::op
