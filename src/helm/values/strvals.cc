// SPDX-License-Identifier: Apache-2.0
#include "helm/values/strvals.h"

#include <charconv>
#include <optional>

#include "base/strings.h"
#include "base/unicode.h"
#include "go/quote.h"
#include "go/type_name.h"
#include "helm/chart/go_decode.h"
#include "helm/chart/values_file.h"
#include "value/json.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr int64_t kIndexMax = 65536;
/// Maximum number of list items that a line may skip. Helm is limited only by memory.
constexpr size_t kPaddingMax = size_t{4} << 20;
constexpr int kNameLevelMax = 30;
constexpr char kEndOfLine = '\0';

/// Whether the line continues after the part just parsed.
enum class Flow : uint8_t { kMore, kEnd };

/// The syntax of the text after '='.
enum class ValueSyntax : uint8_t { kRead, kJson, kLiteral };

base::Error parse_failure(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

/// Returns the message of a failed Go type assertion. Helm recovers from the panic with it.
base::Error not_a(const Value& v, std::string_view wanted) {
  return parse_failure("unable to parse key: interface conversion: interface {} is " +
                       go::dynamic_type_name(v) + ", not " + std::string(wanted));
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const base::DecodedRune decoded = base::decode_rune(text);
    base::append_rune(out, decoded.rune);
    text.remove_prefix(decoded.size);
  }
  return out;
}

std::string quoted_runes(std::string_view text) {
  std::string out = "[";
  while (!text.empty()) {
    const base::DecodedRune decoded = base::decode_rune(text);
    out += (out.size() > 1 ? " " : "") + go::quote_rune(decoded.rune);
    text.remove_prefix(decoded.size);
  }
  return out + "]";
}

/// Sets a key, unless it is empty.
void set(Value& data, std::string_view key, Value v) {
  if (!key.empty()) {
    data.mutable_dict().set(key, std::move(v));
  }
}

