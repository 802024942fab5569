// SPDX-License-Identifier: Apache-2.0
#include "chart/toml.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tmpl/format.h"

namespace chartwright::chart {
namespace {

using value::Value;

constexpr int kDepthMax = 500;
constexpr size_t kOutputBytesMax = size_t{64} << 20;

base::Error invalid(std::string message) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::move(message));
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (byte < 0x20 || byte == 0x7F) {
          constexpr std::string_view kHex = "0123456789abcdef";
          out += "\\u00";
          out += kHex[byte >> 4];
          out += kHex[byte & 0xF];
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

bool is_bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

std::string key_text(const std::string& key) { return is_bare(key) ? key : quoted(key); }

std::string float_text(double d) {
  const std::string text = tmpl::format_float(d, 'g', -1);
  if (text == "NaN") {
    return "nan";
  }
  if (text == "+Inf" || text == "-Inf") {
    return text[0] == '-' ? "-inf" : "inf";
  }
  return text.find_first_of("e.") == std::string::npos ? text + ".0" : text;
}

enum class TomlType : uint8_t { kNone, kScalar, kArray, kTableArray, kTable };

/// Nil slices count as null, as every nil does.
bool is_null(const Value& v) {
  return v.is_nil() || v.is_no_value() || (v.is_list() && v.as_list().is_nil);
}

/// What a value is in TOML. Error: a list may not hold null.
base::Result<TomlType> type_of(const Value& v, int depth) {
  if (is_null(v)) {
    return TomlType::kNone;
  }
  if (v.is_dict()) {
    return TomlType::kTable;
  }
  if (!v.is_list()) {
    return v.is_bytes() ? TomlType::kArray : TomlType::kScalar;
  }
  if (depth > kDepthMax) {
    return base::Error(base::ErrorCode::kBudget, "toml: value is nested too deeply");
  }
  bool all_tables = !v.as_list().items.empty();
  for (const Value& item : v.as_list().items) {
    CW_TRY(const TomlType type, type_of(item, depth + 1));
    if (type == TomlType::kNone) {
      return invalid("toml: cannot encode array with nil element");
    }
    all_tables = all_tables && type == TomlType::kTable;
  }
  return all_tables ? TomlType::kTableArray : TomlType::kArray;
}

class Encoder {
 public:
  base::Result<std::string> encode(const Value& v) {
    CW_TRY_VOID(member({}, v));
    return std::move(out_);
  }

 private:
  using Key = std::vector<std::string>;
  using Members = std::vector<std::pair<const std::string*, const Value*>>;

  base::Status check(const Key& key) const {
    if (key.size() > kDepthMax || out_.size() > kOutputBytesMax) {
      return base::Error(base::ErrorCode::kBudget, "toml: value is nested too deeply or too large");
    }
    return {};
  }

  static std::string indent(const Key& key) { return std::string((key.size() - 1) * 2, ' '); }

  static std::string path(const Key& key) {
    std::string text;
    for (const std::string& part : key) {
      text += (text.empty() ? "" : ".") + key_text(part);
    }
    return text;
  }

  void newline() {
    if (!out_.empty()) {
      out_ += '\n';
    }
  }

  base::Status member(const Key& key, const Value& v) {
    CW_TRY_VOID(check(key));
    if (v.is_native()) {
      return member(key, v.as_native().to_json_value());
    }
    CW_TRY(const TomlType type, type_of(v, 0));
    switch (type) {
      case TomlType::kNone:
        return {};
      case TomlType::kTable:
        return table(key, v.as_dict());
      case TomlType::kTableArray:
        return table_array(key, v.as_list().items);
      default:
        break;
    }
    if (key.empty()) {
      return element(v, 0);
    }
    out_ += indent(key) + key_text(key.back()) + " = ";
    CW_TRY_VOID(element(v, 0));
    newline();
    return {};
  }

  base::Status table(const Key& key, const value::Dict& dict) {
    if (key.size() == 1) {
      newline();
    }
    if (!key.empty()) {
      out_ += indent(key) + "[" + path(key) + "]\n";
    }
    return members(key, dict);
  }

  base::Status table_array(const Key& key, const std::vector<Value>& tables) {
    if (key.empty()) {
      return invalid("toml: top-level values must be Go maps or structs");
    }
    for (const Value& item : tables) {
      newline();
      out_ += indent(key) + "[[" + path(key) + "]]\n";
      CW_TRY_VOID(members(key, item.as_dict()));
    }
    return {};
  }

  /// Plain members, then tables; both in order of their names.
  static base::Result<std::array<Members, 2>> split_members(const value::Dict& dict) {
    std::array<Members, 2> split;
    for (const auto& [name, v] : dict) {
      CW_TRY(const TomlType type, type_of(v, 0));
      const bool is_table = type == TomlType::kTable || type == TomlType::kTableArray;
      split[is_table ? 1 : 0].emplace_back(&name, &v);
    }
    return split;
  }

  base::Status members(const Key& key, const value::Dict& dict) {
    CW_TRY(const auto split, split_members(dict));
    for (const Members& group : split) {
      for (const auto& [name, v] : group) {
        Key inner = key;
        inner.push_back(*name);
        CW_TRY_VOID(member(inner, *v));
      }
    }
    return {};
  }

  /// A value behind "key = " or inside an array.
  base::Status element(const Value& v, int depth) {
    if (depth > kDepthMax || out_.size() > kOutputBytesMax) {
      return base::Error(base::ErrorCode::kBudget, "toml: value is nested too deeply or too large");
    }
    switch (v.kind()) {
      case value::Kind::kString:
        out_ += quoted(v.as_string());
        return {};
      case value::Kind::kFloat:
        out_ += float_text(v.as_float());
        return {};
      case value::Kind::kList:
        return inline_array(v.as_list().items, depth);
      case value::Kind::kDict:
        return inline_table(v.as_dict(), depth);
      case value::Kind::kNative:
        return element(v.as_native().to_json_value(), depth + 1);
      case value::Kind::kBytes: {
        std::vector<Value> bytes;
        for (const char c : v.as_string()) {
          bytes.push_back(Value::integer(static_cast<unsigned char>(c)));
        }
        return inline_array(bytes, depth);
      }
      default:
        out_ += tmpl::format_value(v);
        return {};
    }
  }

  base::Status inline_array(const std::vector<Value>& items, int depth) {
    out_ += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      out_ += i > 0 ? ", " : "";
      CW_TRY_VOID(element(items[i], depth + 1));
    }
    out_ += ']';
    return {};
  }

  base::Status inline_table(const value::Dict& dict, int depth) {
    CW_TRY(const auto split, split_members(dict));
    out_ += '{';
    for (size_t group = 0; group < split.size(); ++group) {
      for (size_t i = 0; i < split[group].size(); ++i) {
        const auto& [name, v] = split[group][i];
        if (is_null(*v)) {
          continue;
        }
        out_ += key_text(*name) + " = ";
        CW_TRY_VOID(element(*v, depth + 1));
        const bool more_tables = group == 0 && !split[1].empty();
        out_ += more_tables || i + 1 < split[group].size() ? ", " : "";
      }
    }
    out_ += '}';
    return {};
  }

  std::string out_;
};

}  // namespace

base::Result<std::string> to_toml(const Value& v) { return Encoder().encode(v); }

}  // namespace chartwright::chart
