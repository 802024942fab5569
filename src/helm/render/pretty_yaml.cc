// SPDX-License-Identifier: Apache-2.0
#include "helm/render/pretty_yaml.h"

#include <algorithm>
#include <vector>

#include "base/digest.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "go/format.h"
#include "go/format_float.h"
#include "helm/funcs/struct_value.h"
#include "helm/funcs/time_value.h"
#include "yaml/resolve.h"
#include "yaml/scalar_style.h"
#include "yaml/writer.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr int kDepthMax = 1000;
constexpr int kIndentStep = 2;
constexpr size_t kOutputBytesMax = size_t{64} << 20;
constexpr size_t kInlineKeyBytesMax = 128;

std::u32string runes_of(std::string_view text) {
  std::u32string runes;
  while (!text.empty()) {
    const base::DecodedRune decoded = base::decode_rune(text);
    runes += decoded.rune;
    text.remove_prefix(decoded.size);
  }
  return runes;
}

/// Returns the number at `at` and moves `at` past it. `carried` is 1 inside a longer number, where
/// leading zeros count.
int64_t number_at(const std::u32string& runes, size_t& at, int64_t carried) {
  uint64_t number = static_cast<uint64_t>(carried);
  for (; at < runes.size() && base::is_digit(runes[at]); ++at) {
    number = number * 10 + (runes[at] - U'0');
  }
  return static_cast<int64_t>(number);
}

/// Reports whether the digits directly before `at` include one other than 0.
bool continues_number(const std::u32string& runes, size_t at) {
  while (at > 0 && base::is_digit(runes[at - 1])) {
    --at;
    if (runes[at] != U'0') {
      return true;
    }
  }
  return false;
}

/// Compares keys in natural order. Source: go.yaml.in/yaml/v3 sorter.go.
bool key_less(std::string_view left, std::string_view right) {
  const std::u32string a = runes_of(left);
  const std::u32string b = runes_of(right);
  const size_t common = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < common && a[i] == b[i]) {
    ++i;
  }
  if (i == common) {
    return a.size() < b.size();
  }
  const bool a_is_letter = base::is_letter(a[i]);
  const bool b_is_letter = base::is_letter(b[i]);
  if (a_is_letter && b_is_letter) {
    return a[i] < b[i];
  }
  if (a_is_letter || b_is_letter) {
    const bool after_digits = i > 0 && base::is_digit(a[i - 1]);
    return after_digits ? a_is_letter : b_is_letter;
  }
  const bool zero = a[i] == U'0' || b[i] == U'0';
  const int64_t carried = zero && continues_number(a, i) ? 1 : 0;
  size_t a_end = i;
  size_t b_end = i;
  const int64_t a_number = number_at(a, a_end, carried);
  const int64_t b_number = number_at(b, b_end, carried);
  if (a_number != b_number) {
    return a_number < b_number;
  }
  return a_end != b_end ? a_end < b_end : a[i] < b[i];
}

enum class Role : uint8_t { kKey, kValue };

/// Source: go.yaml.in/yaml/v3 encode.go stringv, emitterc.go select_scalar_style.
yaml::Style style_of(std::string_view text, Role role) {
  const bool has_tab = text.find('\t') != std::string_view::npos;
  // Unlike in yaml v2, a tab excludes only plain and single-quoted style, not a literal block.
  yaml::TextTraits traits =
      yaml::analyze_yaml_text(has_tab ? base::replace_all(text, "\t", "x") : std::string(text));
  traits.plain_allowed = traits.plain_allowed && !has_tab;
  traits.single_quoted_allowed = traits.single_quoted_allowed && !has_tab;
  if (text.find('\n') != std::string_view::npos) {
    return role == Role::kValue && traits.literal_allowed ? yaml::Style::kLiteral
                                                          : yaml::Style::kDoubleQuoted;
  }
  const bool reads_back =
      !yaml::is_base60_number(text) && yaml::resolve_plain_scalar(text).type == yaml::Type::kString;
  if (!reads_back) {
    return yaml::Style::kDoubleQuoted;
  }
  if (traits.plain_allowed) {
    return yaml::Style::kPlain;
  }
  return traits.single_quoted_allowed ? yaml::Style::kSingleQuoted : yaml::Style::kDoubleQuoted;
}

std::string float_text(double d) {
  std::string text = go::format_float(d, 'g', -1);
  if (text == "+Inf" || text == "-Inf") {
    return text[0] == '-' ? "-.inf" : ".inf";
  }
  return text == "NaN" ? ".nan" : text;
}

class Encoder {
 public:
  base::Result<std::string> encode(const Value& v) {
    CW_TRY_VOID(write(v, 0));
    writer_.start_line();
    return writer_.take();
  }

 private:
  /// Increases the indentation for a block and restores it at the end.
  class Block {
   public:
    Block(yaml::Writer& writer, int at_root) : writer_(writer), outer_(writer.indent()) {
      writer_.set_indent(outer_ < 0 ? at_root : outer_ + kIndentStep);
    }
    ~Block() { writer_.set_indent(outer_); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

   private:
    yaml::Writer& writer_;
    int outer_;
  };

