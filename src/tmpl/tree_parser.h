// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tmpl/ast.h"
#include "tmpl/lexer.h"

namespace chartwright::tmpl {

/// The state shared by all trees of one source while it is parsed.
struct ParseSession {
  std::string parse_name;
  std::shared_ptr<const std::string> source;
  std::shared_ptr<const FunctionMap> functions;
  Lexer lexer;
  TreeMap trees;
  int control_depth = 0;
};

/// How a list of statements ended.
enum class ListEnd : uint8_t { kNone, kEnd, kElse };

/// The context of a pipeline: its name in error messages and its closing token.
struct PipeContext {
  std::string_view name;
  TokenType closing = TokenType::kRightDelim;
};

constexpr std::string_view kRangeContext = "range";

/// Increments a nesting depth for its lifetime.
class Nesting {
 public:
  explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& depth_;
};

/// The variables declared so far, "$" first. Lookup takes constant time, since a template may
/// declare hundreds of thousands.
class Scope {
 public:
  Scope() { declare("$"); }
  void declare(std::string_view name) {
    names_.push_back(name);
    ++counts_[name];
  }
  bool has(std::string_view name) const {
    auto it = counts_.find(name);
    return it != counts_.end() && it->second > 0;
  }
  size_t size() const { return names_.size(); }
  /// Removes all but the first `size` variables.
  void shrink(size_t size) {
    for (; names_.size() > size; names_.pop_back()) {
      --counts_[names_.back()];
    }
  }

 private:
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, size_t> counts_;
};

/// Parses one template body. A nested define or block has its own parser on the same lexer.
class TreeParser {
 public:
  TreeParser(ParseSession& session, std::string name) : session_(session), name_(std::move(name)) {}

  base::Status parse_source();

 private:
  base::Status parse_definition();
  base::Status add_tree();

  base::Result<ListEnd> item_list(StatementList& list);
  base::Result<ListEnd> text_or_action(StatementList& list);
  base::Result<ListEnd> action(StatementList& list);
  base::Status check_control_depth();
  base::Status control(StatementList& list, BranchKind kind);
  base::Status control_tail(Branch& branch, ListEnd end);
  base::Status loop_exit(StatementList& list, const Token& keyword);
  base::Result<ListEnd> else_control();
  base::Status block_control(StatementList& list);
  base::Status template_control(StatementList& list);
  base::Result<std::string> template_name(const Token& token, std::string_view context);

  base::Status pipeline(PipeContext context, Pipe& out);
  base::Status declarations(Pipe& pipe, PipeContext context);
  base::Status check_pipeline(const Pipe& pipe, PipeContext context);
  base::Status command(Command& out);
  base::Status operand(std::vector<Term>& out);
  base::Status check_paren_depth();
  base::Status add_fields(Term& term);
  base::Status simple(std::vector<Term>& out);
  base::Status number(const Token& token, std::vector<Term>& out);
  base::Status identifier(const Token& token, std::vector<Term>& out);
  base::Status variable(const Token& token, std::vector<Term>& out);

  Token next();
  const Token& peek();
  // Push back one, two and three tokens; the names are those of text/template/parse.
  void backup() { ++peek_count_; }
  void backup2(const Token& first);
  void backup3(const Token& first, const Token& second);
  Token next_non_space();
  const Token& peek_non_space();
  base::Result<Token> expect(TokenType type, std::string_view context);
  base::Error unexpected(const Token& token, std::string_view context);
  base::Error error(std::string_view message);
  base::Error unknown_function(std::string_view name);
  base::Result<std::string> unquoted(const Token& token);

  ParseSession& session_;
  std::string name_;
  StatementList body_;
  // Three tokens of look-ahead. token_[0] is the token last read from the lexer. Error messages
  // report its line, so the order in which tokens are peeked matters.
  std::array<Token, 3> token_;
  size_t peek_count_ = 0;
  Scope scope_;
  int action_line_ = 0;
  int range_depth_ = 0;
  int paren_depth_ = 0;
};

}  // namespace chartwright::tmpl
