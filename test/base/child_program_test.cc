// SPDX-License-Identifier: Apache-2.0
#include "base/child_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>

#include "base/descriptor.h"
#include "test/base/temporary_directory.h"

namespace chartwright::base {
namespace {

ChildProgram shell(const std::string& script) {
  return {.path = "/bin/sh", .arguments = {"-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
}

Result<ChildEnding> ending_of(const ChildProgram& program, std::string_view input = "",
                              const std::stop_token& stop = {}) {
  return run_program(program, input, SystemClock(), stop);
}

TEST_CASE("A program gets its arguments, input and environment, and its output is returned") {
  ChildProgram program = shell("cat; printf %s \"$1-$NAME\"; echo no >&2");
  program.arguments.insert(program.arguments.end(), {"x", "a b"});
  program.environment.insert(program.environment.end(), {"NAME=first", "NAME=last"});
  program.err = ChildProgram::Stderr::kCapture;
  const std::string input(300'000, 'i');
  const ChildEnding ending = CW_MUST(ending_of(program, input));
  CHECK(ending.out == input + "a b-last");
  CHECK(ending.err == "no\n");
  CHECK(ending.failure.empty());
  CHECK(ending.exit_code == 0);
}

TEST_CASE("Without input, a program reads nothing, and it inherits no open file") {
  const TemporaryDirectory folder;
  const Descriptor open_file(open(folder.write("f", "secret").c_str(), O_RDONLY));
  const std::string number = std::to_string(open_file.get());
  CHECK(
      CW_MUST(ending_of(shell("wc -c; [ -e /proc/self/fd/" + number + " ] || echo closed"))).out ==
      "0\nclosed\n");
}

TEST_CASE("A failure is worded as Go words it") {
  const ChildEnding failed = CW_MUST(ending_of(shell("exit 3")));
  CHECK(failed.failure == "exit status 3");
  CHECK(failed.exit_code == 3);
  const ChildEnding killed = CW_MUST(ending_of(shell("kill -9 $$")));
  CHECK(killed.failure == "signal: killed");
  CHECK(killed.exit_code == -1);
}

TEST_CASE("A program ends with its time, its output or its caller") {
  ChildProgram slow = shell("exec sleep 1000");
  slow.timeout = std::chrono::milliseconds(20);
  const auto late = ending_of(slow);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code() == ErrorCode::kTimeout);
  CHECK(late.error().message() == "it did not end within 20ms");

  ChildProgram silent = shell("exec >&-; exec sleep 1000");
  silent.timeout = std::chrono::milliseconds(20);
  const auto hidden = ending_of(silent);
  REQUIRE_FALSE(hidden.ok());
  CHECK(hidden.error().code() == ErrorCode::kTimeout);

  const auto loud = ending_of(shell("exec yes"));
  REQUIRE_FALSE(loud.ok());
  CHECK(loud.error().code() == ErrorCode::kBudget);
  CHECK(loud.error().message() == "it printed more than 1 MiB");

  std::stop_source source;
  source.request_stop();
  const auto stopped = ending_of(shell("exec sleep 1000"), "", source.get_token());
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code() == ErrorCode::kCancelled);
}

/// A named pipe that programs hold open for writing.
class HeldPipe {
 public:
  HeldPipe() {
    REQUIRE(::mkfifo(path().c_str(), 0600) == 0);
    end_.reset(::open(path().c_str(), O_RDONLY | O_NONBLOCK));
  }
  std::string path() const { return folder_.path("pipe"); }
  /// Waits until no program holds it any more.
  bool is_let_go() const {
    constexpr int kWaitMs = 60'000;
    pollfd end{end_.get(), POLLIN, 0};
    return ::poll(&end, 1, kWaitMs) == 1 && (end.revents & POLLHUP) != 0;
  }

 private:
  const TemporaryDirectory folder_;
  Descriptor end_;
};

TEST_CASE("A program of a group ends with all that it has started") {
  const HeldPipe pipe;
  const std::string holds = "exec 3>" + pipe.path() + "; sleep 1000 >/dev/null 2>&1 & ";
  ChildProgram program = shell(holds);
  program.has_own_group = true;
  CHECK(CW_MUST(ending_of(program)).failure.empty());
  CHECK(pipe.is_let_go());
  const HeldPipe other;
  ChildProgram endless = shell("exec 3>" + other.path() + "; sleep 1000 & yes");
  endless.has_own_group = true;
  CHECK(ending_of(endless).error().code() == ErrorCode::kBudget);
  CHECK(other.is_let_go());
}

TEST_CASE("A program is found by its path or in the search path") {
  const TemporaryDirectory folder;
  const std::string path = folder.write("tool", "#!/bin/sh\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const std::string plain = folder.write("plain", "");
  std::filesystem::permissions(plain, std::filesystem::perms::owner_read);
  const std::string here = path.substr(0, path.rfind('/'));
  CHECK(CW_MUST(find_program("tool", "/nonexistent:" + here)) == path);
  CHECK(CW_MUST(find_program(path, "")) == path);
  const auto missing = find_program("tool", "/nonexistent");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == ErrorCode::kNotFound);
  CHECK(missing.error().message() == "executable file not found in $PATH");
  const auto unfit = find_program(here, "");
  REQUIRE_FALSE(unfit.ok());
  CHECK(unfit.error().message() == "is a directory");
}

}  // namespace
}  // namespace chartwright::base
