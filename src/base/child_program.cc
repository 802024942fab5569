// SPDX-License-Identifier: Apache-2.0
#include "base/child_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/strings.h"

namespace chartwright::base {
namespace {

constexpr size_t kChunkBytes = size_t{64} << 10;
// How soon a stop or the end of the time is noticed.
constexpr int kPollMs = 50;

/// Returns the message of an error number, with a lower-case first letter as in Go.
std::string errno_text(int number) {
  std::string text = std::generic_category().message(number);
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

/// Returns why `path` cannot be run; empty if it can. Source: os/exec lp_unix.go findExecutable.
std::string not_executable(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) {
    return "stat " + path + ": " + errno_text(errno);
  }
  if (S_ISDIR(found.st_mode)) {
    return errno_text(EISDIR);
  }
  return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? "" : errno_text(errno);
}

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Status open_pipe(Pipe& pipe) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error(ErrorCode::kInternal, "pipe: " + errno_text(errno));
  }
  pipe.read_end.reset(ends[0]);
  pipe.write_end.reset(ends[1]);
  return {};
}

/// A running program and our ends of its standard streams.
struct Child {
  pid_t pid = -1;
  Pipe in;
  Pipe out;
  Pipe err;
};

/// Returns pointers to the strings, which must not change meanwhile, and a null pointer.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  all.reserve(strings.size() + 1);
  for (std::string& one : strings) {
    all.push_back(one.data());
  }
  all.push_back(nullptr);
  return all;
}

/// Returns an environment with each name once, which is what programs expect.
std::vector<std::string> last_of_each_name(const std::vector<std::string>& variables) {
  std::vector<std::string> kept;
  for (auto variable = variables.rbegin(); variable != variables.rend(); ++variable) {
    const std::string_view name = std::string_view(*variable).substr(0, variable->find('=') + 1);
    const bool is_set = std::any_of(kept.begin(), kept.end(),
                                    [&](const std::string& one) { return one.starts_with(name); });
    if (!is_set) {
      kept.push_back(*variable);
    }
  }
  return kept;
}

/// Starts the program. Returns 0 on success, else an error number.
int spawn(const ChildProgram& program, Child& child) {
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, child.in.read_end.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, child.out.write_end.get(), STDOUT_FILENO);
  if (program.err == ChildProgram::Stderr::kCapture) {
    posix_spawn_file_actions_adddup2(&files, child.err.write_end.get(), STDERR_FILENO);
  }
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  // Our threads block signals, and the process ignores SIGPIPE; the child must inherit neither.
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t none{};
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t pipe{};
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  // The group 0 is a new one, with the number of the process.
  posix_spawnattr_setpgroup(&attributes, 0);
  const int group = program.has_own_group ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(
      &attributes, static_cast<int16_t>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  std::vector<std::string> words = program.arguments;
  words.insert(words.begin(), program.path);
  std::vector<std::string> variables = last_of_each_name(program.environment);
  const int failed = posix_spawn(&child.pid, program.path.c_str(), &files, &attributes,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  child.in.read_end.reset();
  child.out.write_end.reset();
  child.err.write_end.reset();
  return failed;
}

/// Appends the available bytes to `into`; closes `from` at the end of the stream.
void read_some(Descriptor& from, std::string& into) {
  std::array<char, kChunkBytes> buffer{};
  const ssize_t got = read(from.get(), buffer.data(), buffer.size());
  if (got > 0) {
    into.append(buffer.data(), static_cast<size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    from.reset();
  }
}

/// Writes some of `rest`; closes `to` after the last byte, or if the reader is gone.
void write_some(Descriptor& to, std::string_view& rest) {
  const ssize_t put = write(to.get(), rest.data(), std::min(rest.size(), kChunkBytes));
  if (put >= 0) {
    rest.remove_prefix(static_cast<size_t>(put));
  }
  if (rest.empty() || (put < 0 && errno != EINTR && errno != EAGAIN)) {
    to.reset();
  }
}

/// The limits of one run.
struct Deadline {
  const Clock& clock;
  const std::stop_token& stop;
  MonotonicTime at;

  Status check(const ChildProgram& program) const {
    if (stop.stop_requested()) {
      return Error(ErrorCode::kCancelled, "stopped");
    }
    if (clock.monotonic() >= at) {
      return Error(ErrorCode::kTimeout,
                   "it did not end within " + format_go_duration(program.timeout));
    }
    return {};
  }
};

/// Feeds the child and collects its output until all its streams are closed.
Status exchange(const ChildProgram& program, Child& child, std::string_view input,
                const Deadline& deadline, ChildEnding& ending) {
  // A blocking write to a full pipe would deadlock with a child that waits for us to read.
  if (child.in.write_end.is_open()) {
    fcntl(child.in.write_end.get(), F_SETFL, O_NONBLOCK);
  }
  while (child.in.write_end.is_open() || child.out.read_end.is_open() ||
         child.err.read_end.is_open()) {
    CW_TRY_VOID(deadline.check(program));
    // Descriptors of closed ends are negative; poll ignores those.
    std::array<pollfd, 3> streams{{{child.in.write_end.get(), POLLOUT, 0},
                                   {child.out.read_end.get(), POLLIN, 0},
                                   {child.err.read_end.get(), POLLIN, 0}}};
    if (poll(streams.data(), streams.size(), kPollMs) < 0 && errno != EINTR) {
      return Error(ErrorCode::kInternal, "poll: " + errno_text(errno));
    }
    if (streams[0].revents != 0) {
      write_some(child.in.write_end, input);
    }
    if (streams[1].revents != 0) {
      read_some(child.out.read_end, ending.out);
    }
    if (streams[2].revents != 0) {
      read_some(child.err.read_end, ending.err);
    }
    if (ending.out.size() + ending.err.size() > program.output_bytes_max) {
      return Error(ErrorCode::kBudget, "it printed more than " +
                                           std::to_string(program.output_bytes_max >> 20) + " MiB");
    }
  }
  return {};
}

/// Waits for a child that has closed its output, but leaves it for end(), so that nothing else gets
/// its number.
Status wait_for(const ChildProgram& program, pid_t pid, const Deadline& deadline) {
  while (true) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 &&
        errno != EINTR) {
      return Error(ErrorCode::kInternal, "waitid: " + errno_text(errno));
    }
    if (ended.si_pid == pid) {
      return {};
    }
    CW_TRY_VOID(deadline.check(program));
    poll(nullptr, 0, 1);
  }
}

