// SPDX-License-Identifier: Apache-2.0
#include "tmpl/parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tmpl/builtins.h"
#include "tmpl/lexer.h"
#include "tmpl/number.h"
#include "tmpl/quote.h"

namespace chartwright::tmpl {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

// What the trees of one source text share while it is parsed.
struct Session {
  std::string parse_name;
  std::shared_ptr<const std::string> source;
  std::shared_ptr<const FunctionMap> functions;
  Lexer lexer;
  std::vector<std::shared_ptr<Tree>> trees;
  int control_depth = 0;
};

// How a list of statements ended.
enum class ListEnd : uint8_t { kNone, kEnd, kElse };

// Where a pipeline stands; decides its closing token and the words of its errors.
struct PipeContext {
  std::string_view name;
  TokenType closing = TokenType::kRightDelim;
};

constexpr std::string_view kRangeContext = "range";

// Counts one level of nesting for as long as it lives.
class Nesting {
 public:
  explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& depth_;
};

// Parses one template body. A nested define or block has its own parser on the same lexer.
class TreeParser {
 public:
  TreeParser(Session& session, std::string name) : session_(session), name_(std::move(name)) {}

  Status parse_source();

 private:
  Status parse_definition();
  Status parse_block_body();
  Status add_tree();

  Result<ListEnd> item_list(StatementList& list);
  Result<ListEnd> text_or_action(StatementList& list);
  Result<ListEnd> action(StatementList& list);
  Status control(StatementList& list, BranchKind kind);
  Status control_tail(Branch& branch, ListEnd end);
  Status loop_exit(StatementList& list, const Token& keyword);
  Result<ListEnd> else_control();
  Status block_control(StatementList& list);
  Status template_control(StatementList& list);
  Result<std::string> template_name(const Token& token, std::string_view context);

  Result<Pipe> pipeline(PipeContext context);
  Status declarations(Pipe& pipe, PipeContext context);
  Status check_pipeline(const Pipe& pipe, PipeContext context);
  Result<Command> command();
  Result<bool> operand(std::vector<Term>& out);
  Result<Term> with_fields(Term term);
  Result<std::optional<Term>> term();
  Result<Term> identifier(const Token& token);
  Result<Term> variable(const Token& token);
  Result<Term> parenthesized();

  Token next();
  const Token& peek();
  void backup() { ++peek_count_; }
  void backup2(const Token& first);
  void backup3(const Token& first, const Token& second);
  Token next_non_space();
  const Token& peek_non_space();
  Result<Token> expect(TokenType type, std::string_view context);
  Error unexpected(const Token& token, std::string_view context);
  Error error(std::string_view message);
  Result<std::string> unquoted(const Token& token);

  Session& session_;
  std::string name_;
  StatementList body_;
  // Three tokens of look-ahead. token_[0] is the last one read from the lexer: its line is the line
  // of error messages, so the order in which tokens are peeked matters.
  std::array<Token, 3> token_;
  size_t peek_count_ = 0;
  std::vector<std::string_view> variables_ = {"$"};
  int action_line_ = 0;
  int range_depth_ = 0;
  int paren_depth_ = 0;
};

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

// ---- tokens ----

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
    // "unclosed action" needs no second "in action".
    message += token.text.ends_with(" action") ? "" : " in action";
    message += " started at " + session_.parse_name + ":" + std::to_string(action_line_);
  }
  return error(message);
}

Error TreeParser::error(std::string_view message) {
  const int line = token_[0].line;
  return Error(ErrorCode::kParse, "template: " + session_.parse_name + ":" + std::to_string(line) +
                                      ": " + std::string(message))
      .at({session_.parse_name, line, 0});
}

Result<std::string> TreeParser::unquoted(const Token& token) {
  auto text = unquote(token.text);
  if (!text) {
    return error("invalid syntax");
  }
  return *std::move(text);
}

// ---- statements ----

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

// define: "{{" "define" string "}}" itemList "{{end}}"; the keyword is past.
Status TreeParser::parse_definition() {
  constexpr std::string_view kContext = "define clause";
  const Token token = next_non_space();
  if (token.type != TokenType::kString && token.type != TokenType::kRawString) {
    return unexpected(token, kContext);
  }
  CW_TRY(name_, unquoted(token));
  CW_TRY_VOID(expect(TokenType::kRightDelim, kContext));
  CW_TRY(const ListEnd end, item_list(body_));
  if (end != ListEnd::kEnd) {
    return error("unexpected {{else}} in " + std::string(kContext));
  }
  return add_tree();
}

// The body of a block, after its opening action.
Status TreeParser::parse_block_body() {
  CW_TRY(const ListEnd end, item_list(body_));
  if (end != ListEnd::kEnd) {
    return error("unexpected {{else}} in block clause");
  }
  return add_tree();
}

