// SPDX-License-Identifier: Apache-2.0
#include "bundle/template_names.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "go/quote.h"
#include "tmpl/ast.h"
#include "tmpl/output_trace.h"

namespace chartwright::bundle {
namespace {

using Names = std::span<const std::string_view>;

/// The functions that add members to their first argument.
constexpr std::array<std::string_view, 5> kWriters = {"set", "merge", "mergeOverwrite", "mustMerge",
                                                      "mustMergeOverwrite"};

/// Gets the names of a path from the outermost dot: none for the dot itself.
using OnPath = std::function<void(Names)>;
/// Gets the name of a template that is called, and its place in the text.
using OnCall = std::function<void(std::string_view name, size_t pos)>;

/// Walks a template in the order of its text, and tells which paths it reads and which templates it
/// calls by name.
class PathWalk {
 public:
  PathWalk(const tmpl::Tree& tree, OnPath on_path, OnCall on_call)
      : tree_(tree), on_path_(std::move(on_path)), on_call_(std::move(on_call)) {}

  void run() { statements(tree_.body, true); }
  /// Reports whether the template adds members to its dot.
  bool writes_dot() const { return writes_dot_; }

 private:
  /// `at_root`: the dot is the outermost one.
  void statements(const tmpl::StatementList& list, bool at_root) {
    for (const tmpl::Statement& statement : list) {
      if (const auto* action = std::get_if<tmpl::Action>(&statement)) {
        pipe(action->pipe, at_root);
      } else if (const auto* call = std::get_if<tmpl::TemplateCall>(&statement)) {
        on_call_(call->name, call->pos);
        if (call->pipe) {
          pipe(*call->pipe, at_root);
        }
      } else if (const auto* branch = std::get_if<std::unique_ptr<tmpl::Branch>>(&statement)) {
        pipe((*branch)->pipe, at_root);
        statements((*branch)->body, at_root && (*branch)->kind == tmpl::BranchKind::kIf);
        if ((*branch)->otherwise) {
          statements(*(*branch)->otherwise, at_root);
        }
      }
    }
  }

  void pipe(const tmpl::Pipe& pipe, bool at_root) {
    for (const tmpl::Command& command : pipe.commands) {
      note_include(command);
      note_writer(command, at_root);
      note_index(command, at_root);
      for (const tmpl::Term& one : command.terms) {
        term(one, at_root);
      }
    }
  }

  void term(const tmpl::Term& term, bool at_root) {
    if (const auto* field = std::get_if<tmpl::Field>(&term)) {
      if (at_root) {
        on_path_(field->names);
      }
    } else if (std::holds_alternative<tmpl::Dot>(term)) {
      if (at_root) {
        on_path_({});
      }
    } else if (const auto* variable = std::get_if<tmpl::Variable>(&term)) {
      if (variable->names.front() == "$") {
        on_path_(Names(variable->names).subspan(1));
      }
    } else if (const auto* inner = std::get_if<std::unique_ptr<tmpl::Pipe>>(&term)) {
      pipe(**inner, at_root);
    } else if (const auto* chain = std::get_if<std::unique_ptr<tmpl::Chain>>(&term)) {
      this->term((*chain)->term, at_root);
    }
  }

  void note_include(const tmpl::Command& command) {
    const auto* callee = std::get_if<tmpl::Identifier>(&command.terms.front());
    const auto* name =
        command.terms.size() > 1 ? std::get_if<tmpl::String>(&command.terms[1]) : nullptr;
    if (callee != nullptr && callee->name == "include" && name != nullptr) {
      on_call_(name->value.as_string(), name->pos);
    }
  }

  void note_writer(const tmpl::Command& command, bool at_root) {
    const auto* callee = std::get_if<tmpl::Identifier>(&command.terms.front());
    if (callee == nullptr || command.terms.size() < 2 ||
        std::find(kWriters.begin(), kWriters.end(), callee->name) == kWriters.end()) {
      return;
    }
    const auto* variable = std::get_if<tmpl::Variable>(&command.terms[1]);
    const bool is_dot = at_root && std::holds_alternative<tmpl::Dot>(command.terms[1]);
    writes_dot_ = writes_dot_ || is_dot ||
                  (variable != nullptr && variable->names.size() == 1 && variable->names[0] == "$");
  }

