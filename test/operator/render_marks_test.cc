// SPDX-License-Identifier: Apache-2.0
#include "host/render_marks.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.h"
#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::Files;
using testing::Folder;
using testing::World;

/// The files of a folder that are not empty, with their content.
Files marks_in(const std::string& folder) {
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string text = CW_MUST(base::read_file(entry.path().string(), 1 << 16));
    const std::string line = text.substr(0, text.find('\n'));
    if (!line.empty()) {
      files.emplace_back(entry.path().filename().string(), line);
    }
  }
  return files;
}

/// A folder of marks, and processes one after another.
struct Processes {
  const Folder folder{{}};
  base::ManualClock clock;
  testing::Lines lines;
  const base::Logger log{{}, clock, [this](std::string_view line) { lines.add(line); }};

  host::RenderMarks next() const { return host::RenderMarks(folder.path(), log); }
};

host::MarkKey key_of(const std::string& name, const std::string& inputs = "i1") {
  return {{{"example.com", "v1", "Widget"}, "shop", name},
          "uid-" + name,
          host::Material::kChart,
          inputs};
}

TEST_CASE("A mark that was left makes a suspect, and a second one made alone convicts it") {
  const Processes processes;
  processes.next().set(key_of("a"));

  host::RenderMarks second = processes.next();
  CHECK(processes.lines.mention("ended while it rendered"));
  CHECK(second.verdict(key_of("a")) == host::Verdict::kSuspect);
  CHECK(second.verdict(key_of("b")) == host::Verdict::kClear);
  second.set(key_of("a"));

  host::RenderMarks third = processes.next();
  CHECK(processes.lines.mention("ended twice"));
  CHECK(third.verdict(key_of("a")) == host::Verdict::kGuilty);
  host::MarkKey other = key_of("a");
  other.material = host::Material::kManifest;
  CHECK(third.verdict(other) == host::Verdict::kClear);
  other = key_of("a");
  other.uid = "another one of that name";
  CHECK(third.verdict(other) == host::Verdict::kClear);

  // With other inputs it is tried again, alone, and cleared when the process survives it.
  CHECK(third.verdict(key_of("a", "i2")) == host::Verdict::kSuspect);
  third.set(key_of("a", "i2"));
  third.clear(key_of("a", "i2"));
  CHECK(third.verdict(key_of("a")) == host::Verdict::kClear);
  CHECK(marks_in(processes.folder.path()).empty());
}

TEST_CASE("Of several that were rendered at once, only the one that kills again is guilty") {
  const Processes processes;
  {
    host::RenderMarks first = processes.next();
    first.set(key_of("guilty"));
    first.set(key_of("innocent"));
    first.set(key_of("waiting"));
  }
  {
    host::RenderMarks second = processes.next();
    second.set(key_of("innocent"));
    second.clear(key_of("innocent"));
    second.set(key_of("guilty"));
  }
  host::RenderMarks third = processes.next();
  CHECK(third.verdict(key_of("guilty")) == host::Verdict::kGuilty);
  CHECK(third.verdict(key_of("innocent")) == host::Verdict::kClear);
  CHECK(third.verdict(key_of("waiting")) == host::Verdict::kSuspect);
}

TEST_CASE("A render that the process survived is not marked again, until its inputs change") {
  const Processes processes;
  host::RenderMarks marks = processes.next();
  marks.set(key_of("a"));
  CHECK(marks_in(processes.folder.path()).size() == 1);
  marks.clear(key_of("a"));
  marks.set(key_of("a"));
  CHECK(marks_in(processes.folder.path()).empty());
  marks.clear(key_of("a"));
  marks.set(key_of("a", "i2"));
  CHECK(marks_in(processes.folder.path()).size() == 1);
  host::MarkKey status = key_of("a");
  status.material = host::Material::kOperatorFolder;
  marks.set(status);
  CHECK(marks_in(processes.folder.path()).size() == 2);
  host::RenderMarks next = processes.next();
  CHECK(next.verdict(key_of("a", "i2")) == host::Verdict::kSuspect);
  CHECK(next.verdict(status) == host::Verdict::kSuspect);
}

TEST_CASE("A process that was asked to end accuses no render") {
  const Processes processes;
  processes.next().set(key_of("suspect"));
  {
    host::RenderMarks marks = processes.next();
    marks.set(key_of("suspect"));
    marks.set(key_of("other"));
    marks.close();
    marks.set(key_of("late"));
  }
  host::RenderMarks next = processes.next();
  CHECK(next.verdict(key_of("suspect")) == host::Verdict::kSuspect);
  CHECK(next.verdict(key_of("other")) == host::Verdict::kClear);
  CHECK(next.verdict(key_of("late")) == host::Verdict::kClear);
}

