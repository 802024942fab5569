// SPDX-License-Identifier: Apache-2.0
// The search for causes, over whole reconciles.
#include "subject/causes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::Files;
using testing::json;
using testing::World;
using value::Value;

const std::string kListPods = "list Pod shop app=w";

Files deployment_chart() {
  return {{"Chart.yaml", "apiVersion: v2\nname: widget\nversion: 0.1.0\n"},
          {"values.yaml", "image: one\nnames: [w]\n"},
          {"templates/web.yaml",
           "{{- range .Values.names }}\n---\napiVersion: apps/v1\nkind: Deployment\n"
           "metadata: {name: {{ . }}}\n"
           "spec:\n  selector: {matchLabels: {app: {{ . }}}}\n"
           "  image: {{ $.Values.image }}\n{{- end }}\n"}};
}

/// A release with Deployments, whose controller is the test.
struct Deploying : World {
  explicit Deploying(std::string_view values = "{}") : World(deployment_chart()) {
    searches_causes = true;
    spec(values);
    converge();
    calls();
  }
  kube::ObjectRef deployment(const std::string& name) const {
    return {{"apps", "v1", "Deployment"}, "shop", name};
  }
  /// The controller reports that `ready` of one replica are.
  void report(int64_t ready, const std::string& name = "w", const std::string& image = "") {
    Value live = value::deep_copy(*api.find(deployment(name)));
    const std::string ended = ready == 1 ? "NewReplicaSetAvailable" : "ReplicaSetUpdated";
    Value status = json(R"({"replicas":1,"updatedReplicas":1,"conditions":[
        {"type":"Progressing","status":"True","reason":")" +
                        ended + R"("},
        {"type":"Available","status":")" +
                        (ready == 1 ? "True" : "False") + R"("}]})");
    status.mutable_dict().set("observedGeneration", Value::integer(kube::generation_of(live)));
    status.mutable_dict().set("readyReplicas", Value::integer(ready));
    status.mutable_dict().set("availableReplicas", Value::integer(ready));
    if (!image.empty()) {
      status.mutable_dict().set("image", Value::string(image));
    }
    live.mutable_dict().set("status", status);
    api.put(live);
  }
  /// The kubelet reports why the pod of a Deployment waits.
  void make_wait(const std::string& reason, const std::string& name = "w") {
    const std::string text =
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":")" + name +
        R"(-5d8f7c9b4-x2x4z","labels":{"app":")" + name +
        R"("}},"spec":{"containers":[{"name":"main","image":"web:1"}]},"status":{"phase":"Pending",
        "containerStatuses":[{"name":"main","image":"web:1","state":{"waiting":{"reason":")" +
        reason + R"("}}}]}})";
    api.put(json(text));
  }
  /// Reconciles some time later. Returns the requests.
  Calls after(base::Duration time) {
    clock.advance(time);
    converge();
    return calls();
  }
  std::string cause_of(const std::string& name = "w") const {
    const Value all = status();
    for (const Value& item : all.items_at({"resources"})) {
      if (item.string_at({"name"}) == name) {
        return std::string(item.string_at({"cause"}));
      }
    }
    return "no such child";
  }
};

Calls lists_in(const Calls& calls) {
  Calls lists;
  std::ranges::copy_if(calls, std::back_inserter(lists),
                       [](const std::string& call) { return call.starts_with("list "); });
  return lists;
}

TEST_CASE("A child that is not ready is looked into some seconds after its last change") {
  Deploying world;
  world.make_wait("ImagePullBackOff");
  world.report(0);
  CHECK(lists_in(world.after({})).empty());
  CHECK(lists_in(world.after(std::chrono::seconds(9))).empty());
  CHECK(lists_in(world.after(std::chrono::seconds(1))) == Calls{kListPods});
  CHECK(world.condition("Ready") ==
        "False ImagePull: Deployment.apps shop/w: ImagePullBackOff (image web:1)");
  CHECK(world.condition("Reconciling").starts_with("True ImagePull: "));
  CHECK(world.cause_of() == "ImagePull");
}

