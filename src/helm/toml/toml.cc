// SPDX-License-Identifier: Apache-2.0
#include "helm/toml/toml.h"
#include "base/ascii.h"
#include "base/unicode.h"
#include "go/quote.h"
#include "helm/toml/key.h"
#include "helm/toml/scanner.h"
#include "helm/toml/string.h"
#include "helm/toml/toml_number.h"
#include "helm/toml/tree.h"

// Source: BurntSushi/toml v1.6.0 lex.go and parse.go. Reads and checks in the same order, because
// that determines the error reported for a document with several.
namespace chartwright::helm {
namespace {

using base::Result;
using base::Status;
using value::Value;

constexpr size_t kDepthMax = 1000;
// Memory charged for one value in addition to its text.
constexpr size_t kItemBytes = 160;
constexpr char32_t kEnd = TomlScanner::kEnd;

bool is_space(char32_t c) { return is_toml_blank(c) || is_toml_line_end(c); }

std::string rune_or_end(char32_t c) {
  if (c == kEnd) {
    return "end of file";
  }
  std::string text = "'";
  base::append_rune(text, c);
  return text + "'";
}

/// Returns `key` with one more part.
TomlKey joined(TomlKey key, const std::string& part) {
  key.push_back(part);
  return key;
}

class TomlDecoder {
 public:
  TomlDecoder(std::string_view text, const TomlContext& context)
      : scan_(text, context.rule), context_(context), tree_(context.budget, context.rule) {}

  Result<Value> decode() {
    Status status = document();
    if (status.ok()) {
      return to_value(tree_.root());
    }
    if (status.error().code() != base::ErrorCode::kParse) {
      return std::move(status).error();
    }
    return placed(status.error());
  }

 private:
  base::Error placed(const base::Error& error) const;
  std::string last_key() const;

  Status document();
  Status end_of_line();
  Status comment();
  Status header();
  Status top_member();

  Status enter_member(const TomlKeyAt& at);
  Status check_depth(size_t levels) const;
  Status set_member(const TomlItem& item);

  Result<TomlItem> value(TomlTableKind in);
  Result<TomlItem> text_or_number(char32_t first);
  Result<TomlItem> word(char32_t first);
  Result<TomlItem> array();
  Result<bool> next_element();
  Result<TomlItem> inline_table(TomlTableKind kind);
  Status inline_member(TomlTable& into);
  Status insert(TomlTable& into, const TomlKey& key, const TomlItem& item);
  Result<bool> next_member();
  Status check_line(char32_t c) const;
  Status check_last_comma(char32_t c);

