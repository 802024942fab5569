// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "tmpl/host.h"
#include "value/value.h"

namespace chartwright::tmpl {

class Execution;
class WrittenDicts;

/// State of the embedding program for the duration of one execution (include counters, the cluster
/// reader). The functions that the embedding program registers know its actual type.
class Extension {
 public:
  virtual ~Extension() = default;
};

/// The context of a function call.
struct CallContext {
  Execution& execution;   ///< For running other templates (include, tpl).
  base::Budget& budget;   ///< Charge it before building anything whose size an argument decides.
  WrittenDicts& written;  ///< Note every write into a dict passed as an argument, before it.
  Host& host;
  Extension* extension;  ///< The one given in ExecOptions; may be null.
};

/// Go parameter types. The executor checks and converts arguments accordingly before a call; its
/// errors have text/template's messages.
enum class Param : uint8_t {
  kAny,         ///< interface{}
  kString,      ///< string
  kInt,         ///< int
  kInt64,       ///< int64
  kFloat64,     ///< float64
  kBool,        ///< bool
  kAnyList,     ///< []interface{}
  kStringList,  ///< []string
  kDict,        ///< map[string]interface{}; a nil map arrives as a nil dict
  kReflect,     ///< reflect.Value: like kAny, but nil and "no value" stay distinct (builtins only)
  kUnopened,    ///< like kReflect, but an interface{} is not opened: members of maps and lists
                ///< arrive as nil (builtin slice only)
  kUint32,      ///< uint32: whole number constants only; arrives as an int
  kTime,        ///< time.Time: a native of that Go type
  kCertificate  ///< sprig.certificate: a native of that Go type
};

/// A template function. `params` are the types of its parameters; if `variadic`, the last one is
/// the element type of the variadic parameter. The body receives converted arguments; the Error it
/// returns needs only a message (the executor adds "error calling NAME:" and the position).
struct Function {
  std::string name;
  std::vector<Param> params;
  bool variadic = false;
  std::function<base::Result<value::Value>(CallContext&, std::span<const value::Value>)> body;
};

/// Functions and methods by name. Built once at startup and only read afterwards; a const
/// FunctionMap is safe to share between threads.
class FunctionMap {
 public:
  /// Adds or replaces a function.
  void add(Function function);
  /// Adds or replaces a method of the Go type `go_type` (as %T prints it: "chartutil.Values",
  /// "engine.files", "*semver.Version"). The body receives the receiver as its first argument;
  /// `params` does not include it. Methods take precedence over fields and map keys, as in Go.
  void add_method(std::string_view go_type, Function method);
  /// Returns nullptr if the type has no such method.
  const Function* find_method(std::string_view go_type, std::string_view name) const;
  void erase(std::string_view name);
  /// Returns nullptr if there is no such function. The pointer is valid until the map is modified.
  const Function* find(std::string_view name) const;
  std::vector<std::string_view> names() const;  ///< Sorted.
  /// Returns pairs of type and method name, sorted.
  std::vector<std::pair<std::string_view, std::string_view>> methods() const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  using Table = std::unordered_map<std::string, Function, Hash, std::equal_to<>>;
  Table functions_;
  std::unordered_map<std::string, Table, Hash, std::equal_to<>> methods_;  // By Go type.
};

}  // namespace chartwright::tmpl
