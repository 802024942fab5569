// SPDX-License-Identifier: Apache-2.0
#include "coverage/chart_coverage.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/unicode.h"
#include "go/path.h"
#include "tmpl/parser.h"

namespace chartwright::coverage {
namespace {

/// A longer condition is cut.
constexpr size_t kConditionBytesMax = 120;
constexpr std::string_view kSpace = " \t\r\n";

/// Finds the lines of offsets in a text.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text) {
    for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
      breaks_.push_back(at);
    }
  }
  /// Returns the line, from 1.
  size_t line_of(size_t offset) const {
    return static_cast<size_t>(std::ranges::lower_bound(breaks_, offset) - breaks_.begin()) + 1;
  }

 private:
  std::vector<size_t> breaks_;
};

size_t end_of(const tmpl::Pipe& pipe);

/// Returns the offset of the last byte of a term that is known to be in it.
size_t end_of(const tmpl::Term& term) {
  if (const auto* text = std::get_if<tmpl::String>(&term)) {
    return text->pos + std::max<size_t>(text->quoted.size(), 1) - 1;
  }
  if (const auto* chain = std::get_if<std::unique_ptr<tmpl::Chain>>(&term)) {
    return std::max((*chain)->pos, end_of((*chain)->term));
  }
  if (const auto* pipe = std::get_if<std::unique_ptr<tmpl::Pipe>>(&term)) {
    return end_of(**pipe);
  }
  return tmpl::position(tmpl::node_ref(term));
}

size_t end_of(const tmpl::Pipe& pipe) {
  size_t end = pipe.pos;
  for (const tmpl::Command& command : pipe.commands) {
    for (const tmpl::Term& term : command.terms) {
      end = std::max(end, end_of(term));
    }
  }
  return end;
}

const tmpl::Pipe* pipe_of_statement(const tmpl::Statement& statement) {
  if (const auto* action = std::get_if<tmpl::Action>(&statement)) {
    return &action->pipe;
  }
  if (const auto* branch = std::get_if<std::unique_ptr<tmpl::Branch>>(&statement)) {
    return &(*branch)->pipe;
  }
  const auto* call = std::get_if<tmpl::TemplateCall>(&statement);
  return call != nullptr && call->pipe ? &*call->pipe : nullptr;
}

std::string_view keyword_of(tmpl::BranchKind kind) {
  switch (kind) {
    case tmpl::BranchKind::kIf:
      return "if ";
    case tmpl::BranchKind::kRange:
      return "range ";
    case tmpl::BranchKind::kWith:
      break;
  }
  return "with ";
}

/// Looks at the statements of a template.
class SourceWalk {
 public:
  SourceWalk(const std::string& source, const tmpl::SourceCounts& counts, FileCoverage& into)
      : source_(source), index_(source), counts_(counts), into_(into) {}

  void walk(const tmpl::StatementList& list) {
    for (const tmpl::Statement& statement : list) {
      const tmpl::SourceCounts::Count count = counts_.at(tmpl::position(statement));
      if (const auto* text = std::get_if<tmpl::Text>(&statement)) {
        add_text(text->text, count.runs);
        continue;
      }
      add_action(statement, count.runs);
      if (const auto* branch = std::get_if<std::unique_ptr<tmpl::Branch>>(&statement)) {
        add_branch(**branch, count);
      }
    }
  }

  /// Adds the lines of a text that are not blank.
  void add_text(std::string_view text, uint64_t runs) {
    for (size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;
         at = text.find_first_not_of(kSpace, std::min(text.find('\n', at), text.size()))) {
      const auto offset = static_cast<size_t>(text.data() - source_.data()) + at;
      add_line(index_.line_of(offset), runs);
    }
  }

 private:
  void add_line(size_t line, uint64_t runs) {
    uint64_t& most = into_.lines[line];
    most = std::max(most, runs);
  }

  size_t line_of(size_t offset) const {
    return index_.line_of(std::min(source_.find_first_not_of(kSpace, offset), source_.size()));
  }

