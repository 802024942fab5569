// SPDX-License-Identifier: Apache-2.0
#include "history/trial.h"

#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using testing::Painted;
using testing::World;

/// A world whose widget is deployed in red, and another version of its chart, with `template` in
/// front of the rest.
struct Changed {
  explicit Changed(World& world, const std::string& added) : watch(world.watch) {
    testing::Files files = testing::widget_chart();
    for (auto& [name, text] : files) {
      if (name == "templates/widget.yaml") {
        text = added + text;
      }
    }
    folder.emplace(files);
    watch.bundle = CW_MUST(bundle::load_bundle(folder->path()));
  }
  std::optional<testing::Folder> folder;
  bundle::Watch watch;
};

base::Result<Trial> try_out(World& world, const Changed& changed) {
  const value::Value cr = world.cached();
  world.api.forget_calls();
  return try_chart(changed.watch, world.services(), world.context(), cr);
}

TEST_CASE("A changed chart is tried without any request") {
  Painted world(testing::some_overrides(), {"red"});
  const Changed changed(world, "# New\n");
  const auto trial = try_out(world, changed);
  REQUIRE(trial.ok());
  CHECK(*trial == Trial::kRenders);
  CHECK(world.calls().empty());
}

TEST_CASE("A changed chart that does not render fails in a trial, with the place") {
  Painted world({}, {"red"});
  const Changed changed(world, R"({{ fail "no more widgets" }})");
  const auto trial = try_out(world, changed);
  REQUIRE_FALSE(trial.ok());
  CHECK(trial.error().to_string().find("no more widgets") != std::string::npos);
  CHECK(world.calls().empty());
  CHECK(world.revision() == 1);
}

TEST_CASE("A chart that has not changed is not tried") {
  Painted world({}, {"red"});
  const Changed same(world, "");
  CHECK(CW_MUST(try_out(world, same)) == Trial::kUnneeded);
}

TEST_CASE("A custom resource that is about to go is not tried") {
  Painted world({}, {"red"});
  const Changed changed(world, R"({{ fail "no more widgets" }})");
  value::Value cr = world.cr();
  cr.find("metadata")->mutable_dict().set("finalizers", testing::json(R"(["example.com/held"])"));
  world.api.put(cr);
  world.api.begin_deletion(world.ref());
  CHECK(CW_MUST(try_out(world, changed)) == Trial::kUnneeded);
}

TEST_CASE("A trial looks up the cluster, and knows nothing where that does not answer") {
  Painted world({}, {"red"});
  const std::string lookup =
      "{{ if not (lookup \"v1\" \"ConfigMap\" \"shop\" \"w\") }}{{ fail \"none\" }}{{ end }}";
  const Changed changed(world, lookup);
  CHECK(CW_MUST(try_out(world, changed)) == Trial::kRenders);
  CHECK(world.calls() == testing::Calls{"get ConfigMap shop/w"});
  world.api.fail_once("get ConfigMap shop/w",
                      base::Error(base::ErrorCode::kUnavailable, "not now"));
  CHECK(CW_MUST(try_out(world, changed)) == Trial::kUnknown);
}

TEST_CASE("The contents of a Secret that a trial looked up are masked in its error") {
  Painted world({}, {"red"});
  world.api.put(testing::json(R"({"apiVersion":"v1","kind":"Secret",
      "metadata":{"name":"login","namespace":"shop"},"data":{"password":"aHVudGVyMi1ib251cw=="}})"));
  const Changed changed(world,
                        "{{ fail (lookup \"v1\" \"Secret\" \"shop\" \"login\").data.password }}");
  const auto trial = try_out(world, changed);
  REQUIRE_FALSE(trial.ok());
  CHECK(trial.error().to_string().find("aHVudGVyMi1ib251cw==") == std::string::npos);
}

}  // namespace
}  // namespace chartwright::op
