// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tmpl/function.h"
#include "value/value.h"

// Turns typed C++ functions into template functions. The Go parameter types are derived from the
// C++ ones, so each signature is written once and function bodies never inspect kinds.
namespace chartwright::helm::funcs {

using base::Result;
using tmpl::CallContext;
using value::Value;
using Args = std::span<const Value>;

/// A result of Go type int. (A plain int64_t result has Go type int64.)
struct GoInt {
  int64_t value;
};

/// A parameter of type map[string]interface{}; the map may be nil.
struct DictArg {
  const Value& value;
  /// nullptr for a nil map.
  const value::Dict* get() const { return value.is_nil_dict() ? nullptr : &value.as_dict(); }
  const Value* find(std::string_view key) const { return value.find(key); }
};

/// A parameter of type []interface{}; the list may be nil.
struct ListArg {
  const Value& value;
  Args items() const { return value.is_list() ? Args(value.as_list().items) : Args(); }
};

/// Maps a C++ parameter type to its declaration for the executor, and reads it from the converted
/// argument.
template <typename T>
struct Parameter;
template <>
struct Parameter<const Value&> {
  static constexpr tmpl::Param kParam = tmpl::Param::kAny;
  static const Value& read(const Value& v) { return v; }
};
template <>
struct Parameter<std::string_view> {
  static constexpr tmpl::Param kParam = tmpl::Param::kString;
  static std::string_view read(const Value& v) { return v.as_string(); }
};
template <>
struct Parameter<int64_t> {  // Go's int: no Sprig parameter is an int64.
  static constexpr tmpl::Param kParam = tmpl::Param::kInt;
  static int64_t read(const Value& v) { return v.as_int(); }
};
template <>
struct Parameter<double> {
  static constexpr tmpl::Param kParam = tmpl::Param::kFloat64;
  static double read(const Value& v) { return v.as_float(); }
};
template <>
struct Parameter<bool> {
  static constexpr tmpl::Param kParam = tmpl::Param::kBool;
  static bool read(const Value& v) { return v.as_bool(); }
};
template <>
struct Parameter<DictArg> {
  static constexpr tmpl::Param kParam = tmpl::Param::kDict;
  static DictArg read(const Value& v) { return {v}; }
};
template <>
struct Parameter<ListArg> {
  static constexpr tmpl::Param kParam = tmpl::Param::kAnyList;
  static ListArg read(const Value& v) { return {v}; }
};

/// The variadic arguments, each read as a T. Must be the last parameter.
template <typename T>
class Rest {
 public:
  explicit Rest(Args args) : args_(args) {}
  size_t size() const { return args_.size(); }
  bool empty() const { return args_.empty(); }
  T operator[](size_t i) const { return Parameter<T>::read(args_[i]); }
  Args values() const { return args_; }

 private:
  Args args_;
};
using AnyRest = Rest<const Value&>;

template <typename T>
struct IsRest : std::false_type {};
template <typename T>
struct IsRest<Rest<T>> : std::true_type {};
template <typename T>
struct RestElement;
template <typename T>
struct RestElement<Rest<T>> {
  using Type = T;
};

inline Value to_value(Value v) { return v; }
inline Value to_value(std::string s) { return Value::string(std::move(s)); }
inline Value to_value(std::string_view s) { return Value::string(s); }
inline Value to_value(int64_t i) { return Value::integer(i); }
inline Value to_value(GoInt i) { return Value::integer(i.value, value::IntType::kInt); }
inline Value to_value(double d) { return Value::number(d); }
inline Value to_value(bool b) { return Value::boolean(b); }

template <typename T>
Result<Value> to_result(T result) {
  return to_value(std::move(result));
}
template <typename T>
Result<Value> to_result(Result<T> result) {
  if (!result.ok()) {
    return std::move(result).error();
  }
  return to_value(std::move(result).value());
}

template <typename P>
P read_argument(Args args, size_t index) {
  if constexpr (IsRest<P>::value) {
    return P(args.subspan(index));
  } else {
    return Parameter<P>::read(args[index]);
  }
}

template <typename P>
void declare_parameter(tmpl::Function& function) {
  if constexpr (IsRest<P>::value) {
    function.variadic = true;
    function.params.push_back(Parameter<typename RestElement<P>::Type>::kParam);
  } else {
    function.params.push_back(Parameter<P>::kParam);
  }
}

/// One Sprig function, as registered and as listed in docs/reference/compatibility.md.
struct Entry {
  tmpl::Function function;
  std::vector<std::string> aliases;  ///< Other names of the same function.
  std::string_view family;           ///< "strings", "lists", ...: the heading in the documentation.
  std::string deviation;             ///< How the result may differ from Sprig's; "" if it does not.
};

/// The entries of one family.
class Table {
 public:
  /// Adds a pure C++ function whose running time is linear in the strings among its arguments and
  /// its result: the executor charges for those.
  template <typename R, typename... P>
  Table& add(std::string_view name, R (*f)(P...)) {
    auto call = [f](CallContext& /*ctx*/, P... p) { return to_result(f(p...)); };
    return add_call<decltype(call), P...>(name, call, std::index_sequence_for<P...>());
  }
  /// Adds a C++ function that charges the budget for additional work, or uses the host.
  template <typename R, typename... P>
  Table& add(std::string_view name, R (*f)(CallContext&, P...)) {
    auto call = [f](CallContext& ctx, P... p) { return to_result(f(ctx, p...)); };
    return add_call<decltype(call), P...>(name, call, std::index_sequence_for<P...>());
  }
  /// Adds a name to the last entry.
  Table& alias(std::string_view name) {
    entries_.back().aliases.emplace_back(name);
    return *this;
  }
  /// Documents how the last entry differs from Sprig.
  Table& deviates(std::string_view how) {
    entries_.back().deviation = how;
    return *this;
  }
  std::vector<Entry>& entries() { return entries_; }

 private:
  template <typename Call, typename... P, size_t... I>
  Table& add_call(std::string_view name, Call call, std::index_sequence<I...> /*indexes*/) {
    Entry& entry = entries_.emplace_back();
    entry.function.name = name;
    (declare_parameter<P>(entry.function), ...);
    entry.function.body = [call](CallContext& ctx, [[maybe_unused]] Args args) {
      return call(ctx, read_argument<P>(args, I)...);
    };
    return *this;
  }

  std::vector<Entry> entries_;
};

/// Adds the functions of `methods` as methods of `go_type`; their first parameter is the receiver.
void add_methods(tmpl::FunctionMap& functions, std::string_view go_type, Table& methods);

}  // namespace chartwright::helm::funcs