  base::Status write(const Value& v, int depth) {
    if (depth > kDepthMax || writer_.size() > kOutputBytesMax) {
      return base::Error(base::ErrorCode::kBudget, "yaml: value is nested too deeply or too large");
    }
    switch (v.kind()) {
      case value::Kind::kList:
        return sequence(v.as_list().items, depth);
      case value::Kind::kDict:
        return mapping(v.as_dict(), depth);
      case value::Kind::kNative:
        return native(v, depth);
      case value::Kind::kString:
        string(v.as_string(), Role::kValue);
        return {};
      case value::Kind::kFloat:
        scalar(float_text(v.as_float()), yaml::Style::kPlain);
        return {};
      case value::Kind::kBytes:
        return bytes(v.as_string(), depth);
      default:
        scalar(v.is_nothing() ? "null" : go::format_value(v), yaml::Style::kPlain);
        return {};
    }
  }

  /// Source: go.yaml.in/yaml/v3 encode.go marshal.
  base::Status native(const Value& v, int depth) {
    if (const auto* fields = dynamic_cast<const funcs::StructValue*>(&v.as_native());
        fields != nullptr) {
      return structure(fields->yaml_fields(), depth);
    }
    if (const go::Time* time = funcs::as_time(v)) {
      scalar(go::format_time(*time, "2006-01-02T15:04:05.999999999Z07:00"), yaml::Style::kPlain);
      return {};
    }
    if (funcs::as_duration(v) != nullptr) {
      string(v.as_native().to_string(), Role::kValue);
      return {};
    }
    if (const Value* underlying = v.as_native().underlying()) {
      return write(*underlying, depth + 1);
    }
    if (v.as_native().go_kind() == "complex128") {  // The library panics.
      return base::Error(base::ErrorCode::kTemplate, "cannot marshal type: complex128");
    }
    CW_TRY(const Value json, v.as_native().to_json_value());
    return write(json, depth + 1);
  }

  base::Status structure(const std::vector<funcs::YamlField>& fields, int depth) {
    const Block block(writer_, 0);
    for (const funcs::YamlField& field : fields) {
      writer_.start_line();
      key(field.name);
      CW_TRY_VOID(write(field.value, depth + 1));
    }
    return {};
  }

  base::Status bytes(std::string_view data, int depth) {
    std::vector<Value> items;
    for (const char byte : data) {
      items.push_back(Value::integer(static_cast<unsigned char>(byte)));
    }
    return sequence(items, depth);
  }

  base::Status sequence(const std::vector<Value>& items, int depth) {
    if (items.empty()) {
      writer_.indicator("[]", yaml::Writer::Before::kSpace, yaml::Writer::After::kText);
      return {};
    }
    const Block block(writer_, 0);
    for (const Value& item : items) {
      writer_.start_line();
      writer_.indicator("-", yaml::Writer::Before::kSpace, yaml::Writer::After::kIndentation);
      CW_TRY_VOID(write(item, depth + 1));
    }
    return {};
  }

  base::Status mapping(const value::Dict& dict, int depth) {
    if (dict.empty()) {
      writer_.indicator("{}", yaml::Writer::Before::kSpace, yaml::Writer::After::kText);
      return {};
    }
    std::vector<const value::Dict::Entry*> members;
    for (const auto& entry : dict) {
      members.push_back(&entry);
    }
    std::stable_sort(members.begin(), members.end(),
                     [](const auto* a, const auto* b) { return key_less(a->first, b->first); });
    const Block block(writer_, 0);
    for (const auto* member : members) {
      writer_.start_line();
      key(member->first);
      CW_TRY_VOID(write(member->second, depth + 1));
    }
    return {};
  }

  void key(const std::string& text) {
    if (text.size() <= kInlineKeyBytesMax && !yaml::analyze_yaml_text(text).multiline) {
      string(text, Role::kKey);
      writer_.indicator(":", yaml::Writer::Before::kNothing, yaml::Writer::After::kText);
      return;
    }
    writer_.indicator("?", yaml::Writer::Before::kSpace, yaml::Writer::After::kIndentation);
    string(text, Role::kValue);
    writer_.start_line();
    writer_.indicator(":", yaml::Writer::Before::kSpace, yaml::Writer::After::kIndentation);
  }

  void string(const std::string& text, Role role) {
    if (!base::is_valid_utf8(text)) {
      writer_.indicator("!!binary", yaml::Writer::Before::kSpace, yaml::Writer::After::kText);
      scalar(base::base64_encode(text), yaml::Style::kPlain);
      return;
    }
    const yaml::Style style = text.empty() ? yaml::Style::kDoubleQuoted : style_of(text, role);
    scalar(text, style);
  }

  void scalar(std::string_view text, yaml::Style style) {
    const Block block(writer_, kIndentStep);
    writer_.scalar(text, style, yaml::Writer::Folding::kKeepLine);
  }

  yaml::Writer writer_;
};

}  // namespace

base::Result<std::string> pretty_yaml(const Value& v) { return Encoder().encode(v); }

}  // namespace chartwright::helm
