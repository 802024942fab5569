// SPDX-License-Identifier: Apache-2.0
// `chartwright man`: the pages of the manual.
#include "cmd/man.h"

#include <array>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/strings.h"
#include "base/unicode.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;

struct Escape {
  char32_t rune;
  std::string_view text;
};
/// The characters that troff would take for something else, or set as a typographic one.
constexpr std::array<Escape, 7> kEscapes = {{{'\\', "\\e"},
                                             {'-', "\\-"},
                                             {'\'', "\\(aq"},
                                             {'"', "\\(dq"},
                                             {'`', "\\(ga"},
                                             {'^', "\\(ha"},
                                             {'~', "\\(ti"}}};

void add_rune(std::string& out, char32_t rune) {
  constexpr char32_t kLastAscii = 0x7e;
  for (const Escape& escape : kEscapes) {
    if (rune == escape.rune) {
      out += escape.text;
      return;
    }
  }
  if (rune > kLastAscii) {
    std::array<char, 16> text{};
    const int size = std::snprintf(text.data(), text.size(), "\\[u%04X]", unsigned{rune});
    out.append(text.data(), static_cast<size_t>(size));
  } else if (rune >= ' ' || rune == '\n') {
    out += static_cast<char>(rune);
  } else {
    out += ' ';
  }
}

std::string bold(std::string_view text) { return "\\fB" + to_troff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + to_troff(text) + "\\fR"; }

/// Returns the first line of a page, whose date would only tell when it was made.
std::string title(const std::string& name) {
  return ".TH " + to_troff(name) + " 1 \"\" \"chartwright " CW_VERSION "\"\n";
}

std::string name_section(const std::string& name, std::string_view summary) {
  return ".SH NAME\n" + to_troff(name) + " \\- " + to_troff(summary) + "\n";
}

/// Returns what a flag takes, after its names.
std::string value_of(const DeclaredFlag& flag) {
  switch (flag.value) {
    case DeclaredFlag::Value::kNone:
      return "";
    case DeclaredFlag::Value::kOptional:
      return "[=" + italic("TEXT") + "]";
    case DeclaredFlag::Value::kNext:
      break;
  }
  return " " + italic(flag.type);
}

/// Returns lines that say what a flag does, its values, and its default.
std::string lines_of(const DeclaredFlag& flag) {
  std::string text = to_troff(flag.help);
  if (!flag.takes.words.empty()) {
    text += "\n.br\nValues: " + to_troff(base::join(flag.takes.words, ", "));
  }
  const std::string& initial = flag.default_value.empty() ? flag.default_text : flag.default_value;
  if (!initial.empty()) {
    text += "\n.br\nDefault: " + to_troff(initial);
  }
  return text;
}

std::string flag_section(const Declared& declared) {
  std::string text = ".SH OPTIONS\n";
  for (const DeclaredFlag& flag : declared.flags) {
    std::vector<std::string> names;
    for (auto name = flag.names.rbegin(); name != flag.names.rend(); ++name) {
      names.push_back(bold(*name));  // The letter comes first.
    }
    text += ".TP\n" + base::join(names, ", ") + value_of(flag) + "\n" + lines_of(flag) + "\n";
  }
  return text;
}

std::string command_page(const Program& program, Command& command) {
  const std::string called = std::string(program.name) + " " + std::string(command.name());
  const std::string page = std::string(program.name) + "-" + std::string(command.name());
  const Declared declared = declarations(command);
  std::string text = title(page) + name_section(page, command.summary());
  text += ".SH SYNOPSIS\n" + bold(called) + " [" + italic("flags") + "]";
  if (!declared.arguments_name.empty()) {
    text += " " + italic(declared.arguments_name) + "\n.SH ARGUMENTS\n.TP\n" +
            italic(declared.arguments_name) + "\n" + to_troff(declared.arguments_help);
  }
  text += "\n" + flag_section(declared);
  return text + ".SH SEE ALSO\n.BR " + to_troff(program.name) + " (1)\n";
}

std::string overview_page(const Program& program) {
  const std::string name(program.name);
  std::string text = title(name) + name_section(name, program.purpose);
  text += ".SH SYNOPSIS\n" + bold(name) + " " + italic("COMMAND") + " [" + italic("flags") +
          "]\n.SH COMMANDS\n";
  for (const auto& command : program.commands) {
    text += ".TP\n.BR " + to_troff(name + "-" + std::string(command->name())) + " (1)\n" +
            to_troff(command->summary()) + "\n";
  }
  return text;
}

class ManCommand final : public Command {
 public:
  std::string_view name() const override { return "man"; }
  std::string_view summary() const override { return "Write the pages of the manual"; }
  void declare(FlagSet& flags) override {
    flags.text(folder_, {.name = "output-dir",
                         .help = "the folder for the pages, which is made if it is missing",
                         .takes = kTakesFolder});
  }
  base::Result<int> run(Streams& /*streams*/) override {
    if (folder_.empty()) {
      return Error(ErrorCode::kInvalidArgument, "--output-dir: name the folder for the pages");
    }
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    for (const ManPage& page : man_pages(program_called("chartwright"))) {
      CW_TRY_VOID(base::replace_file(folder_ + "/" + page.file, page.text));
    }
    return kExitOk;
  }

 private:
  std::string folder_;
};

}  // namespace

std::string to_troff(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const base::DecodedRune decoded = base::decode_rune(text);
    const bool begins_line = out.empty() || out.back() == '\n';
    text.remove_prefix(decoded.size);
    if (decoded.rune == '\n' && begins_line) {
      continue;  // An empty line would be a paragraph.
    }
    if (decoded.rune == '.' && begins_line) {
      out += "\\&";
    }
    add_rune(out, decoded.rune);
  }
  return out;
}

std::vector<ManPage> man_pages(const Program& program) {
  const std::string name(program.name);
  std::vector<ManPage> pages = {{name + ".1", overview_page(program)}};
  for (const auto& command : program.commands) {
    pages.push_back(
        {name + "-" + std::string(command->name()) + ".1", command_page(program, *command)});
  }
  return pages;
}

std::unique_ptr<Command> make_man_command() { return std::make_unique<ManCommand>(); }

}  // namespace chartwright::cmd
