// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

// The command line: one table of commands, each declaring its flags here and run with them set.
// Nothing else sees argv or the parsing library.
namespace chartwright::cmd {

/// The program, as users call it.
inline constexpr std::string_view kProgram = "chartwright";

/// Exit codes. Helm and kubectl know only these.
inline constexpr int kExitOk = 0;
inline constexpr int kExitError = 1;

/// Where a command writes: data to `out`, everything for people to `err`. Not thread-safe.
struct Streams {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
  /// Whole standard input.
  std::function<base::Result<std::string>()> in;
  bool err_is_terminal = false;  ///< Long help and colour only then.
  bool shows_help = false;       ///< Long help though nobody sits there: the user asked for it.

  /// The process's own streams.
  static Streams standard();
};

/// What a flag or an argument takes, for shells to complete.
struct Takes {
  enum class Paths : uint8_t { kNone, kFiles, kFolders };
  Paths paths = Paths::kNone;  ///< kFiles: folders, too.
  std::vector<std::string> words = {};
};
inline const Takes kTakesFile{Takes::Paths::kFiles};
inline const Takes kTakesFolder{Takes::Paths::kFolders};

/// How a flag is called: "--name", with "-x" beside it if `letter` is set.
struct FlagName {
  std::string_view name;
  char letter = '\0';
  std::string_view help;
  Takes takes = {};
};

/// The flags and arguments of one command, bound to variables that keep their value as default.
/// Flags are written as in Go: "--name value" or "--name=value", bools "--name" or "--name=false".
class FlagSet {
 public:
  struct Impl;
  explicit FlagSet(Impl& impl) : impl_(impl) {}

  void text(std::string& into, const FlagName& flag);
  /// A flag that may stand without a value, which is "true" then; a value follows only "=".
  void optional_text(std::string& into, const FlagName& flag);
  /// One element for every time the flag is given.
  void texts(std::vector<std::string>& into, const FlagName& flag);
  /// Elements separated by commas, the flag given any number of times.
  void comma_texts(std::vector<std::string>& into, const FlagName& flag);
  void boolean(bool& into, const FlagName& flag);
  void integer(int64_t& into, const FlagName& flag);
  /// Go's duration syntax.
  void duration(base::Duration& into, const FlagName& flag);
  /// Accepted for compatibility and without effect.
  enum class Ignored : uint8_t { kBoolean, kText };
  void ignored(Ignored type, const FlagName& flag);
  /// Everything that is no flag.
  void arguments(std::vector<std::string>& into, std::string_view name, std::string_view help,
                 Takes takes = {});

 private:
  Impl& impl_;
};

/// One subcommand. An instance serves one run.
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  /// One line for the list of commands.
  virtual std::string_view summary() const = 0;
  virtual void declare(FlagSet& flags) = 0;
  /// The exit code. An error is printed as "Error: ..." and exits with 1.
  virtual base::Result<int> run(Streams& streams) = 0;
};

using CommandTable = std::vector<std::unique_ptr<Command>>;

/// Does `work` on a thread whose stack is of the size that rendering needs, which recurses as deep
/// as templates nest, and waits for it. Errors: those of `work`; kBudget past 1 GiB of memory, or
/// three quarters of what there is.
base::Status on_render_stack(const std::function<base::Status()>& work);

/// A flag as the command line knows it.
struct DeclaredFlag {
  enum class Value : uint8_t {
    kNone,
    kOptional,  ///< Behind "=" only.
    kNext,      ///< Behind "=" or as the next argument.
  };
  std::vector<std::string> names;  ///< "--values", "-f".
  std::string help;
  Value value = Value::kNone;
  Takes takes;
};
/// What may stand behind the name of a command.
struct Declared {
  std::vector<DeclaredFlag> flags;
  Takes arguments;
};
/// `command` serves no run after it.
Declared declarations(Command& command);

/// "Error: MESSAGE", and the help where it is to be shown.
void print_error(const base::Error& error, Streams& streams);

/// Parses what stands behind a command's name, runs it and returns the exit code. Every error is
/// printed here.
int run_command(Command& command, std::vector<std::string> arguments, Streams& streams);

}  // namespace chartwright::cmd
