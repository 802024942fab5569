// SPDX-License-Identifier: Apache-2.0
// Expressions: pipelines, commands, operands.
#include <utility>

#include "base/strings.h"
#include "go/quote.h"
#include "tmpl/builtins.h"
#include "tmpl/number_literal.h"
#include "tmpl/parser.h"
#include "tmpl/tree_parser.h"

namespace chartwright::tmpl {

using base::Status;

namespace {

// Splits adjacent fields, which are contiguous in the source: ".a.b" or "$x.a".
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
         !std::holds_alternative<Nil>(term) &&
         !std::holds_alternative<std::unique_ptr<Number>>(term) &&
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
Status TreeParser::pipeline(PipeContext context, Pipe& out) {
  out.pos = peek_non_space().pos;
  CW_TRY_VOID(declarations(out, context));
  while (true) {
    const TokenType type = next_non_space().type;
    if (type == context.closing) {
      return check_pipeline(out, context);
    }
    if (!starts_operand(type)) {
      return unexpected(token_[peek_count_], context.name);
    }
    backup();
    CW_TRY_VOID(command(out.commands.emplace_back()));
  }
}

// declarations: variable ("," variable)? (":=" | "="); two variables only in a range.
Status TreeParser::declarations(Pipe& pipe, PipeContext context) {
  while (peek_non_space().type == TokenType::kVariable) {
    const Token name = next();
    // Space is a token: in "$x foo", "foo" must be read to know that $x is an argument and not a
    // declaration, and the token right after $x must be kept in order to push it back.
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
    scope_.declare(name.text);
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

// command: operand (space operand)*; consumes a pipe after it, but not a closing token.
Status TreeParser::command(Command& out) {
  out.pos = peek_non_space().pos;
  while (true) {
    peek_non_space();
    CW_TRY_VOID(operand(out.terms));
    const TokenType following = next().type;
    if (following == TokenType::kSpace) {
      continue;
    }
    if (following == TokenType::kRightDelim || following == TokenType::kRightParen) {
      backup();
    } else if (following != TokenType::kPipe) {
      return unexpected(token_[peek_count_], "operand");
    }
    break;
  }
  if (out.terms.empty()) {
    return error("empty command");
  }
  return {};
}

// operand: (simple | "(" pipeline ")") field*; adds a term to `out` if the next token starts one.
Status TreeParser::operand(std::vector<Term>& out) {
  const size_t before = out.size();
  if (next_non_space().type == TokenType::kLeftParen) {
    CW_TRY_VOID(check_paren_depth());
    Nesting nesting(paren_depth_);
    auto pipe = std::make_unique<Pipe>();
    CW_TRY_VOID(pipeline({"parenthesized pipeline", TokenType::kRightParen}, *pipe));
    out.emplace_back(std::move(pipe));
  } else {
    CW_TRY_VOID(simple(out));
  }
  if (out.size() > before && peek().type == TokenType::kField) {
    return add_fields(out.back());
  }
  return {};
}

Status TreeParser::check_paren_depth() {
  if (paren_depth_ >= kParenDepthMax) {
    return error("max expression depth exceeded");
  }
  return {};
}

// Adds the fields that follow to `term`, which then has the position of the first field, to which
// Go's error messages point.
Status TreeParser::add_fields(Term& term) {
  const size_t pos = peek().pos;
  std::vector<std::string_view> names;
  while (peek().type == TokenType::kField) {
    names.push_back(next().text.substr(1));
  }
  if (Field* field = std::get_if<Field>(&term)) {
    field->pos = pos;
    field->names.insert(field->names.end(), names.begin(), names.end());
  } else if (Variable* variable = std::get_if<Variable>(&term)) {
    variable->pos = pos;
    variable->names.insert(variable->names.end(), names.begin(), names.end());
  } else if (!is_executable(term)) {
    return error("unexpected . after term " + go::quote(to_string(term)));
  } else {
    term = std::make_unique<Chain>(Chain{pos, std::move(term), std::move(names)});
  }
  return {};
}

// simple: literal | function | "." | field | variable. Its token has been read, and is pushed back
// if it starts none of these.
Status TreeParser::simple(std::vector<Term>& out) {
  const Token token = token_[peek_count_];
  switch (token.type) {
    case TokenType::kIdentifier:
      return identifier(token, out);
    case TokenType::kVariable:
      return variable(token, out);
    case TokenType::kDot:
      out.emplace_back(Dot{token.pos});
      return {};
    case TokenType::kNil:
      out.emplace_back(Nil{token.pos});
      return {};
    case TokenType::kField:
      out.emplace_back(Field{token.pos, split_names(token.text)});
      return {};
    case TokenType::kBool:
      out.emplace_back(Bool{token.pos, token.text == "true"});
      return {};
    case TokenType::kCharConstant:
    case TokenType::kComplex:
    case TokenType::kNumber:
      return number(token, out);
    case TokenType::kString:
    case TokenType::kRawString: {
      CW_TRY(std::string text, unquoted(token));
      out.emplace_back(String{token.pos, token.text, value::Value::string(std::move(text))});
      return {};
    }
    default:
      backup();
      return {};
  }
}

Status TreeParser::number(const Token& token, std::vector<Term>& out) {
  auto parsed = parse_number(token);
  if (!parsed.ok()) {
    return error(parsed.error().message());
  }
  out.emplace_back(std::make_unique<Number>(*std::move(parsed)));
  return {};
}

base::Error TreeParser::unknown_function(std::string_view name) {
  std::vector<std::string_view> names = session_.functions->names();
  const std::vector<std::string_view> more = builtins().names();
  names.insert(names.end(), more.begin(), more.end());
  const std::string_view near = base::nearest(name, names);
  base::Error unknown = error("function " + go::quote(name) + " not defined");
  return near.empty()
             ? unknown
             : std::move(unknown).with_help("help: did you mean " + std::string(near) + "?");
}

Status TreeParser::identifier(const Token& token, std::vector<Term>& out) {
  Identifier node{token.pos, token.text, session_.functions->find(token.text), Special::kNone};
  if (node.function == nullptr) {
    node.function = builtins().find(token.text);
    node.special = special_builtin(token.text);
  }
  if (node.function == nullptr) {
    return unknown_function(token.text);
  }
  out.emplace_back(node);
  return {};
}

Status TreeParser::variable(const Token& token, std::vector<Term>& out) {
  if (!scope_.has(token.text)) {
    return error("undefined variable " + go::quote(token.text));
  }
  out.emplace_back(Variable{token.pos, split_names(token.text)});
  return {};
}

}  // namespace chartwright::tmpl