TEST_CASE("A search is repeated at longer and longer intervals") {
  Deploying world;
  world.report(0);
  world.after({});
  for (const int seconds : {10, 20, 60, 180, 300, 300}) {
    CAPTURE(seconds);
    CHECK(world.after(std::chrono::seconds(seconds - 1)).empty());
    CHECK_FALSE(lists_in(world.after(std::chrono::seconds(1))).empty());
  }
}

TEST_CASE("A child that changes again and again is not looked into more often") {
  Deploying world;
  size_t searches = 0;
  for (int second = 0; second < 120; ++second) {
    world.report(0, "w", std::to_string(second / 11));  // A change every eleven seconds.
    searches += lists_in(world.after(std::chrono::seconds(1))).empty() ? 0 : 1;
  }
  CHECK(searches > 1);
  CHECK(searches <= 11);
}

TEST_CASE("A child that gets ready is no longer looked into, and has no cause") {
  Deploying world;
  world.make_wait("ImagePullBackOff");
  world.report(0);
  world.after({});
  world.after(std::chrono::seconds(10));
  REQUIRE(world.cause_of() == "ImagePull");
  world.report(1);
  world.after({});
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  CHECK(world.cause_of().empty());
  CHECK(world.after(std::chrono::hours(1)).empty());
}

TEST_CASE("Nothing is asked where every child is ready") {
  Deploying world;
  world.report(1);
  world.after({});
  CHECK(world.after(std::chrono::seconds(10)).empty());
  CHECK(world.after(std::chrono::hours(1)).empty());
}

TEST_CASE("A list that there is no right to is named, and not asked for again") {
  Deploying world;
  world.api.fail_always(kListPods,
                        base::Error(base::ErrorCode::kForbidden,
                                    "pods is forbidden: User \"op\" cannot list resource \"pods\"")
                            .with_http(403, "Forbidden"));
  world.report(0);
  world.after({});
  world.after(std::chrono::seconds(10));
  CHECK(world.condition("Ready").ends_with("; no right to list Pods"));
  CHECK(world.condition("Ready").starts_with("False Progressing: "));
  CHECK(world.cause_of().empty());
  CHECK(lists_in(world.after(std::chrono::seconds(20))).empty());
  world.after(std::chrono::minutes(1));
  world.after(std::chrono::minutes(3));
  world.after(std::chrono::minutes(5));
  CHECK(lists_in(world.after(std::chrono::minutes(5))) == Calls{kListPods});
}

TEST_CASE("Pods of any size cost little memory, and are said to be missing") {
  Deploying world;
  world.make_wait("ErrImagePull");
  Value pod = value::deep_copy(*world.api.find({{"", "v1", "Pod"}, "shop", "w-5d8f7c9b4-x2x4z"}));
  pod.find("metadata")
      ->mutable_dict()
      .set("annotations", Value::dict({{"a", Value::string(std::string(size_t{5} << 20, 'x'))}}));
  world.api.put(pod);
  world.report(0);
  world.after({});
  world.after(std::chrono::seconds(10));
  CHECK(world.condition("Ready").ends_with("; Pods could not be listed"));
  CHECK(world.cause_of().empty());
}

TEST_CASE("Only some children are looked into at once, and the others soon after") {
  Deploying world(R"({"names":["a","b","c","d","e"]})");
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    world.make_wait("ErrImagePull", name);
    world.report(0, name);
  }
  world.after({});
  CHECK(lists_in(world.after(std::chrono::seconds(10))).size() == 3);
  CHECK(lists_in(world.after(std::chrono::seconds(1))).size() == 2);
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    CHECK(world.cause_of(name) == "ImagePull");
  }
}

TEST_CASE("Children with a known cause are named first") {
  Deploying world(R"({"names":["a","b"]})");
  world.make_wait("ErrImagePull", "b");
  world.report(0, "a");
  world.report(0, "b");
  world.after({});
  world.after(std::chrono::seconds(10));
  CHECK(world.condition("Ready").starts_with("False ImagePull: Deployment.apps shop/b: "));
}

