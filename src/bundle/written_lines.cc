// SPDX-License-Identifier: Apache-2.0
#include "bundle/written_lines.h"

#include <utility>
#include <variant>

#include "base/strings.h"

namespace chartwright::bundle {
namespace {

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
        statements((*branch)->body);
        meet_branch();
        if ((*branch)->otherwise) {
          statements(*(*branch)->otherwise);
          meet_branch();
        }
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
        line_.offsets.push_back(static_cast<size_t>(&c - source_));
      }
    }
  }

  void add_mark(size_t pos, const tmpl::Pipe* pipe) {
    line_.text += kWrittenMark;
    line_.offsets.push_back(pos);
    line_.written = pipe;
  }

  void meet_branch() { line_.branches = line_.branches || !base::trim(line_.text).empty(); }

  void end_line() { lines_.push_back(std::exchange(line_, WrittenLine())); }

  const char* source_;
  WrittenLine line_;
  std::vector<WrittenLine> lines_;
};

}  // namespace

std::vector<WrittenLine> written_lines(const tmpl::Tree& tree) {
  LineWriter writer(tree);
  writer.statements(tree.body);
  return writer.lines();
}

}  // namespace chartwright::bundle
