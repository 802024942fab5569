// SPDX-License-Identifier: Apache-2.0
// Collects details of a failure beyond Go's error message.
#include "base/strings.h"
#include "tmpl/evaluator.h"
#include "tmpl/output_trace.h"

namespace chartwright::tmpl {

using value::Value;

namespace {

const Pipe* pipe_of(const Statement& statement) {
  if (const Action* action = std::get_if<Action>(&statement)) {
    return &action->pipe;
  }
  if (const auto* branch = std::get_if<std::unique_ptr<Branch>>(&statement)) {
    return &(*branch)->pipe;
  }
  const TemplateCall* call = std::get_if<TemplateCall>(&statement);
  return call != nullptr && call->pipe ? &*call->pipe : nullptr;
}

const Branch* branch_of(const Statement* statement) {
  const auto* branch =
      statement != nullptr ? std::get_if<std::unique_ptr<Branch>>(statement) : nullptr;
  return branch != nullptr ? branch->get() : nullptr;
}

}  // namespace

/// Finds the fields that a statement reads. Follows only maps, so it cannot fail or have side
/// effects.
class Evaluator::OperandFinder {
 public:
  explicit OperandFinder(const Evaluator& evaluator)
      : evaluator_(evaluator),
        places_(std::span(evaluator.places_).subspan(evaluator.frame_.places_base)) {}

  /// Returns the operands of the current statement.
  std::vector<Operand> of_statement() {
    if (!places_.empty()) {
      add_statement(places_.size() - 1);
    }
    return std::move(found_);
  }

  /// Returns the operands of the current node; if it has none, those of its statement; if that has
  /// none, those of an enclosing statement.
  std::vector<Operand> of_failure() {
    if (places_.empty()) {
      return {};
    }
    if (const auto* field = std::get_if<const Field*>(&evaluator_.frame_.node)) {
      add_field(places_.size() - 1, **field);
    } else if (const auto* variable = std::get_if<const Variable*>(&evaluator_.frame_.node)) {
      add_variable(**variable);
    }
    for (size_t place = places_.size(); place > 0 && found_.empty(); --place) {
      add_statement(place - 1);
    }
    return std::move(found_);
  }

 private:
  // A place is an index into places_.
  void add_statement(size_t place) {
    const Statement* statement = places_[place].statement;
    const Pipe* pipe = statement != nullptr ? pipe_of(*statement) : nullptr;
    if (pipe != nullptr) {
      add_pipe(place, *pipe);
    }
  }

  void add_pipe(size_t place, const Pipe& pipe) {
    for (const Command& command : pipe.commands) {
      for (const Term& term : command.terms) {
        add_term(place, term);
      }
    }
  }

  void add_term(size_t place, const Term& term) {
    if (const Field* field = std::get_if<Field>(&term)) {
      add_field(place, *field);
    } else if (const Variable* variable = std::get_if<Variable>(&term)) {
      add_variable(*variable);
    } else if (const auto* pipe = std::get_if<std::unique_ptr<Pipe>>(&term)) {
      add_pipe(place, **pipe);
    } else if (const auto* chain = std::get_if<std::unique_ptr<Chain>>(&term)) {
      add_term(place, (*chain)->term);
    } else if (std::holds_alternative<Dot>(term) && !places_[place].dot->value.is_dict()) {
      add_subject(place, "");
    }
  }

  void add_field(size_t place, const Field& field) {
    if (!add_names(places_[place].dot->value, field.names, to_string(NodeRef(&field)))) {
      add_subject(place, field.names.front());
    }
  }

  void add_variable(const Variable& variable) {
    const auto& all = evaluator_.variables_;
    for (size_t i = all.size(); i > evaluator_.frame_.variables_base; --i) {
      if (all[i - 1].name == variable.names[0]) {
        add_names(all[i - 1].slot.value, std::span(variable.names).subspan(1),
                  to_string(NodeRef(&variable)));
        return;
      }
    }
  }

  /// Returns false if `receiver` is not a map and thus no name can be followed.
  bool add_names(const Value& receiver, std::span<const std::string_view> names, std::string text) {
    if (!receiver.is_dict() || names.empty() || found_.size() >= Failure::kOperandsMax) {
      return names.empty() || receiver.is_dict();
    }
    Operand operand;
    operand.text = std::move(text);
    operand.reach = Operand::Reach::kWhole;
    const Value* at = &receiver;
    size_t followed = names.size();
    for (size_t i = 0; i < names.size(); ++i) {
      if (!at->is_dict()) {
        operand.reach = Operand::Reach::kCut;
        followed = i;
        break;
      }
      operand.holder = *at;
      operand.key = names[i];
      operand.next = i + 1 < names.size() ? names[i + 1] : "";
      at = at->find(names[i]);
      if (at == nullptr) {
        operand.reach = Operand::Reach::kMissing;
        operand.found = Value();
        followed = i + 1;
        break;
      }
      operand.found = *at;
    }
    for (const std::string_view rest : names.subspan(followed)) {
      operand.text.resize(operand.text.size() - rest.size() - 1);
    }
    found_.push_back(std::move(operand));
    return true;
  }

  /// Adds the subject of the range or with that set dot. Dot is not a map, so it has no `name`.
  void add_subject(size_t place, std::string_view name) {
    // The body of an if has the dot of the enclosing list.
    while (place > 0 && places_[place - 1].dot == places_[place].dot) {
      --place;
    }
    const Branch* branch = place > 0 ? branch_of(places_[place - 1].statement) : nullptr;
    if (branch == nullptr || branch->pipe.commands.size() != 1) {
      return;
    }
    const size_t before = found_.size();
    add_pipe(place - 1, branch->pipe);
    if (found_.size() == before + 1 && found_.back().reach == Operand::Reach::kWhole) {
      found_.back().reach =
          branch->kind == BranchKind::kRange ? Operand::Reach::kElement : Operand::Reach::kCut;
      found_.back().next = name;
    }
  }

  const Evaluator& evaluator_;
  const std::span<const Place> places_;
  std::vector<Operand> found_;
};

void Evaluator::note_output(size_t bytes) const {
  const bool is_action = std::holds_alternative<const Action*>(frame_.node);
  options_.trace->wrote(bytes, frame_.node,
                        is_action ? OperandFinder(*this).of_statement() : std::vector<Operand>());
}

void Evaluator::note_failure(const base::SourcePos& pos) const {
  Failure& failure = *options_.failure;
  if (failure.frames.empty()) {
    failure.operands = OperandFinder(*this).of_failure();
  }
  failure.add_frame({pos, frame_.tree->name});
}

void Evaluator::note_unknown_template(std::string_view name) const {
  if (options_.failure != nullptr) {
    const std::vector<std::string> names = templates_.names();
    options_.failure->meant =
        base::nearest(name, std::vector<std::string_view>(names.begin(), names.end()));
  }
}

}  // namespace chartwright::tmpl
