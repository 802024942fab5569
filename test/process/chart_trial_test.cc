// SPDX-License-Identifier: Apache-2.0
#include "process/chart_trial.h"

#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::process {
namespace {

using op::testing::Painted;

/// A changed chart that fails for a widget in red, and looks something up.
struct Changed {
  explicit Changed(const op::testing::World& world)
      : folder(op::testing::with(
            op::testing::widget_chart(),
            {{"templates/widget.yaml",
              "{{ $_ := lookup \"v1\" \"ConfigMap\" \"shop\" \"other\" }}\n"
              "{{ if eq .Values.color \"red\" }}{{ fail \"no red\" }}{{ end }}\n"}})),
        watches{world.watch} {
    watches[0].bundle = CW_MUST(bundle::load_bundle(folder.path()));
  }
  op::testing::Folder folder;
  std::vector<bundle::Watch> watches;
};

class Tried {
 public:
  explicit Tried(op::testing::World& world) : world_(world) { world.cached(); }
  void run() {
    base::Logger log({}, world_.clock, [this](std::string_view line) { lines.emplace_back(line); });
    try_charts(changed_.watches, world_.services(), log, stop.get_token());
  }
  std::vector<std::string> lines;
  std::stop_source stop;

 private:
  op::testing::World& world_;
  const Changed changed_{world_};
};

TEST_CASE("The failures of a changed chart are logged one by one, and summed up") {
  Painted world({}, {"red"});
  Tried tried(world);
  tried.run();
  REQUIRE(tried.lines.size() == 2);
  CHECK(tried.lines[0].find("does not render for a custom resource") != std::string::npos);
  CHECK(tried.lines[0].find(R"("namespace":"shop","name":"w")") != std::string::npos);
  CHECK(tried.lines[0].find("no red") != std::string::npos);
  CHECK(tried.lines[1].find(R"("level":"warn")") != std::string::npos);
  CHECK(tried.lines[1].find(R"("rendered":0,"failed":1,"unknown":0)") != std::string::npos);
}

TEST_CASE("A chart that renders for all is summed up in one line") {
  Painted world({}, {"green"});
  Tried tried(world);
  tried.run();
  REQUIRE(tried.lines.size() == 1);
  CHECK(tried.lines[0].find(R"("rendered":1,"failed":0,"unknown":0)") != std::string::npos);
}

TEST_CASE("A trial ends at once when it is asked to") {
  Painted world({}, {"red"});
  Tried tried(world);
  tried.stop.request_stop();
  tried.run();
  CHECK(tried.lines.empty());
}

TEST_CASE("A trial that takes long ends, and says how much it does not know") {
  Painted world({}, {"green"});
  value::Value second = world.cr();
  value::Dict& metadata = second.find("metadata")->mutable_dict();
  metadata.set("name", value::Value::string("z"));
  metadata.erase("uid");
  world.api.put(second);
  Tried tried(world);
  world.api.once("get ConfigMap shop/other", [&world]() -> std::optional<base::Error> {
    world.clock.advance(kTrialTime);
    return std::nullopt;
  });
  tried.run();
  REQUIRE(tried.lines.size() == 1);
  CHECK(tried.lines[0].find(R"("rendered":1,"failed":0,"unknown":1)") != std::string::npos);
}

}  // namespace
}  // namespace chartwright::process
