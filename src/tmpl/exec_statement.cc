// SPDX-License-Identifier: Apache-2.0
// Statements: text, actions, branches, loops, template calls; and the positions of errors.
#include <algorithm>
#include <new>
#include <utility>

#include "go/complex.h"
#include "go/format.h"
#include "go/quote.h"
#include "tmpl/evaluator.h"
#include "tmpl/exec_scope.h"

namespace chartwright::tmpl {

using base::Status;
using value::kAnyList;
using value::Kind;
using value::Value;

ArgumentStack::Frame::Frame(ArgumentStack& stack, size_t count)
    : stack_(stack), block_before_(stack.block_), used_before_(stack.used_) {
  constexpr size_t kBlockSize = 256;
  if (stack.blocks_.empty()) {
    stack.blocks_.push_back({std::make_unique<Value[]>(kBlockSize), kBlockSize});
  }
  if (count > stack.blocks_[stack.block_].size - stack.used_) {
    // Blocks above the current one are unused: replace the next one if it is too small.
    stack.blocks_.resize(std::min(stack.blocks_.size(), stack.block_ + 2));
    if (stack.blocks_.size() == stack.block_ + 2 && stack.blocks_.back().size < count) {
      stack.blocks_.pop_back();
    }
    if (stack.blocks_.size() == stack.block_ + 1) {
      const size_t size = std::max(kBlockSize, count);
      stack.blocks_.push_back({std::make_unique<Value[]>(size), size});
    }
    ++stack.block_;
    stack.used_ = 0;
  }
  values_ = std::span(stack.blocks_[stack.block_].values.get() + stack.used_, count);
  stack.used_ += count;
}

ArgumentStack::Frame::~Frame() {
  for (Value& value : values_) {
    value = Value();
  }
  stack_.block_ = block_before_;
  stack_.used_ = used_before_;
}

namespace {

// Returns the number of iterations of a range over an integer.
uint64_t turns(const Value& count) {
  const bool is_negative = count.int_type() != value::IntType::kUint64 && count.as_int() < 0;
  return is_negative ? 0 : static_cast<uint64_t>(count.as_int());
}

}  // namespace

bool is_true(const Value& value) {
  switch (value.kind()) {
    case Kind::kNil:
    case Kind::kNoValue:
      return false;
    case Kind::kBool:
      return value.as_bool();
    case Kind::kInt:
      return value.as_int() != 0;
    case Kind::kFloat:
      return value.as_float() != 0;
    case Kind::kString:
    case Kind::kBytes:
      return !value.as_string().empty();
    case Kind::kList:
      return !value.as_list().items.empty();
    case Kind::kDict:
      return !value.as_dict().empty();
    case Kind::kNative:
      return value.as_native().truth();
  }
  return false;
}

Status Evaluator::execute(std::string_view name, const Value& data, std::string& out) {
  const Tree* tree = templates_.find(name);
  if (tree == nullptr) {
    note_unknown_template(name);
    return templates_.not_found(name);
  }
  return execute(*tree, data, out);
}

Status Evaluator::execute(const Tree& tree, const Value& data, std::string& out) {
  if (options_.trace != nullptr) {
    options_.trace->begin_text();
  }
  auto status = run_tree(tree, Slot{data.is_nil() ? Value::no_value() : data, Box::kConcrete}, out);
  if (options_.trace != nullptr) {
    options_.trace->end_text(out);
  }
  return status;
}

// Runs a tree in a frame of its own, in which no variable of the caller is visible. If the budget
// does not allow another nested execution, the error has no position: the caller adds its own.
Status Evaluator::run_tree(const Tree& tree, const Slot& dot, std::string& out) {
  CW_TRY_VOID(options_.budget.enter());
  FrameScope scope(*this, tree, out);
  variables_.push_back({"$", dot});
  CW_TRY_DISCARD(walk(dot, tree.body));
  return {};
}

// Converts an exception to an error of the innermost statement: operator new throws at the memory
// limit if no charge failed before.
Evaluator::FlowResult Evaluator::walk_within_memory(const Slot& dot, const Statement& statement) {
  try {
    return walk_statement(dot, statement);
  } catch (const std::bad_alloc& cause) {
    return budget_error(options_.budget.memory_error(cause));
  }
}

Evaluator::FlowResult Evaluator::walk(const Slot& dot, const StatementList& list) {
  PlaceScope place(*this, dot);
  for (const Statement& statement : list) {
    place.at(statement);
    CW_TRY_VOID(step());
    CW_TRY(const Flow flow, walk_within_memory(dot, statement));
    if (flow != Flow::kNext) {
      return flow;
    }
  }
  return Flow::kNext;
}

Evaluator::FlowResult Evaluator::walk_statement(const Slot& dot, const Statement& statement) {
  if (frame_.counts != nullptr) [[unlikely]] {
    frame_.counts->ran(position(statement));
  }
  if (const Text* text = std::get_if<Text>(&statement)) {
    frame_.node = text;
    CW_TRY_VOID(write(text->text));
  } else if (const Action* action = std::get_if<Action>(&statement)) {
    Value value;
    CW_TRY_VOID(eval_pipe(dot, action->pipe, value));
    if (action->pipe.variables.empty()) {
      frame_.node = action;
      CW_TRY_VOID(print(value));
    }
  } else if (const auto* branch = std::get_if<std::unique_ptr<Branch>>(&statement)) {
    return walk_branch(dot, **branch);
  } else if (const TemplateCall* call = std::get_if<TemplateCall>(&statement)) {
    CW_TRY_VOID(walk_template(dot, *call));
  } else {
    return std::holds_alternative<Break>(statement) ? Flow::kBreak : Flow::kContinue;
  }
  return Flow::kNext;
}

Evaluator::FlowResult Evaluator::walk_branch(const Slot& dot, const Branch& branch) {
  frame_.node = &branch;
  NestingScope nesting(*this);
  CW_TRY_VOID(nesting.status());
  const size_t mark = variables_.size();
  auto flow =
      branch.kind == BranchKind::kRange ? walk_range(dot, branch) : walk_condition(dot, branch);
  variables_.resize(std::min(mark, variables_.size()));
  return flow;
}

// Executes if and with, which differ only in the dot of the body.
Evaluator::FlowResult Evaluator::walk_condition(const Slot& dot, const Branch& branch) {
  Slot subject;
  CW_TRY_VOID(eval_pipe(dot, branch.pipe, subject.value));
  const bool holds = is_true(subject.value);
  note_side(branch, holds);
  if (holds) {
    return walk(branch.kind == BranchKind::kWith ? subject : dot, branch.body);
  }
  return branch.otherwise ? walk(dot, *branch.otherwise) : FlowResult(Flow::kNext);
}

Evaluator::FlowResult Evaluator::walk_range(const Slot& dot, const Branch& branch) {
  Value subject;
  CW_TRY_VOID(eval_pipe(dot, branch.pipe, subject));
  if (subject.is_native()) {
    if (const Value* underlying = subject.as_native().underlying()) {
      const Value inner = *underlying;  // Assigning to the subject may free *underlying.
      subject = inner;
    }
  }
  const bool may_count = subject.is_int() || subject.is_native();
  if (const Value count = may_count ? go::opened_integer(subject) : Value(); count.is_int()) {
    if (branch.pipe.variables.size() > 1) {
      return error("can't use " + go::format_value(subject) +
                   " to iterate over more than one variable");
    }
    if (turns(count) > 0) {
      note_side(branch, true);
      return range_int(branch, subject);
    }
    subject = Value();
  }
  switch (subject.kind()) {
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kDict:
    case Kind::kNil:
    case Kind::kNoValue:
      break;
    default: {
      const std::string text = go::format_value(subject);  // Go shows the pointed-to value.
      return error("range can't iterate over " + text.substr(text.starts_with("&{") ? 1 : 0));
    }
  }
  const bool has_turns = is_true(subject);
  note_side(branch, has_turns);
  if (!has_turns) {
    if (!branch.otherwise) {
      return Flow::kNext;
    }
    // As in Go, a break here ends this range, although the parser accepts it only because of an
    // outer range; a continue applies to that outer range.
    CW_TRY(const Flow flow, walk(dot, *branch.otherwise));
    return flow == Flow::kBreak ? Flow::kNext : flow;
  }
  return subject.is_dict() ? range_dict(branch, subject) : range_list(branch, subject);
}

// Each element has the type of the subject: a range over a time.Month yields time.Months.
Evaluator::FlowResult Evaluator::range_int(const Branch& branch, const Value& subject) {
  const Value count = go::opened_integer(subject);
  const uint64_t end = turns(count);
  for (uint64_t i = 0; i < end; ++i) {
    const auto number = static_cast<int64_t>(i);
    Value element = subject.is_native() ? Value::native(subject.as_native().with_number(number))
                                        : Value::integer(number, count.int_type());
    CW_TRY(const Flow flow, range_turn(branch, Slot{Value::no_value(), Box::kConcrete},
                                       Slot{std::move(element), Box::kConcrete}));
    if (flow == Flow::kBreak) {
      break;
    }
  }
  return Flow::kNext;
}

Evaluator::FlowResult Evaluator::range_list(const Branch& branch, const Value& list) {
  const bool bytes = list.is_bytes();
  const size_t count = bytes ? list.as_string().size() : list.as_list().items.size();
  const bool boxed = !bytes && list.as_list().type == kAnyList;
  for (size_t i = 0; i < count; ++i) {
    Slot element;
    element.box = boxed ? Box::kInterface : Box::kConcrete;
    element.value = bytes ? Value::integer(static_cast<unsigned char>(list.as_string()[i]),
                                           value::IntType::kUint8)
                          : list.as_list().items[i];
    Slot index{Value::integer(static_cast<int64_t>(i), value::IntType::kInt), Box::kConcrete};
    CW_TRY(const Flow flow, range_turn(branch, std::move(index), element));
    if (flow == Flow::kBreak) {
      break;
    }
  }
  return Flow::kNext;
}

// Iterates over a copy of the entries, as Go does, because the body may modify the dict.
Evaluator::FlowResult Evaluator::range_dict(const Branch& branch, const Value& dict) {
  const Box box = dict.dict_type().holds_any() ? Box::kInterface : Box::kConcrete;
  const size_t bytes = dict.as_dict().size() * sizeof(value::Dict::Entry);
  if (auto status = options_.budget.charge_alloc(bytes); !status.ok()) {
    return budget_error(status.error());
  }
  const std::vector<value::Dict::Entry> entries(dict.as_dict().begin(), dict.as_dict().end());
  const bool wants_key = branch.pipe.variables.size() > 1;
  for (const auto& [key, member] : entries) {
    Slot index;
    if (wants_key) {
      index.value = Value::string(key);
    }
    CW_TRY(const Flow flow, range_turn(branch, std::move(index), Slot{member, box}));
    if (flow == Flow::kBreak) {
      break;
    }
  }
  return Flow::kNext;
}

// Executes one iteration. The declared variables are the topmost on the stack: the element, and
// below it the index.
Evaluator::FlowResult Evaluator::range_turn(const Branch& branch, Slot index, const Slot& element) {
  CW_TRY_VOID(step());
  const std::vector<Variable>& names = branch.pipe.variables;
  const size_t mark = variables_.size();
  if (branch.pipe.binding == Binding::kAssign) {
    for (size_t i = 0; i < names.size(); ++i) {
      CW_TRY(Slot * variable, find_variable(names[i].names[0]));
      *variable = i + 1 == names.size() ? element : index;
    }
  } else if (!names.empty()) {
    variables_[mark - 1].slot = element;
    if (names.size() > 1) {
      variables_[mark - 2].slot = std::move(index);
    }
  }
  auto flow = walk(element, branch.body);
  variables_.resize(std::min(mark, variables_.size()));
  return flow;
}

Status Evaluator::walk_template(const Slot& dot, const TemplateCall& call) {
  frame_.node = &call;
  const Tree* tree = templates_.find(call.name);
  if (tree == nullptr) {
    note_unknown_template(call.name);
    return error("template " + go::quote(call.name) + " not defined");
  }
  Slot data{Value::no_value(), Box::kConcrete};
  if (call.pipe) {
    CW_TRY_VOID(eval_pipe(dot, *call.pipe, data.value));
    frame_.node = &call;
  }
  auto status = run_tree(*tree, data, *frame_.out);
  if (status.ok()) {
    return status;
  }
  if (!status.error().pos()) {
    return budget_error(status.error());
  }
  if (options_.failure != nullptr) {  // Go's message does not mention this call.
    note_failure(place_of(frame_.node));
  }
  return status;
}

Status Evaluator::print(const Value& value) {
  if (value.is_string()) {
    return write(value.as_string());
  }
  if (value.is_no_value()) {
    return write("<no value>");
  }
  if (value.is_native()) {
    return write(value.as_native().to_string());
  }
  auto text = go::format_value_within(options_.budget, value);
  return text.ok() ? write(*text) : budget_error(text.error());
}

Status Evaluator::write(std::string_view text) {
  if (auto status = options_.budget.charge_output(text.size()); !status.ok()) {
    return budget_error(status.error());
  }
  frame_.out->append(text);
  if (options_.trace != nullptr) [[unlikely]] {
    note_output(text.size());
  }
  return {};
}

base::SourcePos Evaluator::place_of(const NodeRef& node) const {
  return source_pos(frame_.tree->parse_name, *frame_.tree->source, position(node));
}

// Returns Go's error "template: FILE:LINE:COLUMN: executing "NAME" at <NODE>: message". Its COLUMN
// is the 0-based byte offset in the line.
base::Error Evaluator::error(std::string_view message, base::ErrorCode code) const {
  base::SourcePos pos = place_of(frame_.node);
  std::string text = "template: " + pos.file + ":" + std::to_string(pos.line) + ":" +
                     std::to_string(pos.column - 1) + ": executing " +
                     go::quote(frame_.tree->name) + " at <" + to_string(frame_.node) +
                     ">: " + std::string(message);
  if (options_.failure != nullptr) {
    note_failure(pos);
  }
  return base::Error(code, std::move(text)).at(std::move(pos));
}

base::Error Evaluator::budget_error(const base::Error& cause) const {
  return error(cause.message(), cause.code());
}

base::Result<std::string> Execution::run(std::string_view name, const Value& data) {
  std::string out;
  CW_TRY_VOID(evaluator_.execute(name, data, out));
  return out;
}

const Template& Execution::templates() const { return evaluator_.templates(); }

const ExecOptions& Execution::options() const { return evaluator_.options(); }

}  // namespace chartwright::tmpl
