// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

// Runs a command, discards its output and prints its cost: wall time and CPU time in nanoseconds,
// and peak resident memory in kilobytes. It is not a script because a process inherits the peak
// memory of its parent, and an interpreter's is larger than ours.
int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_launch COMMAND [ARGUMENT...]\n", stderr);
    return 1;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto started = std::chrono::steady_clock::now();
  pid_t pid = 0;
  if (posix_spawn(&pid, argv[1], &actions, nullptr, argv + 1, environ) != 0) {
    std::perror(argv[1]);
    return 1;
  }
  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, 0, &usage) != pid) {
    std::perror("wait4");
    return 1;
  }
  const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - started;
  const auto ns = [](const timeval& t) { return (t.tv_sec * 1'000'000 + t.tv_usec) * 1000; };
  std::printf("%ld %ld %ld\n", static_cast<long>(wall.count()),
              static_cast<long>(ns(usage.ru_utime) + ns(usage.ru_stime)), usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