  /// Tells the path of `index .External "pet"`, which is that of `.External.pet`. Elsewhere,
  /// charts look for optional keys in this way.
  void note_index(const tmpl::Command& command, bool at_root) {
    const auto* callee = std::get_if<tmpl::Identifier>(&command.terms.front());
    if (callee == nullptr || callee->name != "index" || command.terms.size() < 3) {
      return;
    }
    const auto* field = std::get_if<tmpl::Field>(&command.terms[1]);
    const auto* variable = std::get_if<tmpl::Variable>(&command.terms[1]);
    const auto* key = std::get_if<tmpl::String>(&command.terms[2]);
    const bool is_root_field = field != nullptr && at_root && field->names.size() == 1;
    const bool is_root_variable =
        variable != nullptr && variable->names.size() == 2 && variable->names.front() == "$";
    if (key == nullptr || (!is_root_field && !is_root_variable) || has_escapes(*key)) {
      return;
    }
    const std::string_view name = is_root_field ? field->names[0] : variable->names[1];
    if (name == "External" || name == "Related") {
      const std::array<std::string_view, 2> path = {name, unquoted(*key)};
      on_path_(path);
    }
  }

  /// Keeps pointing into the source, for the place of an error.
  static std::string_view unquoted(const tmpl::String& text) {
    return text.quoted.substr(1, text.quoted.size() - 2);
  }

  /// Such a key stands nowhere in the source. The render says whether it is there.
  static bool has_escapes(const tmpl::String& text) {
    return unquoted(text) != text.value.as_string();
  }

  const tmpl::Tree& tree_;
  const OnPath on_path_;
  const OnCall on_call_;
  bool writes_dot_ = false;
};

/// Returns the names that may follow; empty: any may.
std::vector<std::string_view> names_below(const KnownNames& at) {
  std::vector<std::string_view> names;
  if (at.schema) {
    names = at.schema->members();
    if (names.empty()) {
      return names;
    }
  }
  for (const auto& [name, inner] : at.below) {
    names.push_back(name);
  }
  return names;
}

UsualKeys usual_below(const UsualKeys& usual, std::string_view name) {
  UsualKeys next;
  if (usual.defined != nullptr) {
    const auto found = usual.defined->below.find(name);
    next.defined = found != usual.defined->below.end() ? &found->second : nullptr;
  }
  if (usual.read != nullptr) {
    const auto found = usual.read->below.find(name);
    next.read = found != usual.read->below.end() ? &found->second : nullptr;
  }
  return next;
}

KnownNames known_below(const KnownNames& at, std::string_view name) {
  if (const auto found = at.below.find(name); found != at.below.end()) {
    return found->second;
  }
  KnownNames next;
  next.schema = at.schema ? at.schema->member(name) : std::optional<SchemaPlace>();
  next.usual = usual_below(at.usual, name);
  return next;
}

/// Returns the usual key that is almost `name`; "" if `name` is a key itself, or may well be one.
std::string_view almost(const UsualKeys& usual, std::string_view name) {
  constexpr size_t kTypoBytesMin = 3;  // Shorter names are similar to too many others.
  if (usual.defined == nullptr || usual.defined->open || name.size() < kTypoBytesMin ||
      usual.defined->below.contains(name)) {
    return "";
  }
  if (usual.read != nullptr && (usual.read->whole || usual.read->below.contains(name) ||
                                usual.read->below.contains(helm::analysis::kEveryStep))) {
    return "";
  }
  std::vector<std::string_view> keys;
  for (const auto& [key, below] : usual.defined->below) {
    keys.push_back(key);
  }
  return base::nearest(name, keys);
}

std::string unknown_text(const KnownNames& known, const std::string& path, std::string_view name,
                         const std::vector<std::string_view>& names) {
  std::vector<std::string> listed;
  listed.reserve(names.size());
  for (std::string_view each : names) {
    listed.push_back(path + "." + std::string(each));
  }
  const std::string_view near = base::nearest(name, names);
  std::string rest = near.empty() ? ", only " + base::join(listed, ", ")
                                  : ", did you mean " + path + "." + std::string(near) + "?";
  if (path.empty() && name == "Related" && known.below.contains("Live")) {
    rest = ": operator.yaml has no \"related\"";
  } else if (path.empty() && name == "External") {
    rest = ": there are no externals";
  }
  return "there is no " + path + "." + std::string(name) + rest;
}

/// Checks paths and calls, up to the first wrong name of each.
class NameCheck {
 public:
  /// `callable`: the templates that may be called; null: none is looked at.
  NameCheck(const tmpl::Tree& tree, const TextPlace& place, const KnownNames& known,
            const std::vector<std::string>* callable)
      : tree_(tree), place_(place), known_(known), callable_(callable) {}

