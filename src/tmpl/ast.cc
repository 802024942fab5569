// SPDX-License-Identifier: Apache-2.0
#include "tmpl/ast.h"

#include <new>
#include <type_traits>
#include <utility>

#include "base/unicode.h"
#include "go/quote.h"

namespace chartwright::tmpl {
namespace {

// Has one overload per node type, which appends the source of the node to out_.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void write(const Dot& /*node*/) { out_ += '.'; }
  void write(const Nil& /*node*/) { out_ += "nil"; }
  void write(const Bool& node) { out_ += node.value ? "true" : "false"; }
  void write(const Number& node) { out_ += node.text; }
  void write(const String& node) { out_ += node.quoted; }
  void write(const Field& node) { write_fields(node.names); }
  void write(const Identifier& node) { out_ += node.name; }

  void write(const Variable& node) {
    for (size_t i = 0; i < node.names.size(); ++i) {
      out_ += i > 0 ? "." : "";
      out_ += node.names[i];
    }
  }

  void write(const Chain& node) {
    write_argument(node.term);
    write_fields(node.names);
  }

  void write(const Command& node) {
    for (size_t i = 0; i < node.terms.size(); ++i) {
      out_ += i > 0 ? " " : "";
      write_argument(node.terms[i]);
    }
  }

  void write(const Pipe& node) {
    for (size_t i = 0; i < node.variables.size(); ++i) {
      out_ += i > 0 ? ", " : "";
      write(node.variables[i]);
    }
    if (!node.variables.empty()) {
      out_ += node.binding == Binding::kAssign ? " = " : " := ";
    }
    for (size_t i = 0; i < node.commands.size(); ++i) {
      out_ += i > 0 ? " | " : "";
      write(node.commands[i]);
    }
  }

  void write(const Text& node) { out_ += node.text; }

  void write(const Action& node) {
    out_ += "{{";
    write(node.pipe);
    out_ += "}}";
  }

  void write(const TemplateCall& node) {
    out_ += "{{template " + go::quote(node.name);
    if (node.pipe) {
      out_ += ' ';
      write(*node.pipe);
    }
    out_ += "}}";
  }

  void write(const Break& /*node*/) { out_ += "{{break}}"; }
  void write(const Continue& /*node*/) { out_ += "{{continue}}"; }

  void write(const Branch& node) {
    static constexpr std::string_view kNames[] = {"if", "range", "with"};
    out_ += "{{";
    out_ += kNames[static_cast<size_t>(node.kind)];
    out_ += ' ';
    write(node.pipe);
    out_ += "}}";
    write(node.body);
    if (node.otherwise) {
      out_ += "{{else}}";
      write(*node.otherwise);
    }
    out_ += "{{end}}";
  }

  void write(const StatementList& list) {
    for (const Statement& statement : list) {
      std::visit([this](const auto& node) { write(deref(node)); }, statement);
    }
  }

  void write(const Term& term) {
    std::visit([this](const auto& node) { write(deref(node)); }, term);
  }

 private:
  template <typename T>
  static const T& deref(const T& node) {
    return node;
  }
  template <typename T>
  static const T& deref(const std::unique_ptr<T>& node) {
    return *node;
  }

  void write_fields(const std::vector<std::string_view>& names) {
    for (std::string_view name : names) {
      out_ += '.';
      out_ += name;
    }
  }

  // A pipeline needs parentheses unless it is the whole action.
  void write_argument(const Term& term) {
    const bool is_pipe = std::holds_alternative<std::unique_ptr<Pipe>>(term);
    out_ += is_pipe ? "(" : "";
    write(term);
    out_ += is_pipe ? ")" : "";
  }

  std::string& out_;
};

// Reports whether `text` is all white space, including that of Unicode.
bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const base::DecodedRune rune = base::decode_rune(text);
    if (!base::is_space(rune.rune)) {
      return false;
    }
    text.remove_prefix(rune.size);
  }
  return true;
}

