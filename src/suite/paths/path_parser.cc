// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "go/quote.h"
#include "suite/paths/path_step.h"

namespace chartwright::suite {
namespace {

constexpr size_t kPathBytesMax = 8192;
constexpr int kFilterDepthMax = 100;

std::string unescape(std::string_view raw) {
  std::string out;
  bool escaped = false;
  for (const char c : raw) {
    if (c == '\\' && !escaped) {
      escaped = true;
      continue;
    }
    escaped = false;
    out += c;
  }
  return out;
}

/// Reads a path by recursive descent:
///
///   path   = [ "$" ] [ name ] { "." name | "." "*" | ".." [ name ] | bracket } [ "~" ]
///   bracket = "[" quoted { "," quoted } "]" | "[" slice { "," slice } "]" | "[?(" or ")]"
///   or     = and { "||" and }     and = basic { "&&" basic }
///   basic  = "!" basic | "(" or ")" | term [ operator term ]
///   term   = "@" path | "$" path | number | string | "true" | "false" | "null" | /regexp/
class PathParser {
 public:
  explicit PathParser(std::string_view text) : text_(text) {}

  base::Result<std::vector<PathStep>> parse() {
    if (text_.size() > kPathBytesMax) {
      return base::Error(base::ErrorCode::kParse,
                         "path is longer than " + std::to_string(kPathBytesMax) + " bytes");
    }
    const bool rooted = take("$");
    std::vector<PathStep> steps;
    if (!rooted && at_ < text_.size() && !peek(".") && !peek("[") && !opens_quote()) {
      CW_TRY_VOID(member("child name missing", "]", steps));
    }
    CW_TRY_VOID(rest(steps));
    return steps;
  }

 private:
  bool peek(std::string_view token) const { return text_.substr(at_).starts_with(token); }
  bool take(std::string_view token) {
    if (!peek(token)) {
      return false;
    }
    at_ += token.size();
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  bool at_end() const { return at_ >= text_.size(); }
  bool in_filter() const { return depth_ > 0; }
  bool ends_term() const {
    return at_end() || std::string_view(" &|=!><)").find(text_[at_]) != std::string_view::npos;
  }
  base::Error error(std::string_view why) const { return error_at(at_, why); }
  base::Error error_at(size_t at, std::string_view why) const {
    return base::Error(base::ErrorCode::kParse, std::string(why) + " at position " +
                                                    std::to_string(at) + ", following " +
                                                    go::quote(text_.substr(lexeme_, at - lexeme_)));
  }

  /// Reports whether the next characters are "[" and a quote, with white space between them.
  bool opens_quote() const {
    size_t next = text_.find_first_not_of(" \t\n", at_);
    if (next == std::string_view::npos || text_[next] != '[') {
      return false;
    }
    next = text_.find_first_not_of(" \t\n", next + 1);
    return next != std::string_view::npos && (text_[next] == '\'' || text_[next] == '"');
  }

  /// Directly after a name, white space in brackets is not that before a quote.
  static bool follows_name(const std::vector<PathStep>& steps) {
    return !steps.empty() && (steps.back().kind == PathStep::Kind::kMembers ||
                              steps.back().kind == PathStep::Kind::kAll);
  }

  /// Reads all steps but a first name without a dot.
  base::Status rest(std::vector<PathStep>& steps) {
    while (!at_end()) {
      const size_t start = at_;
      if (opens_quote() && (peek("['") || peek("[\"") || !follows_name(steps))) {
        CW_TRY_VOID(quoted_members(steps));
      } else if (in_filter() && ends_term()) {
        return {};
      } else if (take("..")) {
        CW_TRY_VOID(descend(steps));
      } else if (take(".")) {
        CW_TRY_VOID(member("child name missing", "", steps));
      } else if (take("[?(")) {
        CW_TRY_VOID(filter(steps));
      } else if (peek("[")) {
        CW_TRY_VOID(slices(steps));
      } else if (ends_term()) {
        return error("invalid character '" + std::string(1, text_[at_]) + "'");
      } else {
        return error("invalid path syntax");
      }
      lexeme_ = start;
    }
    return {};
  }

  /// Reads a name after its dot, with "~" for the key itself.
  base::Status member(std::string_view missing, std::string_view also_ends,
                      std::vector<PathStep>& steps) {
    const size_t end =
        std::min(text_.find_first_of(".[) &|=!><~" + std::string(also_ends), at_), text_.size());
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    if (name.empty()) {
      return error(missing);
    }
    if (take("~")) {
      return names({unescape(name)}, steps);
    }
    if (name == "*") {
      steps.push_back({.kind = PathStep::Kind::kAll});
    } else {
      steps.push_back({.names = {unescape(name)}});
    }
    return {};
  }

  base::Status names(std::vector<std::string> names, std::vector<PathStep>& steps) {
    if (!at_end()) {
      return error("property name operator may only be used on last child in path");
    }
    steps.push_back({.kind = PathStep::Kind::kNames, .names = std::move(names)});
    return {};
  }

  base::Status descend(std::vector<PathStep>& steps) {
    steps.push_back({.kind = PathStep::Kind::kDescend});
    if (peek("[")) {
      return {};
    }
    return member("child name or array access or filter missing after recursive descent", "",
                  steps);
  }

  base::Status quoted_members(std::vector<PathStep>& steps) {
    skip_space();
    take("[");
    std::vector<std::string> found;
    do {
      skip_space();
      const char quote = at_end() ? '\0' : text_[at_];
      if (quote != '\'' && quote != '"') {
        return error("missing \"'\" or '\"'");
      }
      const size_t start = ++at_;
      while (!at_end() && text_[at_] != quote) {
        at_ += text_[at_] == '\\' ? 2 : 1;
      }
      if (at_end()) {
        at_ = text_.size();
        return error(quote == '"' ? "unmatched '\"'" : "unmatched \"'\"");
      }
      found.push_back(unescape(text_.substr(start, at_ - start)));
      ++at_;
      skip_space();
    } while (take(","));
    if (!take("]")) {
      return error("missing \"]\" or \",\"");
    }
    if (take("~")) {
      return names(std::move(found), steps);
    }
    steps.push_back({.names = std::move(found)});
    return {};
  }

  base::Status slices(std::vector<PathStep>& steps) {
    const size_t start = ++at_;
    const size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) {
      at_ = text_.size();
      return error("unmatched [");
    }
    const std::string_view inside = text_.substr(start, end - start);
    at_ = end + 1;
    if (base::trim(inside) == "*") {
      if (take("~")) {
        return names({}, steps);
      }
      steps.push_back({.kind = PathStep::Kind::kAll});
      return {};
    }
    if (inside.empty()) {
      return base::Error(base::ErrorCode::kParse,
                         "subscript missing from [] before position " + std::to_string(at_));
    }
    PathStep step{.kind = PathStep::Kind::kSlices};
    const std::vector<std::string_view> members = base::split(inside, ',');
    for (size_t i = 0; i < members.size(); ++i) {
      auto slice = slice_of(members[i]);
      if (!slice.ok()) {
        const std::string member = "error in union member " + std::to_string(i) + ": ";
        return base::Error(base::ErrorCode::kParse, "invalid array index [" + std::string(inside) +
                                                        "] before position " + std::to_string(at_) +
                                                        ": " + (members.size() > 1 ? member : "") +
                                                        slice.error().message());
      }
      step.slices.push_back(*slice);
    }
    if (take("~")) {
      return error("property name operator can only be used on map nodes");
    }
    steps.push_back(std::move(step));
    return {};
  }