TEST_CASE("A search that is due beside an error does not make the reconcile come back at once") {
  Deploying world;
  world.report(0);
  world.after({});
  world.spec(R"({"image":"{{ fail }}","names":3})");  // Cannot be ranged over.
  world.clock.advance(std::chrono::seconds(30));
  const runtime::Outcome outcome = world.reconcile();
  const auto* failed = std::get_if<runtime::Failed>(&outcome);
  REQUIRE(failed != nullptr);
  REQUIRE(failed->retry == runtime::Retry::kNever);
  CHECK(failed->later == base::Duration::zero());
}

TEST_CASE("Override values are masked in a cause") {
  Deploying world;
  world.watch.override_values = {{"color", "S3cr3tPassw0rd"}};
  world.restart();
  world.make_wait("S3cr3tPassw0rdError");
  world.report(0);
  world.after({});
  world.after(std::chrono::seconds(10));
  CHECK(world.condition("Ready").find("S3cr3t") == std::string::npos);
}

TEST_CASE("A search that has to wait for its turn has the custom resource come back for it once") {
  Deploying world;
  world.make_wait("CrashLoopBackOff");
  world.report(0);
  world.after({});
  for (int other = 0; other < 95; ++other) {
    world.clock.advance(other == 0 ? std::chrono::seconds(10) : base::Duration::zero());
    CHECK(world.causes.take_turn().has_value() == (other >= 10));
  }
  world.calls();
  const runtime::Outcome waiting = world.reconcile();
  CHECK(std::get<runtime::RequeueAfter>(waiting).delay == std::chrono::seconds(9));
  CHECK(world.calls().empty());
  world.clock.advance(std::chrono::seconds(9));
  world.reconcile();
  CHECK(std::ranges::count(world.calls(), kListPods) == 1);
}

TEST_CASE("A search that is due begins or is waited for, though time goes on meanwhile") {
  for (int others = 0; others <= 150; others += 10) {
    INFO(others);
    Deploying world;
    world.make_wait("CrashLoopBackOff");
    world.report(0);
    world.after({});
    world.clock.advance(std::chrono::seconds(10));
    for (int other = 0; other < others; ++other) {
      world.causes.take_turn();
    }
    world.calls();
    world.clock.tick(std::chrono::milliseconds(700));
    const runtime::Outcome outcome = world.reconcile();
    const auto* later = std::get_if<runtime::RequeueAfter>(&outcome);
    const bool has_begun = std::ranges::count(world.calls(), kListPods) == 1;
    CHECK((has_begun || (later != nullptr && later->delay <= std::chrono::seconds(16))));
  }
}

TEST_CASE("A process begins so many searches in a second") {
  base::ManualClock clock;
  CauseSearches searches(clock);
  int begun = 0;
  while (searches.begin()) {
    ++begun;
  }
  CHECK(begun == 10);
  clock.advance(std::chrono::milliseconds(999));
  CHECK_FALSE(searches.begin());
  clock.advance(std::chrono::milliseconds(1));
  CHECK(searches.begin());
}

TEST_CASE("A search that cannot wait begins, however many others wait for their turn") {
  base::ManualClock clock;
  CauseSearches searches(clock);
  for (int other = 0; other < 1000; ++other) {
    searches.take_turn();
  }
  for (int second = 0; second < 3; ++second) {
    CHECK(searches.begin());
    clock.advance(std::chrono::seconds(1));
  }
}

TEST_CASE("Searches beyond those of a second have their turn in later ones") {
  base::ManualClock clock;
  CauseSearches searches(clock);
  const base::MonotonicTime began = clock.monotonic();
  const auto seconds_to_turn = [&] {
    const base::MonotonicTime turn = searches.take_turn().value_or(clock.monotonic());
    return std::chrono::floor<std::chrono::seconds>(turn - began).count();
  };
  for (const int second : {0, 1, 2}) {
    for (int turn = 0; turn < 10; ++turn) {
      CHECK(seconds_to_turn() == second);
    }
  }
  clock.advance(std::chrono::milliseconds(500));
  CHECK(seconds_to_turn() == 3);
  clock.advance(std::chrono::seconds(5));
  CHECK_FALSE(searches.take_turn());
}

}  // namespace
}  // namespace chartwright::op
