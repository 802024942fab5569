// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helm/analysis/output.h"
#include "helm/analysis/output_table.h"
#include "helm/analysis/usage.h"
#include "tmpl/function.h"

namespace chartwright::helm::analysis {

/// A pass over the templates that fills in a Usage. Not thread-safe.
class UsageCollector {
 public:
  UsageCollector(const std::vector<ScopeOfChart>& scopes, Usage& into);
  ~UsageCollector();
  UsageCollector(const UsageCollector&) = delete;
  UsageCollector& operator=(const UsageCollector&) = delete;

  /// Registers a template under its name. If several have the same name, all are walked.
  void add_tree(const tmpl::Tree& tree) { named_[tree.name].push_back(&tree); }
  /// From now on, fills in Usage::externals. They then count as values, too, under a key of their
  /// own, so the other findings are of no use.
  void follow_externals() { follows_externals_ = true; }
  /// Walks a template file, with the dot of its chart. Returns the text that it may write.
  OutputPtr walk_file(const tmpl::Tree& tree, size_t scope);

 private:
  using Arguments = std::vector<AbstractValue>;
  struct Frame {
    const tmpl::Tree* tree;
    AbstractValue dot;
    std::vector<std::pair<std::string_view, AbstractValue>> variables;
  };
  using Handler = AbstractValue (UsageCollector::*)(Arguments&);

  /// Maximum weight of one abstract value. Templates can double a value with each call, and can put
  /// a dict into itself.
  static constexpr size_t kWeightMax = 1000;
  /// The weight that can be examined in the time of one step.
  static constexpr size_t kWeightOfStep = 64;

  // Statements.
  OutputPtr statements(const tmpl::StatementList& list, Frame& frame);
  OutputPtr branch(const tmpl::Branch& node, Frame& frame);
  OutputPtr range(const tmpl::Branch& node, const AbstractValue& over, Frame& frame);
  static std::vector<std::pair<AbstractValue, AbstractValue>> known_elements(
      const AbstractValue& of);
  std::string variables_key(const Frame& frame);
  OutputPtr call_template(const std::string& name, const AbstractValue& data);
  bool spend(size_t steps = 1);
  void begin_action(const tmpl::Tree* tree, size_t pos);
  AbstractValue followed(AbstractValue value);

  // Expressions.
  AbstractValue pipe(const tmpl::Pipe& node, Frame& frame);
  AbstractValue pipe_value(const tmpl::Pipe& node, Frame& frame);
  AbstractValue command(const tmpl::Command& node, const AbstractValue* last, Frame& frame);
  AbstractValue term(const tmpl::Term& node, Frame& frame);
  AbstractValue chain(const tmpl::Chain& node, Frame& frame);
  AbstractValue variable(const tmpl::Variable& node, Frame& frame);
  AbstractValue fields(AbstractValue base, const std::vector<std::string_view>& names, size_t first,
                       const Frame& frame);
  AbstractValue field(const AbstractValue& base, std::string_view name);
  static AbstractValue place_of(Steps path);
  AbstractValue path_step(const AbstractValue& base, const std::string& step);
  AbstractValue element(const AbstractValue& of);
  AbstractValue call(std::string_view name, Arguments& arguments);
  AbstractValue call_other(std::string_view name, Arguments& arguments);

  // Functions whose results may still contain values of the chart.
  AbstractValue call_include(Arguments& arguments);
  AbstractValue call_tpl(Arguments& arguments);
  AbstractValue call_dict(Arguments& arguments);
  AbstractValue call_list(Arguments& arguments);
  AbstractValue call_set(Arguments& arguments);
  AbstractValue call_get(Arguments& arguments);
  AbstractValue call_has_key(Arguments& arguments);
  AbstractValue call_index(Arguments& arguments);
  AbstractValue call_dig(Arguments& arguments);
  AbstractValue call_pick(Arguments& arguments);
  AbstractValue call_merge(Arguments& arguments);
  void merge_into(const AbstractValue& target, const AbstractValue& source);
  void note_written(const AbstractValue& value);
  AbstractValue call_first_argument(Arguments& arguments);
  AbstractValue call_element(Arguments& arguments);
  AbstractValue call_first(Arguments& arguments);
  AbstractValue call_last(Arguments& arguments);
  AbstractValue call_append(Arguments& arguments);
  AbstractValue call_prepend(Arguments& arguments);
  AbstractValue call_concat(Arguments& arguments);
  AbstractValue one_of(AbstractValue value);
  AbstractValue concatenated(const AbstractValue& a, const AbstractValue& b);
  AbstractValue call_either(Arguments& arguments);
  AbstractValue call_ternary(Arguments& arguments);
  AbstractValue call_required(Arguments& arguments);
  AbstractValue call_test(Arguments& arguments);
  AbstractValue call_kind_test(Arguments& arguments);
  AbstractValue call_keys(Arguments& arguments);
  static const std::map<std::string_view, Handler>& handlers();