/// Ends the child, unless it has ended, and what is left of its group. Returns its wait status.
int end(const ChildProgram& program, pid_t pid) {
  kill(program.has_own_group ? -pid : pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string failure_of(int status) {
  if (WIFSIGNALED(status)) {
    std::string text = "signal: " + std::string(strsignal(WTERMSIG(status)));
    text[8] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[8])));
    return WCOREDUMP(status) ? text + " (core dumped)" : text;
  }
  return WEXITSTATUS(status) == 0 ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
}

/// Blocks SIGPIPE on this thread during its lifetime: a program may stop reading while we write.
class PipeSignalBlock {
 public:
  PipeSignalBlock() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  PipeSignalBlock(const PipeSignalBlock&) = delete;
  PipeSignalBlock& operator=(const PipeSignalBlock&) = delete;
  ~PipeSignalBlock() {
    const timespec at_once{};
    while (sigtimedwait(&pipe_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

/// Opens the streams that the program gets.
Status open_streams(const ChildProgram& program, bool has_input, Child& child) {
  if (has_input) {
    CW_TRY_VOID(open_pipe(child.in));
  } else {
    child.in.read_end.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!child.in.read_end.is_open()) {
      return Error(ErrorCode::kInternal, "open /dev/null: " + errno_text(errno));
    }
  }
  CW_TRY_VOID(open_pipe(child.out));
  if (program.err == ChildProgram::Stderr::kCapture) {
    CW_TRY_VOID(open_pipe(child.err));
  }
  return {};
}

}  // namespace

Result<std::string> find_program(const std::string& program, std::string_view search) {
  if (program.find('/') != std::string::npos) {
    std::string why = not_executable(program);
    if (!why.empty()) {
      return Error(ErrorCode::kInvalidArgument, std::move(why));
    }
    return program;
  }
  for (std::string_view folder : split(search, ':')) {
    const std::string path = (folder.empty() ? "." : std::string(folder)) + "/" + program;
    if (not_executable(path).empty()) {
      if (!path.starts_with('/')) {
        return Error(ErrorCode::kInvalidArgument,
                     "cannot run executable found relative to current directory");
      }
      return path;
    }
  }
  return Error(ErrorCode::kNotFound, "executable file not found in $PATH");
}

Result<ChildEnding> run_program(const ChildProgram& program, std::string_view input,
                                const Clock& clock, const std::stop_token& stop) {
  const PipeSignalBlock block;
  const Deadline deadline{clock, stop, after(clock.monotonic(), program.timeout)};
  Child child;
  CW_TRY_VOID(open_streams(program, !input.empty(), child));
  if (const int error = spawn(program, child); error != 0) {
    return Error(ErrorCode::kInvalidArgument,
                 "fork/exec " + program.path + ": " + errno_text(error));
  }
  ChildEnding ending;
  auto exchanged = exchange(program, child, input, deadline, ending);
  if (exchanged.ok()) {
    exchanged = wait_for(program, child.pid, deadline);
  }
  const int status = end(program, child.pid);
  if (!exchanged.ok()) {
    return std::move(exchanged).error();
  }
  ending.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ending.failure = failure_of(status);
  return ending;
}

}  // namespace chartwright::base