// Detaches the children of nodes level by level, so that no destructor recurses.
class Dismantler {
 public:
  void take(StatementList& list) {
    for (Statement& statement : list) {
      if (auto* branch = std::get_if<std::unique_ptr<Branch>>(&statement)) {
        branches_.push_back(std::move(*branch));
      } else if (Action* action = std::get_if<Action>(&statement)) {
        take(action->pipe);
      } else if (TemplateCall* call = std::get_if<TemplateCall>(&statement)) {
        if (call->pipe) {
          take(*call->pipe);
        }
      }
    }
  }

  void run() {
    while (!branches_.empty() || !pipes_.empty() || !chains_.empty()) {
      if (const auto branch = pop(branches_)) {
        take(branch->pipe);
        take(branch->body);
        if (branch->otherwise) {
          take(*branch->otherwise);
        }
      }
      if (const auto pipe = pop(pipes_)) {
        take(*pipe);
      }
      if (const auto chain = pop(chains_)) {
        take(chain->term);
      }
    }
  }

 private:
  template <typename Node>
  static std::unique_ptr<Node> pop(std::vector<std::unique_ptr<Node>>& nodes) {
    if (nodes.empty()) {
      return nullptr;
    }
    std::unique_ptr<Node> last = std::move(nodes.back());
    nodes.pop_back();
    return last;
  }

  void take(Pipe& pipe) {
    for (Command& command : pipe.commands) {
      for (Term& term : command.terms) {
        take(term);
      }
    }
  }

  void take(Term& term) {
    if (auto* pipe = std::get_if<std::unique_ptr<Pipe>>(&term)) {
      pipes_.push_back(std::move(*pipe));
    } else if (auto* chain = std::get_if<std::unique_ptr<Chain>>(&term)) {
      chains_.push_back(std::move(*chain));
    }
  }

  std::vector<std::unique_ptr<Branch>> branches_;
  std::vector<std::unique_ptr<Pipe>> pipes_;
  std::vector<std::unique_ptr<Chain>> chains_;
};

}  // namespace

Tree::~Tree() {
  try {
    Dismantler dismantler;
    dismantler.take(body);
    dismantler.run();
  } catch (const std::bad_alloc&) {
    // A render that used up its memory ends on a render thread, whose stack is large enough for the
    // recursive destructors.
  }
}

NodeRef node_ref(const Term& term) {
  return std::visit(
      [](const auto& node) -> NodeRef {
        if constexpr (requires { node.get(); }) {
          return node.get();
        } else {
          return &node;
        }
      },
      term);
}

size_t position(const NodeRef& node) {
  return std::visit(
      [](auto pointer) -> size_t {
        if constexpr (std::is_same_v<decltype(pointer), std::monostate>) {
          return 0;
        } else {
          return pointer->pos;
        }
      },
      node);
}

size_t position(const Statement& statement) {
  return std::visit(
      [](const auto& node) -> size_t {
        if constexpr (requires { node.get(); }) {
          return node->pos;
        } else {
          return node.pos;
        }
      },
      statement);
}

std::string to_string(const NodeRef& node) {
  std::string out;
  std::visit(
      [&out](auto pointer) {
        if constexpr (!std::is_same_v<decltype(pointer), std::monostate>) {
          Writer(out).write(*pointer);
        }
      },
      node);
  return out;
}

std::string to_string(const Term& term) {
  std::string out;
  Writer(out).write(term);
  return out;
}

std::string to_string(const StatementList& list) {
  std::string out;
  Writer(out).write(list);
  return out;
}

bool is_empty(const StatementList& list) {
  for (const Statement& statement : list) {
    const Text* text = std::get_if<Text>(&statement);
    if (text == nullptr || !is_blank(text->text)) {
      return false;
    }
  }
  return true;
}

}  // namespace chartwright::tmpl