  static base::Result<PathSlice> slice_of(std::string_view text) {
    const auto invalid = [](const char* why) { return base::Error(base::ErrorCode::kParse, why); };
    if (base::trim(text) == "*") {
      return invalid("wildcard cannot be used in union");
    }
    const std::vector<std::string_view> pieces = base::split(base::trim(text), ':');
    if (pieces.size() > 3) {
      return invalid("malformed array index, too many colons");
    }
    std::optional<int64_t> numbers[3];
    for (size_t i = 0; i < pieces.size(); ++i) {
      const std::string_view piece = base::trim(pieces[i]);
      numbers[i] = base::parse_int(piece);
      if (!piece.empty() && !numbers[i]) {
        return invalid("non-integer array index");
      }
    }
    if (pieces.size() == 1 && !numbers[0]) {
      return invalid("array index missing");
    }
    if (numbers[2] == 0) {
      return invalid("array index step value must be non-zero");
    }
    return PathSlice{numbers[0], numbers[1], numbers[2].value_or(1), pieces.size() == 1};
  }

  base::Status filter(std::vector<PathStep>& steps) {
    if (++depth_ > kFilterDepthMax) {
      return error("filters are nested too deeply");
    }
    lexeme_ = at_ - 3;
    if (peek(")]")) {
      return error("missing filter");
    }
    CW_TRY(auto expression, either());
    skip_space();
    if (at_end()) {
      return error("missing end of filter");
    }
    if (!take(")]")) {
      return error("invalid filter expression");
    }
    --depth_;
    const bool follows_descent = !steps.empty() && steps.back().kind == PathStep::Kind::kDescend;
    steps.push_back(
        {.kind = follows_descent ? PathStep::Kind::kFilterSelf : PathStep::Kind::kFilter,
         .filter = std::move(expression)});
    return {};
  }

  using Node = std::shared_ptr<const PathFilter>;

  base::Result<Node> either() {
    CW_TRY(Node left, both());
    for (skip_space(); take("||"); skip_space()) {
      CW_TRY(Node right, both());
      left = std::make_shared<PathFilter>(
          PathFilter{.kind = PathFilter::Kind::kOr, .left = left, .right = right});
    }
    return left;
  }

  base::Result<Node> both() {
    CW_TRY(Node left, basic());
    for (skip_space(); take("&&"); skip_space()) {
      CW_TRY(Node right, basic());
      left = std::make_shared<PathFilter>(
          PathFilter{.kind = PathFilter::Kind::kAnd, .left = left, .right = right});
    }
    return left;
  }

