// SPDX-License-Identifier: Apache-2.0
#include "operator/attempts.h"

#include <algorithm>
#include <functional>

#include "test/operator/hooked.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using testing::Calls;
using testing::Files;
using testing::hook_job;
using testing::Hooked;
using testing::widget_chart;
using testing::with;
using testing::World;

TEST_CASE("Inputs that change meanwhile supersede an attempt") {
  Hooked world;
  world.settle();
  world.spec(R"({"color":"green"})");
  world.step();
  world.spec(R"({"color":"blue"})");
  world.settle();
  CHECK(world.color() == "blue");
  CHECK(world.records() == Calls{"superseded", "failed", "deployed"});
}

TEST_CASE("An attempt whose record is deleted while a hook runs begins anew, and says so") {
  Hooked world;
  world.step();
  REQUIRE(world.records() == Calls{"pending-install"});
  CHECK_FALSE(world.lines.mention("The record of an attempt is lost"));
  world.api.erase(world.secret(1));
  world.settle();
  CHECK(world.lines.mention("The record of an attempt is lost"));
  CHECK(world.take_created() == Calls{"before", "before", "after"});
  CHECK(world.passwords.size() == 1);
  CHECK(world.records() == Calls{"deployed"});
}

TEST_CASE("A failed hook runs again for a request that came while no process ran") {
  Hooked world;
  world.await_job("before", "Complete");
  world.await_job("after", "Failed");
  world.step();
  REQUIRE(world.records() == Calls{"failed"});
  world.take_created();
  SECTION("or while one did") { world.step(); }
  SECTION("and the next one knows only the status") { world.restart(); }
  world.annotate(kReconcileRequestedAt, "now");
  world.settle();
  CHECK(world.take_created() == Calls{"first", "before", "after"});
  CHECK(world.records() == Calls{"failed", "deployed"});
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
}

struct Scene {
  std::string name;
  std::function<void(Hooked&)> prepare;
  std::function<void(Hooked&)> act;
  Calls hooks;
  size_t passwords;  ///< Before and after.
};

std::vector<Scene> scenes() {
  const auto installed = [](Hooked& world) { world.settle(); };
  return {
      {"install", [](Hooked&) {}, [](Hooked&) {}, {"before", "after"}, 1},
      {"upgrade",
       installed,
       [](Hooked& world) { world.spec(R"({"color":"green"})"); },
       {"first", "before", "after"},
       2},
      {"rollback",
       [](Hooked& world) {
         world.settle();
         world.spec(R"({"color":"green"})");
         world.settle();
       },
       [](Hooked& world) { world.annotate(kRollbackTo, "1"); },
       {"before", "after"},
       2},
      {"uninstall",
       installed,
       [](Hooked& world) { world.api.begin_deletion(world.ref()); },
       {"farewell", "last"},
       1},
  };
}

// The first `calls` requests of the scene are answered, then the process ends, and another one goes
// on, with that spec if one is given. Returns whether it was cut off.
bool cut_off(const Scene& scene, Hooked& world, size_t calls,
             const std::optional<std::string>& spec = std::nullopt) {
  scene.prepare(world);
  world.take_created();
  world.passwords.clear();
  scene.act(world);
  static_cast<void>(world.cached());  // The process has started.
  world.api.allow_calls(calls);
  for (int i = 0; i < 40 && !world.api.refused_calls(); ++i) {
    const runtime::Outcome outcome = world.step();
    if (std::holds_alternative<runtime::Done>(outcome)) {
      break;
    }
    world.complete_jobs();
  }
  const bool was_cut_off = world.api.refused_calls();
  world.api.allow_calls(std::nullopt);
  world.restart();
  if (spec) {
    world.spec(*spec);
  }
  world.settle();
  return was_cut_off;
}

TEST_CASE("A crash after any request runs no hook twice and makes no second password") {
  for (const Scene& scene : scenes()) {
    size_t points = 0;
    for (size_t calls = 0;; ++calls) {
      CAPTURE(scene.name, calls);
      Hooked world;
      const bool was_cut_off = cut_off(scene, world, calls);
      CHECK(world.take_created() == scene.hooks);
      CHECK(world.passwords.size() <= scene.passwords);
      if (world.api.find(world.ref())) {
        const Calls records = world.records();
        CHECK(std::count(records.begin(), records.end(), "deployed") == 1);
        CHECK(records.back() == "deployed");
        CHECK(world.status().find("attempt") == nullptr);
      }
      if (!was_cut_off) {
        break;
      }
      ++points;
    }
    CAPTURE(scene.name);
    CHECK(points > 8);
  }
}