  TomlScanner scan_;
  const TomlContext& context_;
  TomlTree tree_;
  std::string name_;   // Last part of the key whose value is being read.
  int key_line_ = 0;   // Line of the first part of the key read last.
  size_t arrays_ = 0;  // Number of nested arrays being read.
};

// Adds a position to an error. Errors of the tree have no line and get the line of the key.
base::Error TomlDecoder::placed(const base::Error& error) const {
  std::string text = "toml: line " + std::to_string(error.pos() ? error.pos()->line : key_line_);
  if (const std::string key = last_key(); !key.empty()) {
    text += " (last key " + go::quote(key) + ")";
  }
  return base::Error(base::ErrorCode::kParse, text + ": " + error.message());
}

// Returns the key read last. Its last part is not quoted.
std::string TomlDecoder::last_key() const {
  std::string above = toml_key_text(tree_.context());
  if (name_.empty()) {
    return above;
  }
  return tree_.context().empty() ? name_ : above + "." + name_;
}

Status TomlDecoder::document() {
  while (true) {
    const char32_t c = scan_.next();
    if (is_space(c)) {
      scan_.ignore();
    } else if (c == '#') {
      CW_TRY_VOID(comment());
    } else if (c == '[') {
      CW_TRY_VOID(header());
    } else if (c == kEnd) {
      return {};
    } else {
      scan_.backup();
      CW_TRY_VOID(top_member());
    }
  }
}

Status TomlDecoder::end_of_line() {
  while (true) {
    const char32_t c = scan_.next();
    if (c == '#') {
      return comment();
    }
    if (is_toml_line_end(c)) {
      scan_.ignore();
      return {};
    }
    if (c == kEnd) {
      scan_.backup();
      return {};
    }
    if (!is_toml_blank(c)) {
      return scan_.error(
          "expected a top-level item to end with a newline, comment, or EOF, but got " +
          go::quote_rune(c) + " instead");
    }
  }
}

Status TomlDecoder::comment() {
  char32_t c = scan_.next();
  while (!is_toml_line_end(c) && c != kEnd && c != TomlScanner::kFault) {
    c = scan_.next();
  }
  scan_.backup();
  CW_TRY(const TomlToken ignored, scan_.take());
  static_cast<void>(ignored);
  return {};
}

Status TomlDecoder::header() {
  const TomlTableKind kind = scan_.accept('[') ? TomlTableKind::kOfArray : TomlTableKind::kSingle;
  scan_.ignore();
  CW_TRY(const TomlKeyAt at, read_toml_header_key(scan_));
  const TomlKey& key = at.key;
  key_line_ = at.line;
  if (kind == TomlTableKind::kOfArray) {
    if (const char32_t c = scan_.next(); c != ']') {
      return scan_.error("expected end of table array name delimiter ']', but got " +
                         go::quote_rune(c) + " instead");
    }
  }
  scan_.ignore();
  CW_TRY_VOID(check_depth(key.size()));
  CW_TRY_VOID(tree_.add_context(key, kind));
  CW_TRY_VOID(tree_.note_other(""));
  return end_of_line();
}

// Enters the tables named by all parts of the key but the last, creating them if necessary.
Status TomlDecoder::enter_member(const TomlKeyAt& at) {
  const TomlKey& key = at.key;
  key_line_ = at.line;
  name_ = key.back();
  CW_TRY_VOID(check_depth(tree_.context().size() + key.size() + arrays_));
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    CW_TRY_VOID(tree_.add_implicit_context(key[i]));
  }
  return {};
}

Status TomlDecoder::check_depth(size_t levels) const {
  if (levels > kDepthMax) {
    return base::Error(base::ErrorCode::kBudget, "toml: value is nested too deeply");
  }
  return {};
}

Status TomlDecoder::set_member(const TomlItem& item) {
  CW_TRY_VOID(tree_.set_value(name_, item));
  return std::holds_alternative<TomlArrayPtr>(item.content) ? tree_.note_array(name_)
                                                            : tree_.note_other(name_);
}

Status TomlDecoder::top_member() {
  TomlKey outer = tree_.context();
  CW_TRY(const TomlKeyAt at, read_toml_member_key(scan_));
  CW_TRY_VOID(enter_member(at));
  CW_TRY(const TomlItem item, value(TomlTableKind::kSingle));
  CW_TRY_VOID(set_member(item));
  tree_.set_context(std::move(outer));
  name_.clear();
  return end_of_line();
}

Result<TomlItem> TomlDecoder::value(TomlTableKind in) {
  scan_.skip_blanks();
  CW_TRY_VOID(context_.budget.charge_step());
  CW_TRY_VOID(context_.budget.charge_alloc(kItemBytes));
  switch (const char32_t c = scan_.next(); c) {
    case '[':
      scan_.ignore();
      return array();
    case '{':
      scan_.ignore();
      return inline_table(in);
    default:
      return text_or_number(c);
  }
}

Result<TomlItem> TomlDecoder::text_or_number(char32_t first) {
  if (first == '"' || first == '\'') {
    CW_TRY(std::string text, read_toml_string(scan_, first));
    CW_TRY_VOID(context_.budget.charge_alloc(text.size()));
    return TomlItem{Value::string(std::move(text))};
  }
  if (is_toml_digit(first)) {
    scan_.backup();
    CW_TRY(Value number, read_toml_number(scan_, context_.now));
    return TomlItem{std::move(number)};
  }
  if (first == '-' || first == '+') {
    CW_TRY(Value number, read_toml_signed_number(scan_, context_.now));
    return TomlItem{std::move(number)};
  }
  if (first == '.') {
    return scan_.error("floats must start with a digit, not '.'");
  }
  return word(first);
}

// Reads a bare word. The library checks for "inf" and "nan" with one expression, which also accepts
// "nnf" and "ian".
Result<TomlItem> TomlDecoder::word(char32_t first) {
  if ((first == 'i' || first == 'n') &&
      ((scan_.accept('n') && scan_.accept('f')) || (scan_.accept('a') && scan_.accept('n')))) {
    CW_TRY(Value number, take_toml_float(scan_));
    return TomlItem{std::move(number)};
  }
  if (!base::is_letter(first)) {
    const std::string got = first == kEnd ? "" : go::quote_rune(first);
    if (first == '\n') {
      return scan_.error_before("expected value but found " + got + " instead");
    }
    return scan_.error(first == kEnd ? "unexpected EOF; expected value"
                                     : "expected value but found " + got + " instead");
  }
  scan_.backup();
  std::string letters;
  char32_t c = scan_.next();
  while (c != TomlScanner::kFault && base::is_letter(c)) {
    base::append_rune(letters, c);
    c = scan_.next();
  }
  scan_.backup();
  if (letters != "true" && letters != "false") {
    return scan_.error("expected value but found " + go::quote(letters) + " instead");
  }
  CW_TRY(const TomlToken token, scan_.take());
  return TomlItem{Value::boolean(token.text == "true")};
}

Result<TomlItem> TomlDecoder::array() {
  ++arrays_;
  CW_TRY_VOID(check_depth(tree_.context().size() + arrays_));
  CW_TRY_VOID(tree_.note_array(name_));
  auto items = std::make_shared<TomlArray>();
  while (true) {
    const char32_t c = scan_.next();
    if (is_space(c)) {
      scan_.ignore();
    } else if (c == '#') {
      CW_TRY_VOID(comment());
    } else if (c == ',') {
      return scan_.error("unexpected comma");
    } else if (c == ']') {
      break;
    } else {
      scan_.backup();
      CW_TRY(TomlItem item, value(TomlTableKind::kOfArray));
      items->push_back(std::move(item));
      CW_TRY(const bool more, next_element());
      if (!more) {
        break;
      }
    }
  }
  scan_.ignore();
  --arrays_;
  return TomlItem{TomlArrayPtr(std::move(items))};
}

// Called after an element. Reports whether another one may follow.
Result<bool> TomlDecoder::next_element() {
  while (true) {
    const char32_t c = scan_.next();
    if (is_space(c)) {
      scan_.ignore();
    } else if (c == '#') {
      CW_TRY_VOID(comment());
    } else if (c == ',' || c == ']') {
      scan_.ignore();
      return c == ',';
    } else {
      return scan_.error("expected a comma (',') or array terminator (']'), but got " +
                         rune_or_end(c));
    }
  }
}

// Adds the members both to the table of the document, where they are checked against other keys,
// and to the value, which replaces that table if it is an element of an array.
Result<TomlItem> TomlDecoder::inline_table(TomlTableKind kind) {
  TomlKey outer = tree_.context();
  const std::string outer_name = name_;
  TomlKey context = joined(outer, name_);
  name_.clear();
  tree_.set_context(context);
  CW_TRY_VOID(tree_.mark_implicit(context));
  CW_TRY_VOID(tree_.add_context(context, kind));
  auto table = std::make_shared<TomlTable>();
  bool more = true;
  while (more) {
    const char32_t c = scan_.next();
    CW_TRY_VOID(check_line(c));
    if (is_space(c)) {
      scan_.ignore();
    } else if (c == '#') {
      CW_TRY_VOID(comment());
    } else if (c == ',') {
      return scan_.error("unexpected comma");
    } else if (c == '}') {
      break;
    } else {
      scan_.backup();
      CW_TRY_VOID(inline_member(*table));
      tree_.set_context(context);
      CW_TRY(more, next_member());
    }
  }
  scan_.ignore();
  tree_.set_context(std::move(outer));
  name_ = outer_name;
  return TomlItem{std::move(table)};
}

Status TomlDecoder::inline_member(TomlTable& into) {
  CW_TRY(const TomlKeyAt at, read_toml_member_key(scan_));
  const TomlKey& key = at.key;
  CW_TRY_VOID(enter_member(at));
  CW_TRY(const TomlItem item, value(TomlTableKind::kSingle));
  CW_TRY_VOID(set_member(item));
  return insert(into, key, item);
}

Status TomlDecoder::insert(TomlTable& into, const TomlKey& key, const TomlItem& item) {
  TomlTable* table = &into;
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    const auto [at, is_new] = table->members.try_emplace(key[i]);
    if (is_new) {
      at->second.content = std::make_shared<TomlTable>();
    }
    const auto* inner = std::get_if<TomlTablePtr>(&at->second.content);
    if (inner == nullptr) {
      return base::Error(base::ErrorCode::kParse,
                         go::quote(toml_key_text(tree_.context())) + " is not a table");
    }
    table = inner->get();
  }
  table->members[key.back()] = item;
  return {};
}

