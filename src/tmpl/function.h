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
#include "base/result.h"
#include "tmpl/host.h"
#include "value/value.h"

namespace chartwright::tmpl {

class Execution;
class WrittenDicts;

/// State of the embedding program that lives as long as one execution (include counters, the
/// cluster reader). The functions that the embedder registers know its real type.
class Extension {
 public:
  virtual ~Extension() = default;
};

/// What a function may use beside its arguments.
struct CallContext {
  Execution& execution;   ///< To run other templates (include, tpl).
  base::Budget& budget;   ///< Charge before building anything whose size an argument decides.
  WrittenDicts& written;  ///< Tell before writing into a dict that an argument brought.
  Host& host;
  Extension* extension;  ///< As given in ExecOptions; may be null.
};

/// Go parameter types; the executor converts and checks arguments by them before the call, with
/// text/template's error texts.
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
  kReflect,     ///< reflect.Value: as kAny, but nil and "no value" stay apart (builtins only)
  kUnopened,    ///< kReflect that does not look into an interface{}: members of maps and lists
                ///< arrive as nil (builtin slice only)
  kUint32,      ///< uint32: whole number constants only; arrives as an int
  kTime,        ///< time.Time: a native of that Go type
  kCertificate  ///< sprig.certificate: a native of that Go type
};

/// A template function. `params` are the fixed parameters and, when `variadic`, the last one is the
/// element type of the rest. The body sees already converted arguments; the Error it returns needs
/// only its message (the executor adds "error calling NAME:" and the position).
struct Function {
  std::string name;
  std::vector<Param> params;
  bool variadic = false;
  std::function<base::Result<value::Value>(CallContext&, std::span<const value::Value>)> body;
};

/// Functions by name. Built once at start, then only read; safe to share between threads.
class FunctionMap {
 public:
  /// Adds or replaces.
  void add(Function function);
  /// Adds or replaces a method of the Go type `go_type` (as %T prints it: "chartutil.Values",
  /// "engine.files", "*semver.Version"). The body sees the receiver as its first argument; `params`
  /// do not count it. Methods come before fields and map keys, as in Go.
  void add_method(std::string_view go_type, Function method);
  /// nullptr when the type has no such method.
  const Function* find_method(std::string_view go_type, std::string_view name) const;
  void erase(std::string_view name);
  /// nullptr when there is none. The pointer stays valid as long as the map is not changed.
  const Function* find(std::string_view name) const;
  std::vector<std::string_view> names() const;  ///< Sorted.
  /// Types and the names of their methods, sorted.
  std::vector<std::pair<std::string_view, std::string_view>> methods() const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  using Table = std::unordered_map<std::string, Function, Hash, std::equal_to<>>;
  Table functions_;
  std::unordered_map<std::string, Table, Hash, std::equal_to<>> methods_;  // by Go type
};

}  // namespace chartwright::tmpl
