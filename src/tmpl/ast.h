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

// The parsed form of a template. Every node has the byte offset that error messages count lines
// and columns from; all string_views point into the source text that the Tree keeps. Trees are
// immutable once parsed. Source: Go text/template/parse node.go.
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

/// A number under every type that can represent it, as Go's ideal constants.
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

/// $x.a.b: the first name holds the dollar sign.
struct Variable {
  size_t pos = 0;
  std::vector<std::string_view> names;
};

/// Builtins that the executor evaluates itself: two short-circuit, one needs its argument's source.
enum class Special : uint8_t { kNone, kAnd, kOr, kCall };

/// The name of a function, resolved (the Tree keeps the functions alive).
struct Identifier {
  size_t pos = 0;
  std::string_view name;
  const Function* function = nullptr;
  Special special = Special::kNone;
};

struct Chain;

/// What can be an argument.
using Term = std::variant<Dot, Nil, Bool, std::unique_ptr<Number>, String, Field, Variable,
                          Identifier, std::unique_ptr<Chain>, std::unique_ptr<Pipe>>;

/// (pipeline).a.b or function.a.b
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

/// Commands whose results feed each other; never empty.
struct Pipe {
  size_t pos = 0;
  Binding binding = Binding::kDeclare;
  std::vector<Variable> variables;  ///< Declared or assigned.
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

/// if, range or with.
struct Branch {
  size_t pos = 0;
  BranchKind kind = BranchKind::kIf;
  Pipe pipe;
  StatementList body;
  std::optional<StatementList> otherwise;
};

/// A named template and all that its nodes point into.
struct Tree {
  Tree() = default;
  /// Frees nodes without recursion: the last owner may be a thread with a small stack.
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  std::string name;
  std::string parse_name;                     ///< Of the text that it was defined in.
  std::shared_ptr<const std::string> source;  ///< That text.
  std::shared_ptr<const FunctionMap> functions;
  StatementList body;
};

/// Trees by name; lookups take string_views.
using TreeMap = std::map<std::string, std::shared_ptr<const Tree>, std::less<>>;

/// The node that an evaluation is at, for error messages.
using NodeRef = std::variant<std::monostate, const Dot*, const Nil*, const Bool*, const Number*,
                             const String*, const Field*, const Variable*, const Identifier*,
                             const Chain*, const Pipe*, const Command*, const Text*, const Action*,
                             const Branch*, const TemplateCall*, const Break*, const Continue*>;

NodeRef node_ref(const Term& term);

/// Byte offset of the node; 0 for none.
size_t position(const NodeRef& node);

/// The node's canonical source. Source: Go text/template/parse Node.String.
std::string to_string(const NodeRef& node);
std::string to_string(const Term& term);
std::string to_string(const StatementList& list);

/// Nothing but space (comments are never in the tree). Source: Go parse.IsEmptyTree.
bool is_empty(const StatementList& list);

}  // namespace chartwright::tmpl