  void add_action(const tmpl::Statement& statement, uint64_t runs) {
    const size_t first = line_of(tmpl::position(statement));
    const tmpl::Pipe* const pipe = pipe_of_statement(statement);
    const size_t last = pipe != nullptr ? line_of(end_of(*pipe)) : first;
    for (size_t line = first; line <= last; ++line) {
      add_line(line, runs);
    }
  }

  void add_branch(const tmpl::Branch& branch, const tmpl::SourceCounts::Count& count) {
    const std::string text = tmpl::to_string(tmpl::NodeRef(&branch.pipe));
    into_.branches.push_back(
        {line_of(branch.pos),
         std::string(keyword_of(branch.kind)) + base::shortened(text, kConditionBytesMax),
         branch.kind, count});
    walk(branch.body);
    if (branch.otherwise) {
      walk(*branch.otherwise);
    }
  }

  const std::string& source_;
  const LineIndex index_;
  const tmpl::SourceCounts& counts_;
  FileCoverage& into_;
};

/// Reports whether nothing ever runs the statements of a partial that are outside of its
/// definitions. Only a template that includes the file by its path would.
bool is_idle(const tmpl::Tree& tree, const tmpl::SourceCounts& counts) {
  const bool is_partial = go::base_name(tree.parse_name).starts_with('_');
  return is_partial && tree.name == tree.parse_name &&
         std::ranges::all_of(tree.body, [&counts](const tmpl::Statement& statement) {
           return counts.at(tmpl::position(statement)).runs == 0;
         });
}

}  // namespace

void Share::add(const Share& other) {
  covered += other.covered;
  total += other.total;
}

size_t Share::per_mille() const { return total == 0 ? 1000 : covered * 1000 / total; }

std::string Share::percent() const {
  const size_t tenths = per_mille();
  return total == 0 ? "" : std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::vector<std::string> BranchCount::missed() const {
  if (count.runs == 0) {
    return {"never reached"};
  }
  const bool is_if = kind == tmpl::BranchKind::kIf;
  std::vector<std::string> sides;
  if (count.bodies == 0) {
    sides.emplace_back(is_if ? "never true" : "always empty");
  }
  if (count.others == 0) {
    sides.emplace_back(is_if ? "never false" : "never empty");
  }
  return sides;
}

Share FileCoverage::line_share() const {
  return {lines.size() - missed_lines().size(), lines.size()};
}

Share FileCoverage::branch_share() const {
  Share share;
  for (const BranchCount& branch : branches) {
    const size_t taken = (branch.count.bodies > 0 ? 1U : 0U) + (branch.count.others > 0 ? 1U : 0U);
    share.add({taken, 2});
  }
  return share;
}

std::vector<size_t> FileCoverage::missed_lines() const {
  std::vector<size_t> missed;
  for (const auto& [line, runs] : lines) {
    if (runs == 0) {
      missed.push_back(line);
    }
  }
  return missed;
}

Share ChartCoverage::line_share() const {
  Share share;
  for (const FileCoverage& file : files) {
    share.add(file.line_share());
  }
  return share;
}

Share ChartCoverage::branch_share() const {
  Share share;
  for (const FileCoverage& file : files) {
    share.add(file.branch_share());
  }
  return share;
}

FileCoverage cover_file(const TemplateFile& file, const tmpl::SourceCounts& counts,
                        const std::shared_ptr<const tmpl::FunctionMap>& functions) {
  FileCoverage coverage{.name = file.name, .path = file.path, .text = file.text};
  SourceWalk walk(*file.text, counts, coverage);
  const auto trees = tmpl::parse_template(file.name, file.text, functions);
  if (!trees.ok()) {
    walk.add_text(*file.text, 0);
    return coverage;
  }
  for (const auto& [name, tree] : *trees) {
    if (!is_idle(*tree, counts)) {
      walk.walk(tree->body);
    }
  }
  std::ranges::stable_sort(coverage.branches, {}, &BranchCount::line);
  return coverage;
}

}  // namespace chartwright::coverage
