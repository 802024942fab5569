// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tmpl/ast.h"
#include "tmpl/execution.h"
#include "tmpl/failure.h"
#include "tmpl/run_counts.h"
#include "tmpl/template.h"
#include "value/value.h"

namespace chartwright::tmpl {

/// Whether the static type of a Go value is its own type or interface{} (as for a member of a
/// map[string]interface{}). Error messages name the static type.
enum class Box : uint8_t { kConcrete, kInterface };

/// The value of dot or of a variable.
struct Slot {
  value::Value value;
  Box box = Box::kConcrete;
};

/// The arguments of the calls in progress. Unlike in a plain vector, spans stay valid while more
/// frames are pushed. Frames must be released in reverse order.
class ArgumentStack {
 public:
  /// Pushes `count` nil values; the destructor releases them.
  class Frame {
   public:
    Frame(ArgumentStack& stack, size_t count);
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    std::span<value::Value> values() const { return values_; }

   private:
    ArgumentStack& stack_;
    size_t block_before_;
    size_t used_before_;
    std::span<value::Value> values_;
  };

 private:
  struct Block {
    std::unique_ptr<value::Value[]> values;
    size_t size = 0;
  };
  std::vector<Block> blocks_;
  size_t block_ = 0;  // Index of the block in use.
  size_t used_ = 0;   // Values used in that block.
};

/// Executes trees. Each Template::execute creates one; include and nested templates run on the same
/// evaluator, each in a frame of its own. Source: Go text/template/exec.go (state).
class Evaluator {
 public:
  Evaluator(const Template& templates, const ExecOptions& options)
      : templates_(templates), options_(options), execution_(*this) {}

  /// Runs template `name` and appends its output to `out`.
  base::Status execute(std::string_view name, const value::Value& data, std::string& out);
  base::Status execute(const Tree& tree, const value::Value& data, std::string& out);

  const Template& templates() const { return templates_; }
  const ExecOptions& options() const { return options_; }

 private:
  enum class Flow : uint8_t { kNext, kBreak, kContinue };
  using FlowResult = base::Result<Flow>;

  struct NamedSlot {
    std::string_view name;
    Slot slot;
  };

  // A list of statements being executed: its dot and its current statement. Read only to explain
  // an error.
  struct Place {
    const Slot* dot;
    const Statement* statement;
  };

  // The state of one running template; FrameScope saves it while a nested template runs.
  struct Frame {
    const Tree* tree = nullptr;
    NodeRef node;  // Being evaluated; the position of an error.
    size_t variables_base = 0;
    std::string* out = nullptr;
    size_t places_base = 0;
    SourceCounts* counts = nullptr;  // Of its source, if they are asked for.
  };
  class FrameScope;
  class NestingScope;
  class PlaceScope;
  class OperandFinder;

  // A call or field access: the node that an error names, the terms (the callee, then its
  // arguments) and the piped value, nullptr if there is none.
  struct CallSite {
    const Slot& dot;
    NodeRef node;
    std::span<const Term> terms;
    const value::Value* piped = nullptr;
    bool has_arguments() const { return terms.size() > 1 || piped != nullptr; }
    std::span<const Term> arguments() const { return terms.empty() ? terms : terms.subspan(1); }
  };

  // exec_statement.cc
  base::Status run_tree(const Tree& tree, const Slot& dot, std::string& out);
  FlowResult walk(const Slot& dot, const StatementList& list);
  FlowResult walk_within_memory(const Slot& dot, const Statement& statement);
  FlowResult walk_statement(const Slot& dot, const Statement& statement);
  FlowResult walk_branch(const Slot& dot, const Branch& branch);
  FlowResult walk_condition(const Slot& dot, const Branch& branch);
  FlowResult walk_range(const Slot& dot, const Branch& branch);
  FlowResult range_list(const Branch& branch, const value::Value& list);
  FlowResult range_dict(const Branch& branch, const value::Value& dict);
  FlowResult range_int(const Branch& branch, const value::Value& subject);
  FlowResult range_turn(const Branch& branch, Slot index, const Slot& element);
  base::Status walk_template(const Slot& dot, const TemplateCall& call);
  base::Status print(const value::Value& value);
  base::Status write(std::string_view text);

