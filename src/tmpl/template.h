// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "tmpl/function.h"
#include "tmpl/host.h"
#include "tmpl/written_dicts.h"
#include "value/value.h"

namespace chartwright::tmpl {

struct Tree;        // tmpl/ast.h
struct Failure;     // tmpl/failure.h
class OutputTrace;  // tmpl/output_trace.h

/// What a field that is not in a map evaluates to. Source: text/template Template.Option.
enum class MissingKey : uint8_t { kDefault, kZero, kError };

struct ExecOptions {
  MissingKey missing_key = MissingKey::kDefault;
  base::Budget& budget;
  WrittenDicts& written;
  Host& host;
  Extension* extension = nullptr;
  Failure* failure = nullptr;    ///< Filled when the execution fails.
  OutputTrace* trace = nullptr;  ///< Told of everything that is written.
};

/// A namespace of named templates that can call each other, as Go's *template.Template. Parsed
/// trees are immutable and shared by copies, which makes copying cheap. Parsing changes the object
/// and needs exclusive access; any number of threads may execute or copy one const Template at
/// once.
class Template {
 public:
  /// `functions` must outlive nothing: it is shared. Builtins (and, or, index, printf, ...) are
  /// always there; an entry of `functions` with a builtin's name wins. `name` only appears in the
  /// error for an unknown template.
  explicit Template(std::shared_ptr<const FunctionMap> functions, std::string name = {});

  /// Parses `text` as the template `name` and adds its definitions. Later bodies replace earlier
  /// ones unless the later one is empty. Error: kParse with Go's text "template: NAME:LINE: ...",
  /// and the position. On error nothing is added. Source: text/template Template.Parse.
  base::Status parse(std::string_view name, std::string text);
  /// Parses likewise and returns what the text itself says, which is kept nowhere else where it is
  /// empty. Source: text/template Template.New and Parse, whose receiver executes its own tree.
  base::Result<std::shared_ptr<const Tree>> parse_tree(std::string_view name, std::string text);

  bool has(std::string_view name) const;
  std::vector<std::string> names() const;

  /// Executes template `name` with `data` as dot and $, appending to `out` (which keeps what was
  /// written before an error). Errors: kTemplate with Go's text "template: F:L:C: executing ...",
  /// kBudget, kNotFound (`template: no template "x" associated with template "y"`).
  base::Status execute(std::string_view name, const value::Value& data, const ExecOptions& options,
                       std::string& out) const;
  /// Executes a tree of `parse_tree` likewise.
  base::Status execute(const Tree& tree, const value::Value& data, const ExecOptions& options,
                       std::string& out) const;

 private:
  friend class Evaluator;
  struct Layer;
  const Tree* find(std::string_view name) const;
  base::Error not_found(std::string_view name) const;

  std::shared_ptr<const FunctionMap> functions_;
  std::string name_;
  // Copies share the layers; parsing into a shared one starts a new layer above it.
  std::shared_ptr<Layer> layer_;
};

}  // namespace chartwright::tmpl