TEST_CASE("The marks of a custom resource that is gone are forgotten") {
  const Processes processes;
  processes.next().set(key_of("a"));
  host::RenderMarks marks = processes.next();
  CHECK(marks.remembered({"example.com", "v1", "Gadget"}).empty());
  const auto remembered = marks.remembered({"example.com", "v1", "Widget"});
  REQUIRE(remembered.size() == 1);
  CHECK(remembered[0] == key_of("a").cr);
  marks.forget(key_of("b").cr);
  marks.forget(key_of("a").cr);
  CHECK(marks.remembered({"example.com", "v1", "Widget"}).empty());
  CHECK(marks_in(processes.folder.path()).empty());
}

TEST_CASE("A mark is the line of one small file, whatever the names are") {
  const Processes processes;
  for (const std::string& name :
       {std::string("../../../escape"), std::string("/etc/passwd"), std::string("a\0b\nc\"", 6),
        std::string("."), std::string(253, 'x')}) {
    CAPTURE(name);
    const host::MarkKey key{{{"g", "v1", "K"}, "../..", name}, "u", host::Material::kChart, "i"};
    processes.next().set(key);
    const Files files = marks_in(processes.folder.path());
    REQUIRE(files.size() == 1);
    CHECK(files[0].first == "0.mark");
    host::RenderMarks next = processes.next();
    CHECK(next.verdict(key) == host::Verdict::kSuspect);
    next.forget(key.cr);
  }
}

TEST_CASE("A file that is damaged, or not ours, accuses no render") {
  const Processes processes;
  processes.next().set(key_of("a"));
  const std::string good = marks_in(processes.folder.path())[0].second;
  const size_t material = good.find("\"chart\"");
  REQUIRE(material != std::string::npos);
  processes.folder.write("other.mark", std::string(good).replace(material, 7, "\"pudding\""));
  processes.folder.write("half.mark", good.substr(0, good.size() / 2));
  processes.folder.write("list.mark", "[1]");
  processes.folder.write("large.mark", std::string(5000, ' '));
  processes.folder.write("notes.txt", "somebody else's");
  host::RenderMarks marks = processes.next();
  CHECK(marks.remembered({"example.com", "v1", "Widget"}).size() == 1);
  CHECK(marks_in(processes.folder.path()).size() == 2);
}

TEST_CASE("Marks of one render in several files are one mark, the graver one") {
  const Processes processes;
  processes.next().set(key_of("a"));
  const std::string suspect = marks_in(processes.folder.path())[0].second;
  std::string guilty = suspect;
  guilty.replace(guilty.find("false"), 5, "true");
  processes.folder.write("7.mark", guilty + "\nwhat a longer one has left");
  host::RenderMarks marks = processes.next();
  CHECK(marks.verdict(key_of("a")) == host::Verdict::kGuilty);
  marks.forget(key_of("a").cr);
  CHECK(marks_in(processes.folder.path()).empty());
}

TEST_CASE("There are as many files as there were renders at once") {
  const Processes processes;
  host::RenderMarks marks = processes.next();
  for (int round = 0; round < 3; ++round) {
    const std::string inputs = std::to_string(round);
    marks.set(key_of("a", inputs));
    marks.set(key_of("b", inputs));
    CHECK(marks_in(processes.folder.path()).size() == 2);
    marks.clear(key_of("a", inputs));
    marks.clear(key_of("b", inputs));
    CHECK(marks_in(processes.folder.path()).empty());
  }
  CHECK(std::distance(std::filesystem::directory_iterator(processes.folder.path()), {}) == 2);
}

TEST_CASE("No more marks are read than a process can leave") {
  const Processes processes;
  {
    host::RenderMarks marks = processes.next();
    for (int i = 0; i < 1010; ++i) {
      marks.set(key_of("w" + std::to_string(i)));
    }
  }
  CHECK(processes.next().remembered({"example.com", "v1", "Widget"}).size() == 1000);
  CHECK(processes.lines.mention("Too many marks"));
}

TEST_CASE("A folder that cannot be used is reported, and there are no marks") {
  const Processes processes;
  host::RenderMarks marks(processes.folder.path() + "/none", processes.log);
  CHECK(processes.lines.mention("State directory cannot be used"));
  marks.set(key_of("a"));
  marks.clear(key_of("a"));
  marks.close();
  CHECK(marks.verdict(key_of("a")) == host::Verdict::kClear);
  CHECK(marks_in(processes.folder.path()).empty());
}

// A chart whose render calls the server, where a test can read the files that a killed process
// would leave.
Files waiting_chart() {
  return testing::with(
      testing::widget_chart(),
      {{"templates/widget.yaml",
        "{{- $seen := lookup \"v1\" \"ConfigMap\" .Release.Namespace \"source\" }}\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: w\ndata:\n"
        "  color: {{ dig \"data\" \"color\" .Values.color $seen }}\n"
        "  password: {{ .Values.password | default \"none\" }}\n"}});
}

