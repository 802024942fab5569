// SPDX-License-Identifier: Apache-2.0
#include "operator/deletion_hooks.h"

#include <catch2/catch.hpp>

#include "test/operator/hooked.h"
#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using testing::Files;
using testing::Parts;
using testing::put_record;
using testing::put_signed_record;
using testing::record;
using testing::widget_chart;
using testing::with;

Files chart_with(const std::string& hook) {
  return with(widget_chart(), {{"templates/hook.yaml", testing::hook_job(hook, "pre-delete")}});
}

/// A release of a chart whose deletion has a hook.
struct Released : testing::Hooked {
  Released() : Hooked(chart_with("farewell")) { settle(); }

  /// Somebody else changes the record: a hook of his own.
  void forge() {
    release::Revision forged = record(*this, 1);
    forged.hooks.front().name = "pwned";
    put_record(*this, forged);
  }
};

std::vector<std::string> names(const std::vector<release::Hook>& hooks) {
  std::vector<std::string> all;
  for (const release::Hook& hook : hooks) {
    all.push_back(hook.name);
  }
  return all;
}

using Names = std::vector<std::string>;

TEST_CASE("Hooks of a deletion are those of the record, without a render") {
  Released world;
  Parts parts(world);
  CHECK(names(CW_MUST(parts.deletion_hooks.find(1))) == Names{"farewell"});
  CHECK(world.calls() == Names{testing::get(1)});
}

TEST_CASE("Hooks of a deletion are those of today's chart where the record is of another") {
  Released world;
  world.deploy(chart_with("goodbye"));
  Parts parts(world);
  CHECK(names(CW_MUST(parts.deletion_hooks.find(1))) == Names{"goodbye"});
}

TEST_CASE("Hooks of a deletion are those of the record where today's chart cannot be rendered") {
  Released world;
  world.deploy(with(chart_with("goodbye"), {{"templates/bad.yaml", "{{ fail \"no\" }}"}}));
  Parts parts(world);
  CHECK(names(CW_MUST(parts.deletion_hooks.find(1))) == Names{"farewell"});
  CHECK(parts.state.missing_hooks.empty());
}

TEST_CASE("Hooks of a record that others wrote do not run") {
  Released world;
  world.forge();
  SECTION("the chart says which ones do") {
    Parts parts(world);
    CHECK(names(CW_MUST(parts.deletion_hooks.find(1))) == Names{"farewell"});
  }
  SECTION("and if it cannot, none do, and the state says why") {
    world.deploy(with(chart_with("goodbye"), {{"templates/bad.yaml", "{{ fail \"no\" }}"}}));
    Parts parts(world);
    CHECK(CW_MUST(parts.deletion_hooks.find(1)).empty());
    CHECK_THAT(parts.state.missing_hooks,
               Catch::Matchers::Contains("the chart cannot be rendered"));
    CHECK_THAT(parts.state.missing_hooks, Catch::Matchers::Contains("no valid signature"));
  }
}

TEST_CASE("Hooks of a record that was signed for its namespace alone do not run") {
  Released world;
  release::Revision confirmed = record(world, 1);
  confirmed.reach = release::Reach::kOwnNamespace;
  put_signed_record(world, confirmed);
  world.deploy(with(chart_with("goodbye"), {{"templates/bad.yaml", "{{ fail \"no\" }}"}}));
  Parts parts(world);
  CHECK(CW_MUST(parts.deletion_hooks.find(1)).empty());
  CHECK_THAT(parts.state.missing_hooks, Catch::Matchers::Contains("not believed for hooks"));
}

TEST_CASE("Hooks of a deletion are those of the record where today's chart waits for an answer") {
  Released world;
  world.watch.dry_run = bundle::DryRunMode::kServer;
  world.deploy(with(chart_with("goodbye"),
                    {{"templates/look.yaml",
                      "{{ lookup \"v1\" \"ConfigMap\" .Release.Namespace \"source\" }}"}}));
  Parts parts(world);
  world.api.fail_always("get ConfigMap shop/source",
                        base::Error(base::ErrorCode::kForbidden, "no right to"));
  CHECK(names(CW_MUST(parts.deletion_hooks.find(1))) == Names{"farewell"});
  CHECK(parts.state.missing_hooks.empty());
}

TEST_CASE("A server that does not answer holds up the search for hooks") {
  Released world;
  Parts parts(world);
  world.api.fail_once(testing::get(1), base::Error(base::ErrorCode::kUnavailable, "not now"));
  CHECK(parts.deletion_hooks.find(1).error().code() == base::ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace chartwright::op
