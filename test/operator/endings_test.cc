// SPDX-License-Identifier: Apache-2.0
// Jobs that the cluster removes when they are finished, over whole reconciles.
#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::Files;
using testing::has;
using testing::json;
using testing::World;
using value::Value;

const std::string kApplyJob = "apply Job.batch shop/w";

Files job_chart(const std::string& metadata = "{name: w}") {
  return {
      {"Chart.yaml", "apiVersion: v2\nname: widget\nversion: 0.1.0\n"},
      {"values.yaml", "image: one\nnote: \"\"\nttl: 100\n"},
      {"templates/job.yaml",
       "apiVersion: batch/v1\nkind: Job\nmetadata: " + metadata +
           "\nspec: {ttlSecondsAfterFinished: {{ .Values.ttl }}, image: {{ .Values.image }}}\n"},
      {"templates/note.yaml",
       "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w}\n"
       "data: {color: {{ .Values.note | quote }}}\n"}};
}

/// A release with a Job that the cluster removes 100 s after its end.
struct Finishing : World {
  explicit Finishing(const Files& files = job_chart()) : World(files) {
    spec("{}");
    converge();
  }
  kube::ObjectRef job(const std::string& name = "w") const {
    return {{"batch", "v1", "Job"}, "shop", name};
  }
  /// The Job controller reports the end, by now.
  void finish(const std::string& how = "Complete", const std::string& name = "w") {
    Value live = value::deep_copy(*api.find(job(name)));
    Value condition = json(R"({"status":"True"})");
    condition.mutable_dict().set("type", Value::string(how));
    condition.mutable_dict().set("lastTransitionTime",
                                 Value::string(base::format_rfc3339(clock.wall())));
    live.mutable_dict().set("status", Value::dict({{"conditions", Value::list({condition})}}));
    api.put(live);
  }
  /// The TTL controller removes the Job in time.
  void expire(const std::string& name = "w") {
    clock.advance(std::chrono::seconds(100));
    api.erase(job(name));
  }
  bool runs_again() {
    converge();
    return has(calls(), kApplyJob);
  }
  std::string state_of_job() const {
    const Value all = status();
    for (const Value& item : all.items_at({"resources"})) {
      if (item.string_at({"kind"}) == "Job") {
        return std::string(item.string_at({"state"}));
      }
    }
    return "none";
  }
};

TEST_CASE("A completed Job that its TTL removed is not run again") {
  Finishing world;
  CHECK(world.condition("Ready").starts_with("False Progressing: Job.batch shop/w"));
  world.finish();
  world.converge();
  world.expire();
  CHECK_FALSE(world.runs_again());
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  CHECK(world.state_of_job() == "Ready");
  CHECK(world.condition("Contested") == "absent");
  CHECK_FALSE(world.runs_again());
  CHECK(world.calls().empty());
}

TEST_CASE("The end of a Job is known after a restart") {
  Finishing world;
  world.finish();
  world.converge();
  SECTION("that comes after its removal") {
    world.expire();
    world.converge();
    world.restart();
  }
  SECTION("during which it is removed") {
    world.expire();
    world.restart();
  }
  CHECK_FALSE(world.runs_again());
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
}

TEST_CASE("A Job that ends and goes before a reconcile has seen it is not run again") {
  Finishing world;
  world.finish();
  world.expire();
  CHECK_FALSE(world.runs_again());
  world.restart();
  CHECK_FALSE(world.runs_again());
}

TEST_CASE("A Job whose removal is under way is as ready as it was") {
  Finishing world;
  world.finish();
  world.converge();
  world.clock.advance(std::chrono::seconds(100));
  Value live = value::deep_copy(*world.api.find(world.job()));
  live.find("metadata")
      ->mutable_dict()
      .set("finalizers", value::list_of({std::string("foregroundDeletion")}));
  world.api.put(live);
  world.api.begin_deletion(world.job());
  world.converge();
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
}

TEST_CASE("A failed Job that its TTL removed stays failed, and is not run again") {
  Finishing world;
  world.finish("Failed");
  world.converge();
  CHECK(world.condition("Ready") == "False ChildFailed: Job.batch shop/w: the job failed");
  world.expire();
  CHECK_FALSE(world.runs_again());
  CHECK(world.condition("Ready") ==
        "False ChildFailed: Job.batch shop/w: failed, and was removed after that");
  CHECK(world.state_of_job() == "Failed");
  world.spec(R"({"image":"two"})");
  CHECK(world.runs_again());
}

TEST_CASE("A Job that somebody deletes is created again") {
  Finishing world;
  SECTION("before it has finished") {}
  SECTION("once it has finished, and long before its TTL is over") { world.finish(); }
  world.converge();
  world.api.erase(world.job());
  CHECK(world.runs_again());
}

TEST_CASE("A Job without a TTL is created again whenever it is deleted") {
  Finishing world(testing::with(
      job_chart(),
      {{"templates/job.yaml",
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: w}\nspec: {image: one}\n"}}));
  world.finish();
  world.converge();
  world.expire();
  CHECK(world.runs_again());
}

TEST_CASE("A Job that is over runs again once the chart renders another one") {
  Finishing world;
  world.finish();
  world.converge();
  world.expire();
  world.converge();
  world.spec(R"({"note":"other children do not matter"})");
  CHECK_FALSE(world.runs_again());
  CHECK(world.color() == "other children do not matter");
  world.spec(R"({"image":"two"})");
  CHECK(world.runs_again());
  world.finish();
  world.converge();
  world.expire();
  CHECK_FALSE(world.runs_again());
  world.annotate("chartwright.io/rollback-to", "1");
  CHECK(world.runs_again());
}

/// Somebody writes into the line of the Job in the status.
void forge(World& world, std::string_view member, const std::string& text) {
  const Value forged = value::deep_copy(world.cr());
  for (const Value& item : forged.find("status")->items_at({"resources"})) {
    if (item.string_at({"kind"}) == "Job") {
      item.mutable_dict().set(member, Value::string(text));
    }
  }
  world.api.put(forged);
}

TEST_CASE("Nobody but the operator can say that a Job has ended") {
  Finishing world;
  world.converge();
  forge(world, "ended", "Complete 2026-01-01T00:00:00Z");
  world.expire();
  world.restart();
  CHECK(world.runs_again());
}

TEST_CASE("Nobody but the operator can say that another Job has ended") {
  Finishing world;
  world.finish();
  world.converge();
  const auto [member, text] = GENERATE(table<std::string, std::string>(
      {{"ended", "Complete 2031-01-01T00:00:00Z"}, {"desired", std::string(64, 'a')}}));
  forge(world, member, text);
  world.expire();
  world.restart();
  CHECK(world.runs_again());
}

TEST_CASE("A Job with a generated name that is over gets no successor") {
  Finishing world(job_chart("{name: j, annotations: {chartwright.io/generate-name: j-}}"));
  const auto names = [&world] {
    Calls found;
    const Value all = world.status();
    for (const Value& item : all.items_at({"resources"})) {
      if (item.string_at({"kind"}) == "Job") {
        found.emplace_back(item.string_at({"name"}));
      }
    }
    return found;
  };
  REQUIRE(names().size() == 1);
  const Calls first = names();
  world.finish("Complete", first.front());
  world.converge();
  world.expire(first.front());
  world.converge();
  CHECK(world.api.count("Job") == 0);
  CHECK(names() == first);
  world.spec(R"({"image":"two"})");
  world.converge();
  CHECK(world.api.count("Job") == 1);
}

}  // namespace
}  // namespace chartwright::op