// An empty body never replaces another, and two bodies in one source are an error.
Status TreeParser::add_tree() {
  auto tree = std::make_shared<Tree>(
      Tree{name_, session_.parse_name, session_.source, session_.functions, {}});
  const bool empty = is_empty(body_);
  tree->body = std::move(body_);
  for (std::shared_ptr<Tree>& existing : session_.trees) {
    if (existing->name != name_) {
      continue;
    }
    if (is_empty(existing->body)) {
      existing = std::move(tree);
    } else if (!empty) {
      return error("template: multiple definition of template " + quote(name_));
    }
    return {};
  }
  session_.trees.push_back(std::move(tree));
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

Result<ListEnd> none_after(Status status) {
  CW_TRY_VOID(std::move(status));
  return ListEnd::kNone;
}

// action: control | pipeline "}}"; "{{" is past.
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
      CW_TRY_VOID(expect(TokenType::kRightDelim, "end"));
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
  // Variables declared here stay until the enclosing "end".
  CW_TRY(Pipe pipe, pipeline({"command"}));
  list.emplace_back(Action{pos, std::move(pipe)});
  return ListEnd::kNone;
}

// break: "{{break}}", continue: "{{continue}}"; the keyword is past.
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

// control: ("if" | "range" | "with") pipeline "}}" itemList ("{{else}}" itemList)? "{{end}}";
// the keyword is past.
Status TreeParser::control(StatementList& list, BranchKind kind) {
  Nesting nesting(session_.control_depth);
  if (session_.control_depth > kControlDepthMax) {
    return error("max nesting depth of control actions exceeded (" +
                 std::to_string(kControlDepthMax) + ")");
  }
  const size_t variables = variables_.size();
  auto branch = std::make_unique<Branch>();
  branch->kind = kind;
  CW_TRY(branch->pipe, pipeline({context_name(kind)}));
  branch->pos = branch->pipe.pos;
  range_depth_ += kind == BranchKind::kRange ? 1 : 0;
  CW_TRY(const ListEnd end, item_list(branch->body));
  range_depth_ -= kind == BranchKind::kRange ? 1 : 0;
  CW_TRY_VOID(control_tail(*branch, end));
  variables_.resize(variables);
  list.emplace_back(std::move(branch));
  return {};
}

// What follows the first body. "{{else if x}}" stands for "{{else}}{{if x}}" with the end that the
// inner one shares; "{{else with x}}" likewise.
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
  return last == ListEnd::kEnd ? Status() : error("expected end; found {{else}}");
}

// else: "{{else}}" or the start of "{{else if"; the keyword is past.
Result<ListEnd> TreeParser::else_control() {
  const TokenType following = peek_non_space().type;
  if (following != TokenType::kIf && following != TokenType::kWith) {
    CW_TRY_VOID(expect(TokenType::kRightDelim, "else"));
  }
  return ListEnd::kElse;
}

// block: "block" string pipeline "}}" itemList "{{end}}"; the keyword is past.
Status TreeParser::block_control(StatementList& list) {
  constexpr std::string_view kContext = "block clause";
  Nesting nesting(session_.control_depth);
  if (session_.control_depth > kControlDepthMax) {
    return error("max nesting depth of control actions exceeded (" +
                 std::to_string(kControlDepthMax) + ")");
  }
  const Token token = next_non_space();
  CW_TRY(std::string name, template_name(token, kContext));
  CW_TRY(Pipe pipe, pipeline({kContext}));
  TreeParser block(session_, name);
  CW_TRY_VOID(block.parse_block_body());
  list.emplace_back(TemplateCall{token.pos, std::move(name), std::move(pipe)});
  return {};
}

// template: "template" string pipeline? "}}"; the keyword is past.
Status TreeParser::template_control(StatementList& list) {
  constexpr std::string_view kContext = "template clause";
  const Token token = next_non_space();
  CW_TRY(std::string name, template_name(token, kContext));
  TemplateCall call{token.pos, std::move(name), std::nullopt};
  if (next_non_space().type != TokenType::kRightDelim) {
    backup();
    CW_TRY(call.pipe, pipeline({kContext}));
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

// ---- expressions ----

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

LoopKeywords keyword_unless_function(const FunctionMap& functions, std::string_view name) {
  return functions.find(name) == nullptr ? LoopKeywords::kEnabled : LoopKeywords::kDisabled;
}

}  // namespace

Result<std::vector<std::shared_ptr<const Tree>>> parse_template(
    const std::string& name, std::shared_ptr<const std::string> source,
    std::shared_ptr<const FunctionMap> functions) {
  Lexer lexer(*source);
  lexer.set_break_keyword(keyword_unless_function(*functions, "break"));
  lexer.set_continue_keyword(keyword_unless_function(*functions, "continue"));
  Session session{name, std::move(source), std::move(functions), std::move(lexer), {}, 0};
  CW_TRY_VOID(TreeParser(session, name).parse_source());
  return std::vector<std::shared_ptr<const Tree>>(session.trees.begin(), session.trees.end());
}

}  // namespace chartwright::tmpl
