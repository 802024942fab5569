// SPDX-License-Identifier: Apache-2.0
#include "cmd/man.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/file.h"
#include "base/strings.h"
#include "test/base/temporary_directory.h"
#include "test/cmd/command.h"

namespace chartwright::cmd {
namespace {

std::vector<ManPage> all_pages() { return man_pages(program_called("chartwright")); }

std::string page_called(const std::string& file) {
  for (const ManPage& page : all_pages()) {
    if (page.file == file) {
      return page.text;
    }
  }
  return "";
}

bool has_line(const std::string& text, const std::string& line) {
  const auto lines = base::split(text, '\n');
  return std::ranges::find(lines, line) != lines.end();
}

}  // namespace

TEST_CASE("No character of a text is a request of troff, and each is shown") {
  const auto [text, troff] = GENERATE(
      table<std::string, std::string>({{"plain text", "plain text"},
                                       {"--name=a-b", "\\-\\-name=a\\-b"},
                                       {".TH evil", "\\&.TH evil"},
                                       {"a\n.so /etc/passwd", "a\n\\&.so /etc/passwd"},
                                       {"'sy", "\\(aqsy"},
                                       {"\\n(.x", "\\en(.x"},
                                       {"\"a\" `b` ^~", "\\(dqa\\(dq \\(gab\\(ga \\(ha\\(ti"},
                                       {"a…\xff", "a\\[u2026]\\[uFFFD]"},
                                       {"a\tb\x1b[31m\x7f", "a b [31m\\[u007F]"},
                                       {"\n\na\n\nb\n", "a\nb\n"},
                                       {"", ""}}));
  CAPTURE(text);
  CHECK(to_troff(text) == troff);
}

TEST_CASE("The manual has a page for the program and for each command, with every flag") {
  const std::string overview = page_called("chartwright.1");
  CHECK(all_pages().size() == all_commands().size() + 1);
  for (const auto& command : all_commands()) {
    const std::string name(command->name());
    CAPTURE(name);
    const std::string summary = to_troff(command->summary());
    CHECK(has_line(overview, summary));
    CHECK(has_line(overview, ".BR " + to_troff("chartwright-" + name) + " (1)"));
    const std::string page = page_called("chartwright-" + name + ".1");
    CHECK(has_line(page, to_troff("chartwright-" + name) + " \\- " + summary));
    const Declared declared = declarations(*command);
    CHECK(page.find("\n\\fI" + to_troff(declared.arguments_name) + "\\fR\n") !=
          (declared.arguments_name.empty() ? 0 : std::string::npos));
    for (const DeclaredFlag& flag : declared.flags) {
      CAPTURE(flag.names);
      CHECK(page.find(to_troff(flag.help.substr(0, flag.help.find('\n')))) != std::string::npos);
      for (const std::string& word : flag.names) {
        CHECK(page.find("\\fB" + to_troff(word) + "\\fR") != std::string::npos);
      }
    }
  }
}

TEST_CASE("A flag has its letter first, its value, and its default") {
  const std::string page = page_called("chartwright-get.1");
  CHECK(page.find(".TP\n\\fB\\-n\\fR, \\fB\\-\\-namespace\\fR \\fITEXT\\fR\n"
                  "the namespace to look at\n.br\nDefault: that of the current context\n") !=
        std::string::npos);
  CHECK(page.find("\n.br\nValues: table, wide, json, yaml, name\n.br\nDefault: table\n") !=
        std::string::npos);
  CHECK(has_line(page, "\\fBchartwright get\\fR [\\fIflags\\fR] \\fIKIND NAME|KIND/NAME\\fR"));
}

TEST_CASE("The pages are written into a folder, which is made") {
  const base::TemporaryDirectory folder;
  const std::string below = folder.path("share/man1");
  const testing::Outcome outcome = testing::run({"man", "--output-dir", below});
  CHECK(outcome.code == kExitOk);
  CHECK((outcome.out + outcome.err).empty());
  for (const ManPage& page : all_pages()) {
    const auto text = base::read_file(below + "/" + page.file, 1 << 20);
    REQUIRE(text.ok());
    CHECK(*text == page.text);
  }
}

TEST_CASE("Pages that cannot be written are an error") {
  CHECK(testing::run({"man"}).err == "Error: --output-dir: name the folder for the pages\n");
  const testing::Outcome outcome = testing::run({"man", "--output-dir", "/proc/none"});
  CHECK(outcome.code == kExitError);
  CHECK(outcome.err.starts_with("Error: "));
}

}  // namespace chartwright::cmd
