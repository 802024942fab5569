// SPDX-License-Identifier: Apache-2.0
#include "tmpl/builtins.h"

#include <string>
#include <utility>

#include "go/complex.h"
#include "go/format.h"
#include "go/type_name.h"
#include "go/url.h"
#include "tmpl/compare.h"
#include "tmpl/escape.h"
#include "tmpl/evaluator.h"

namespace chartwright::tmpl {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using value::DictType;
using value::IntType;
using value::Value;
using Arguments = std::span<const Value>;

Error failure(std::string message) { return Error(ErrorCode::kTemplate, std::move(message)); }

// Returns the type of a value, or of the value pointed to.
std::string pointed_type(const Value& value) {
  const std::string type = go::type_name(value);
  return type.substr(type.starts_with('*') ? 1 : 0);
}

// Returns the list or map inside a native, and any other value unchanged.
Value unwrapped(const Value& value) {
  if (value.is_native()) {
    if (const Value* inner = value.as_native().underlying()) {
      return *inner;
    }
  }
  return value;
}

// Checks an index into `length` elements. As in Go, an index equal to the length passes here.
Result<size_t> to_index(const Value& given, size_t length) {
  const Value index = go::opened_integer(given);
  if (index.is_nothing()) {
    return failure("cannot index slice/array with nil");
  }
  if (!index.is_int()) {
    return failure("cannot index slice/array with type " + go::type_name(given));
  }
  if (index.as_int() < 0 || static_cast<uint64_t>(index.as_int()) > length) {
    return failure("index out of range: " + std::to_string(index.as_int()));
  }
  return static_cast<size_t>(index.as_int());
}

// Checks an index for slice, which rejects members of maps and lists (passed as nil) as interface{}
// values.
Result<size_t> to_bound(const Value& index, size_t length) {
  if (index.is_nil()) {
    return failure("cannot index slice/array with type interface {}");
  }
  return to_index(index, length);
}

Result<Value> index_sequence(const Value& item, const Value& index) {
  const bool text = item.is_string() || item.is_bytes();
  const size_t length = text ? item.as_string().size() : item.as_list().items.size();
  CW_TRY(const size_t i, to_index(index, length));
  if (i == length) {
    return failure(item.is_string() ? "reflect: string index out of range"
                                    : "reflect: slice index out of range");
  }
  if (text) {
    return Value::integer(static_cast<unsigned char>(item.as_string()[i]), IntType::kUint8);
  }
  return item.as_list().items[i];
}

Value zero_member(DictType type) {
  switch (type->element) {
    case value::Element::kString:
      return Value::string("");
    case value::Element::kBytes:
      return Value::nil_bytes();
    default:
      return Value::nil();
  }
}

Result<Value> index_dict(const Value& item, const Value& key) {
  if (key.is_nothing()) {
    return failure("value is nil; should be of type string");
  }
  if (!key.is_string()) {
    return failure("value has type " + go::type_name(key) + "; should be string");
  }
  const Value* member = item.find(key.as_string());
  return member != nullptr ? *member : zero_member(item.dict_type());
}

// Evaluates `index x 1 "a"` as x[1]["a"].
Result<Value> index(CallContext& /*context*/, Arguments arguments) {
  Value item = arguments[0];
  if (item.is_nothing()) {
    return failure("index of untyped nil");
  }
  for (const Value& key : arguments.subspan(1)) {
    item = unwrapped(item);
    if (item.is_nothing()) {
      return failure("index of nil pointer");
    }
    if (item.is_string() || item.is_bytes() || item.is_list()) {
      CW_TRY(item, index_sequence(item, key));
    } else if (item.is_dict()) {
      CW_TRY(item, index_dict(item, key));
    } else {
      return failure("can't index item of type " + pointed_type(item));
    }
  }
  return item;
}

Value slice_of(const Value& item, size_t from, size_t to) {
  if (item.is_string()) {
    return Value::string(item.as_string().substr(from, to - from));
  }
  if (item.is_bytes()) {
    return Value::bytes(item.as_string().substr(from, to - from));
  }
  const auto begin = item.as_list().items.begin();
  return Value::list({begin + static_cast<ptrdiff_t>(from), begin + static_cast<ptrdiff_t>(to)},
                     item.as_list().type);
}

// Evaluates `slice x 1 2` as x[1:2]. The capacity of a list is assumed to be its length.
Result<Value> slice(CallContext& context, Arguments arguments) {
  const Value item = unwrapped(arguments[0]);
  const Arguments indexes = arguments.subspan(1);
  if (item.is_nothing()) {
    return failure("slice of untyped nil");
  }
  if (indexes.size() > 3) {
    return failure("too many slice indexes: " + std::to_string(indexes.size()));
  }
  if (!item.is_string() && !item.is_bytes() && !item.is_list()) {
    return failure("can't slice item of type " + go::type_name(item));
  }
  if (item.is_string() && indexes.size() == 3) {
    return failure("cannot 3-index slice a string");
  }
  const size_t length = item.is_list() ? item.as_list().items.size() : item.as_string().size();
  size_t bounds[] = {0, length, length};
  for (size_t i = 0; i < indexes.size(); ++i) {
    CW_TRY(bounds[i], to_bound(indexes[i], length));
  }
  for (size_t i = 0; i < (indexes.size() == 3 ? size_t{2} : size_t{1}); ++i) {
    if (bounds[i] > bounds[i + 1]) {
      return failure("invalid slice index: " + std::to_string(bounds[i]) + " > " +
                     std::to_string(bounds[i + 1]));
    }
  }
  const size_t width = item.is_list() ? sizeof(Value) : 1;
  CW_TRY_VOID(context.budget.charge_alloc((bounds[1] - bounds[0]) * width));
  return slice_of(item, bounds[0], bounds[1]);
}

Result<Value> length(CallContext& /*context*/, Arguments arguments) {
  const Value item = unwrapped(arguments[0]);
  if (item.is_nil()) {
    return failure("len of nil pointer");
  }
  if (item.is_no_value()) {
    return failure("reflect: call of reflect.Value.Type on zero Value");
  }
  size_t size = 0;
  if (item.is_string() || item.is_bytes()) {
    size = item.as_string().size();
  } else if (item.is_list()) {
    size = item.as_list().items.size();
  } else if (item.is_dict()) {
    size = item.as_dict().size();
  } else {
    return failure("len of type " + pointed_type(item));
  }
  return Value::integer(static_cast<int64_t>(size), IntType::kInt);
}

Result<Value> logical_not(CallContext& /*context*/, Arguments arguments) {
  return Value::boolean(!is_true(arguments[0]));
}

Result<Value> print(CallContext& context, Arguments arguments) {
  CW_TRY(std::string text, go::sprint_within(context.budget, arguments));
  return Value::string(std::move(text));
}

Result<Value> println(CallContext& context, Arguments arguments) {
  CW_TRY(std::string text, go::sprintln_within(context.budget, arguments));
  return Value::string(std::move(text));
}

Result<Value> printf(CallContext& context, Arguments arguments) {
  CW_TRY(std::string text,
         go::sprintf_within(context.budget, arguments[0].as_string(), arguments.subspan(1)));
  return Value::string(std::move(text));
}

// Returns the string that html, js and urlquery escape: the arguments formatted as by print, but
// nil as in an action.
Result<std::string> printed(base::Budget& budget, Arguments arguments) {
  CW_TRY_VOID(budget.charge_alloc(arguments.size_bytes()));
  std::vector<Value> shown(arguments.begin(), arguments.end());
  for (Value& value : shown) {
    if (value.is_nothing()) {
      value = Value::string("<no value>");
    }
  }
  return go::sprint_within(budget, shown);
}

template <std::string (*kEscape)(std::string_view)>
Result<Value> escaped(CallContext& context, Arguments arguments) {
  CW_TRY(const std::string text, printed(context.budget, arguments));
  return Value::string(kEscape(text));
}

template <Result<bool> (*kCompare)(const Value&, const Value&)>
Result<Value> compared(CallContext& /*context*/, Arguments arguments) {
  CW_TRY(const bool holds, kCompare(arguments[0], arguments[1]));
  return Value::boolean(holds);
}

Result<Value> equal_any(CallContext& /*context*/, Arguments arguments) {
  if (arguments.size() < 2) {
    return failure("missing argument for comparison");
  }
  for (const Value& other : arguments.subspan(1)) {
    CW_TRY(const bool holds, equal(arguments[0], other));
    if (holds) {
      return Value::boolean(true);
    }
  }
  return Value::boolean(false);
}

// The executor evaluates and, or and call itself; their entries only declare parameters.
Result<Value> unreachable(CallContext& /*context*/, Arguments /*arguments*/) {
  return Error(ErrorCode::kInternal, "builtin called without the executor");
}

enum class Arity { kFixed, kVariadic };

FunctionMap make_builtins() {
  FunctionMap map;
  const auto add = [&map](std::string name, std::vector<Param> params, Arity arity, auto body) {
    map.add({std::move(name), std::move(params), arity == Arity::kVariadic, body});
  };
  const std::vector<Param> one = {Param::kReflect};
  const std::vector<Param> two = {Param::kReflect, Param::kReflect};
  const std::vector<Param> any = {Param::kAny};
  add("and", two, Arity::kVariadic, unreachable);
  add("or", two, Arity::kVariadic, unreachable);
  add("call", two, Arity::kVariadic, unreachable);
  add("not", one, Arity::kFixed, logical_not);
  add("len", one, Arity::kFixed, length);
  add("index", two, Arity::kVariadic, index);
  add("slice", {Param::kReflect, Param::kUnopened}, Arity::kVariadic, slice);
  add("eq", two, Arity::kVariadic, equal_any);
  add("ne", two, Arity::kFixed, compared<not_equal>);
  add("lt", two, Arity::kFixed, compared<less>);
  add("le", two, Arity::kFixed, compared<less_or_equal>);
  add("gt", two, Arity::kFixed, compared<greater>);
  add("ge", two, Arity::kFixed, compared<greater_or_equal>);
  add("print", any, Arity::kVariadic, print);
  add("println", any, Arity::kVariadic, println);
  add("printf", {Param::kString, Param::kAny}, Arity::kVariadic, printf);
  add("html", any, Arity::kVariadic, escaped<escape_html>);
  add("js", any, Arity::kVariadic, escaped<escape_js>);
  add("urlquery", any, Arity::kVariadic, escaped<go::escape_query>);
  return map;
}

}  // namespace

const FunctionMap& builtins() {
  static const FunctionMap kMap = make_builtins();
  return kMap;
}

}  // namespace chartwright::tmpl
