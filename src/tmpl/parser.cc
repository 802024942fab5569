// SPDX-License-Identifier: Apache-2.0
#include "tmpl/parser.h"

#include <utility>

#include "go/quote.h"
#include "tmpl/tree_parser.h"

namespace chartwright::tmpl {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

namespace {

std::string_view context_name(BranchKind kind) {
  switch (kind) {
    case BranchKind::kIf:
      return "if";
    case BranchKind::kRange:
      return kRangeContext;
    case BranchKind::kWith:
      return "with";
  }
  return "";
}

Result<ListEnd> none_after(Status status) {
  CW_TRY_VOID(std::move(status));
  return ListEnd::kNone;
}

LoopKeywords keyword_unless_function(const FunctionMap& functions, std::string_view name) {
  return functions.find(name) == nullptr ? LoopKeywords::kEnabled : LoopKeywords::kDisabled;
}

}  // namespace

Token TreeParser::next() {
  if (peek_count_ > 0) {
    --peek_count_;
  } else {
    token_[0] = session_.lexer.next();
  }
  return token_[peek_count_];
}

const Token& TreeParser::peek() {
  if (peek_count_ == 0) {
    peek_count_ = 1;
    token_[0] = session_.lexer.next();
  }
  return token_[peek_count_ - 1];
}

// Pushes `first` back before the last token.
void TreeParser::backup2(const Token& first) {
  token_[1] = first;
  peek_count_ = 2;
}

// Pushes `first` and `second` back before the last token.
void TreeParser::backup3(const Token& first, const Token& second) {
  token_[1] = second;
  token_[2] = first;
  peek_count_ = 3;
}

Token TreeParser::next_non_space() {
  Token token = next();
  while (token.type == TokenType::kSpace) {
    token = next();
  }
  return token;
}

const Token& TreeParser::peek_non_space() {
  next_non_space();
  backup();
  return token_[peek_count_ - 1];
}

Result<Token> TreeParser::expect(TokenType type, std::string_view context) {
  Token token = next_non_space();
  if (token.type != type) {
    return unexpected(token, context);
  }
  return token;
}

Error TreeParser::unexpected(const Token& token, std::string_view context) {
  if (token.type != TokenType::kError) {
    return error("unexpected " + to_string(token) + " in " + std::string(context));
  }
  std::string message(token.text);
  if (action_line_ != 0 && action_line_ != token.line) {
    // A message that ends with " action", such as "unclosed action", needs no " in action".
    message += token.text.ends_with(" action") ? "" : " in action";
    message += " started at " + session_.parse_name + ":" + std::to_string(action_line_);
  }
  return error(message);
}

// The position has a column, where the parser stopped; Go's message has none.
Error TreeParser::error(std::string_view message) {
  const int line = token_[0].line;
  const std::string_view before = std::string_view(*session_.source).substr(0, token_[0].pos);
  const auto column = static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1;
  return Error(ErrorCode::kParse, "template: " + session_.parse_name + ":" + std::to_string(line) +
                                      ": " + std::string(message))
      .at({session_.parse_name, line, column});
}

Result<std::string> TreeParser::unquoted(const Token& token) {
  auto text = go::unquote(token.text);
  if (!text) {
    return error("invalid syntax");
  }
  return *std::move(text);
}

// source: (define | textOrAction)* EOF
Status TreeParser::parse_source() {
  while (peek().type != TokenType::kEof) {
    if (peek().type == TokenType::kLeftDelim) {
      const Token delim = next();
      if (next_non_space().type == TokenType::kDefine) {
        TreeParser definition(session_, "definition");
        CW_TRY_VOID(definition.parse_definition());
        continue;
      }
      backup2(delim);
    }
    CW_TRY(const ListEnd end, text_or_action(body_));
    if (end != ListEnd::kNone) {
      return error(end == ListEnd::kEnd ? "unexpected {{end}}" : "unexpected {{else}}");
    }
  }
  return add_tree();
}

// define: "{{" "define" string "}}" itemList "{{end}}"; the keyword has been read.
Status TreeParser::parse_definition() {
  constexpr std::string_view kContext = "define clause";
  const Token token = next_non_space();
  if (token.type != TokenType::kString && token.type != TokenType::kRawString) {
    return unexpected(token, kContext);
  }
  CW_TRY(name_, unquoted(token));
  CW_TRY_DISCARD(expect(TokenType::kRightDelim, kContext));
  CW_TRY(const ListEnd end, item_list(body_));
  if (end != ListEnd::kEnd) {
    return error("unexpected {{else}} in " + std::string(kContext));
  }
  return add_tree();
}

// An empty body never replaces another one; two non-empty bodies in one source are an error.
Status TreeParser::add_tree() {
  auto tree = std::make_shared<Tree>();
  tree->name = name_;
  tree->parse_name = session_.parse_name;
  tree->source = session_.source;
  tree->functions = session_.functions;
  tree->body = std::move(body_);
  std::shared_ptr<const Tree>& known = session_.trees[name_];
  if (known == nullptr || is_empty(known->body)) {
    known = std::move(tree);
  } else if (!is_empty(tree->body)) {
    return error("template: multiple definition of template " + go::quote(name_));
  }
  return {};
}

// itemList: textOrAction*, up to {{end}} or {{else}}.
Result<ListEnd> TreeParser::item_list(StatementList& list) {
  while (peek_non_space().type != TokenType::kEof) {
    CW_TRY(const ListEnd end, text_or_action(list));
    if (end != ListEnd::kNone) {
      return end;
    }
  }
  return error("unexpected EOF");
}

// textOrAction: text | "{{" action
Result<ListEnd> TreeParser::text_or_action(StatementList& list) {
  const Token token = next_non_space();
  if (token.type == TokenType::kText) {
    list.emplace_back(Text{token.pos, token.text});
    return ListEnd::kNone;
  }
  if (token.type != TokenType::kLeftDelim) {
    return unexpected(token, "input");
  }
  action_line_ = token.line;
  CW_TRY(const ListEnd end, action(list));
  action_line_ = 0;
  return end;
}

// action: control | pipeline "}}"; the "{{" has been read.
Result<ListEnd> TreeParser::action(StatementList& list) {
  const Token token = next_non_space();
  switch (token.type) {
    case TokenType::kBlock:
      return none_after(block_control(list));
    case TokenType::kBreak:
    case TokenType::kContinue:
      return none_after(loop_exit(list, token));
    case TokenType::kElse:
      return else_control();
    case TokenType::kEnd:
      CW_TRY_DISCARD(expect(TokenType::kRightDelim, "end"));
      return ListEnd::kEnd;
    case TokenType::kIf:
      return none_after(control(list, BranchKind::kIf));
    case TokenType::kRange:
      return none_after(control(list, BranchKind::kRange));
    case TokenType::kTemplate:
      return none_after(template_control(list));
    case TokenType::kWith:
      return none_after(control(list, BranchKind::kWith));
    default:
      break;
  }
  backup();
  const size_t pos = peek().pos;
  // Variables declared here are visible up to the enclosing "end".
  Action& parsed = std::get<Action>(list.emplace_back(Action{pos, {}}));
  CW_TRY_VOID(pipeline({"command"}, parsed.pipe));
  return ListEnd::kNone;
}

// break: "{{break}}", continue: "{{continue}}"; the keyword has been read.
Status TreeParser::loop_exit(StatementList& list, const Token& keyword) {
  const std::string name = "{{" + std::string(keyword.text) + "}}";
  if (const Token token = next_non_space(); token.type != TokenType::kRightDelim) {
    return unexpected(token, name);
  }
  if (range_depth_ == 0) {
    return error(name + " outside {{range}}");
  }
  if (keyword.type == TokenType::kBreak) {
    list.emplace_back(Break{keyword.pos});
  } else {
    list.emplace_back(Continue{keyword.pos});
  }
  return {};
}

Status TreeParser::check_control_depth() {
  if (session_.control_depth > kControlDepthMax) {
    return error("max nesting depth of control actions exceeded (" +
                 std::to_string(kControlDepthMax) + ")");
  }
  return {};
}

// control: ("if" | "range" | "with") pipeline "}}" itemList ("{{else}}" itemList)? "{{end}}";
// the keyword has been read.
Status TreeParser::control(StatementList& list, BranchKind kind) {
  Nesting nesting(session_.control_depth);
  CW_TRY_VOID(check_control_depth());
  const size_t variables = scope_.size();
  auto branch = std::make_unique<Branch>();
  branch->kind = kind;
  CW_TRY_VOID(pipeline({context_name(kind)}, branch->pipe));
  branch->pos = branch->pipe.pos;
  range_depth_ += kind == BranchKind::kRange ? 1 : 0;
  CW_TRY(const ListEnd end, item_list(branch->body));
  range_depth_ -= kind == BranchKind::kRange ? 1 : 0;
  CW_TRY_VOID(control_tail(*branch, end));
  scope_.shrink(variables);
  list.emplace_back(std::move(branch));
  return {};
}

// Parses the rest after the first body. "{{else if x}}" is short for "{{else}}{{if x}}", where both
// share one end; likewise "{{else with x}}".
Status TreeParser::control_tail(Branch& branch, ListEnd end) {
  if (end == ListEnd::kEnd) {
    return {};
  }
  branch.otherwise.emplace();
  const TokenType following = peek().type;
  if ((branch.kind == BranchKind::kIf && following == TokenType::kIf) ||
      (branch.kind == BranchKind::kWith && following == TokenType::kWith)) {
    next();
    return control(*branch.otherwise, branch.kind);
  }
  CW_TRY(const ListEnd last, item_list(*branch.otherwise));
  if (last != ListEnd::kEnd) {
    return error("expected end; found {{else}}");
  }
  return {};
}

// else: "{{else}}" or the start of "{{else if"; the keyword has been read.
Result<ListEnd> TreeParser::else_control() {
  const TokenType following = peek_non_space().type;
  if (following != TokenType::kIf && following != TokenType::kWith) {
    CW_TRY_DISCARD(expect(TokenType::kRightDelim, "else"));
  }
  return ListEnd::kElse;
}

// block: "block" string pipeline "}}" itemList "{{end}}"; the keyword has been read.
Status TreeParser::block_control(StatementList& list) {
  constexpr std::string_view kContext = "block clause";
  Nesting nesting(session_.control_depth);
  CW_TRY_VOID(check_control_depth());
  const Token token = next_non_space();
  CW_TRY(std::string name, template_name(token, kContext));
  Pipe pipe;
  CW_TRY_VOID(pipeline({kContext}, pipe));
  TreeParser block(session_, name);
  CW_TRY(const ListEnd end, block.item_list(block.body_));
  if (end != ListEnd::kEnd) {  // As in Go, the error has the line of the block's first action.
    return error("unexpected {{else}} in " + std::string(kContext));
  }
  CW_TRY_VOID(block.add_tree());
  list.emplace_back(TemplateCall{token.pos, std::move(name), std::move(pipe)});
  return {};
}

// template: "template" string pipeline? "}}"; the keyword has been read.
Status TreeParser::template_control(StatementList& list) {
  constexpr std::string_view kContext = "template clause";
  const Token token = next_non_space();
  CW_TRY(std::string name, template_name(token, kContext));
  TemplateCall call{token.pos, std::move(name), std::nullopt};
  if (next_non_space().type != TokenType::kRightDelim) {
    backup();
    CW_TRY_VOID(pipeline({kContext}, call.pipe.emplace()));
  }
  list.emplace_back(std::move(call));
  return {};
}

Result<std::string> TreeParser::template_name(const Token& token, std::string_view context) {
  if (token.type != TokenType::kString && token.type != TokenType::kRawString) {
    return unexpected(token, context);
  }
  return unquoted(token);
}

Result<TreeMap> parse_template(const std::string& name, std::shared_ptr<const std::string> source,
                               std::shared_ptr<const FunctionMap> functions) {
  Lexer lexer(*source);
  lexer.set_break_keyword(keyword_unless_function(*functions, "break"));
  lexer.set_continue_keyword(keyword_unless_function(*functions, "continue"));
  ParseSession session{name, std::move(source), std::move(functions), std::move(lexer), {}, 0};
  CW_TRY_VOID(TreeParser(session, name).parse_source());
  return std::move(session.trees);
}

}  // namespace chartwright::tmpl