  // Functions that make text.
  AbstractValue call_text(std::string_view name, Arguments& arguments);
  AbstractValue call_encode(Arguments& arguments);
  AbstractValue call_decode(Arguments& arguments);
  AbstractValue call_compare(Arguments& arguments);
  AbstractValue call_lookup(Arguments& arguments);
  AbstractValue call_nothing(Arguments& arguments);
  AbstractValue file_content(const tmpl::Term& callee, const Arguments& arguments, Frame& frame);
  OutputPtr evaluate_text(const std::string& text, const AbstractValue& data);
  struct Words {
    std::vector<std::string> texts;
    bool open = false;  ///< There may be others.
  };
  Words words_of(const AbstractValue& value) const;
  OutputPtr output_of(const AbstractValue& value) const;
  OutputPtr output_of_others(const AbstractValue& others) const;
  OutputPtr output_of_dict(const AbstractValue::Members& members) const;
  OutputPtr output_of_list(const AbstractValue& list) const;
  bool is_list_by_default(const Steps& path) const;
  OutputPtr output_of_items(const AbstractValue& list) const;
  OutputPtr encoded(const AbstractValue& value) const;
  OutputPtr hole() const { return Output::hole({}, place_.tree, place_.pos); }

  // Effects.
  void read(const AbstractValue& value);
  void test(const AbstractValue& value);
  void read_by_tpl(const AbstractValue& value);
  enum class Reader : uint8_t { kTemplate, kTpl };
  void mark_read(const AbstractValue& value, Reader reader,
                 std::set<const AbstractValue::Members*>& seen);
  enum class Taken : uint8_t { kInteger, kNeededKind };
  void read_as(Taken taken, const AbstractValue& value);
  std::optional<NeededKind> needed_by(std::string_view name, size_t parameter) const;
  void note_need(const AbstractValue& value, NeededKind kind);
  void begin_condition(const AbstractValue& tested);
  void begin_alternatives(const AbstractValue& value);
  static void mark_chosen(std::string_view name, Arguments& arguments);
  bool is_always_used(const Steps& path) const;
  void note_kind_test(const AbstractValue& value);
  void note_parameters(std::string_view name, const Arguments& arguments);
  void note_comparison(const tmpl::Command& node, const Arguments& arguments);
  void add_below(const AbstractValue& value);
  void note_access(const AbstractValue& value);
  void note_external(const Steps& base, const std::string& name);

  const std::vector<ScopeOfChart>& scopes_;
  const std::shared_ptr<const tmpl::FunctionMap> functions_;
  Usage& usage_;
  std::map<std::string, std::vector<const tmpl::Tree*>, std::less<>> named_;
  /// The text of the templates walked, by name and data.
  std::map<std::string, OutputPtr> walked_;
  OutputTable outputs_;
  struct Place {
    const tmpl::Tree* tree = nullptr;
    size_t pos = 0;
  } place_;  ///< The action being walked.
  /// Dicts modified by `set`, which may therefore contain themselves.
  std::set<std::shared_ptr<AbstractValue::Members>> written_;
  /// The values that must not be empty for what is being walked to be run; nullopt for a condition
  /// of another kind.
  std::vector<std::optional<Steps>> conditions_;
  bool follows_externals_ = false;
  size_t outer_pos_ = 0;  ///< The place of the action of the outermost template.
  size_t steps_ = 0;
  int nesting_ = 0;
  int quiet_ = 0;  ///< If above 0, values read are marked as used, but need not exist.
};

/// Analyses the templates of all charts, and `others` of the root chart, which are not in its
/// templates/. Error: kParse for a template that does not parse.
base::Result<Usage> usage_of(const std::vector<ScopeOfChart>& scopes,
                             const std::vector<helm::File>& others = {});

}  // namespace chartwright::helm::analysis
