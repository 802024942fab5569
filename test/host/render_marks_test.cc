// SPDX-License-Identifier: Apache-2.0
#include "host/render_marks.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/base/lines.h"
#include "test/base/manual_clock.h"
#include "test/base/temporary_directory.h"
#include "test/host/mark_files.h"

namespace chartwright::host {
namespace {

using testing::marks_in;

/// A folder of marks, and processes one after another.
struct Processes {
  const base::TemporaryDirectory folder;
  base::ManualClock clock;
  base::testing::Lines lines;
  const base::Logger log{{}, clock, [this](std::string_view line) { lines.add(line); }};

  RenderMarks next() const { return RenderMarks(folder.path(), log); }
};

MarkKey key_of(const std::string& name, const std::string& inputs = "i1") {
  return {{{"example.com", "v1", "Widget"}, "shop", name}, "uid-" + name, Source::kChart, inputs};
}

TEST_CASE("A render that left a mark runs alone, and is refused after a second one") {
  const Processes processes;
  processes.next().set(key_of("a"));

  RenderMarks second = processes.next();
  CHECK(processes.lines.mention("ended while it rendered"));
  CHECK(second.permit(key_of("a")) == Permit::kAlone);
  CHECK(second.permit(key_of("b")) == Permit::kFree);
  second.set(key_of("a"));

  RenderMarks third = processes.next();
  CHECK(processes.lines.mention("ended twice"));
  CHECK(third.permit(key_of("a")) == Permit::kRefused);
  MarkKey other = key_of("a");
  other.source = Source::kManifest;
  CHECK(third.permit(other) == Permit::kFree);
  other = key_of("a");
  other.uid = "another one of that name";
  CHECK(third.permit(other) == Permit::kFree);

  // With other inputs it is tried again, alone, and cleared when the process survives it.
  CHECK(third.permit(key_of("a", "i2")) == Permit::kAlone);
  third.set(key_of("a", "i2"));
  third.clear(key_of("a", "i2"));
  CHECK(third.permit(key_of("a")) == Permit::kFree);
  CHECK(marks_in(processes.folder.path()).empty());
}

TEST_CASE("Of several that were rendered at once, only the one that kills again is refused") {
  const Processes processes;
  {
    RenderMarks first = processes.next();
    first.set(key_of("killer"));
    first.set(key_of("innocent"));
    first.set(key_of("waiting"));
  }
  {
    RenderMarks second = processes.next();
    second.set(key_of("innocent"));
    second.clear(key_of("innocent"));
    second.set(key_of("killer"));
  }
  RenderMarks third = processes.next();
  CHECK(third.permit(key_of("killer")) == Permit::kRefused);
  CHECK(third.permit(key_of("innocent")) == Permit::kFree);
  CHECK(third.permit(key_of("waiting")) == Permit::kAlone);
}

TEST_CASE("A render that the process survived is not marked again, until its inputs change") {
  const Processes processes;
  RenderMarks marks = processes.next();
  marks.set(key_of("a"));
  CHECK(marks_in(processes.folder.path()).size() == 1);
  marks.clear(key_of("a"));
  marks.set(key_of("a"));
  CHECK(marks_in(processes.folder.path()).empty());
  marks.clear(key_of("a"));
  marks.set(key_of("a", "i2"));
  CHECK(marks_in(processes.folder.path()).size() == 1);
  MarkKey status = key_of("a");
  status.source = Source::kOperatorFolder;
  marks.set(status);
  CHECK(marks_in(processes.folder.path()).size() == 2);
  RenderMarks next = processes.next();
  CHECK(next.permit(key_of("a", "i2")) == Permit::kAlone);
  CHECK(next.permit(status) == Permit::kAlone);
}

TEST_CASE("A process that was asked to end accuses no render") {
  const Processes processes;
  processes.next().set(key_of("first"));
  {
    RenderMarks marks = processes.next();
    marks.set(key_of("first"));
    marks.set(key_of("other"));
    marks.close();
    marks.set(key_of("late"));
  }
  RenderMarks next = processes.next();
  CHECK(next.permit(key_of("first")) == Permit::kAlone);
  CHECK(next.permit(key_of("other")) == Permit::kFree);
  CHECK(next.permit(key_of("late")) == Permit::kFree);
}

TEST_CASE("The marks of a custom resource that is gone are forgotten") {
  const Processes processes;
  processes.next().set(key_of("a"));
  RenderMarks marks = processes.next();
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
    const MarkKey key{{{"g", "v1", "K"}, "../..", name}, "u", Source::kChart, "i"};
    processes.next().set(key);
    const auto files = marks_in(processes.folder.path());
    REQUIRE(files.size() == 1);
    CHECK(files[0].first == "0.mark");
    RenderMarks next = processes.next();
    CHECK(next.permit(key) == Permit::kAlone);
    next.forget(key.cr);
  }
}

TEST_CASE("A file that is damaged, or not ours, accuses no render") {
  const Processes processes;
  processes.next().set(key_of("a"));
  const std::string good = marks_in(processes.folder.path())[0].second;
  const size_t source = good.find("\"chart\"");
  REQUIRE(source != std::string::npos);
  processes.folder.write("other.mark", std::string(good).replace(source, 7, "\"pudding\""));
  processes.folder.write("half.mark", good.substr(0, good.size() / 2));
  processes.folder.write("list.mark", "[1]");
  processes.folder.write("large.mark", std::string(5000, ' '));
  processes.folder.write("notes.txt", "somebody else's");
  RenderMarks marks = processes.next();
  CHECK(marks.remembered({"example.com", "v1", "Widget"}).size() == 1);
  CHECK(marks_in(processes.folder.path()).size() == 2);
}

TEST_CASE("Marks of one render in several files are one mark, the graver one") {
  const Processes processes;
  processes.next().set(key_of("a"));
  const std::string alone = marks_in(processes.folder.path())[0].second;
  std::string refused = alone;
  refused.replace(refused.find("false"), 5, "true");
  processes.folder.write("7.mark", refused + "\nwhat a longer one has left");
  RenderMarks marks = processes.next();
  CHECK(marks.permit(key_of("a")) == Permit::kRefused);
  marks.forget(key_of("a").cr);
  CHECK(marks_in(processes.folder.path()).empty());
}

TEST_CASE("There are as many files as there were renders at once") {
  const Processes processes;
  RenderMarks marks = processes.next();
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
    RenderMarks marks = processes.next();
    for (int i = 0; i < 1010; ++i) {
      marks.set(key_of("w" + std::to_string(i)));
    }
  }
  CHECK(processes.next().remembered({"example.com", "v1", "Widget"}).size() == 1000);
  CHECK(processes.lines.mention("Too many marks"));
}

TEST_CASE("A folder that cannot be used is reported, and there are no marks") {
  const Processes processes;
  RenderMarks marks(processes.folder.path() + "/none", processes.log);
  CHECK(processes.lines.mention("State directory cannot be used"));
  marks.set(key_of("a"));
  marks.clear(key_of("a"));
  marks.close();
  CHECK(marks.permit(key_of("a")) == Permit::kFree);
  CHECK(marks_in(processes.folder.path()).empty());
}

}  // namespace
}  // namespace chartwright::host