/// Begins an upgrade that adds a child, restarts while its hook runs, and has the next process end
/// after `calls` requests. Returns whether it was cut off.
bool restart_and_cut_off(Hooked& world, size_t calls) {
  world.settle();
  world.spec(R"({"color":"green","extra":"added"})");
  world.await_job("first", "Complete");
  world.await_job("before", "Complete");
  world.restart();
  static_cast<void>(world.cached());  // The process has started.
  world.api.allow_calls(calls);
  world.step();
  const bool was_cut_off = world.api.refused_calls();
  world.api.allow_calls(std::nullopt);
  world.restart();
  return was_cut_off;
}

TEST_CASE("A child of an attempt that two processes left undone goes with the attempt") {
  bool was_cut_off = true;
  for (size_t calls = 0; was_cut_off; ++calls) {
    CAPTURE(calls);
    Hooked world;
    was_cut_off = restart_and_cut_off(world, calls);
    world.spec("{}");
    world.settle();
    CHECK_FALSE(world.exists("added"));
  }
}

/// A rollback is in force, and is withdrawn.
void withdraw_rollback(Hooked& world) {
  world.settle();
  world.spec(R"({"color":"green"})");
  world.settle();
  world.annotate(kRollbackTo, "1");
  world.settle();
  world.annotate(kRollbackTo, std::nullopt);
}

int revision_in_force(const Hooked& world) {
  const value::Value status = world.status();
  for (const value::Value& line : status.find("history")->as_list().items) {
    if (line.string_at({"status"}) == "deployed") {
      return static_cast<int>(line.find("revision")->as_int());
    }
  }
  FAIL("no revision is in force");
  return 0;
}

/// Of which charts an upgrade changes what.
std::vector<std::pair<std::string, Files>> repeatable_charts() {
  const std::string hook = hook_job("before", "\"pre-upgrade,pre-rollback\"");
  return {
      {"children, without hooks", widget_chart()},
      {"children, with hooks", with(widget_chart(), {{"templates/hooks.yaml", hook}})},
      {"a comment alone",
       with(widget_chart(),
            {{"templates/widget.yaml",
              "kind: ConfigMap\napiVersion: v1\nmetadata: {name: w}  # {{ .Values.color }}\n"}})},
      {"hooks alone",
       with(widget_chart(),
            {{"templates/widget.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: w}\n"},
             {"templates/hooks.yaml", hook + "# {{ .Values.color }}\n"}})},
  };
}

// Inputs that were in force, and are asked for again, may differ from those that the status names.
TEST_CASE("A crash before inputs that give the revision in force leaves its record deployed") {
  const std::vector<Scene> all = {
      {"upgrade",
       [](Hooked& world) { world.settle(); },
       [](Hooked& world) { world.spec(R"({"color":"green"})"); },
       {},
       0},
      {"withdrawal", [](Hooked&) {}, withdraw_rollback, {}, 0},
  };
  for (const auto& [changes, files] : repeatable_charts()) {
    for (const Scene& scene : all) {
      bool was_cut_off = true;
      for (size_t calls = 0; was_cut_off; ++calls) {
        CAPTURE(changes, scene.name, calls);
        Hooked world(files);
        was_cut_off = cut_off(scene, world, calls, "{}");
        CHECK(std::ranges::count(world.records(), "deployed") == 1);
        CHECK(to_string(testing::record(world, revision_in_force(world)).status) == "deployed");
      }
    }
  }
}

TEST_CASE("A child is not applied before the status names it, however often that is refused") {
  Hooked world;
  world.settle();
  world.spec(R"({"color":"green","extra":"added"})");
  world.await_job("first", "Complete");
  world.await_job("before", "Complete");
  const base::Error refused(ErrorCode::kUnavailable, "refused");
  world.api.fail_always(testing::kStatus, refused);
  for (int i = 0; i < 3; ++i) {
    world.step();
    CHECK_FALSE(world.exists("added"));
  }
  world.api.fail_always(testing::kStatus, std::nullopt);
  world.settle();
  CHECK(world.exists("added"));
}

/// Another operator upgrades the release: its record is `number`, and the one before is superseded.
void upgrade_elsewhere(Hooked& world, int number) {
  release::Revision before = testing::record(world, number - 1);
  release::Revision theirs = before;
  before.status = release::RevisionStatus::kSuperseded;
  testing::put_record(world, before);
  theirs.number = number;
  theirs.description = "Theirs";
  theirs.manifest += "# of another operator\n";
  theirs.key.clear();
  testing::put_record(world, theirs);
}