const std::string kAsk = "get ConfigMap shop/source";

/// A world whose process dies during its next render, and starts anew.
class Mortal {
 public:
  explicit Mortal(const Folder& state) : world(waiting_chart()), state_(state) {
    world.watch.dry_run = bundle::DryRunMode::kServer;
    world.state_dir = state.path();
  }
  World world;
  Files left;  ///< Left by the last process that died.

  void die() {
    world.restart();  // Then no lookup is known, so that only the render makes one.
    world.api.once(kAsk, [this] {
      left = marks_in(state_.path());
      return base::Error(base::ErrorCode::kUnavailable, "nobody is there any more");
    });
    world.fail();  // Its outcome does not count: the memory is lost with the process.
    REQUIRE(left.size() == 1);
    for (const auto& [name, text] : left) {
      state_.write(name, text);
    }
    world.restart();
  }
  bool asked() const {
    const auto calls = world.calls();
    return std::find(calls.begin(), calls.end(), kAsk) != calls.end();
  }

 private:
  const Folder& state_;
};

TEST_CASE("A custom resource whose render killed the process twice is set aside") {
  const Folder state{{}};
  Mortal mortal(state);
  World& world = mortal.world;
  world.spec(R"({"color":"red"})");
  world.converge();
  CHECK(marks_in(state.path()).empty());

  world.spec(R"({"color":"blue","password":"hunter2"})");
  mortal.die();
  CHECK(mortal.left[0].second.find("\"alone\":false") != std::string::npos);
  CHECK(mortal.left[0].second.find("hunter2") == std::string::npos);
  mortal.die();
  CHECK(mortal.left[0].second.find("\"alone\":true") != std::string::npos);

  const auto refused = world.fail();
  CHECK(refused.retry == runtime::Retry::kNever);
  CHECK_FALSE(mortal.asked());
  const std::string condition =
      "True RenderKilledOperator: the operator was killed twice while it rendered this custom "
      "resource, the second time with no other render beside it; it is not rendered again until "
      "its spec or chart changes, or the annotation chartwright.io/reconcile-requested-at";
  CHECK(world.condition("Irreconcilable") == condition);
  CHECK(world.condition("Stalled") == condition);
  CHECK(world.color() == "red");

  SECTION("the revision in force is repaired, and nothing more is written") {
    world.converge();
    world.converge();
    CHECK(world.calls() == std::vector<std::string>{});
    world.api.erase(world.config_map("w"));
    world.converge();
    CHECK(world.color() == "red");
    CHECK_FALSE(mortal.asked());
  }
  SECTION("the next process knows, too") {
    world.restart();
    world.fail();
    CHECK_FALSE(mortal.asked());
  }
  SECTION("a new spec is rendered") {
    world.spec(R"({"color":"green"})");
    world.converge();
    CHECK(world.color() == "green");
    CHECK(world.condition("Irreconcilable") == "absent");
    CHECK(world.condition("Stalled") == "absent");
    CHECK(marks_in(state.path()).empty());
  }
  SECTION("a request is heeded") {
    world.annotate(kReconcileRequestedAt, "now");
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(marks_in(state.path()).empty());
  }
  SECTION("a request that kills once more is enough") {
    world.annotate(kReconcileRequestedAt, "now");
    mortal.die();
    world.fail();
    CHECK_FALSE(mortal.asked());
  }
  SECTION("a rollback is a way out") {
    world.annotate(kRollbackTo, "1");
    world.converge();
    CHECK(world.condition("Stalled") == "absent");
    CHECK(world.color() == "red");
  }
  SECTION("its mark goes with it") {
    world.api.erase(world.ref());
    world.converge();
    CHECK(marks_in(state.path()).empty());
  }
}

TEST_CASE("A first render that killed the process twice is a release that failed") {
  const Folder state{{}};
  Mortal mortal(state);
  mortal.world.spec(R"({"color":"blue"})");
  mortal.die();
  mortal.die();
  mortal.world.fail();
  CHECK(mortal.world.condition("ReleaseFailed").starts_with("True RenderKilledOperator: "));
  CHECK(mortal.world.color() == "none");
}

TEST_CASE("A render that killed the process once, and lives through the next, is cleared") {
  const Folder state{{}};
  Mortal mortal(state);
  mortal.world.spec(R"({"color":"blue"})");
  mortal.die();
  mortal.world.converge();
  CHECK(mortal.world.color() == "blue");
  mortal.world.converge();
  CHECK(mortal.world.condition("Ready").starts_with("True"));
  CHECK(marks_in(state.path()).empty());
}

}  // namespace
}  // namespace chartwright::op