// TOML 1.0 requires an inline table to be on one line and forbids a trailing comma.
Status TomlDecoder::check_line(char32_t c) const {
  if (is_toml_line_end(c) && context_.rule == TomlRule::k1_5) {
    return scan_.error_before("newlines not allowed within inline tables");
  }
  return {};
}

Status TomlDecoder::check_last_comma(char32_t c) {
  if (c != ',' || context_.rule != TomlRule::k1_5) {
    return {};
  }
  scan_.skip_blanks();
  if (scan_.peek() == '}') {
    return scan_.error("trailing comma not allowed in inline tables");
  }
  return {};
}

// Called after a member. Reports whether another one may follow. A comma may also end the table.
Result<bool> TomlDecoder::next_member() {
  while (true) {
    const char32_t c = scan_.next();
    CW_TRY_VOID(check_line(c));
    if (is_space(c)) {
      scan_.ignore();
    } else if (c == '#') {
      CW_TRY_VOID(comment());
    } else if (c == ',' || c == '}') {
      scan_.ignore();
      CW_TRY_VOID(check_last_comma(c));
      return c == ',';
    } else {
      return scan_.error("expected a comma or an inline table terminator '}', but got " +
                         rune_or_end(c) + " instead");
    }
  }
}

}  // namespace

Result<Value> from_toml(std::string_view text, const TomlContext& context) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    text.remove_prefix(2);
  } else if (text.starts_with(base::kByteOrderMark)) {
    text.remove_prefix(3);
  }
  if (text.substr(0, 6).find('\0') != std::string_view::npos) {
    return base::Error(base::ErrorCode::kParse,
                       "toml: line 1: files cannot contain NULL bytes; probably using UTF-16; "
                       "TOML files must be UTF-8");
  }
  return TomlDecoder(text, context).decode();
}

}  // namespace chartwright::helm
