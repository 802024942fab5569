// SPDX-License-Identifier: Apache-2.0
// Pipelines, commands, variables and fields.
#include <utility>

#include "base/ascii.h"
#include "go/complex.h"
#include "go/quote.h"
#include "go/type_name.h"
#include "tmpl/evaluator.h"
#include "tmpl/exec_scope.h"

namespace chartwright::tmpl {

using base::Status;
using value::Kind;
using value::Value;

namespace {

// Reports whether a number is written as a float: "1e3" and "1.0", but not 0x1e or '.'.
bool has_float_form(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const bool hex_int = hex && text.find_first_of("pP") == std::string_view::npos;
  return !hex_int && !text.starts_with('\'') &&
         text.find_first_of(".eEpP") != std::string_view::npos;
}

// Reports whether a name can only be a key, since a map of this type has no methods.
bool has_only_keys(const Value& value) { return value.is_dict() && !value.dict_type()->is_named; }

// Go exports only names with an initial capital, and templates can call only exported methods.
bool may_be_method(std::string_view name) {
  const auto first = static_cast<unsigned char>(name[0]);
  return base::is_ascii_upper(first) || first >= 0x80;
}

Box member_box(const Value& dict) {
  return dict.dict_type().holds_any() ? Box::kInterface : Box::kConcrete;
}

}  // namespace

// As in Go, the result is taken out of its interface{}, so nil becomes "no value".
Status Evaluator::eval_pipe(const Slot& dot, const Pipe& pipe, Value& out) {
  frame_.node = &pipe;
  CW_TRY_VOID(eval_command(dot, pipe.commands[0], nullptr, out));
  for (size_t i = 1; i < pipe.commands.size(); ++i) {
    const Value piped = out.is_nil() ? Value::no_value() : std::move(out);
    CW_TRY_VOID(eval_command(dot, pipe.commands[i], &piped, out));
  }
  if (out.is_nil()) {
    out = Value::no_value();
  }
  if (pipe.variables.empty()) {
    return {};
  }
  return bind(pipe, out);
}

Status Evaluator::bind(const Pipe& pipe, const Value& value) {
  for (const Variable& variable : pipe.variables) {
    if (pipe.binding == Binding::kDeclare) {
      variables_.push_back({variable.names[0], Slot{value, Box::kConcrete}});
      continue;
    }
    CW_TRY(Slot * slot, find_variable(variable.names[0]));
    *slot = Slot{value, Box::kConcrete};
  }
  return {};
}

base::Result<Slot*> Evaluator::find_variable(std::string_view name) {
  for (size_t i = variables_.size(); i > frame_.variables_base; --i) {
    if (variables_[i - 1].name == name) {
      return &variables_[i - 1].slot;
    }
  }
  return error("undefined variable: " + std::string(name));
}

Status Evaluator::eval_command(const Slot& dot, const Command& command, const Value* piped,
                               Value& out) {
  const Term& first = command.terms[0];
  CallSite site{dot, node_ref(first), command.terms, piped};
  if (const Field* field = std::get_if<Field>(&first)) {
    return eval_field(site, *field, out);
  }
  if (const Identifier* identifier = std::get_if<Identifier>(&first)) {
    site.node = &command;
    return eval_function(site, *identifier, out);
  }
  if (const Variable* variable = std::get_if<Variable>(&first)) {
    return eval_variable(site, *variable, out);
  }
  if (const auto* chain = std::get_if<std::unique_ptr<Chain>>(&first)) {
    return eval_chain(site, **chain, out);
  }
  if (const auto* pipe = std::get_if<std::unique_ptr<Pipe>>(&first)) {
    CW_TRY_VOID(reject_arguments(site));
    NestingScope nesting(*this);
    CW_TRY_VOID(nesting.status());
    return eval_pipe(dot, **pipe, out);
  }
  frame_.node = site.node;
  CW_TRY_VOID(reject_arguments(site));
  if (std::holds_alternative<Nil>(first)) {
    return error("nil is not a command");
  }
  return eval_literal(dot, first, out);
}

// Returns the value of a constant term.
Status Evaluator::eval_literal(const Slot& dot, const Term& term, Value& out) {
  if (const String* string = std::get_if<String>(&term)) {
    out = string->value;
  } else if (const auto* number = std::get_if<std::unique_ptr<Number>>(&term)) {
    frame_.node = number->get();
    return constant(**number, out);
  } else if (const Bool* boolean = std::get_if<Bool>(&term)) {
    out = Value::boolean(boolean->value);
  } else {
    out = dot.value;
  }
  return {};
}

// Evaluates a number without an expected type: its form determines the type.
Status Evaluator::constant(const Number& number, Value& out) {
  if (number.as_complex) {
    out = Value::native(std::make_shared<go::ComplexValue>(*number.as_complex));
  } else if (number.as_float && has_float_form(number.text)) {
    out = Value::number(*number.as_float);
  } else if (number.as_int) {
    out = Value::integer(*number.as_int, value::IntType::kInt);
  } else {
    return error(std::string(number.text) + " overflows int");
  }
  return {};
}

Status Evaluator::reject_arguments(const CallSite& site) {
  if (site.has_arguments()) {
    return error("can't give argument to non-function " + to_string(node_ref(site.terms[0])));
  }
  return {};
}

Status Evaluator::eval_field(const CallSite& site, const Field& field, Value& out) {
  frame_.node = &field;
  return eval_names(site, site.dot, field.names, out);
}

Status Evaluator::eval_variable(const CallSite& site, const Variable& variable, Value& out) {
  frame_.node = &variable;
  CW_TRY(const Slot* slot, find_variable(variable.names[0]));
  if (variable.names.size() == 1) {
    CW_TRY_VOID(reject_arguments(site));
    out = slot->value;
    last_box_ = slot->box;
    return {};
  }
  const Slot receiver = *slot;  // Evaluating arguments may move the variables.
  return eval_names(site, receiver, std::span(variable.names).subspan(1), out);
}

Status Evaluator::eval_chain(const CallSite& site, const Chain& chain, Value& out) {
  frame_.node = &chain;
  Slot receiver;
  if (const auto* pipe = std::get_if<std::unique_ptr<Pipe>>(&chain.term)) {
    NestingScope nesting(*this);
    CW_TRY_VOID(nesting.status());
    CW_TRY_VOID(eval_pipe(site.dot, **pipe, receiver.value));
  } else {
    const Identifier& identifier = std::get<Identifier>(chain.term);
    const CallSite inner{site.dot, &identifier, {}, nullptr};
    CW_TRY_VOID(eval_function(inner, identifier, receiver.value));
  }
  return eval_names(site, receiver, chain.names, out);
}

// Evaluates .a.b.c starting at `receiver`; only the last name can take the arguments. Existing keys
// are followed without copying the values on the path.
Status Evaluator::eval_names(const CallSite& site, const Slot& receiver,
                             std::span<const std::string_view> names, Value& out) {
  const CallSite bare{site.dot, site.node, {}, nullptr};
  const Value* at = &receiver.value;
  Box box = receiver.box;
  Slot held;
  for (size_t i = 0; i < names.size(); ++i) {
    const CallSite& here = i + 1 < names.size() ? bare : site;
    if (at->is_dict() && !here.has_arguments() &&
        (has_only_keys(*at) || !may_be_method(names[i]))) {
      if (const Value* member = at->as_dict().find(names[i])) {
        box = member_box(*at);
        at = member;
        continue;
      }
    }
    Slot next;
    CW_TRY_VOID(eval_name(here, *at, box, names[i], next));
    held = std::move(next);
    at = &held.value;
    box = held.box;
  }
  out = *at;
  last_box_ = box;
  return {};
}

// Evaluates one name: a method, a map entry or a field of a struct.
Status Evaluator::eval_name(const CallSite& site, const Value& value, Box box,
                            std::string_view name, Slot& out) {
  switch (value.kind()) {
    case Kind::kNoValue:
      if (options_.missing_key == MissingKey::kError) {
        return error("nil data; no entry for key " + go::quote(name));
      }
      out.value = Value::no_value();
      return {};
    case Kind::kNil:
      return error("nil pointer evaluating interface {}." + std::string(name));
    case Kind::kDict:
      return eval_member(site, value, name, out);
    case Kind::kNative:
      return eval_native(site, value, box, name, out);
    default:
      return no_field_error(value, box, name);
  }
}

base::Error Evaluator::no_field_error(const Value& value, Box box, std::string_view name) const {
  return error("can't evaluate field " + std::string(name) + " in type " +
               (box == Box::kInterface ? "interface {}" : go::type_name(value)));
}

Status Evaluator::eval_member(const CallSite& site, const Value& dict, std::string_view name,
                              Slot& out) {
  if (!has_only_keys(dict) && may_be_method(name)) {
    if (const Function* method =
            templates_.functions_->find_method(go::type_name_view(dict), name)) {
      return call(site, *method, &dict, out.value);
    }
  }
  if (site.has_arguments()) {
    return error(std::string(name) + " is not a method but has arguments");
  }
  return eval_key(dict, name, out);
}

Status Evaluator::eval_key(const Value& dict, std::string_view key, Slot& out) {
  out.box = member_box(dict);
  if (const Value* member = dict.as_dict().find(key)) {
    out.value = *member;
    return {};
  }
  switch (options_.missing_key) {
    case MissingKey::kDefault:
      out.value = Value::no_value();
      return {};
    case MissingKey::kZero:
      break;
    case MissingKey::kError:
      return error("map has no entry for key " + go::quote(key));
  }
  if (out.box == Box::kInterface) {
    out.value = Value::nil();
  } else {
    const bool texts = dict.dict_type()->element == value::Element::kString;
    out.value = texts ? Value::string("") : Value::nil_bytes();
  }
  return {};
}

Status Evaluator::eval_native(const CallSite& site, const Value& value, Box box,
                              std::string_view name, Slot& out) {
  const value::Native& native = value.as_native();
  if (const Function* method = templates_.functions_->find_method(native.method_owner(), name)) {
    return call(site, *method, &value, out.value);
  }
  if (native.method_arity(name) >= 0) {
    return call_native_method(site, value, name, out.value);
  }
  auto field = native.field(name);
  if (!field) {
    return no_field_error(value, box, name);
  }
  if (site.has_arguments()) {
    return error(std::string(name) + " has arguments but cannot be invoked as function");
  }
  out.value = *std::move(field);
  return {};
}

}  // namespace chartwright::tmpl
