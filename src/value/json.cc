// SPDX-License-Identifier: Apache-2.0
#include "value/json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/unicode.h"
#include "value/json_syntax.h"

namespace chartwright::value {
namespace {

using base::Error;
using base::ErrorCode;

Error error_at(std::string_view text, size_t offset, ErrorCode code, std::string message) {
  return Error(code, std::move(message)).at(position_of(text, offset));
}

// Receives nlohmann's events and builds the Value bottom-up. Has its own stack, so that nesting
// takes heap and not call stack. Returning false stops the parser.
class Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  Builder(Numbers numbers, const JsonLimits& limits) : numbers_(numbers), limits_(limits) {}

  bool null() { return add(Value::nil()); }
  bool boolean(bool v) { return add(Value::boolean(v)); }
  bool number_integer(number_integer_t v) {
    if (numbers_ == Numbers::kInt64) {
      return add(Value::integer(v));
    }
    // Non-negative literals arrive as unsigned, so a zero here was written "-0".
    return add(Value::number(v == 0 ? -0.0 : static_cast<double>(v)));
  }
  bool number_unsigned(number_unsigned_t v) {
    const bool fits = v <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return add(numbers_ == Numbers::kInt64 && fits ? Value::integer(static_cast<int64_t>(v))
                                                   : Value::number(static_cast<double>(v)));
  }
  bool number_float(number_float_t v, const string_t& /*literal*/) { return add(Value::number(v)); }
  bool string(string_t& v) { return add(Value::string(std::move(v))); }
  bool binary(binary_t& /*v*/) { return false; }  // Does not occur in JSON.
  bool start_object(std::size_t /*size*/) { return open(true); }
  bool key(string_t& v) {
    open_.back().key = std::move(v);
    return true;
  }
  bool end_object() {
    auto dict = std::make_shared<Dict>(std::move(open_.back().entries));
    open_.pop_back();
    return add(Value::dict(std::move(dict)));
  }
  bool start_array(std::size_t /*size*/) { return open(false); }
  bool end_array() {
    std::vector<Value> items = std::move(open_.back().items);
    open_.pop_back();
    return add(Value::list(std::move(items)));
  }
  template <typename Exception>
  bool parse_error(std::size_t position, const string_t& token, const Exception& /*error*/) {
    failed_at_ = position;
    failed_token_ = token;
    return false;
  }

  bool too_deep() const { return too_deep_; }
  size_t failed_at() const { return failed_at_; }
  const std::string& failed_token() const { return failed_token_; }
  Value take() { return std::move(root_); }

 private:
  struct Container {
    bool is_object;
    std::string key;
    std::vector<Dict::Entry> entries;
    std::vector<Value> items;
  };

  bool open(bool is_object) {
    too_deep_ = open_.size() >= static_cast<size_t>(limits_.max_depth);
    if (!too_deep_) {
      open_.push_back({is_object, {}, {}, {}});
    }
    return !too_deep_;
  }

  bool add(Value v) {
    if (open_.empty()) {
      root_ = std::move(v);
    } else if (open_.back().is_object) {
      open_.back().entries.emplace_back(std::move(open_.back().key), std::move(v));
    } else {
      open_.back().items.push_back(std::move(v));
    }
    return true;
  }

  const Numbers numbers_;
  const JsonLimits limits_;
  std::vector<Container> open_;
  Value root_;
  bool too_deep_ = false;
  size_t failed_at_ = 0;
  std::string failed_token_;
};

// Returns the code unit of the escape "\uXXXX" at `at`, or nullopt if there is none.
std::optional<unsigned> escaped_unit(std::string_view text, size_t at) {
  if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') {
    return std::nullopt;
  }
  unsigned unit = 0;
  for (size_t i = at + 2; i < at + 6; ++i) {
    const int digit = base::hex_digit_value(text[i]);
    if (digit < 0) {
      return std::nullopt;
    }
    unit = unit * 16 + static_cast<unsigned>(digit);
  }
  return unit;
}

bool is_high_surrogate(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Go decodes half of a surrogate pair as U+FFFD, but the parser below would reject it. The
// replacement escape has the same length, so that positions do not change.
void replace_lone_surrogates(std::string& text) {
  size_t at = 0;
  while ((at = text.find('\\', at)) != std::string::npos) {
    const std::optional<unsigned> unit = escaped_unit(text, at);
    if (!unit) {
      at += 2;
      continue;
    }
    const std::optional<unsigned> next = escaped_unit(text, at + 6);
    if (is_high_surrogate(*unit) && next && is_low_surrogate(*next)) {
      at += 12;
      continue;
    }
    if (is_high_surrogate(*unit) || is_low_surrogate(*unit)) {
      text.replace(at, 6, "\\ufffd");
    }
    at += 6;
  }
}

bool has_surrogate_escape(std::string_view text) {
  return text.find("\\ud") != std::string_view::npos || text.find("\\uD") != std::string_view::npos;
}

// Returns a text that the parser accepts if Go's accepts `text`, or nullopt if that is
// `text` itself.
std::optional<std::string> as_strict_json(std::string_view text) {
  const bool valid = base::is_valid_utf8(text);
  const bool surrogates = has_surrogate_escape(text);
  if (valid && !surrogates) {
    return std::nullopt;
  }
  std::string out = base::replace_invalid_utf8(text);
  if (surrogates) {
    replace_lone_surrogates(out);
  }
  return out;
}

// Returns the error for a failed parse, with Go's message.
Error explain(std::string_view text, const Builder& builder) {
  if (const std::optional<JsonSyntaxError> error = find_json_syntax_error(text)) {
    return error_at(text, error->offset, ErrorCode::kParse, error->message);
  }
  // The text is well-formed, so a number was rejected, which happens only if it is too large.
  const size_t end = std::min(builder.failed_at(), text.size());
  const size_t start = end - std::min(end, builder.failed_token().size());
  return error_at(
      text, start, ErrorCode::kParse,
      "json: cannot unmarshal number " + builder.failed_token() + " into Go value of type float64");
}

}  // namespace

base::Result<Value> parse_json(std::string_view text, Numbers numbers, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Error(ErrorCode::kBudget, "JSON text of " + std::to_string(text.size()) +
                                         " bytes exceeds the limit of " +
                                         std::to_string(limits.max_bytes));
  }
  // The parser skips a byte order mark, and stops at NUL as if the text ended there.
  // Go does neither.
  if (text.starts_with(base::kByteOrderMark) || text.find('\0') != std::string_view::npos) {
    return explain(text, Builder(numbers, limits));
  }
  const std::optional<std::string> strict = as_strict_json(text);
  const std::string_view input = strict ? std::string_view(*strict) : text;
  Builder builder(numbers, limits);
  if (nlohmann::json::sax_parse(input.begin(), input.end(), &builder)) {
    return builder.take();
  }
  if (builder.too_deep()) {
    return Error(ErrorCode::kBudget, "exceeded max depth");
  }
  return explain(text, builder);
}

}  // namespace chartwright::value
