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

// The command line: a table of commands, each of which declares its flags here and runs once they
// are set. Nothing else sees argv or the parsing library.
namespace chartwright::cmd {

/// Exit codes. Helm and kubectl use only these.
inline constexpr int kExitOk = 0;
inline constexpr int kExitError = 1;

/// The streams of a command: data goes to `out`, messages for people to `err` or tell(). Not
/// thread-safe.
struct Streams {
  std::function<void(std::string_view)> out;
  /// Gets text without control characters: see with_clean_messages.
  std::function<void(std::string_view)> err;
  /// Reads all of standard input.
  std::function<base::Result<std::string>()> in;
  bool err_is_terminal = false;  ///< Required for long help and colour.
  bool shows_help = false;       ///< Long help even without a terminal: the user asked for it.
  bool out_is_terminal = false;  ///< Required for colour in `out`.

  /// Writes a message for people to `out`, without control characters.
  void tell(std::string_view text) const;
  /// Returns the same streams, with `err` without control characters: what charts, files and
  /// servers make a message say must not control a terminal.
  Streams with_clean_messages() const;
  /// Returns the process's own streams.
  static Streams standard();
};

/// The values that a flag or an argument takes, for shell completion.
struct Takes {
  enum class Paths : uint8_t { kNone, kFiles, kFolders };
  /// Values that only the cluster, or the kubeconfig, knows.
  enum class Live : uint8_t {
    kNone,
    kCustomResources,
    kNamespaces,
    kContexts,
    kRevisions,
    kAwaitedRevisions,  ///< Those that a custom resource may still get.
  };
  Paths paths = Paths::kNone;  ///< kFiles includes folders.
  std::vector<std::string> words = {};
  Live live = Live::kNone;
  std::string_view live_front = {};  ///< The beginning of each live value, such as "revision=".
};
inline const Takes kTakesFile{Takes::Paths::kFiles};
inline const Takes kTakesFolder{Takes::Paths::kFolders};

/// A word by which a word that is being typed can be completed.
struct Candidate {
  std::string word;  ///< The whole word, as in "--helm-version=3.22".
  std::string help;
};

/// The names and the help of a flag: "--name", and "-x" as well if `letter` is set.
struct FlagName {
  std::string_view name;
  char letter = '\0';
  std::string_view help;
  Takes takes = {};
  /// The default in words, if it is not the same everywhere: "number of CPUs".
  std::string_view default_text = {};
  bool* is_given = nullptr;  ///< Set to true if the command line has the flag.
};

/// The flags and arguments of one command. Each is bound to a variable, whose initial value is the
/// default. The syntax is Go's: "--name value" or "--name=value", bools "--name" or "--name=false".
class FlagSet {
 public:
  struct Impl;
  explicit FlagSet(Impl& impl) : impl_(impl) {}

  void text(std::string& into, const FlagName& flag);
  /// Declares a flag whose value is optional and must follow "="; without one it is "true".
  void optional_text(std::string& into, const FlagName& flag);
  /// Declares a repeatable flag; each use adds one element.
  void texts(std::vector<std::string>& into, const FlagName& flag);
  /// Declares a repeatable flag that takes a comma-separated list.
  void comma_texts(std::vector<std::string>& into, const FlagName& flag);
  void boolean(bool& into, const FlagName& flag);
  void integer(int64_t& into, const FlagName& flag);
  /// Declares a flag that takes a duration in Go's syntax.
  void duration(base::Duration& into, const FlagName& flag);
  /// Type of a flag that is accepted for compatibility but has no effect.
  enum class Ignored : uint8_t { kBoolean, kText };
  void ignored(Ignored type, const FlagName& flag);
  /// Declares the positional arguments.
  void arguments(std::vector<std::string>& into, std::string_view name, std::string_view help,
                 Takes takes = {});

 private:
  Impl& impl_;
};

/// One subcommand. An instance can be run once.
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  /// Returns one line for the list of commands.
  virtual std::string_view summary() const = 0;
  /// Returns the exit code after an error, also in the flags.
  virtual int error_exit_code() const { return kExitError; }
  virtual void declare(FlagSet& flags) = 0;
  /// Returns the exit code. An error is printed as "Error: ...", and gives the exit code
  /// error_exit_code().
  virtual base::Result<int> run(Streams& streams) = 0;
};

using CommandTable = std::vector<std::unique_ptr<Command>>;

/// Runs `work` on a thread with the large stack that rendering needs, because it recurses as deeply
/// as templates nest, and waits for it. Errors: those of `work`; kBudget if it exceeds 1 GiB of
/// memory, or three quarters of the usable memory if that is less.
base::Status on_render_stack(const std::function<base::Status()>& work);

/// A flag as declared.
struct DeclaredFlag {
  enum class Value : uint8_t {
    kNone,
    kOptional,  ///< After "=" only.
    kNext,      ///< After "=" or as the next argument.
  };
  std::vector<std::string> names;  ///< "--values", "-f".
  std::string help;
  Value value = Value::kNone;
  std::string type;  ///< For kNext: the value as help shows it, "TEXT".
  Takes takes;
  /// The value as on the command line; empty: none, or `default_text` has it.
  std::string default_value;
  std::string default_text;  ///< `FlagName::default_text`
};
/// The flags and arguments that may follow the name of a command.
struct Declared {
  std::vector<DeclaredFlag> flags;
  Takes arguments;
  std::string arguments_name;  ///< "KIND/NAME"; empty: there are none.
  std::string arguments_help;
};
/// Returns the declarations of `command`, which must not be run afterwards.
Declared declarations(Command& command);

/// Prints "Error: MESSAGE", then the help of `error` if `streams` shows help.
void print_error(const base::Error& error, Streams& streams);

/// A command of the program, under the name by which that was called.
struct CalledCommand {
  std::string_view program;
  Command& command;
};

/// Parses the arguments that follow a command's name, runs the command and returns the exit code.
/// Prints every error.
int run_command(const CalledCommand& called, std::vector<std::string> arguments, Streams& streams);

}  // namespace chartwright::cmd
