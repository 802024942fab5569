// SPDX-License-Identifier: Apache-2.0
// The encoding functions of json.h. Source: Go encoding/json encode.go, indent.go.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/json_text.h"
#include "value/json.h"

namespace chartwright::value {
namespace {

using base::Error;
using base::ErrorCode;

// Like Go, looks for cycles only below this depth, so that shallower documents pay nothing.
constexpr size_t kCycleCheckDepth = 1000;
// A value with shared parts may have a text that is larger than memory.
constexpr size_t kTextBytesMax = size_t{64} << 20;

std::string not_finite_name(double d) {
  if (std::isnan(d)) {
    return "NaN";
  }
  return d > 0 ? "+Inf" : "-Inf";
}

// Writes with its own stack, so that nesting takes heap and not call stack.
class Writer {
 public:
  Writer(JsonEscape escape, bool pretty) : escape_(escape), pretty_(pretty) {}

  base::Result<std::string> write(const Value& root) {
    begin(root);
    while (!open_.empty() && !error_) {
      advance(open_.back());
      if (out_.size() > kTextBytesMax) {
        return Error(ErrorCode::kBudget,
                     "json: text is longer than " + std::to_string(kTextBytesMax) + " bytes");
      }
    }
    if (error_) {
      return *std::move(error_);
    }
    return std::move(out_);
  }

 private:
  // A container whose members up to `next` are written. Holds the Value, because the JSON form of a
  // native exists nowhere else.
  struct Open {
    Value value;
    std::vector<const Dict::Entry*> fields = {};  // Of a struct, in json_order().
    size_t next = 0;
    Dict::const_iterator member = {};  // The same in a dict without `fields`.
  };

  static size_t size_of(const Value& v) {
    return v.is_dict() ? v.as_dict().size() : v.as_list().items.size();
  }

  void line_break(size_t depth) {
    if (pretty_) {
      out_ += '\n';
      out_.append(depth * 2, ' ');
    }
  }

  // Writes the next member of the innermost container, or its closing bracket.
  void advance(Open& open) {
    const bool is_dict = open.value.is_dict();
    const size_t index = open.next++;
    if (index == size_of(open.value)) {
      line_break(open_.size() - 1);
      out_ += is_dict ? '}' : ']';
      if (is_dict && open_.size() > kCycleCheckDepth) {
        deep_.erase(&open.value.as_dict());
      }
      open_.pop_back();
      return;
    }
    if (index > 0) {
      out_ += ',';
    }
    line_break(open_.size());
    if (!is_dict) {
      begin(open.value.as_list().items[index]);
      return;
    }
    const Dict::Entry& entry = open.fields.empty() ? *open.member++ : *open.fields[index];
    base::append_json_string(out_, entry.first, escape_);
    out_ += pretty_ ? ": " : ":";
    begin(entry.second);
  }

  // Writes a scalar, or opens a container. May reallocate `open_`.
  void begin(const Value& v) {
    switch (v.kind()) {
      case Kind::kNil:
      case Kind::kNoValue:
        out_ += "null";
        return;
      case Kind::kBool:
        out_ += v.as_bool() ? "true" : "false";
        return;
      case Kind::kInt:
        out_ += v.int_type() == IntType::kUint64 ? std::to_string(static_cast<uint64_t>(v.as_int()))
                                                 : std::to_string(v.as_int());
        return;
      case Kind::kFloat:
        return number(v.as_float());
      case Kind::kString:
        return base::append_json_string(out_, v.as_string(), escape_);
      case Kind::kBytes:
        if (v.is_nil_bytes()) {
          out_ += "null";
          return;
        }
        out_ += '"';
        out_ += base::base64_encode(v.as_string());
        out_ += '"';
        return;
      case Kind::kList:
      case Kind::kDict:
        return container(v);
      case Kind::kNative:
        return native(v.as_native());
    }
  }

