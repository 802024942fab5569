// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "base/strings.h"
#include "base/thread.h"
#include "test/base/manual_clock.h"

namespace chartwright::base {
namespace {

// A logger on the manual clock that records its output.
class Recorder {
 public:
  explicit Recorder(const LogOptions& options = {})
      : logger_(options, clock_, [this](std::string_view line) { lines_.emplace_back(line); }) {}
  const Logger& logger() const { return logger_; }
  ManualClock& clock() { return clock_; }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  ManualClock clock_;
  std::vector<std::string> lines_;
  Logger logger_;
};

TEST_CASE("A line is one JSON object with zap's keys") {
  Recorder log;
  log.clock().advance(std::chrono::microseconds(1500));
  log.logger().named("cmd").info("Starting",
                                 {{"workers", 4}, {"ratio", 0.5}, {"dry", false}, {"to", "x"}});
  REQUIRE(log.lines().size() == 1);
  CHECK(log.lines()[0] ==
        R"({"level":"info","ts":"2026-01-02T03:04:05.001500Z","logger":"cmd","msg":"Starting",)"
        R"("workers":4,"ratio":0.5,"dry":false,"to":"x"})"
        "\n");
}

TEST_CASE("A logger carries its fields and leaves its parent alone") {
  Recorder log;
  const Logger child = log.logger().with({{"namespace", "shop"}}).with({{"name", "a"}});
  child.info("one", {{"n", size_t{1}}});
  log.logger().info("two");
  REQUIRE(log.lines().size() == 2);
  CHECK(log.lines()[0] == R"({"level":"info","ts":"2026-01-02T03:04:05.000000Z","msg":"one",)"
                          R"("namespace":"shop","name":"a","n":1})"
                          "\n");
  CHECK(log.lines()[1] == R"({"level":"info","ts":"2026-01-02T03:04:05.000000Z","msg":"two"})"
                          "\n");
}

TEST_CASE("An error is logged with its code and place") {
  Recorder log;
  log.logger().error("Cannot load", Error(ErrorCode::kParse, "bad key").at({"w.yaml", 3, 5}),
                     {{"watch", "A"}});
  log.logger().error("Cannot apply", Error(ErrorCode::kConflict, "changed"));
  REQUIRE(log.lines().size() == 2);
  CHECK(log.lines()[0] ==
        R"({"level":"error","ts":"2026-01-02T03:04:05.000000Z","msg":"Cannot load","watch":"A",)"
        R"("file":"w.yaml","line":3,"column":5,"code":"parse","error":"bad key"})"
        "\n");
  CHECK(log.lines()[1].find(R"("code":"conflict","error":"changed"})") != std::string::npos);
  CHECK(log.lines()[1].find("file") == std::string::npos);
}

TEST_CASE("Hostile text cannot break a line or forge another") {
  Recorder log;
  log.logger().info("a\nb", {{"k\"", "x\"}\n{\"level\":\"error\"\xff\x01"}});
  REQUIRE(log.lines().size() == 1);
  CHECK(log.lines()[0] == R"({"level":"info","ts":"2026-01-02T03:04:05.000000Z","msg":"a\nb",)"
                          R"("k\"":"x\"}\n{\"level\":\"error\"\ufffd\u0001"})"
                          "\n");
}

TEST_CASE("Numbers that JSON does not know become text") {
  Recorder log;
  log.logger().info("n", {{"nan", std::nan("")},
                          {"inf", -std::numeric_limits<double>::infinity()},
                          {"min", std::numeric_limits<int64_t>::min()}});
  CHECK(log.lines().at(0).find(R"("nan":"NaN","inf":"-Inf","min":-9223372036854775808})") !=
        std::string::npos);
}

TEST_CASE("Lines below the level are not written") {
  Recorder log({LogLevel::kWarn, LogEncoding::kJson});
  CHECK_FALSE(log.logger().enabled(LogLevel::kInfo));
  CHECK(log.logger().enabled(LogLevel::kWarn));
  log.logger().debug("d");
  log.logger().info("i");
  log.logger().warn("w");
  log.logger().error("e");
  REQUIRE(log.lines().size() == 2);
  CHECK(log.lines()[0].find(R"("level":"warn")") != std::string::npos);
  CHECK(log.lines()[1].find(R"("level":"error")") != std::string::npos);
}

TEST_CASE("The console encoding separates its columns by tabs") {
  Recorder log({LogLevel::kDebug, LogEncoding::kConsole});
  log.logger().named("cmd").debug("Starting", {{"n", 1}, {"to", "x y"}});
  log.logger().warn("two\nlines");
  REQUIRE(log.lines().size() == 2);
  CHECK(log.lines()[0] ==
        "2026-01-02T03:04:05.000000Z\tDEBUG\tcmd\tStarting\t{\"n\":1,\"to\":\"x y\"}\n");
  CHECK(log.lines()[1] == "2026-01-02T03:04:05.000000Z\tWARN\t\"two\\nlines\"\n");
}

TEST_CASE("Lines of several threads stay whole") {
  Recorder log;
  constexpr size_t kLines = 200;
  {
    std::vector<Thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back("writer", kDefaultStackBytes, [&log] {
        for (size_t i = 0; i < kLines; ++i) {
          log.logger().info("line", {{"i", i}});
        }
      });
    }
  }
  REQUIRE(log.lines().size() == 4 * kLines);
  for (const std::string& line : log.lines()) {
    CHECK(line.starts_with("{\"level\""));
    CHECK(line.ends_with("}\n"));
  }
}

TEST_CASE("Standard error gets the line") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const int saved = ::dup(STDERR_FILENO);
  REQUIRE(::dup2(ends[1], STDERR_FILENO) >= 0);
  ManualClock clock;
  Logger(LogOptions{}, clock).info("to stderr");
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  ::close(ends[1]);
  std::array<char, 4096> buffer{};
  const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
  ::close(ends[0]);
  REQUIRE(got > 0);
  CHECK(std::string_view(buffer.data(), static_cast<size_t>(got)) ==
        R"({"level":"info","ts":"2026-01-02T03:04:05.000000Z","msg":"to stderr"})"
        "\n");
}

}  // namespace
}  // namespace chartwright::base