  base::Status run() {
    PathWalk walk(
        tree_, [this](Names names) { check(names); },
        [this](std::string_view name, size_t pos) { check_call(name, pos); });
    walk.run();
    if (!calls_.ok()) {
      return std::move(calls_);
    }
    if (walk.writes_dot()) {
      doubts_.clear();
      return {};  // It may use any names.
    }
    return std::move(result_);
  }

  /// The names that hardly exist.
  const std::vector<base::Error>& doubts() const { return doubts_; }

 private:
  void check(Names names) {
    const std::optional<UnknownName> unknown =
        result_.ok() ? unknown_name(known_, names) : std::nullopt;
    if (!unknown) {
      return;
    }
    // All names in a tree point into its source.
    base::Error error = fault(
        unknown->text, static_cast<size_t>(names[unknown->index].data() - tree_.source->data()));
    if (unknown->is_certain) {
      result_ = std::move(error);
    } else {
      doubts_.push_back(std::move(error));
    }
  }

  void check_call(std::string_view name, size_t pos) {
    if (!calls_.ok() || callable_ == nullptr ||
        std::ranges::find(*callable_, name) != callable_->end()) {
      return;
    }
    const std::vector<std::string_view> known(callable_->begin(), callable_->end());
    const std::string_view near = base::nearest(name, known);
    const std::string rest = near.empty() ? " in the chart or its dependencies"
                                          : ", did you mean " + go::quote(near) + "?";
    calls_ = fault("there is no template " + go::quote(name) + rest, pos);
  }

  /// `offset`: in the text of the template.
  base::Error fault(std::string text, size_t offset) const {
    if (place_.member.empty()) {
      return base::Error(base::ErrorCode::kInvalidArgument, std::move(text))
          .at(tmpl::source_pos(place_.pos.file, *tree_.source, offset));
    }
    const bool is_block = std::ranges::count(*tree_.source, '\n') > 1;
    const int line = tmpl::source_pos("", *tree_.source, offset).line;
    return base::Error(base::ErrorCode::kInvalidArgument,
                       place_.member + (is_block ? ", line " + std::to_string(line) : "") + ": " +
                           std::move(text))
        .at(place_.pos);
  }

  const tmpl::Tree& tree_;
  const TextPlace& place_;
  const KnownNames& known_;
  const std::vector<std::string>* callable_;
  base::Status result_;
  base::Status calls_;
  std::vector<base::Error> doubts_;
};

}  // namespace

base::Result<helm::analysis::ReadKeys> keys_of_spec(const helm::OperatorTemplate& values) {
  CW_TRY(const auto tree, values.tree());
  helm::analysis::ReadKeys keys;
  const auto on_path = [&keys](Names names) {
    const bool is_spec = names.size() > 1 && names[0] == "CR" && names[1] == "spec";
    if (is_spec && names.size() > 2) {
      helm::analysis::mark_whole(keys.root, {std::string(names[2])});
    } else if (is_spec || names.size() < 2) {
      keys.complete = false;
    }
  };
  PathWalk(*tree, on_path, [](std::string_view, size_t) {}).run();
  return keys;
}

std::optional<UnknownName> unknown_name(const KnownNames& known, Names path) {
  KnownNames at = known;
  std::string before;
  for (size_t i = 0; i < path.size(); ++i) {
    const std::vector<std::string_view> names = names_below(at);
    const bool is_listed = std::ranges::find(names, path[i]) != names.end();
    if (!names.empty() && !is_listed) {
      return UnknownName{i, true, unknown_text(known, before, path[i], names)};
    }
    if (const std::string_view near = almost(at.usual, path[i]);
        !near.empty() && !is_listed && !at.below.contains(path[i])) {
      const std::string name = before + "." + std::string(path[i]);
      return UnknownName{i, false,
                         "no value of the chart is named " + name + ", did you mean " + before +
                             "." + std::string(near) + "?"};
    }
    before += "." + std::string(path[i]);
    at = known_below(at, path[i]);
  }
  return std::nullopt;
}

base::Status check_names(const helm::OperatorTemplate& text, const TextPlace& place,
                         const KnownNames& known, std::vector<base::Error>* doubts) {
  CW_TRY(const auto tree, text.tree());
  CW_TRY(const std::vector<std::string> callable, text.callable());
  NameCheck check(*tree, place, known, &callable);
  CW_TRY_VOID(check.run());
  if (doubts != nullptr) {
    doubts->insert(doubts->end(), check.doubts().begin(), check.doubts().end());
  }
  return {};
}

base::Status check_names(const tmpl::Tree& tree, const TextPlace& place, const KnownNames& known) {
  return NameCheck(tree, place, known, nullptr).run();
}

}  // namespace chartwright::bundle