  // Writes a native as its JSON form, a struct with its fields in json_order().
  void native(const Native& v) {
    auto form = v.to_json_value();
    if (!form.ok()) {
      error_ = std::move(form).error();
      return;
    }
    const Value json = *std::move(form);
    const size_t depth = open_.size();
    begin(json);
    if (open_.size() == depth || !json.is_dict()) {
      return;
    }
    for (std::string_view name : v.json_order()) {
      for (const Dict::Entry& entry : open_.back().value.as_dict()) {
        if (entry.first == name) {
          open_.back().fields.push_back(&entry);
        }
      }
    }
    if (open_.back().fields.size() != json.as_dict().size()) {
      open_.back().fields.clear();
    }
  }

  void number(double d) {
    if (std::isfinite(d)) {
      out_ += json_number(d);
      return;
    }
    error_ = Error(ErrorCode::kInvalidArgument, "json: unsupported value: " + not_finite_name(d));
  }

  void container(const Value& v) {
    if (v.is_list() ? v.as_list().is_nil : v.is_nil_dict()) {
      out_ += "null";
      return;
    }
    if (size_of(v) == 0) {
      out_ += v.is_dict() ? "{}" : "[]";
      return;
    }
    if (open_.size() >= kCycleCheckDepth && v.is_dict() && !deep_.insert(&v.as_dict()).second) {
      error_ =
          Error(ErrorCode::kInvalidArgument, "json: unsupported value: encountered a cycle via " +
                                                 std::string(v.dict_type()->name));
      return;
    }
    out_ += v.is_dict() ? '{' : '[';
    open_.push_back({v});
    if (v.is_dict()) {
      open_.back().member = v.as_dict().begin();
    }
  }

  const JsonEscape escape_;
  const bool pretty_;
  std::string out_;
  std::vector<Open> open_;
  std::unordered_set<const Dict*> deep_;  // The open dicts below kCycleCheckDepth.
  std::optional<Error> error_;
};

}  // namespace

base::Result<std::string> to_json(const Value& v, JsonEscape escape) {
  return Writer(escape, false).write(v);
}

base::Result<std::string> to_json_pretty(const Value& v, JsonEscape escape) {
  return Writer(escape, true).write(v);
}

std::string_view schema_type(const Value& v) {
  switch (v.kind()) {
    case Kind::kString:
      return "string";
    case Kind::kBool:
      return "boolean";
    case Kind::kInt:
      return "integer";
    case Kind::kFloat:
      return std::floor(v.as_float()) == v.as_float() ? "integer" : "number";
    case Kind::kList:
      return "array";
    case Kind::kDict:
      return "object";
    default:
      return "";
  }
}

std::string json_number(double d) {
  const double magnitude = std::fabs(d);
  const bool exponential = magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21);
  std::array<char, 40> buffer{};
  // The shortest digits that parse back to `d`. Not to_chars' fixed form, which writes a large
  // number exactly, while Go pads its shortest digits with zeros.
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), d, std::chars_format::scientific)
          .ptr;
  std::string text(buffer.data(), end);
  const size_t e = text.find('e');
  int exponent = 0;
  const char* digits_of_exponent = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits_of_exponent, text.data() + text.size(), exponent);
  if (exponential) {
    // Go writes two exponent digits, as C does, and encoding/json then removes the zero of e-09.
    const bool padded = exponent < 0 && exponent > -10;
    return text.substr(0, e) + "e" + (exponent < 0 ? "-" : "+") +
           (padded || std::abs(exponent) >= 10 ? "" : "0") + std::to_string(std::abs(exponent));
  }
  const std::string sign = std::signbit(d) ? "-" : "";
  std::string digits;
  std::copy_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(e),
               std::back_inserter(digits), [](char c) { return base::is_ascii_digit(c); });
  if (exponent < 0) {
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    return sign + digits + std::string(whole - digits.size(), '0');
  }
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

}  // namespace chartwright::value
