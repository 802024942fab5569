// SPDX-License-Identifier: Apache-2.0
// Expressions: pipelines, commands, operands.
#include <algorithm>
#include <utility>

#include "tmpl/builtins.h"
#include "tmpl/number.h"
#include "tmpl/parser.h"
#include "tmpl/quote.h"
#include "tmpl/tree_parser.h"

namespace chartwright::tmpl {

using base::Result;
using base::Status;

namespace {

// Fields that follow each other in the source are one stretch of it: splits ".a.b" or "$x.a".
std::vector<std::string_view> split_names(std::string_view text) {
  std::vector<std::string_view> names;
  size_t start = text.starts_with('.') ? 1 : 0;
  while (true) {
    const size_t dot = text.find('.', start);
    names.push_back(text.substr(start, dot == std::string_view::npos ? dot : dot - start));
    if (dot == std::string_view::npos) {
      return names;
    }
    start = dot + 1;
  }
}

bool is_executable(const Term& term) {
  return !std::holds_alternative<Bool>(term) && !std::holds_alternative<Dot>(term) &&
         !std::holds_alternative<Nil>(term) && !std::holds_alternative<Number>(term) &&
         !std::holds_alternative<String>(term);
}

bool starts_operand(TokenType type) {
  switch (type) {
    case TokenType::kBool:
    case TokenType::kCharConstant:
    case TokenType::kComplex:
    case TokenType::kDot:
    case TokenType::kField:
    case TokenType::kIdentifier:
    case TokenType::kNumber:
    case TokenType::kNil:
    case TokenType::kRawString:
    case TokenType::kString:
    case TokenType::kVariable:
    case TokenType::kLeftParen:
      return true;
    default:
      return false;
  }
}

Special special_builtin(std::string_view name) {
  if (name == "and") {
    return Special::kAnd;
  }
  if (name == "or") {
    return Special::kOr;
  }
  return name == "call" ? Special::kCall : Special::kNone;
}

}  // namespace

// pipeline: declarations? command ("|" command)*, up to the context's closing token.
Result<Pipe> TreeParser::pipeline(PipeContext context) {
  Pipe pipe;
  pipe.pos = peek_non_space().pos;
  CW_TRY_VOID(declarations(pipe, context));
  while (true) {
    const Token token = next_non_space();
    if (token.type == context.closing) {
      CW_TRY_VOID(check_pipeline(pipe, context));
      return pipe;
    }
    if (!starts_operand(token.type)) {
      return unexpected(token, context.name);
    }
    backup();
    CW_TRY(Command parsed, command());
    pipe.commands.push_back(std::move(parsed));
  }
}

// declarations: variable ("," variable)? (":=" | "="); two variables only in a range.
Status TreeParser::declarations(Pipe& pipe, PipeContext context) {
  while (peek_non_space().type == TokenType::kVariable) {
    const Token name = next();
    // Space is a token: in "$x foo", "foo" must be read to know that $x is an argument and no
    // declaration, and the token right after $x must be remembered to be pushed back.
    const Token after = peek();
    const Token following = peek_non_space();
    const bool is_list = following.type == TokenType::kChar && following.text == ",";
    if (following.type != TokenType::kAssign && following.type != TokenType::kDeclare && !is_list) {
      if (after.type == TokenType::kSpace) {
        backup3(name, after);
      } else {
        backup2(name);
      }
      return {};
    }
    next_non_space();
    pipe.variables.push_back(Variable{name.pos, split_names(name.text)});
    variables_.push_back(name.text);
    if (!is_list) {
      pipe.binding = following.type == TokenType::kAssign ? Binding::kAssign : Binding::kDeclare;
      return {};
    }
    if (context.name != kRangeContext || pipe.variables.size() >= 2) {
      return error("too many declarations in " + std::string(context.name));
    }
    const TokenType second = peek_non_space().type;
    if (second != TokenType::kVariable && second != TokenType::kRightDelim &&
        second != TokenType::kRightParen) {
      return error("range can only initialize variables");
    }
  }
  return {};
}

Status TreeParser::check_pipeline(const Pipe& pipe, PipeContext context) {
  if (pipe.commands.empty()) {
    return error("missing value for " + std::string(context.name));
  }
  for (size_t i = 1; i < pipe.commands.size(); ++i) {
    if (!is_executable(pipe.commands[i].terms[0])) {
      return error("non executable command in pipeline stage " + std::to_string(i + 1));
    }
  }
  return {};
}

// command: operand (space operand)*; consumes a pipe after it, but no closing token.
Result<Command> TreeParser::command() {
  Command parsed;
  parsed.pos = peek_non_space().pos;
  while (true) {
    peek_non_space();
    CW_TRY_VOID(operand(parsed.terms));
    const Token token = next();
    if (token.type == TokenType::kSpace) {
      continue;
    }
    if (token.type == TokenType::kRightDelim || token.type == TokenType::kRightParen) {
      backup();
    } else if (token.type != TokenType::kPipe) {
      return unexpected(token, "operand");
    }
    break;
  }
  if (parsed.terms.empty()) {
    return error("empty command");
  }
  return parsed;
}

// operand: term field*; false when the next token starts none.
Result<bool> TreeParser::operand(std::vector<Term>& out) {
  CW_TRY(std::optional<Term> parsed, term());
  if (!parsed) {
    return false;
  }
  if (peek().type == TokenType::kField) {
    CW_TRY(parsed, with_fields(*std::move(parsed)));
  }
  out.push_back(*std::move(parsed));
  return true;
}

// `term` and the fields that follow it. The result has the position of the first of them: this is
// where Go's error messages point.
Result<Term> TreeParser::with_fields(Term term) {
  const size_t pos = peek().pos;
  std::vector<std::string_view> names;
  while (peek().type == TokenType::kField) {
    names.push_back(next().text.substr(1));
  }
  if (Field* field = std::get_if<Field>(&term)) {
    field->pos = pos;
    field->names.insert(field->names.end(), names.begin(), names.end());
    return term;
  }
  if (Variable* variable = std::get_if<Variable>(&term)) {
    variable->pos = pos;
    variable->names.insert(variable->names.end(), names.begin(), names.end());
    return term;
  }
  if (!is_executable(term)) {
    return error("unexpected . after term " + quote(to_string(term)));
  }
  return Term(std::make_unique<Chain>(Chain{pos, std::move(term), std::move(names)}));
}

// term: literal | function | "." | field | variable | "(" pipeline ")"; nullopt when the next token
// starts none.
Result<std::optional<Term>> TreeParser::term() {
  const auto some = [](Result<Term> parsed) -> Result<std::optional<Term>> {
    CW_TRY(std::optional<Term> term, std::move(parsed));
    return term;
  };
  const Token token = next_non_space();
  switch (token.type) {
    case TokenType::kIdentifier:
      return some(identifier(token));
    case TokenType::kDot:
      return some(Term(Dot{token.pos}));
    case TokenType::kNil:
      return some(Term(Nil{token.pos}));
    case TokenType::kVariable:
      return some(variable(token));
    case TokenType::kField:
      return some(Term(Field{token.pos, split_names(token.text)}));
    case TokenType::kBool:
      return some(Term(Bool{token.pos, token.text == "true"}));
    case TokenType::kCharConstant:
    case TokenType::kComplex:
    case TokenType::kNumber: {
      auto number = parse_number(token);
      return number.ok() ? some(Term(*std::move(number))) : error(number.error().message());
    }
    case TokenType::kLeftParen:
      return some(parenthesized());
    case TokenType::kString:
    case TokenType::kRawString: {
      CW_TRY(std::string text, unquoted(token));
      return some(Term(String{token.pos, token.text, value::Value::string(std::move(text))}));
    }
    default:
      backup();
      return std::optional<Term>();
  }
}

Result<Term> TreeParser::identifier(const Token& token) {
  Identifier node{token.pos, token.text, session_.functions->find(token.text), Special::kNone};
  if (node.function == nullptr) {
    node.function = builtins().find(token.text);
    node.special = special_builtin(token.text);
  }
  if (node.function == nullptr) {
    return error("function " + quote(token.text) + " not defined");
  }
  return Term(node);
}

Result<Term> TreeParser::variable(const Token& token) {
  if (std::find(variables_.begin(), variables_.end(), token.text) == variables_.end()) {
    return error("undefined variable " + quote(token.text));
  }
  return Term(Variable{token.pos, split_names(token.text)});
}

// "(" is past.
Result<Term> TreeParser::parenthesized() {
  if (paren_depth_ >= kParenDepthMax) {
    return error("max expression depth exceeded");
  }
  Nesting nesting(paren_depth_);
  CW_TRY(Pipe pipe, pipeline({"parenthesized pipeline", TokenType::kRightParen}));
  return Term(std::make_unique<Pipe>(std::move(pipe)));
}

}  // namespace chartwright::tmpl
