// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "operator/reconcile.h"
#include "test/operator/world.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using value::Value;
using value::testing::json;

std::string config(std::string_view cr, std::vector<std::pair<std::string, std::string>> set = {}) {
  bundle::Watch watch;
  watch.override_values = std::move(set);
  return CW_MUST(value::to_json(CW_MUST(release_config(json(cr), watch))));
}

TEST_CASE("The spec is the values; without a spec there are none") {
  CHECK(config(R"({"spec":{"a":1,"b":{"c":"d"}}})") == R"({"a":1,"b":{"c":"d"}})");
  CHECK(config("{}") == "{}");
  CHECK(config(R"({"spec":null})") == "{}");
  CHECK(config(R"({"spec":{}})") == "{}");
}

TEST_CASE("Overrides win, as strings, at any depth") {
  CHECK(config(R"({"spec":{"a":{"b":1,"c":2}}})", {{"a.b", "3"}}) == R"({"a":{"b":"3","c":2}})");
  CHECK(config("{}", {{"x.y", "true"}}) == R"({"x":{"y":"true"}})");
  CHECK(config(R"({"spec":{"a":"x"}})", {{"a", ""}}) == R"({"a":""})");
  CHECK(config("{}", {{"list[1]", "b"}}) == R"({"list":[null,"b"]})");
}

TEST_CASE("The custom resource itself is not written to: it belongs to the cache") {
  const Value cr = json(R"({"spec":{"a":{"b":1}}})");
  bundle::Watch watch;
  watch.override_values = {{"a.b", "2"}};
  CHECK(release_config(cr, watch).ok());
  CHECK(cr.find_path({"spec", "a", "b"})->as_int() == 1);
}

TEST_CASE("A spec that is not a map is refused in helm-operator's words") {
  for (std::string_view cr : {R"({"spec":[]})", R"({"spec":"a"})", R"({"spec":5})"}) {
    const auto refused = release_config(json(cr), bundle::Watch());
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code() == base::ErrorCode::kInvalidArgument);
    CHECK(refused.error().message() == "failed to get spec: expected a map");
  }
}

const std::string kColorWarning =
    "OverrideValuesInUse: Chart value \"color\" overridden to \"blue\" by operator's watches.yaml";

TEST_CASE("Users are warned of overrides at each install and upgrade") {
  testing::World world;
  world.watch.override_values = {{"color", "blue"}, {"a.b", "say \"x\""}};
  world.spec("{}");
  world.converge();
  REQUIRE(world.warnings.all.size() == 2);
  CHECK(world.warnings.all[0].about == world.ref());
  CHECK(world.warnings.all[0].uid == kube::uid_of(world.cr()));
  CHECK(world.warnings.all[0].component == "widget-controller");
  CHECK(world.warnings.take() ==
        std::vector<std::string>{kColorWarning,
                                 "OverrideValuesInUse: Chart value \"a.b\" overridden to "
                                 "\"say \\\"x\\\"\" by operator's watches.yaml"});
  world.converge();
  CHECK(world.warnings.take().empty());  // Nothing to do.
  world.spec(R"({"color":"green"})");
  world.converge();
  CHECK(world.warnings.take().empty());  // The override wins, so the render is the same.
  world.spec(R"({"extra":"e"})");
  world.converge();
  CHECK(world.warnings.take().size() == 2);
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.warnings.take().empty());  // Replayed, not overridden anew.
}

TEST_CASE("Override values can be kept out of warnings") {
  testing::World world;
  world.suppress_override_values = true;
  world.watch.override_values = {{"color", "blue"}};
  world.spec("{}");
  world.converge();
  CHECK(world.warnings.take() ==
        std::vector<std::string>{"OverrideValuesInUse: Chart value \"color\" overridden to "
                                 "\"****\" by operator's watches.yaml"});
}

TEST_CASE("Without overrides there is nothing to warn of") {
  testing::World world;
  world.spec("{}");
  world.converge();
  CHECK(world.warnings.take().empty());
}

}  // namespace
}  // namespace chartwright::op