  base::Result<Node> basic() {
    skip_space();
    if (++depth_ > kFilterDepthMax) {
      return error("filters are nested too deeply");
    }
    Node node;
    if (!peek("!=") && take("!")) {
      CW_TRY(Node inner, basic());
      node =
          std::make_shared<PathFilter>(PathFilter{.kind = PathFilter::Kind::kNot, .left = inner});
    } else if (take("(")) {
      CW_TRY(node, either());
      skip_space();
      if (!take(")")) {
        return error("missing )");
      }
    } else {
      CW_TRY(node, comparison());
    }
    --depth_;
    return node;
  }

  base::Result<Node> comparison() {
    for (std::string_view token : {"==", "!=", "&&", "||", ">=", ">", "<=", "<"}) {
      if (peek(token)) {
        return error("missing first operand for binary operator " + std::string(token));
      }
    }
    PathFilter node;
    CW_TRY(node.first, term());
    skip_space();
    if (take("=~")) {
      lexeme_ = at_ - 2;
      CW_TRY_VOID(regular_expression(node));
      return std::make_shared<const PathFilter>(std::move(node));
    }
    constexpr std::pair<std::string_view, PathFilter::Operator> kOperators[] = {
        {"==", PathFilter::Operator::kEqual},          {"!=", PathFilter::Operator::kNotEqual},
        {">=", PathFilter::Operator::kGreaterOrEqual}, {">", PathFilter::Operator::kGreater},
        {"<=", PathFilter::Operator::kLessOrEqual},    {"<", PathFilter::Operator::kLess},
    };
    for (const auto& [token, op] : kOperators) {
      const bool orders = token != "==" && token != "!=";
      const base::Error unordered = error("strings cannot be compared using " + std::string(token));
      if (take(token)) {
        lexeme_ = at_ - token.size();
        node.kind = PathFilter::Kind::kCompare;
        node.op = op;
        if (orders && node.first.literal.type == FilterValue::Type::kString) {
          return unordered;
        }
        skip_space();
        if (orders && peek("'")) {
          return error("strings cannot be compared using " + std::string(token));
        }
        CW_TRY(node.second, term());
        break;
      }
    }
    return std::make_shared<const PathFilter>(std::move(node));
  }

  base::Status regular_expression(PathFilter& node) {
    node.kind = PathFilter::Kind::kMatch;
    skip_space();
    if (!take("/")) {
      return error("regular expression does not start with /");
    }
    const size_t start = at_;
    const base::Error invalid = error_at(start - 1, "invalid regular expression");
    while (!at_end() && text_[at_] != '/') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_end()) {
      at_ = text_.size();
      return error("unmatched regular expression delimiter /");
    }
    auto pattern =
        go::Regexp::compile(base::replace_all(text_.substr(start, at_ - start), "\\/", "/"));
    if (!pattern.ok()) {
      return std::move(pattern).error().wrap(invalid.message());
    }
    node.pattern = std::make_shared<const go::Regexp>(*std::move(pattern));
    ++at_;
    return {};
  }

  base::Result<FilterTerm> term() {
    skip_space();
    FilterTerm term;
    if (peek("@") || peek("$")) {
      term.kind = take("@") ? FilterTerm::Kind::kItem : FilterTerm::Kind::kRoot;
      if (term.kind == FilterTerm::Kind::kRoot) {
        take("$");
      }
      CW_TRY_VOID(rest(term.path));
      return term;
    }
    CW_TRY(term.literal, literal());
    return term;
  }

  base::Result<FilterValue> literal() {
    using Type = FilterValue::Type;
    const size_t start = at_;
    if (peek("'") || peek("\"")) {
      const size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) {
        return error("unmatched string delimiter " + std::string(1, text_[at_]));
      }
      const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      lexeme_ = start;
      return FilterValue{Type::kString, std::string(content)};
    }
    for (std::string_view word : {"true", "false", "null"}) {
      if (take(word)) {
        return FilterValue{word == "null" ? Type::kNull : Type::kBool, std::string(word)};
      }
    }
    const size_t end = std::min(text_.find_first_not_of("0123456789.eE-", at_), text_.size());
    const std::string_view number = text_.substr(at_, end - at_);
    const bool whole = base::parse_int(number).has_value();
    if (number.empty() || (!whole && !base::parse_double(number))) {
      return error("invalid filter term");
    }
    at_ = end;
    return FilterValue{whole ? Type::kInt : Type::kFloat, std::string(number)};
  }

  const std::string_view text_;
  size_t at_ = 0;
  size_t lexeme_ = 0;  // Where the last step started, which errors quote.
  int depth_ = 0;      // Of filters and their parentheses.
};

}  // namespace

base::Result<std::vector<PathStep>> parse_path_steps(std::string_view text) {
  return PathParser(text).parse();
}

}  // namespace chartwright::suite