/// Returns the length of the JSON value at the start of `text`, judging by brackets and quotes.
size_t json_extent(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1U : 0U;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
      continue;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (depth == 0) {
      constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzE0123456789+-.";
      return std::max<size_t>(1, std::min(text.size(), text.find_first_not_of(kWord, i)));
    }
    if (!in_string && depth <= 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// The parser of a line. The comment above each method gives its grammar. `rest_` is the text that
/// is not yet consumed.
class SetParser {
 public:
  SetParser(std::string line, ValueSyntax values, ValueReader reader, ValuesRule rule)
      : line_(std::move(line)),
        rest_(line_),
        values_(values),
        reader_(std::move(reader)),
        rule_(rule) {}

  // line: { key }
  base::Status parse(Value& dest) {
    while (true) {
      CW_TRY(const Flow flow, key(dest, 0));
      if (flow == Flow::kEnd) {
        return {};
      }
    }
  }

 private:
  struct Token {
    std::string text;
    char stop;  ///< The stop character consumed; kEndOfLine at the end of the line.
  };

  /// Consumes characters up to one of `stops`. A backslash escapes the next character.
  Token until(std::string_view stops) {
    Token token{"", kEndOfLine};
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (stops.find(c) != std::string_view::npos) {
        token.stop = c;
        return token;
      }
      if (c != '\\' || values_ == ValueSyntax::kLiteral) {
        token.text += c;
      } else if (!rest_.empty()) {
        token.text += rest_.front();
        rest_.remove_prefix(1);
      }
    }
    return token;
  }

  // key: name ( '=' value | '.' key | '[' index ']' item )
  base::Result<Flow> key(Value& data, int level) {
    const Token name = until(values_ == ValueSyntax::kLiteral ? "=[." : "=[,.");
    switch (name.stop) {
      case '[':
        return list_key(data, name.text, level);
      case '=':
        return assignment(data, name.text);
      case ',':
        return parse_failure("key " + go::quote(name.text) + " has no value (cannot end with ,)");
      case '.':
        return map_key(data, name.text, level + 1);
      default:
        if (name.text.empty()) {
          return Flow::kEnd;
        }
        return parse_failure("key " + go::quote(name.text) + " has no value");
    }
  }

  base::Result<Flow> list_key(Value& data, const std::string& name, int level) {
    CW_TRY(const std::optional<int64_t> i, index());
    if (!i) {
      return Flow::kEnd;
    }
    std::vector<Value> list;
    if (const Value* present = data.find(name)) {
      if (!present->is_list()) {
        return not_a(*present, "[]interface {}");
      }
      list = present->as_list().items;
    }
    CW_TRY(const Flow flow, item(list, *i, level));
    set(data, name, Value::list(std::move(list)));
    return flow;
  }

  base::Result<Flow> map_key(Value& data, const std::string& name, int level) {
    if (level > kNameLevelMax) {
      return parse_failure(
          "value name nested level is greater than maximum supported nested level of " +
          std::to_string(kNameLevelMax));
    }
    Value inner = Value::dict();
    if (const Value* present = data.find(name)) {
      if (!present->is_dict()) {
        return not_a(*present, "map[string]interface {}");
      }
      inner = *present;
    }
    CW_TRY(const Flow flow, key(inner, level));
    if (!inner.as_dict().empty()) {
      set(data, name, inner);
    } else if (flow == Flow::kMore) {
      return parse_failure("key map " + go::quote(name) + " has no value");
    }
    return flow;
  }

  base::Result<Flow> assignment(Value& data, const std::string& name) {
    const bool at_end = rest_.empty() && values_ == ValueSyntax::kRead;
    CW_TRY(Value v, value_after_equals());
    set(data, name, std::move(v));
    return at_end ? Flow::kEnd : Flow::kMore;
  }

  /// Parses an index up to the closing bracket; nullopt if the line ends before it, which in Helm 4
  /// is not an error.
  base::Result<std::optional<int64_t>> index() {
    const Token token = until("]");
    if (token.stop == kEndOfLine) {
      if (rule_ != ValuesRule::kAllDocuments) {
        return parse_failure("error parsing index: EOF");
      }
      return std::optional<int64_t>();
    }
    const std::string& digits = token.text;
    int64_t number = 0;
    const bool plus = digits.size() > 1 && digits[0] == '+' && digits[1] != '-';
    const char* end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data() + (plus ? 1 : 0), end, number);
    if (at != end || error == std::errc::invalid_argument) {
      return parse_failure("error parsing index: strconv.Atoi: parsing " + go::quote(digits) +
                           ": invalid syntax");
    }
    if (error != std::errc()) {
      return parse_failure("error parsing index: strconv.Atoi: parsing " + go::quote(digits) +
                           ": value out of range");
    }
    return std::optional<int64_t>(number);
  }

  base::Result<std::vector<Value>> set_index(std::vector<Value> list, int64_t index, Value v) {
    if (index < 0) {
      return parse_failure("negative " + std::to_string(index) + " index not allowed");
    }
    if (index > kIndexMax) {
      return parse_failure("index of " + std::to_string(index) +
                           " is greater than maximum supported index of " +
                           std::to_string(kIndexMax));
    }
    if (list.size() <= static_cast<size_t>(index)) {
      padding_ += static_cast<size_t>(index) - list.size();
      if (padding_ > kPaddingMax) {
        return base::Error(
            base::ErrorCode::kBudget,
            "indices skip more than " + std::to_string(kPaddingMax) + " items of lists");
      }
      list.resize(static_cast<size_t>(index) + 1);
    }
    list[static_cast<size_t>(index)] = std::move(v);
    return list;
  }

  // item: '=' value | '[' index ']' item | '.' key
  base::Result<Flow> item(std::vector<Value>& list, int64_t i, int level) {
    if (i < 0) {
      return parse_failure("negative " + std::to_string(i) + " index not allowed");
    }
    const Token token = until("[.=");
    if (!token.text.empty()) {
      return parse_failure("unexpected data at end of array index: " + quoted_runes(token.text));
    }
    switch (token.stop) {
      case '=': {
        CW_TRY(Value v, value_after_equals());
        CW_TRY(list, set_index(std::move(list), i, std::move(v)));
        return Flow::kMore;
      }
      case '[':
        return nested_list(list, i, level);
      case '.':
        return nested_map(list, i, level);
      default:
        return Flow::kEnd;
    }
  }

  base::Result<Flow> nested_list(std::vector<Value>& list, int64_t i, int level) {
    CW_TRY(const std::optional<int64_t> next, index());
    if (!next) {
      return Flow::kEnd;
    }
    std::vector<Value> inner;
    if (static_cast<size_t>(i) < list.size() && !list[static_cast<size_t>(i)].is_nil()) {
      const Value& present = list[static_cast<size_t>(i)];
      if (!present.is_list()) {
        return not_a(present, "[]interface {}");
      }
      inner = present.as_list().items;
    }
    if (++list_level_ > kNameLevelMax * 8) {
      return parse_failure("list nested level is greater than maximum supported nested level of " +
                           std::to_string(kNameLevelMax * 8));
    }
    CW_TRY(const Flow flow, item(inner, *next, level));
    if (flow == Flow::kEnd) {
      return flow;
    }
    CW_TRY(list, set_index(std::move(list), i, Value::list(std::move(inner))));
    return flow;
  }

  base::Result<Flow> nested_map(std::vector<Value>& list, int64_t i, int level) {
    Value inner = Value::dict();
    if (static_cast<size_t>(i) < list.size()) {
      Value& present = list[static_cast<size_t>(i)];
      if (!present.is_dict()) {
        present = Value::dict();  // indices were out of order
      }
      inner = present;
    }
    CW_TRY(const Flow flow, key(inner, level));
    if (flow == Flow::kEnd) {
      return flow;
    }
    CW_TRY(list, set_index(std::move(list), i, inner));
    return flow;
  }

  base::Result<Value> value_after_equals() {
    switch (values_) {
      case ValueSyntax::kJson:
        return json_value();
      case ValueSyntax::kLiteral: {
        Value v = Value::string(rest_);
        rest_ = {};
        return v;
      }
      case ValueSyntax::kRead:
        break;
    }
    if (rest_.empty()) {
      return Value::string("");
    }
    if (rest_.front() == '{') {
      rest_.remove_prefix(1);
      return value_list();
    }
    return reader_(until(",").text);
  }

  // list: '{' [ value { ',' value } ] '}' [ ',' ]
  base::Result<Value> value_list() {
    std::vector<Value> items;
    while (true) {
      const Token token = until(",}");
      if (token.stop == kEndOfLine) {
        return parse_failure("list must terminate with '}'");
      }
      CW_TRY(Value v, reader_(token.text));
      items.push_back(std::move(v));
      if (token.stop == '}') {
        if (!rest_.empty() && rest_.front() == ',') {
          rest_.remove_prefix(1);
        }
        return Value::list(std::move(items));
      }
    }
  }

  base::Result<Value> json_value() {
    if (skip_blank_and_comma()) {
      return Value::nil();
    }
    const std::string_view text = rest_.substr(0, json_extent(rest_));
    CW_TRY(Value v, value::parse_json(text, value::Numbers::kFloat64));
    rest_.remove_prefix(text.size());
    skip_blank_and_comma();
    return v;
  }

  /// Consumes spaces and one comma. Returns false if something else follows.
  bool skip_blank_and_comma() {
    while (!rest_.empty()) {
      const base::DecodedRune decoded = base::decode_rune(rest_);
      if (decoded.rune != ',' && !base::is_space(decoded.rune)) {
        return false;
      }
      rest_.remove_prefix(decoded.size);
      if (decoded.rune == ',') {
        return true;
      }
    }
    return true;
  }

  std::string line_;
  std::string_view rest_;
  ValueSyntax values_;
  ValueReader reader_;
  ValuesRule rule_;
  int list_level_ = 0;
  size_t padding_ = 0;  ///< List items that indices have skipped.
};