  // exec_eval.cc
  base::Status eval_pipe(const Slot& dot, const Pipe& pipe, value::Value& out);
  base::Status bind(const Pipe& pipe, const value::Value& value);
  base::Status eval_command(const Slot& dot, const Command& command, const value::Value* piped,
                            value::Value& out);
  base::Status eval_literal(const Slot& dot, const Term& term, value::Value& out);
  base::Status constant(const Number& number, value::Value& out);
  base::Status reject_arguments(const CallSite& site);
  base::Status eval_field(const CallSite& site, const Field& field, value::Value& out);
  base::Status eval_variable(const CallSite& site, const Variable& variable, value::Value& out);
  base::Status eval_chain(const CallSite& site, const Chain& chain, value::Value& out);
  base::Status eval_names(const CallSite& site, const Slot& receiver,
                          std::span<const std::string_view> names, value::Value& out);
  base::Status eval_name(const CallSite& site, const value::Value& value, Box box,
                         std::string_view name, Slot& out);
  base::Status eval_member(const CallSite& site, const value::Value& dict, std::string_view name,
                           Slot& out);
  base::Status eval_key(const value::Value& dict, std::string_view key, Slot& out);
  base::Status eval_native(const CallSite& site, const value::Value& value, Box box,
                           std::string_view name, Slot& out);
  base::Error no_field_error(const value::Value& value, Box box, std::string_view name) const;
  base::Result<Slot*> find_variable(std::string_view name);

  // exec_call.cc
  base::Status eval_function(const CallSite& site, const Identifier& identifier, value::Value& out);
  base::Status call(const CallSite& site, const Function& function, const value::Value* receiver,
                    value::Value& out);
  base::Status call_native_method(const CallSite& site, const value::Value& receiver,
                                  std::string_view name, value::Value& out);
  base::Status check_argument_count(const CallSite& site, const Function& function);
  base::Status short_circuit(const CallSite& site, Special special, value::Value& out);
  base::Status call_value(const CallSite& site, value::Value& out);
  base::Status fill_arguments(const CallSite& site, const Function& function,
                              std::span<value::Value> arguments);
  base::Status eval_argument(const Slot& dot, Param type, const Term& term, value::Value& out);
  base::Status eval_literal_argument(const Slot& dot, Param type, const Term& term,
                                     value::Value& out);
  base::Status convert(Param type, value::Value& value);
  base::Error call_error(const CallSite& site, std::string_view name, const base::Error& cause);

  // exec_failure.cc
  void note_output(size_t bytes) const;
  void note_failure(const base::SourcePos& pos) const;
  void note_unknown_template(std::string_view name) const;

  base::SourcePos place_of(const NodeRef& node) const;
  base::Error error(std::string_view message,
                    base::ErrorCode code = base::ErrorCode::kTemplate) const;
  base::Error budget_error(const base::Error& cause) const;
  // Tells who counts on which side of a branch the execution goes on.
  void note_side(const Branch& branch, bool is_body) const {
    if (frame_.counts == nullptr) [[likely]] {
      return;
    }
    if (is_body) {
      frame_.counts->went_to_body(branch.pos);
    } else {
      frame_.counts->went_elsewhere(branch.pos);
    }
  }

  base::Status step() {
    if (auto status = options_.budget.charge_step(); !status.ok()) [[unlikely]] {
      return budget_error(status.error());
    }
    return {};
  }

  const Template& templates_;
  const ExecOptions& options_;
  Execution execution_;
  Frame frame_;
  std::vector<NamedSlot> variables_;  // Of all frames; each sees those from its base on.
  std::vector<Place> places_;         // Likewise; the innermost list is the last.
  ArgumentStack arguments_;
  Box last_box_ = Box::kConcrete;  // Of the field or variable evaluated last.
};

/// Reports whether a value is true in a condition. Source: Go text/template.IsTrue.
bool is_true(const value::Value& value);

}  // namespace chartwright::tmpl
