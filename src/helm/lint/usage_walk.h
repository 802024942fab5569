// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helm/lint/usage.h"

namespace chartwright::helm::lint {

/// One pass over the templates, which fills in a Usage. Not thread-safe.
class UsageWalk {
 public:
  UsageWalk(const std::vector<ScopeOfChart>& scopes, Usage& into);
  ~UsageWalk();
  UsageWalk(const UsageWalk&) = delete;
  UsageWalk& operator=(const UsageWalk&) = delete;

  /// Makes a template known under its name. Of several of one name all are walked.
  void add_tree(const tmpl::Tree& tree) { named_[tree.name].push_back(&tree); }
  /// Walks a template file with the dot of its chart.
  void walk_file(const tmpl::Tree& tree, size_t scope);

 private:
  using Arguments = std::vector<Shape>;
  struct Frame {
    const tmpl::Tree* tree;
    Shape dot;
    std::vector<std::pair<std::string_view, Shape>> variables;
  };
  using Handler = Shape (UsageWalk::*)(Arguments&);

  // Statements.
  void statements(const tmpl::StatementList& list, Frame& frame);
  void branch(const tmpl::Branch& node, Frame& frame);
  void range(const tmpl::Branch& node, const Shape& over, Frame& frame);
  void call_template(const std::string& name, const Shape& data);
  bool spend(size_t steps = 1);
  Shape followed(Shape shape);

  // Expressions.
  Shape pipe(const tmpl::Pipe& node, Frame& frame);
  Shape pipe_value(const tmpl::Pipe& node, Frame& frame);
  Shape command(const tmpl::Command& node, const Shape* last, Frame& frame);
  Shape term(const tmpl::Term& node, Frame& frame);
  Shape chain(const tmpl::Chain& node, Frame& frame);
  Shape variable(const tmpl::Variable& node, Frame& frame);
  Shape fields(Shape base, const std::vector<std::string_view>& names, size_t first,
               const Frame& frame);
  Shape field(const Shape& base, std::string_view name);
  Shape path_step(const Shape& base, const std::string& step);
  Shape element(const Shape& of);
  Shape call(std::string_view name, Arguments& arguments);

  // Functions whose results are still values.
  Shape call_include(Arguments& arguments);
  Shape call_tpl(Arguments& arguments);
  Shape call_dict(Arguments& arguments);
  Shape call_list(Arguments& arguments);
  Shape call_set(Arguments& arguments);
  Shape call_get(Arguments& arguments);
  Shape call_has_key(Arguments& arguments);
  Shape call_index(Arguments& arguments);
  Shape call_dig(Arguments& arguments);
  Shape call_pick(Arguments& arguments);
  Shape call_merge(Arguments& arguments);
  Shape call_first_argument(Arguments& arguments);
  Shape call_element(Arguments& arguments);
  Shape call_join(Arguments& arguments);
  Shape call_either(Arguments& arguments);
  Shape call_ternary(Arguments& arguments);
  Shape call_required(Arguments& arguments);
  Shape call_test(Arguments& arguments);
  Shape call_keys(Arguments& arguments);
  static const std::map<std::string_view, Handler>& handlers();

  // Effects.
  void read(const Shape& shape);
  void test(const Shape& shape);
  void escape_to_text(const Shape& shape);
  void add_below(const Shape& shape);
  void note_access(const Shape& shape);

  const std::vector<ScopeOfChart>& scopes_;
  Usage& usage_;
  std::map<std::string, std::vector<const tmpl::Tree*>, std::less<>> named_;
  std::set<std::string> walked_;  ///< Templates by name and data.
  /// Dicts that `set` wrote into, which may so be within themselves.
  std::set<std::shared_ptr<Shape::Members>> written_;
  size_t steps_ = 0;
  int nesting_ = 0;
  int quiet_ = 0;  ///< Above 0, what is read is noted, but need not be there.
};

/// Error: kParse for a template that does not parse.
base::Result<Usage> usage_of(const std::vector<ScopeOfChart>& scopes);

}  // namespace chartwright::helm::lint
