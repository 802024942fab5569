// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "value/yaml.h"
#include "value/yaml_json_string.h"
#include "value/yaml_key_order.h"
#include "value/yaml_nodes.h"
#include "value/yaml_number.h"
#include "value/yaml_resolve.h"
#include "value/yaml_scalar_style.h"
#include "value/yaml_writer.h"

namespace chartwright::value {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr int kIndentStep = 2;
// Longer keys take the form "? key".
constexpr size_t kMaxInlineKey = 128;
// Shared dicts may unfold into far more text than they take in memory.
constexpr size_t kMaxOutputBytes = size_t{64} << 20;

// A finite float as encoding/json writes it and go-yaml reads that: a whole number that 64 bits
// hold is an integer again, all else has Go's shortest form.
std::string float_text(double d) {
  constexpr double kFirstJsonExponent = 1e21;
  if (d == std::trunc(d) && std::fabs(d) < kFirstJsonExponent) {
    std::string whole = format_float_f(d);
    if (d == 0) {
      return "0";
    }
    const YamlType type = resolve_plain_scalar(whole).type;
    if (type == YamlType::kInt || type == YamlType::kUint) {
      return whole;
    }
  }
  return format_float_g(d);
}

std::string int_text(const Value& v) {
  return v.int_type() == IntType::kUint64 ? std::to_string(static_cast<uint64_t>(v.as_int()))
                                          : std::to_string(v.as_int());
}

class Encoder {
 public:
  Result<std::string> encode(const Value& v) {
    CW_TRY_VOID(node(v, Place::kRoot, 0));
    writer_.start_line();
    return writer_.take();
  }

 private:
  enum class Place : uint8_t { kRoot, kSequenceItem, kMappingValue };

  // `depth` is the number of collections around the value.
  Status node(const Value& v, Place place, int depth) {
    if (writer_.size() > kMaxOutputBytes) {
      return Error(ErrorCode::kBudget,
                   "yaml: text is longer than " + std::to_string(kMaxOutputBytes) + " bytes");
    }
    switch (v.kind()) {
      case Kind::kNil:
      case Kind::kNoValue:
        return plain("null");
      case Kind::kBool:
        return plain(v.as_bool() ? "true" : "false");
      case Kind::kInt:
        return plain(int_text(v));
      case Kind::kFloat:
        return number(v.as_float());
      case Kind::kString:
        return string(v.as_string());
      case Kind::kBytes:
        return string(base::base64_encode(v.as_string()));
      case Kind::kList:
        return sequence(v.as_list(), place, depth);
      case Kind::kDict:
        return mapping(v.as_dict(), depth);
      case Kind::kNative:
        break;
    }
    CW_TRY_VOID(check_depth(depth));
    return node(v.as_native().to_json_value(), place, depth + 1);
  }

  static Status check_depth(int depth) {
    if (depth >= kMaxYamlDepth) {
      return Error(ErrorCode::kBudget,
                   "yaml: exceeded max depth of " + std::to_string(kMaxYamlDepth));
    }
    return {};
  }

  // A scalar that no rule can make a string of.
  Status plain(std::string_view text) {
    write_scalar(text, YamlStyle::kPlain, YamlWriter::Folding::kFold);
    return {};
  }

  Status number(double d) {
    if (!std::isfinite(d)) {
      return Error(ErrorCode::kInvalidArgument, "json: unsupported value: " + format_float_g(d));
    }
    return plain(float_text(d));
  }

  Status string(std::string_view text) {
    CW_TRY(const std::string read, yaml_read_back(text, YamlStringRole::kValue));
    const YamlStyle style = choose_yaml_style(read, analyze_yaml_text(read));
    write_scalar(read, style, YamlWriter::Folding::kFold);
    return {};
  }

  // Continuation lines of a scalar stand deeper than its surroundings.
  void write_scalar(std::string_view text, YamlStyle style, YamlWriter::Folding folding) {
    const int outer = enter(Nesting::kDeeper);
    writer_.scalar(text, style, folding);
    writer_.set_indent(outer);
  }

