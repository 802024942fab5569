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
class RunCounts;    // tmpl/run_counts.h

/// The result of reading a key that a map does not have. Source: Go text/template Template.Option.
enum class MissingKey : uint8_t { kDefault, kZero, kError };

struct ExecOptions {
  MissingKey missing_key = MissingKey::kDefault;
  base::Budget& budget;
  WrittenDicts& written;
  Host& host;
  Extension* extension = nullptr;
  Failure* failure = nullptr;    ///< Filled in if the execution fails; may be nullptr.
  OutputTrace* trace = nullptr;  ///< Records everything that is written; may be nullptr.
  RunCounts* counts = nullptr;   ///< Counts which statements are executed; may be nullptr.
};

/// A namespace of named templates that can call each other, like Go's *template.Template. Copies
/// share the parsed trees, which are immutable, so copying is cheap. Parsing modifies the object
/// and requires exclusive access; any number of threads may execute or copy a const Template
/// concurrently.
class Template {
 public:
  /// The template shares ownership of `functions`. Builtins (and, or, index, printf, ...) are
  /// always available; an entry of `functions` with the name of a builtin replaces it. `name`
  /// appears only in the error for an unknown template.
  explicit Template(std::shared_ptr<const FunctionMap> functions, std::string name = {});

  /// Parses `text` as the template `name` and adds it and its definitions. A later body replaces an
  /// earlier one unless the later one is empty. Error: kParse with Go's message "template:
  /// NAME:LINE: ..." and the position. On error nothing is added. Source: Go text/template
  /// Template.Parse.
  base::Status parse(std::string_view name, std::string text);
  /// Like parse, but returns the tree of `text` itself, even if that is empty and therefore did not
  /// replace an earlier body. Source: Go text/template Template.New and Parse, whose receiver
  /// executes its own tree.
  base::Result<std::shared_ptr<const Tree>> parse_tree(std::string_view name, std::string text);

  bool has(std::string_view name) const;
  std::vector<std::string> names() const;

  /// Executes template `name` with `data` as dot and $, appending to `out`, which keeps the output
  /// written before an error. Errors: kTemplate with Go's message "template: F:L:C: executing ...",
  /// kBudget, kNotFound (`template: no template "x" associated with template "y"`).
  base::Status execute(std::string_view name, const value::Value& data, const ExecOptions& options,
                       std::string& out) const;
  /// Like the overload above, for a tree that parse_tree returned.
  base::Status execute(const Tree& tree, const value::Value& data, const ExecOptions& options,
                       std::string& out) const;

 private:
  friend class Evaluator;
  struct Layer;
  const Tree* find(std::string_view name) const;
  base::Error not_found(std::string_view name) const;

  std::shared_ptr<const FunctionMap> functions_;
  std::string name_;
  // Copies share layers; parsing into a shared layer starts a new one above it.
  std::shared_ptr<Layer> layer_;
};

}  // namespace chartwright::tmpl