/// Another operator takes the number of an upgrade just before its record is created. The process
/// ends `calls` requests later.
bool lose_number(Hooked& world, size_t calls) {
  world.settle();
  world.take_created();
  world.passwords.clear();
  world.spec(R"({"color":"green"})");
  world.api.once(testing::create(2), [&world, calls] {
    upgrade_elsewhere(world, 2);
    world.api.allow_calls(calls);
    return std::optional<base::Error>();
  });
  world.step();
  const bool was_cut_off = world.api.refused_calls();
  world.api.allow_calls(std::nullopt);
  world.restart();
  return was_cut_off;
}

TEST_CASE("A crash under a number that another operator has taken leaves its record alone") {
  struct Row {
    std::string name;
    std::string spec;
    bool resumes;
  };
  const std::vector<Row> rows = {{"the same inputs", R"({"color":"green"})", true},
                                 {"other inputs", R"({"color":"blue"})", false},
                                 {"the inputs in force", "{}", false}};
  for (const Row& row : rows) {
    for (size_t calls = 0;; ++calls) {
      CAPTURE(row.name, calls);
      Hooked world;
      const bool was_cut_off = lose_number(world, calls);
      world.spec(row.spec);
      world.settle();
      world.settle();
      const Calls records = world.records();
      CAPTURE(records);
      REQUIRE(records.size() >= 3);
      CHECK((records.size() == 3 || !row.resumes));
      CHECK(records[0] == "superseded");
      CHECK(records[1] == "superseded");
      CHECK(testing::record(world, 2).description == "Theirs");
      CHECK(std::count(records.begin(), records.end(), "deployed") == 1);
      CHECK(records.back() == "deployed");
      CHECK(std::count(records.begin(), records.end(), "pending-upgrade") == 0);
      CHECK(world.status().find("attempt") == nullptr);
      if (!was_cut_off) {
        break;
      }
    }
  }
}

TEST_CASE("The record of an upgrade that is refused says so, and is that of its success later") {
  World world(testing::with(testing::widget_chart(),
                            {{"templates/login.yaml",
                              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: login}\n"
                              "data: {color: {{ randAlpha 9 }}}\n"}}));
  world.spec("{}");
  world.converge();
  world.api.fail_always(testing::kApply,
                        base::Error(ErrorCode::kInvalid, "too blue").with_http(422, "Invalid"));
  world.spec(R"({"color":"blue"})");
  world.fail();
  CHECK(to_string(testing::record(world, 2).status) == "failed");
  CHECK_THAT(testing::record(world, 2).description, Catch::Matchers::Contains("too blue"));
  const std::string login = world.color("login");
  SECTION("in the same process") {}
  SECTION("in another process") { world.restart(); }
  world.api.fail_always(testing::kApply, std::nullopt);
  world.clock.advance(std::chrono::hours(1));
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.color("login") == login);
  CHECK(world.revision() == 2);
  CHECK(to_string(testing::record(world, 2).status) == "deployed");
  CHECK(testing::record(world, 2).description == "Upgrade complete");
}

TEST_CASE("An upgrade that fails for a moment is pending") {
  World world(testing::with(testing::widget_chart(),
                            {{"templates/login.yaml",
                              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: login}\n"
                              "data: {color: {{ randAlpha 9 }}}\n"}}));
  world.spec("{}");
  world.converge();
  world.api.fail_always(testing::kApply, base::Error(ErrorCode::kUnavailable, "a moment"));
  world.spec(R"({"color":"blue"})");
  world.fail();
  CHECK(to_string(testing::record(world, 2).status) == "pending-upgrade");
  CHECK(testing::record(world, 2).description == "Preparing upgrade");
}

TEST_CASE("An attempt that is given up has a line in the history, and its record goes in time") {
  Hooked world;
  world.settle();
  for (int number = 2; number < 15; ++number) {
    CAPTURE(number);
    world.spec(R"({"color":"color )" + std::to_string(number) + R"("})");
    world.api.once(testing::create(number), [&world] {
      world.api.allow_calls(1);
      return std::optional<base::Error>();
    });
    world.step();
    REQUIRE(world.api.refused_calls());
    world.api.allow_calls(std::nullopt);
    world.restart();
  }
  world.settle();
  const value::Value status = world.status();
  const auto& lines = status.find("history")->as_list().items;
  CHECK(lines.size() == 10);
  CHECK(world.records().size() == lines.size());
  CHECK(lines[0].string_at({"status"}) == "deployed");
  CHECK(lines[1].string_at({"status"}) == "failed");
  CHECK(lines[1].string_at({"description"}) == "Superseded by other inputs");
  CHECK_FALSE(world.api.find(world.secret(1)));  // Superseded, and as old as the others.
}

}  // namespace
}  // namespace chartwright::op
