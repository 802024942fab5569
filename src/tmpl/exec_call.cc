// SPDX-License-Identifier: Apache-2.0
// Function and method calls: counting, evaluating and converting arguments.
#include <new>
#include <stdexcept>
#include <utility>

#include "go/type_name.h"
#include "tmpl/evaluator.h"
#include "tmpl/exec_scope.h"

namespace chartwright::tmpl {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using value::IntType;
using value::kAnyList;
using value::kStringList;
using value::Value;

namespace {

std::string_view type_name(Param type) {
  switch (type) {
    case Param::kAny:
      return "interface {}";
    case Param::kString:
      return "string";
    case Param::kInt:
      return "int";
    case Param::kInt64:
      return "int64";
    case Param::kFloat64:
      return "float64";
    case Param::kBool:
      return "bool";
    case Param::kAnyList:
      return "[]interface {}";
    case Param::kStringList:
      return "[]string";
    case Param::kDict:
      return "map[string]interface {}";
    case Param::kReflect:
    case Param::kUnopened:
      return "reflect.Value";
    case Param::kUint32:
      return "uint32";
    case Param::kTime:
      return "time.Time";
    case Param::kCertificate:
      return "sprig.certificate";
  }
  return "";
}

// Implements Go's reflect.Type.AssignableTo, for any value but "no value".
bool is_assignable(const Value& value, Param type) {
  switch (type) {
    case Param::kTime:
    case Param::kCertificate:
      return value.is_native() && value.as_native().go_type() == type_name(type);
    case Param::kUint32:  // No value has this type.
      return false;
    case Param::kAny:
    case Param::kReflect:
    case Param::kUnopened:
      return true;
    case Param::kString:
      return value.is_string();
    case Param::kInt:
      return value.is_int() && value.int_type() == IntType::kInt;
    case Param::kInt64:
      return value.is_int() && value.int_type() == IntType::kInt64;
    case Param::kFloat64:
      return value.is_float();
    case Param::kBool:
      return value.is_bool();
    case Param::kAnyList:
      return value.is_list() && value.as_list().type == kAnyList;
    case Param::kStringList:
      return value.is_list() && value.as_list().type == kStringList;
    case Param::kDict:  // A named map type is assignable to its own unnamed form.
      return value.is_dict() && value.dict_type().holds_any();
  }
  return false;
}

bool can_be_nil(Param type) {
  return type == Param::kAny || type == Param::kReflect || type == Param::kUnopened ||
         type == Param::kAnyList || type == Param::kStringList || type == Param::kDict;
}

// Returns the zero value (reflect.Zero) of a type that can be nil.
Value zero_of(Param type) {
  switch (type) {
    case Param::kAnyList:
      return Value::nil_list(kAnyList);
    case Param::kStringList:
      return Value::nil_list(kStringList);
    case Param::kDict:
      return Value::nil_dict();
    case Param::kReflect:
    case Param::kUnopened:
      return Value::no_value();
    default:
      return Value::nil();
  }
}

// Converts an assignable value to its parameter: a map takes the type of the parameter, and a
// native passed as an interface{} is boxed, since a value in an interface{} has no address.
void assign(Param type, Value& value) {
  if (type == Param::kDict && value.dict_type() != value::kAnyDict) {
    value = value.with_type(value::kAnyDict);
  } else if (type == Param::kAny && value.is_native()) {
    if (auto boxed = value.as_native().boxed()) {
      value = Value::native(std::move(boxed));
    }
  }
}

// Returns the type to which argument `i` is converted.
Param parameter_type(const Function& function, size_t i) {
  return function.params[std::min(i, function.params.size() - 1)];
}

// Returns the callee as errors of `call` name it: its source, or the piped value as
// reflect.Value.String formats it.
std::string callee_text(std::span<const Term> terms, const Value& callee) {
  if (!terms.empty()) {
    return to_string(node_ref(terms[0]));
  }
  return callee.is_string() ? callee.as_string() : "<" + go::type_name(callee) + " Value>";
}

// Returns the number of bytes that most functions read or build of a value. A function that does
// more work charges for it itself.
size_t text_bytes(const Value& value) {
  return value.is_string() || value.is_bytes() ? value.as_string().size() : 0;
}

// Calls a function, charging for its arguments before the call and for its result after it.
Result<Value> charged_call(const Function& function, CallContext& context,
                           std::span<const Value> arguments) {
  try {
    for (const Value& argument : arguments) {
      CW_TRY_VOID(context.budget.charge_work(text_bytes(argument)));
    }
    auto result = function.body(context, arguments);
    if (result.ok()) {
      CW_TRY_VOID(context.budget.charge_work(text_bytes(*result)));
    }
    return result;
  } catch (const std::bad_alloc& cause) {
    return context.budget.memory_error(cause);
  } catch (const std::length_error&) {  // Larger than a container can be.
    return context.budget.memory_error(std::bad_alloc());
  }
}

// Keeps the code of an error that the template did not cause: callers decide by it whether to
// retry.
ErrorCode code_after_call(ErrorCode cause) {
  switch (cause) {
    case ErrorCode::kBudget:
    case ErrorCode::kForbidden:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal:
      return cause;
    default:
      return ErrorCode::kTemplate;
  }
}

}  // namespace

Status Evaluator::eval_function(const CallSite& site, const Identifier& identifier, Value& out) {
  frame_.node = &identifier;
  if (identifier.special == Special::kNone) {
    return call(site, *identifier.function, nullptr, out);
  }
  CW_TRY_VOID(check_argument_count(site, *identifier.function));
  return identifier.special == Special::kCall ? call_value(site, out)
                                              : short_circuit(site, identifier.special, out);
}

// `receiver` is the value whose method is called, or nullptr for a function.
Status Evaluator::call(const CallSite& site, const Function& function, const Value* receiver,
                       Value& out) {
  CW_TRY_VOID(step());
  CW_TRY_VOID(check_argument_count(site, function));
  const size_t own = receiver != nullptr ? 1 : 0;
  const size_t count = site.arguments().size() + (site.piped != nullptr ? 1 : 0);
  const ArgumentStack::Frame arguments(arguments_, own + count);
  if (receiver != nullptr) {
    arguments.values()[0] = *receiver;
  }
  CW_TRY_VOID(fill_arguments(site, function, arguments.values().subspan(own)));
  CallContext context{execution_, options_.budget, options_.written, options_.host,
                      options_.extension};
  auto result = charged_call(function, context, arguments.values());
  if (!result.ok()) {
    return call_error(site, function.name, result.error());
  }
  out = *std::move(result);
  return {};
}

Status Evaluator::call_native_method(const CallSite& site, const Value& receiver,
                                     std::string_view name, Value& out) {
  Function method;
  method.name = name;
  method.params.assign(static_cast<size_t>(receiver.as_native().method_arity(name)), Param::kAny);
  method.body = [name](CallContext&, std::span<const Value> arguments) {
    return arguments[0].as_native().call(name, arguments.subspan(1));
  };
  return call(site, method, &receiver, out);
}

Error Evaluator::call_error(const CallSite& site, std::string_view name, const Error& cause) {
  frame_.node = site.node;
  return error("error calling " + std::string(name) + ": " + cause.message(),
               code_after_call(cause.code()));
}

Status Evaluator::check_argument_count(const CallSite& site, const Function& function) {
  const size_t written = site.arguments().size();
  const size_t given = written + (site.piped != nullptr ? 1 : 0);
  const size_t params = function.params.size();
  const bool fits = function.variadic ? given + 1 >= params : given == params;
  if (fits) [[likely]] {
    return {};
  }
  return error("wrong number of args for " + function.name + ": want " +
               (function.variadic
                    ? "at least " + std::to_string(params - 1) + " got " + std::to_string(written)
                    : std::to_string(params) + " got " + std::to_string(given)));
}

Status Evaluator::fill_arguments(const CallSite& site, const Function& function,
                                 std::span<Value> arguments) {
  const std::span<const Term> terms = site.arguments();
  for (size_t i = 0; i < terms.size(); ++i) {
    CW_TRY_VOID(eval_argument(site.dot, parameter_type(function, i), terms[i], arguments[i]));
  }
  if (site.piped != nullptr) {
    arguments.back() = *site.piped;
    CW_TRY_VOID(convert(parameter_type(function, arguments.size() - 1), arguments.back()));
  }
  return {};
}

// Evaluates `and` and `or`: the first argument that decides is the result, and the rest is not
// evaluated.
Status Evaluator::short_circuit(const CallSite& site, Special special, Value& out) {
  out = Value::no_value();
  for (const Term& term : site.arguments()) {
    CW_TRY_VOID(eval_argument(site.dot, Param::kReflect, term, out));
    if (is_true(out) == (special == Special::kOr)) {
      return {};
    }
  }
  if (site.piped != nullptr) {
    out = *site.piped;
  }
  return {};
}

// Evaluates `call`: no Value is a function, so this always fails, with Go's error.
Status Evaluator::call_value(const CallSite& site, Value& out) {
  const std::span<const Term> terms = site.arguments();
  for (size_t i = terms.size(); i > 0; --i) {
    // Evaluate all arguments, since their errors take precedence; keep the callee.
    const Term& term = terms[terms.size() - i];
    Value value;
    CW_TRY_VOID(eval_argument(site.dot, Param::kReflect, term, value));
    if (i == terms.size()) {
      out = std::move(value);
    }
  }
  if (terms.empty()) {
    out = *site.piped;
  }
  const Error cause(ErrorCode::kTemplate, out.is_nothing()
                                              ? "call of nil"
                                              : "non-function " + callee_text(terms, out) +
                                                    " of type " + go::type_name(out));
  return call_error(site, "call", cause);
}

Status Evaluator::eval_argument(const Slot& dot, Param type, const Term& term, Value& out) {
  frame_.node = node_ref(term);
  const CallSite site{dot, frame_.node, {}, nullptr};
  last_box_ = Box::kConcrete;
  if (std::holds_alternative<Dot>(term)) {
    out = dot.value;
    last_box_ = dot.box;
  } else if (const Field* field = std::get_if<Field>(&term)) {
    CW_TRY_VOID(eval_field(site, *field, out));
  } else if (const Variable* variable = std::get_if<Variable>(&term)) {
    CW_TRY_VOID(eval_variable(site, *variable, out));
  } else if (const auto* pipe = std::get_if<std::unique_ptr<Pipe>>(&term)) {
    NestingScope nesting(*this);
    CW_TRY_VOID(nesting.status());
    CW_TRY_VOID(eval_pipe(dot, **pipe, out));
    last_box_ = Box::kConcrete;
  } else if (const Identifier* identifier = std::get_if<Identifier>(&term)) {
    CW_TRY_VOID(eval_function(site, *identifier, out));
    last_box_ = Box::kConcrete;
  } else if (const auto* chain = std::get_if<std::unique_ptr<Chain>>(&term)) {
    CW_TRY_VOID(eval_chain(site, **chain, out));
  } else {
    return eval_literal_argument(dot, type, term, out);
  }
  if (type == Param::kUnopened && last_box_ == Box::kInterface && !out.is_no_value()) {
    out = Value::nil();
  }
  return convert(type, out);
}

// Evaluates nil, a boolean, a number or a string, which takes the type of its parameter.
Status Evaluator::eval_literal_argument(const Slot& dot, Param type, const Term& term, Value& out) {
  const auto* number_node = std::get_if<std::unique_ptr<Number>>(&term);
  const Number* number = number_node != nullptr ? number_node->get() : nullptr;
  std::string_view expected;
  if (std::holds_alternative<Nil>(term)) {
    if (!can_be_nil(type)) {
      return error("cannot assign nil to " + std::string(type_name(type)));
    }
    out = zero_of(type);
    return {};
  }
  switch (type) {
    case Param::kAny:
    case Param::kReflect:
    case Param::kUnopened:
      return eval_literal(dot, term, out);
    case Param::kString:
      if (std::holds_alternative<String>(term)) {
        return eval_literal(dot, term, out);
      }
      expected = "string";
      break;
    case Param::kBool:
      if (std::holds_alternative<Bool>(term)) {
        return eval_literal(dot, term, out);
      }
      expected = "bool";
      break;
    case Param::kInt:
    case Param::kInt64:
      if (number != nullptr && number->as_int) {
        out =
            Value::integer(*number->as_int, type == Param::kInt ? IntType::kInt : IntType::kInt64);
        return {};
      }
      expected = "integer";
      break;
    case Param::kUint32:
      if (number != nullptr && number->as_int && *number->as_int >= 0) {
        // Go stores the constant in a uint32, which keeps the low bits.
        out = Value::integer(static_cast<uint32_t>(*number->as_int), IntType::kInt);
        return {};
      }
      expected = "unsigned integer";
      break;
    case Param::kFloat64:
      if (number != nullptr && number->as_float) {
        out = Value::number(*number->as_float);
        return {};
      }
      expected = "float";
      break;
    default:
      return error("can't handle " + to_string(term) + " for arg of type " +
                   std::string(type_name(type)));
  }
  return error("expected " + std::string(expected) + "; found " + to_string(term));
}

// Checks that an evaluated argument has the type of its parameter, and converts it.
Status Evaluator::convert(Param type, Value& value) {
  if (value.is_no_value()) {
    if (!can_be_nil(type)) {
      return error("invalid value; expected " + std::string(type_name(type)));
    }
    value = zero_of(type);
    return {};
  }
  if (is_assignable(value, type)) {
    assign(type, value);
    return {};
  }
  return error("wrong type for value; expected " + std::string(type_name(type)) + "; got " +
               (value.is_nil() ? "interface {}" : go::type_name(value)));
}

}  // namespace chartwright::tmpl
