// SPDX-License-Identifier: Apache-2.0
#include "cmd/post_renderer.h"

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
#include <filesystem>
#include <system_error>

#include "base/descriptor.h"
#include "base/strings.h"
#include "cmd/environment.h"
#include "go/quote.h"

namespace chartwright::cmd {
namespace {

using base::Descriptor;
using base::Error;
using base::ErrorCode;

constexpr size_t kOutputBytesMax = size_t{256} << 20;
constexpr size_t kChunkBytes = size_t{64} << 10;

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

/// Returns the program's path, or an error with just the reason. Source: os/exec lp_unix.go
/// lookPath.
base::Result<std::string> look_up(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    std::string why = not_executable(program);
    if (!why.empty()) {
      return Error(ErrorCode::kInvalidArgument, std::move(why));
    }
    return program;
  }
  const std::string folders = environment("PATH").value_or("");
  for (std::string_view folder : base::split(folders, ':')) {
    const std::string path = (folder.empty() ? "." : std::string(folder)) + "/" + program;
    if (not_executable(path).empty()) {
      if (!path.starts_with('/')) {
        return Error(ErrorCode::kInvalidArgument,
                     "cannot run executable found relative to current directory");
      }
      return path;
    }
  }
  return Error(ErrorCode::kInvalidArgument, "executable file not found in $PATH");
}

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

base::Status open_pipe(Pipe& pipe) {
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

/// Starts the program. Returns 0 on success, else an error number.
int spawn(const PostRenderer& renderer, Child& child) {
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, child.in.read_end.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, child.out.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, child.err.write_end.get(), STDERR_FILENO);
  // This thread blocks SIGPIPE; the child must not inherit that.
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t none{};
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> words = renderer.arguments;
  words.insert(words.begin(), renderer.program);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  const int failed =
      posix_spawn(&child.pid, renderer.program.c_str(), &files, &attributes, argv.data(), environ);
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

/// The output of a program.
struct Printed {
  std::string out;
  std::string err;
};

/// Feeds the child and collects its output until all three streams are closed.
base::Status exchange(Child& child, std::string_view input, Printed& printed) {
  // A blocking write to a full pipe would deadlock with a child that waits for us to read.
  fcntl(child.in.write_end.get(), F_SETFL, O_NONBLOCK);
  if (input.empty()) {
    child.in.write_end.reset();
  }
  while (child.in.write_end.is_open() || child.out.read_end.is_open() ||
         child.err.read_end.is_open()) {
    // Descriptors of closed ends are negative; poll ignores those.
    std::array<pollfd, 3> streams{{{child.in.write_end.get(), POLLOUT, 0},
                                   {child.out.read_end.get(), POLLIN, 0},
                                   {child.err.read_end.get(), POLLIN, 0}}};
    if (poll(streams.data(), streams.size(), -1) < 0 && errno != EINTR) {
      return Error(ErrorCode::kInternal, "poll: " + errno_text(errno));
    }
    if (streams[0].revents != 0) {
      write_some(child.in.write_end, input);
    }
    if (streams[1].revents != 0) {
      read_some(child.out.read_end, printed.out);
    }
    if (streams[2].revents != 0) {
      read_some(child.err.read_end, printed.err);
    }
    if (printed.out.size() + printed.err.size() > kOutputBytesMax) {
      return Error(ErrorCode::kBudget,
                   "it printed more than " + std::to_string(kOutputBytesMax >> 20) + " MiB");
    }
  }
  return {};
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

/// Returns how a process ended, worded as Go's os.ProcessState does; empty for success.
std::string ending(int status) {
  if (WIFSIGNALED(status)) {
    std::string text = "signal: " + std::string(strsignal(WTERMSIG(status)));
    text[8] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[8])));
    return WCOREDUMP(status) ? text + " (core dumped)" : text;
  }
  return WEXITSTATUS(status) == 0 ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Error failed(const PostRenderer& renderer, const std::string& stderr_text, std::string_view why) {
  return Error(ErrorCode::kInvalidArgument,
               "error while running post render on files: error while running command " +
                   renderer.program + ". error output:\n" + stderr_text + ": " + std::string(why));
}

}  // namespace

base::Status locate(PostRenderer& renderer) {
  if (renderer.program.empty()) {
    return {};
  }
  const std::string& given = renderer.program;
  auto found = look_up(given);
  if (!found.ok()) {
    return Error(ErrorCode::kInvalidArgument,
                 "invalid argument " + go::quote(given) +
                     " for \"--post-renderer\" flag: unable to find binary at " + given +
                     ": exec: " + go::quote(given) + ": " + found.error().message());
  }
  std::error_code error;
  renderer.program = std::filesystem::absolute(*found, error).lexically_normal().string();
  if (error) {
    return Error(ErrorCode::kInternal, "getwd: " + error.message());
  }
  return {};
}

base::Result<std::string> post_render(const PostRenderer& renderer, const std::string& manifests) {
  const PipeSignalBlock block;
  Child child;
  CW_TRY_VOID(open_pipe(child.in));
  CW_TRY_VOID(open_pipe(child.out));
  CW_TRY_VOID(open_pipe(child.err));
  if (const int error = spawn(renderer, child); error != 0) {
    return failed(renderer, "", "fork/exec " + renderer.program + ": " + errno_text(error));
  }
  Printed printed;
  auto exchanged = exchange(child, manifests, printed);
  if (!exchanged.ok()) {
    kill(child.pid, SIGKILL);
    wait_for(child.pid);
    return Error(exchanged.error().code(),
                 failed(renderer, "", exchanged.error().message()).message());
  }
  if (const std::string why = ending(wait_for(child.pid)); !why.empty()) {
    return failed(renderer, printed.err, why);
  }
  return std::move(printed.out);
}

}  // namespace chartwright::cmd