Value typed_value(std::string_view text) {
  const std::string lower = base::to_lower_ascii(text);
  if (lower == "true" || lower == "false") {
    return Value::boolean(lower == "true");
  }
  if (lower == "null") {
    return Value::nil();
  }
  if (text == "0") {
    return Value::integer(0);
  }
  // Text with a leading zero stays a string: it may be a phone number or a file mode.
  if (!text.empty() && text.front() != '0') {
    if (const auto number = base::parse_int(text)) {
      return Value::integer(*number);
    }
  }
  return Value::string(text);
}

}  // namespace

base::Status parse_set(std::string_view line, SetMode mode, Value& dest, ValuesRule rule) {
  return parse_set_with(
      line,
      [mode](std::string_view text) -> base::Result<Value> {
        return mode == SetMode::kTyped ? typed_value(text) : Value::string(text);
      },
      dest, rule);
}

base::Status parse_set_with(std::string_view line, const ValueReader& reader, Value& dest,
                            ValuesRule rule) {
  return SetParser(valid_utf8(line), ValueSyntax::kRead, reader, rule).parse(dest);
}

base::Status parse_set_json(std::string_view line, Value& dest, ValuesRule rule) {
  if (rule == ValuesRule::kFirstDocument || !base::trim(line).starts_with('{')) {
    return SetParser(valid_utf8(line), ValueSyntax::kJson, nullptr, rule).parse(dest);
  }
  CW_TRY(const Value object, decode_json_dict(base::trim(line)));
  dest = overlay(dest, object);
  return {};
}

base::Status parse_set_literal(std::string_view line, Value& dest, ValuesRule rule) {
  return SetParser(valid_utf8(line), ValueSyntax::kLiteral, nullptr, rule).parse(dest);
}

}  // namespace chartwright::helm
