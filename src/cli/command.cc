// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <list>
#include <map>

#include "base/machine_memory.h"
#include "base/memory_limit.h"
#include "base/printable.h"
#include "base/strings.h"
#include "base/thread.h"
#include "go/parse_bool.h"
#include "go/quote.h"

namespace chartwright::cmd {

struct FlagSet::Impl {
  /// A bool as written, converted after parsing: CLI11's own conversion accepts other words.
  struct Bool {
    std::string text;
    bool* into;
    FlagName flag;
  };
  CLI::App& app;
  std::list<Bool> bools = {};             ///< A list, because options refer to its strings.
  std::list<std::string> unused = {};     ///< Values of ignored flags.
  std::vector<std::string> ignored = {};  ///< Their names.
  /// The part of a declaration that CLI11 does not keep.
  struct Note {
    Takes takes = {};
    std::string default_value = {};
    std::string default_text = {};
  };
  std::map<const CLI::Option*, Note> notes = {};

  /// Notes a flag; `initial` is its value before parsing.
  void note(const CLI::Option* option, const FlagName& flag, std::string initial) {
    notes[option] = {flag.takes, flag.default_text.empty() ? std::move(initial) : "",
                     std::string(flag.default_text)};
  }
};

namespace {

constexpr size_t kStdinBytesMax = size_t{100} << 20;
constexpr size_t kCommandMemoryMax = size_t{1} << 30;

std::string option_name(const FlagName& flag) {
  std::string name = "--" + std::string(flag.name);
  return flag.letter != '\0' ? "-" + std::string(1, flag.letter) + "," + name : name;
}

/// Returns the message for a value that its flag does not accept.
std::string invalid_value(std::string_view value, const FlagName& flag, std::string_view why) {
  std::string name = "--" + std::string(flag.name);
  if (flag.letter != '\0') {
    name = "-" + std::string(1, flag.letter) + ", " + name;
  }
  return "invalid argument " + go::quote(value) + " for " + go::quote(name) +
         " flag: " + std::string(why);
}

/// The value of a flag: its type as help shows it, and its default.
struct FlagValue {
  std::string type;
  std::string initial = {};
};

/// Declares an option and calls `read` with each of its values in turn.
void add_option(FlagSet::Impl& impl, const FlagName& flag, FlagValue shown,
                std::function<void(const std::string&)> read) {
  CLI::Option* option = impl.app.add_option(
      option_name(flag),
      [read = std::move(read), is_given = flag.is_given](const CLI::results_t& values) {
        if (is_given != nullptr) {
          *is_given = true;
        }
        for (const std::string& value : values) {
          read(value);
        }
        return true;
      },
      std::string(flag.help));
  option->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
  option->type_name(shown.type);
  impl.note(option, flag, std::move(shown.initial));
}

void write_all(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

base::Result<std::string> read_stdin() {
  std::string text;
  std::vector<char> buffer(size_t{64} << 10);
  while (true) {
    const size_t got = std::fread(buffer.data(), 1, buffer.size(), stdin);
    text.append(buffer.data(), got);
    if (text.size() > kStdinBytesMax) {
      return base::Error(base::ErrorCode::kBudget, "standard input is larger than 100 MiB");
    }
    if (got < buffer.size()) {
      return text;
    }
  }
}

/// Returns the message for an argument that nothing accepts, worded as Go's flag libraries do.
std::string unexpected_argument(const CLI::App& app, const std::string& argument) {
  if (argument.starts_with("--")) {
    const std::string name = argument.substr(2, argument.find('=') - 2);
    std::string text = "unknown flag: --" + name;
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& known : option->get_lnames()) {
        names.push_back(known);
      }
    }
    const std::string_view near =
        base::nearest(name, std::vector<std::string_view>(names.begin(), names.end()));
    return near.empty() ? text : text + "\n\nDid you mean --" + std::string(near) + "?";
  }
  if (argument.starts_with("-") && argument.size() > 1) {
    return "unknown shorthand flag: '" + argument.substr(1, 1) + "' in " + argument;
  }
  return "unexpected argument " + go::quote(argument);
}

/// Takes "--flag=" apart: after it, CLI11 would take the next argument for the value, in place of
/// an empty one. Source: github.com/spf13/pflag parseLongArg.
std::vector<std::string> with_empty_values(const CLI::App& app,
                                           const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  bool are_flags = true;  // Until "--".
  for (const std::string& argument : arguments) {
    are_flags = are_flags && argument != "--";
    const std::string name = argument.substr(0, argument.find('='));
    if (are_flags && argument.starts_with("--") && argument == name + "=" &&
        app.get_option_no_throw(name) != nullptr) {
      all.push_back(name);
      all.emplace_back();
    } else {
      all.push_back(argument);
    }
  }
  return all;
}

/// Parses a command's flags. Returns false, and sets `code`, if there is nothing left to run.
bool parse_flags(CLI::App& app, std::vector<std::string> arguments, Streams& streams, int& code) {
  // CLI11 reports through exceptions; none leaves this function.
  try {
    arguments = with_empty_values(app, arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back.
    app.parse(std::move(arguments));
    return true;
  } catch (const CLI::CallForHelp&) {
    streams.out(app.help());
    code = kExitOk;
  } catch (const CLI::ExtrasError&) {
    const auto extras = app.remaining();
    streams.err("Error: " + unexpected_argument(app, extras.empty() ? "" : extras.front()) + "\n");
    code = kExitError;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    streams.err("Error: flag needs an argument: " + text.substr(0, text.find(':')) + "\n");
    code = kExitError;
  } catch (const CLI::ParseError& error) {
    streams.err("Error: " + std::string(error.what()) + "\n");
    code = kExitError;
  }
  return false;
}

base::Status read_bools(FlagSet::Impl& impl) {
  for (const FlagSet::Impl::Bool& bound : impl.bools) {
    if (bound.text.empty()) {
      continue;
    }
    const auto parsed = go::parse_bool(bound.text);
    if (!parsed) {
      return base::Error(base::ErrorCode::kInvalidArgument,
                         invalid_value(bound.text, bound.flag,
                                       "strconv.ParseBool: parsing " + go::quote(bound.text) +
                                           ": invalid syntax"));
    }
    *bound.into = *parsed;
    if (bound.flag.is_given != nullptr) {
      *bound.flag.is_given = true;
    }
  }
  return {};
}

// A backstop: none of our code throws across modules.
base::Status contained(const std::function<base::Status()>& work) {
  try {
    return work();
  } catch (const std::exception& e) {
    return base::Error(base::ErrorCode::kInternal,
                       std::string("unexpected exception: ") + e.what());
  }
}

DeclaredFlag::Value value_of(const CLI::Option& option, const Takes& takes) {
  if (option.get_items_expected_min() > 0) {
    return DeclaredFlag::Value::kNext;
  }
  return takes.words.empty() ? DeclaredFlag::Value::kNone : DeclaredFlag::Value::kOptional;
}

}  // namespace

void Streams::tell(std::string_view text) const { out(base::printable_lines(text)); }

Streams Streams::with_clean_messages() const {
  Streams clean = *this;
  clean.err = [err = err](std::string_view text) { err(base::printable_lines(text)); };
  return clean;
}

Streams Streams::standard() {
  return {[](std::string_view text) { write_all(stdout, text); },
          [](std::string_view text) { write_all(stderr, text); },
          read_stdin,
          isatty(STDERR_FILENO) == 1,
          false,
          isatty(STDOUT_FILENO) == 1};
}

base::Status on_render_stack(const std::function<base::Status()>& work) {
  // The chart and its values count too, on top of the memory of one render.
  const size_t memory_max = std::min(kCommandMemoryMax, base::usable_memory() / 4 * 3);
  base::Status status;
  base::Thread("render", base::kRenderStackBytes, [&] {
    status = contained([&] { return base::within_memory(memory_max, work); });
  }).join();
  return status;
}

void print_error(const base::Error& error, Streams& streams) {
  streams.err("Error: " + error.message() + "\n");
  if ((streams.err_is_terminal || streams.shows_help) && !error.help().empty()) {
    streams.err("\n" + error.help() + "\n");
  }
}

int run_command(const CalledCommand& called, std::vector<std::string> arguments, Streams& streams) {
  Streams clean = streams.with_clean_messages();
  Command& command = called.command;
  CLI::App app(std::string(command.summary()),
               std::string(called.program) + " " + std::string(command.name()));
  FlagSet::Impl impl{app};
  FlagSet flags(impl);
  command.declare(flags);
  int code = kExitOk;
  if (!parse_flags(app, std::move(arguments), clean, code)) {
    return code == kExitOk ? kExitOk : command.error_exit_code();
  }
  if (auto status = read_bools(impl); !status.ok()) {
    print_error(status.error(), clean);
    return command.error_exit_code();
  }
  auto result = command.run(clean);
  if (!result.ok()) {
    print_error(result.error(), clean);
    return command.error_exit_code();
  }
  return *result;
}

namespace {

/// Returns the names as indented lines of the width of a terminal.
std::string in_lines(const std::vector<std::string>& names) {
  constexpr size_t kWidth = 80;
  std::string text;
  size_t width = kWidth;
  for (const std::string& name : names) {
    if (width + 1 + name.size() > kWidth) {
      text += text.empty() ? " " : "\n ";
      width = 1;
    }
    text += " " + name;
    width += 1 + name.size();
  }
  return text;
}

}  // namespace

void FlagSet::text(std::string& into, const FlagName& flag) {
  add_option(impl_, flag, {"TEXT", into}, [&into](const std::string& value) { into = value; });
}

void FlagSet::optional_text(std::string& into, const FlagName& flag) {
  CLI::Option* option = impl_.app.add_flag(option_name(flag), into, std::string(flag.help));
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  impl_.note(option, flag, into);
}

void FlagSet::texts(std::vector<std::string>& into, const FlagName& flag) {
  add_option(impl_, flag, {"TEXT"}, [&into](const std::string& value) { into.push_back(value); });
}

void FlagSet::comma_texts(std::vector<std::string>& into, const FlagName& flag) {
  add_option(impl_, flag, {"TEXT,..."}, [&into](const std::string& value) {
    // As in pflag, an empty text is an empty list.
    for (std::string_view part :
         value.empty() ? std::vector<std::string_view>() : base::split(value, ',')) {
      into.emplace_back(part);
    }
  });
}

void FlagSet::boolean(bool& into, const FlagName& flag) {
  FlagSet::Impl::Bool& bound = impl_.bools.emplace_back(Impl::Bool{"", &into, flag});
  CLI::Option* option = impl_.app.add_flag(option_name(flag), bound.text, std::string(flag.help));
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  impl_.note(option, flag, into ? "true" : "false");
}

void FlagSet::ignored(Ignored type, const FlagName& flag) {
  std::string& value = impl_.unused.emplace_back();
  if (type == Ignored::kText) {
    text(value, flag);
  } else {
    impl_.app.add_flag(option_name(flag), value, std::string(flag.help))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  const std::string name = "--" + std::string(flag.name);
  impl_.app.get_option(name)->group("");  // It has no line of its own in the help.
  impl_.ignored.push_back(name);
  impl_.app.footer("Accepted without effect:\n" + in_lines(impl_.ignored));
}

void FlagSet::arguments(std::vector<std::string>& into, std::string_view name,
                        std::string_view help, Takes takes) {
  CLI::Option* option = impl_.app.add_option(std::string(name), into, std::string(help));
  option->type_name("");
  impl_.notes[option].takes = std::move(takes);
}

void FlagSet::integer(int64_t& into, const FlagName& flag) {
  add_option(impl_, flag, {"INT", std::to_string(into)}, [&into, flag](const std::string& value) {
    const auto number = base::parse_int(value);
    if (!number) {
      throw CLI::ConversionError(
          invalid_value(value, flag,
                        "strconv.ParseInt: parsing " + go::quote(value) + ": invalid syntax"),
          CLI::ExitCodes::ConversionError);
    }
    into = *number;
  });
}

void FlagSet::duration(base::Duration& into, const FlagName& flag) {
  FlagValue shown{"DURATION", base::format_go_duration(into)};
  add_option(impl_, flag, std::move(shown), [&into, flag](const std::string& value) {
    const auto parsed = base::parse_go_duration(value);
    if (!parsed.ok()) {
      throw CLI::ConversionError(invalid_value(value, flag, parsed.error().message()),
                                 CLI::ExitCodes::ConversionError);
    }
    into = *parsed;
  });
}

Declared declarations(Command& command) {
  CLI::App app;
  FlagSet::Impl impl{app};
  FlagSet flags(impl);
  command.declare(flags);
  Declared declared;
  for (const CLI::Option* option : app.get_options()) {
    const FlagSet::Impl::Note& note = impl.notes[option];
    if (option->get_positional()) {
      declared.arguments = note.takes;
      declared.arguments_name = option->get_name();
      declared.arguments_help = option->get_description();
      continue;
    }
    DeclaredFlag flag;
    flag.help = option->get_description();
    flag.value = value_of(*option, note.takes);
    flag.type = flag.value == DeclaredFlag::Value::kNext ? option->get_type_name() : "";
    flag.takes = note.takes;
    flag.default_value = note.default_value;
    flag.default_text = note.default_text;
    for (const std::string& name : option->get_lnames()) {
      flag.names.push_back("--" + name);
    }
    for (const std::string& letter : option->get_snames()) {
      flag.names.push_back("-" + letter);
    }
    declared.flags.push_back(std::move(flag));
  }
  return declared;
}

}  // namespace chartwright::cmd