  enum class Nesting : uint8_t { kDeeper, kBlock, kSame };

  // Moves the indentation inwards and returns the outer one.
  int enter(Nesting nesting) {
    const int outer = writer_.indent();
    if (outer < 0) {
      writer_.set_indent(nesting == Nesting::kDeeper ? kIndentStep : 0);
    } else if (nesting != Nesting::kSame) {
      writer_.set_indent(outer + kIndentStep);
    }
    return outer;
  }

  Status sequence(const List& list, Place place, int depth) {
    if (list.is_nil) {
      return plain("null");
    }
    CW_TRY_VOID(check_depth(depth));
    if (list.items.empty()) {
      writer_.indicator("[]", YamlWriter::Before::kSpace, YamlWriter::After::kText);
      return {};
    }
    // A sequence below "key:" stands under the key, not deeper.
    const bool under_key = place == Place::kMappingValue && !writer_.in_indentation();
    const int outer = enter(under_key ? Nesting::kSame : Nesting::kBlock);
    for (const Value& item : list.items) {
      writer_.start_line();
      writer_.indicator("-", YamlWriter::Before::kSpace, YamlWriter::After::kIndentation);
      CW_TRY_VOID(node(item, Place::kSequenceItem, depth + 1));
    }
    writer_.set_indent(outer);
    return {};
  }

  struct KeyedValue {
    std::string key;
    const Value* value;
  };

  static Result<std::vector<KeyedValue>> sorted_entries(const Dict& dict) {
    std::vector<KeyedValue> entries;
    entries.reserve(dict.size());
    for (const auto& [key, member] : dict) {
      CW_TRY(std::string read, yaml_read_back(key, YamlStringRole::kKey));
      entries.push_back({std::move(read), &member});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const KeyedValue& a, const KeyedValue& b) {
      return yaml_key_less(a.key, b.key);
    });
    return entries;
  }

  Status mapping(const Dict& dict, int depth) {
    CW_TRY_VOID(check_depth(depth));
    if (dict.empty()) {
      writer_.indicator("{}", YamlWriter::Before::kSpace, YamlWriter::After::kText);
      return {};
    }
    CW_TRY(const std::vector<KeyedValue> entries, sorted_entries(dict));
    const int outer = enter(Nesting::kBlock);
    for (const auto& [key, member] : entries) {
      writer_.start_line();
      write_key(key);
      CW_TRY_VOID(node(*member, Place::kMappingValue, depth + 1));
    }
    writer_.set_indent(outer);
    return {};
  }

  void write_key(std::string_view key) {
    const YamlTextTraits traits = analyze_yaml_text(key);
    const YamlStyle style = choose_yaml_style(key, traits);
    if (!traits.multiline && key.size() <= kMaxInlineKey) {
      write_scalar(key, style, YamlWriter::Folding::kKeepLine);
      writer_.indicator(":", YamlWriter::Before::kNothing, YamlWriter::After::kText);
      return;
    }
    writer_.indicator("?", YamlWriter::Before::kSpace, YamlWriter::After::kIndentation);
    write_scalar(key, style, YamlWriter::Folding::kFold);
    writer_.start_line();
    writer_.indicator(":", YamlWriter::Before::kSpace, YamlWriter::After::kIndentation);
  }

  YamlWriter writer_;
};

}  // namespace

Result<std::string> to_yaml(const Value& v) {
  Result<std::string> yaml = Encoder().encode(v);
  if (yaml.ok() || yaml.error().code() != ErrorCode::kInvalidArgument) {
    return yaml;
  }
  // Which of several problems Go names, and on which line, only its own way round tells.
  Result<std::string> json = to_json(v);
  if (!json.ok()) {
    return std::move(json).error().wrap("error marshaling into JSON");
  }
  const Result<YamlDocument> document = read_yaml_document(*json);
  return document.ok() ? std::move(yaml).error()
                       : Error(ErrorCode::kInvalidArgument, document.error().message());
}

}  // namespace chartwright::value
