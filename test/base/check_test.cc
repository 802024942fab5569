// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <string>

namespace chartwright::base {
namespace {

struct Death {
  int signal = 0;
  std::string printed;
};

// Runs `body` in a child process and returns how that ended.
template <typename Body>
Death die(Body body) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);  // Without Catch2's report.
    ::dup2(ends[1], STDERR_FILENO);
    body();
    ::_exit(0);
  }
  ::close(ends[1]);
  Death death;
  std::array<char, 512> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    death.printed.append(buffer.data(), static_cast<size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  death.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return death;
}

TEST_CASE("A failed check names the condition and its place, and aborts") {
  const Death death = die([] { CW_CHECK(1 + 1 == 3); });
  CHECK(death.signal == SIGABRT);
  CHECK(death.printed.find("check_test.cc:") != std::string::npos);
  CHECK(death.printed.find(": check failed: 1 + 1 == 3\n") != std::string::npos);
}

TEST_CASE("A check that holds does nothing, and looks once") {
  int looks = 0;
  CW_CHECK(++looks == 1);
  CHECK(looks == 1);
}

}  // namespace
}  // namespace chartwright::base
