// SPDX-License-Identifier: Apache-2.0
#include "bundle/written_lines.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "base/strings.h"

namespace chartwright::bundle {
namespace {

/// The functions that may write more than one line.
constexpr std::array<std::string_view, 6> kLineWriters = {"include",      "tpl",     "toYaml",
                                                          "toYamlPretty", "nindent", "indent"};

class LineWriter {
 public:
  explicit LineWriter(const tmpl::Tree& tree) : source_(tree.source->data()) {}

  void statements(const tmpl::StatementList& list) {
    for (const tmpl::Statement& statement : list) {
      if (const auto* text = std::get_if<tmpl::Text>(&statement)) {
        add_text(text->text);
      } else if (const auto* action = std::get_if<tmpl::Action>(&statement)) {
        if (action->pipe.variables.empty()) {
          add_mark(action->pos, &action->pipe);
        }
      } else if (const auto* call = std::get_if<tmpl::TemplateCall>(&statement)) {
        add_mark(call->pos, nullptr);
      } else if (const auto* branch = std::get_if<std::unique_ptr<tmpl::Branch>>(&statement)) {
        meet_branch();
        ++depth_;
        statements((*branch)->body);
        meet_branch();
        if ((*branch)->otherwise) {
          statements(*(*branch)->otherwise);
          meet_branch();
        }
        --depth_;
      }
    }
  }

  std::vector<WrittenLine> lines() {
    end_line();
    return std::move(lines_);
  }

 private:
  void add_text(std::string_view text) {
    for (const char& c : text) {
      if (c == '\n') {
        end_line();
      } else {
        line_.text += c;
        line_.conditional = line_.conditional || depth_ > 0;
        line_.offsets.push_back(static_cast<size_t>(&c - source_));
      }
    }
  }

  void add_mark(size_t pos, const tmpl::Pipe* pipe) {
    line_.text += kWrittenMark;
    line_.conditional = line_.conditional || depth_ > 0;
    line_.offsets.push_back(pos);
    line_.written = pipe;
  }

  void meet_branch() { line_.branches = line_.branches || !base::trim(line_.text).empty(); }

  void end_line() { lines_.push_back(std::exchange(line_, WrittenLine())); }

  const char* source_;
  int depth_ = 0;  // Of branches.
  WrittenLine line_;
  std::vector<WrittenLine> lines_;
};

}  // namespace

std::vector<WrittenLine> written_lines(const tmpl::Tree& tree) {
  LineWriter writer(tree);
  writer.statements(tree.body);
  return writer.lines();
}

bool may_write_lines(const WrittenLine& line) {
  if (line.text.find(kWrittenMark) == std::string::npos) {
    return false;
  }
  const auto writes = [](const tmpl::Command& command) {
    const auto* callee = std::get_if<tmpl::Identifier>(&command.terms.front());
    return callee != nullptr && std::ranges::find(kLineWriters, callee->name) != kLineWriters.end();
  };
  return line.written == nullptr || std::ranges::any_of(line.written->commands, writes);
}

}  // namespace chartwright::bundle
