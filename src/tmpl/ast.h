// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tmpl/function.h"
#include "value/value.h"

// The parsed form of a template. Every node has the byte offset from which error messages compute
// line and column; all string_views point into the source that the Tree owns. Trees are immutable
// once parsed. Source: Go text/template/parse node.go.
namespace chartwright::tmpl {

struct Pipe;

struct Dot {
  size_t pos = 0;
};

struct Nil {
  size_t pos = 0;
};

struct Bool {
  size_t pos = 0;
  bool value = false;
};

/// A number in every type that can represent it, like an untyped constant of Go.
struct Number {
  size_t pos = 0;
  std::string_view text;
  std::optional<int64_t> as_int;
  std::optional<uint64_t> as_uint;
  std::optional<double> as_float;
  std::optional<std::complex<double>> as_complex;
};

struct String {
  size_t pos = 0;
  std::string_view quoted;
  value::Value value;  ///< Unquoted; shared by every evaluation.
};

/// .a.b: names without their dots.
struct Field {
  size_t pos = 0;
  std::vector<std::string_view> names;
};

/// $x.a.b: the first name includes the dollar sign.
struct Variable {
  size_t pos = 0;
  std::vector<std::string_view> names;
};

/// Builtins that the executor evaluates itself: `and` and `or` short-circuit, `call` needs the
/// source of its argument.
enum class Special : uint8_t { kNone, kAnd, kOr, kCall };

/// The name of a function, resolved. The Tree keeps the functions alive.
struct Identifier {
  size_t pos = 0;
  std::string_view name;
  const Function* function = nullptr;
  Special special = Special::kNone;
};

struct Chain;

/// An operand: a callee or an argument.
using Term = std::variant<Dot, Nil, Bool, std::unique_ptr<Number>, String, Field, Variable,
                          Identifier, std::unique_ptr<Chain>, std::unique_ptr<Pipe>>;

/// Fields of a parenthesised pipeline or of a function's result: (pipeline).a.b, function.a.b.
struct Chain {
  size_t pos = 0;
  Term term;
  std::vector<std::string_view> names;
};

/// A term and its arguments; never empty.
struct Command {
  size_t pos = 0;
  std::vector<Term> terms;
};

enum class Binding : uint8_t { kDeclare, kAssign };

/// Commands, each of which passes its result to the next; never empty.
struct Pipe {
  size_t pos = 0;
  Binding binding = Binding::kDeclare;
  std::vector<Variable> variables;  ///< Declared or assigned to.
  std::vector<Command> commands;
};

struct Text {
  size_t pos = 0;
  std::string_view text;
};

struct Action {
  size_t pos = 0;
  Pipe pipe;
};

struct TemplateCall {
  size_t pos = 0;
  std::string name;
  std::optional<Pipe> pipe;
};

struct Break {
  size_t pos = 0;
};

struct Continue {
  size_t pos = 0;
};

struct Branch;

using Statement =
    std::variant<Text, Action, std::unique_ptr<Branch>, TemplateCall, Break, Continue>;

using StatementList = std::vector<Statement>;

enum class BranchKind : uint8_t { kIf, kRange, kWith };

/// An if, range or with action.
struct Branch {
  size_t pos = 0;
  BranchKind kind = BranchKind::kIf;
  Pipe pipe;
  StatementList body;
  std::optional<StatementList> otherwise;
};

/// A named template and everything that its nodes point into.
struct Tree {
  Tree() = default;
  /// Frees the nodes without recursion: the last owner may be a thread with a small stack.
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  std::string name;
  std::string parse_name;                     ///< Name of the source that defines it.
  std::shared_ptr<const std::string> source;  ///< The text that nodes have views into.
  std::shared_ptr<const FunctionMap> functions;
  StatementList body;
};

/// Trees by name. Can be searched with a string_view.
using TreeMap = std::map<std::string, std::shared_ptr<const Tree>, std::less<>>;

/// Points to the node being evaluated, for error messages.
using NodeRef = std::variant<std::monostate, const Dot*, const Nil*, const Bool*, const Number*,
                             const String*, const Field*, const Variable*, const Identifier*,
                             const Chain*, const Pipe*, const Command*, const Text*, const Action*,
                             const Branch*, const TemplateCall*, const Break*, const Continue*>;

NodeRef node_ref(const Term& term);

/// Returns the byte offset of the node, or 0 for std::monostate.
size_t position(const NodeRef& node);
/// Returns the byte offset of the statement. No other of its source has the same.
size_t position(const Statement& statement);

/// Returns the canonical source of the node. Source: Go text/template/parse Node.String.
std::string to_string(const NodeRef& node);
std::string to_string(const Term& term);
std::string to_string(const StatementList& list);

/// Reports whether the list holds nothing but white space (a tree has no nodes for comments).
/// Source: Go parse.IsEmptyTree.
bool is_empty(const StatementList& list);

}  // namespace chartwright::tmpl
