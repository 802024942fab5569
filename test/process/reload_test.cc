// SPDX-License-Identifier: Apache-2.0
#include "process/reload.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>

#include "base/file.h"
#include "test/base/manual_clock.h"
#include "test/base/temporary_directory.h"

namespace chartwright::process {
namespace {

/// A Reload of one file, whose text is the identity; text that begins with '!' cannot be loaded.
class Watched {
 public:
  Watched() {
    write("a");
    reload_.emplace(
        Reload::Source{
            [this](const std::stop_token&) { return load(); }, {folder_.path("file")}, "a"},
        [this](const OperatorInputs& inputs, const std::stop_token& /*stop*/) {
          changed_ = inputs.origin;
          ++changes_;
          changes_.notify_one();
        },
        clock_, log_);
  }
  void write(const std::string& text) { folder_.write("file", text); }
  /// Lets the thread look `count` times.
  void look(int count) {
    for (int i = 0; i < count; ++i) {
      clock_.await_waiters(1);
      clock_.advance(Reload::kLook);
    }
    clock_.await_waiters(1);
  }
  /// Lets it look twice, and waits for the change, after which the thread ends.
  void look_for_the_last_time() {
    look(1);
    clock_.advance(Reload::kLook);
    changes_.wait(0);
    reload_.reset();
  }
  int loads() const { return loads_; }
  int changes() const { return changes_; }
  const std::string& changed() const { return changed_; }
  /// How many log lines have the text.
  long told(std::string_view text) const {
    return std::ranges::count_if(
        lines_, [text](const std::string& line) { return line.find(text) != std::string::npos; });
  }

 private:
  base::Result<OperatorInputs> load() {
    ++loads_;
    OperatorInputs inputs;
    inputs.origin = base::read_file(folder_.path("file"), 100).value_or("");
    if (inputs.origin.starts_with("!")) {
      return base::Error(base::ErrorCode::kParse, "bad " + inputs.origin);
    }
    return inputs;
  }

  base::TemporaryDirectory folder_;
  base::ManualClock clock_;
  std::vector<std::string> lines_;  // Read while the thread waits.
  base::Logger log_{{}, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  std::atomic<int> loads_{0};
  std::atomic<int> changes_{0};
  std::string changed_;
  std::optional<Reload> reload_;
};

}  // namespace

TEST_CASE("Files are loaded once at first, and after a change that holds") {
  Watched file;
  file.look(5);
  CHECK(file.loads() == 1);
  CHECK(file.changes() == 0);
  file.write("other");
  file.look_for_the_last_time();
  CHECK(file.loads() == 2);
  CHECK(file.changes() == 1);
  CHECK(file.changed() == "other");
}

TEST_CASE("Files with the same contents are loaded, and change nothing") {
  Watched file;
  file.look(3);
  file.write("a");
  file.look(3);
  CHECK(file.changes() == 0);
}

TEST_CASE("A file that cannot be loaded is reported once, and so is its correction") {
  Watched file;
  file.look(3);
  file.write("!1");
  file.look(3 * ReloadTurn::kLooksToRetry);
  CHECK(file.loads() >= 3);
  CHECK(file.told("bad !1") == 1);
  file.write("!22");
  file.look(3);
  CHECK(file.told("bad !22") == 1);
  CHECK(file.changes() == 0);
  file.write("a");
  file.look(3);
  CHECK(file.told("are again as the operator has them") == 1);
  CHECK(file.changes() == 0);
  file.write("b");
  file.look_for_the_last_time();
  CHECK(file.changed() == "b");
}

TEST_CASE("Files are loaded once two looks in a row see the same") {
  ReloadTurn turn;
  CHECK_FALSE(turn.is_due("a"));
  CHECK(turn.is_due("a"));
  turn.succeeded();
  CHECK_FALSE(turn.is_due("a"));
  CHECK_FALSE(turn.is_due("b"));
  CHECK_FALSE(turn.is_due("c"));
  CHECK_FALSE(turn.is_due("d"));
  CHECK(turn.is_due("d"));
  turn.succeeded();
  for (int look = 0; look < 3 * ReloadTurn::kLooksToRetry; ++look) {
    CHECK_FALSE(turn.is_due("d"));
  }
}

TEST_CASE("A change that is taken back before it is loaded has no effect") {
  ReloadTurn turn;
  turn.is_due("a");
  REQUIRE(turn.is_due("a"));
  turn.succeeded();
  CHECK_FALSE(turn.is_due("b"));
  CHECK_FALSE(turn.is_due("a"));
  CHECK_FALSE(turn.is_due("a"));
}

TEST_CASE("Files that cannot be loaded are tried again though they do not change") {
  ReloadTurn turn;
  turn.is_due("a");
  REQUIRE(turn.is_due("a"));
  turn.failed();
  for (int round = 0; round < 2; ++round) {
    for (int look = 1; look < ReloadTurn::kLooksToRetry; ++look) {
      CHECK_FALSE(turn.is_due("a"));
    }
    CHECK(turn.is_due("a"));
  }
  SECTION("and at once after a change") {
    CHECK_FALSE(turn.is_due("b"));
    CHECK(turn.is_due("b"));
  }
  SECTION("until they can") {
    turn.succeeded();
    for (int look = 0; look < 3 * ReloadTurn::kLooksToRetry; ++look) {
      CHECK_FALSE(turn.is_due("a"));
    }
  }
}

}  // namespace chartwright::process
