// SPDX-License-Identifier: Apache-2.0
#include "helm/toml/toml.h"

#include <algorithm>
#include <array>
#include <vector>

#include "go/format.h"
#include "go/format_float.h"
#include "go/time.h"
#include "helm/funcs/struct_value.h"
#include "helm/funcs/time_value.h"
#include "helm/toml/text.h"
#include "value/compare.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr int kEncodeDepthMax = 500;
constexpr size_t kOutputBytesMax = size_t{64} << 20;

base::Error invalid(std::string message) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::move(message));
}

std::string float_text(double d, TomlRule rule) {
  const std::string text = go::format_float(d, rule == TomlRule::k1_5 ? 'f' : 'g', -1);
  if (text == "NaN") {
    return "nan";
  }
  if (text == "+Inf" || text == "-Inf") {
    return text[0] == '-' ? "-inf" : "inf";
  }
  return text.find_first_of("e.") == std::string::npos ? text + ".0" : text;
}

enum class TomlType : uint8_t { kNone, kScalar, kArray, kTableArray, kTable };

const funcs::StructValue* as_struct(const Value& v) {
  return v.is_native() ? dynamic_cast<const funcs::StructValue*>(&v.as_native()) : nullptr;
}

/// Returns the value to encode: the map or list inside a named type, and the JSON form of types for
/// which the encoder has no rule.
Value opened(const Value& v) {
  if (!v.is_native() || as_struct(v) != nullptr || funcs::as_time(v) != nullptr) {
    return v;
  }
  const value::Native& native = v.as_native();
  if (native.underlying() != nullptr) {
    return *native.underlying();
  }
  return native.go_type() == "time.Duration" ? Value::string(native.to_string())
                                             : native.to_json_value().value_or(Value());
}

bool is_complex(const Value& v) { return v.is_native() && v.as_native().go_kind() == "complex128"; }

/// Returns the TOML type of a value. Error: a list must not contain null.
base::Result<TomlType> type_of(const Value& given, int depth) {
  if (is_complex(given)) {
    return invalid("unsupported type: complex128");
  }
  const Value v = opened(given);
  if (value::is_null(v)) {
    return TomlType::kNone;
  }
  if (v.is_dict() || as_struct(v) != nullptr) {
    return TomlType::kTable;
  }
  if (!v.is_list()) {
    return v.is_bytes() ? TomlType::kArray : TomlType::kScalar;
  }
  if (depth > kEncodeDepthMax) {
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

/// Formats a time according to its zone; a time without an offset is shifted by the offset of its
/// zone, as in the library.
std::string time_text(const go::Time& time) {
  struct Form {
    std::string_view zone;
    std::string_view layout;
  };
  constexpr std::array kLocalForms = {Form{"datetime-local", "2006-01-02T15:04:05.999999999"},
                                      Form{"date-local", "2006-01-02"},
                                      Form{"time-local", "15:04:05.999999999"}};
  for (const Form& form : kLocalForms) {
    if (time.zone->lookup(time.seconds).name == form.zone) {
      return go::format_time(time.in(go::TimeZone::utc()), form.layout);
    }
  }
  return go::format_time(time, "2006-01-02T15:04:05.999999999Z07:00");
}

/// A member of a table; `comma` if a comma follows it in an inline table.
struct Member {
  std::string name;
  Value value;
  bool is_table = false;
  bool comma = false;
};

/// Moves tables after plain members.
void tables_last(std::vector<Member>& members) {
  std::stable_partition(members.begin(), members.end(),
                        [](const Member& member) { return !member.is_table; });
}

base::Result<Member> make_member(std::string_view name, const Value& v) {
  CW_TRY(const TomlType type, type_of(v, 0));
  return Member{std::string(name), v, type == TomlType::kTable || type == TomlType::kTableArray,
                false};
}

/// Returns the members of a dict. A comma follows all but the last, where nulls count although they
/// are not written.
base::Result<std::vector<Member>> members_of(const value::Dict& dict) {
  std::vector<Member> members;
  for (const auto& [name, v] : dict) {
    CW_TRY(Member member, make_member(name, v));
    members.push_back(std::move(member));
  }
  tables_last(members);
  for (size_t i = 0; i + 1 < members.size(); ++i) {
    members[i].comma = true;
  }
  return members;
}

/// Returns the members of a struct. A comma follows all but the field declared last, wherever that
/// is written.
base::Result<std::vector<Member>> members_of(const funcs::StructValue& fields) {
  std::vector<Member> members;
  for (size_t i = 0; i < fields.fields().size(); ++i) {
    const funcs::StructField& field = fields.fields()[i];
    CW_TRY(Member member, make_member(field.go_name, field.value));
    member.comma = fields.go_index(i) + 1 != fields.fields().size();
    members.push_back(std::move(member));
  }
  tables_last(members);
  return members;
}

base::Result<std::vector<Member>> members_of_table(const Value& table) {
  const funcs::StructValue* fields = as_struct(table);
  return fields != nullptr ? members_of(*fields) : members_of(table.as_dict());
}

class Encoder {
 public:
  explicit Encoder(TomlRule rule) : rule_(rule) {}
  base::Result<std::string> encode(const Value& v) {
    CW_TRY_VOID(member({}, v));
    return std::move(out_);
  }

 private:
  using Key = std::vector<std::string>;

  base::Status check(const Key& key) const {
    if (key.size() > kEncodeDepthMax || out_.size() > kOutputBytesMax) {
      return base::Error(base::ErrorCode::kBudget, "toml: value is nested too deeply or too large");
    }
    return {};
  }

  static std::string indent(const Key& key) { return std::string((key.size() - 1) * 2, ' '); }

  static std::string path(const Key& key) {
    std::string text;
    for (const std::string& part : key) {
      text += (text.empty() ? "" : ".") + toml_key_part(part);
    }
    return text;
  }

  void newline() {
    if (!out_.empty()) {
      out_ += '\n';
    }
  }

  base::Status member(const Key& key, const Value& given) {
    CW_TRY_VOID(check(key));
    if (is_complex(given)) {
      return invalid("unsupported type for key '" + path(key) + "': complex128");
    }
    const Value v = opened(given);
    CW_TRY(const TomlType type, type_of(v, 0));
    switch (type) {
      case TomlType::kNone:
        if (key.empty() && v.is_list()) {  // A nil slice; members of tables are left out.
          return element(v, 0);
        }
        return {};
      case TomlType::kTable:
        return table(key, v);
      case TomlType::kTableArray:
        return table_array(key, v.as_list().items);
      default:
        break;
    }
    if (key.empty()) {
      return element(v, 0);
    }
    out_ += indent(key) + toml_key_part(key.back()) + " = ";
    CW_TRY_VOID(element(v, 0));
    newline();
    return {};
  }

  base::Status table(const Key& key, const Value& v) {
    if (key.size() == 1) {
      newline();
    }
    if (!key.empty()) {
      out_ += indent(key) + "[" + path(key) + "]\n";
    }
    return members(key, v);
  }

  base::Status table_array(const Key& key, const std::vector<Value>& tables) {
    if (key.empty()) {
      return invalid("toml: top-level values must be Go maps or structs");
    }
    for (const Value& item : tables) {
      newline();
      out_ += indent(key) + "[[" + path(key) + "]]\n";
      CW_TRY_VOID(members(key, opened(item)));
    }
    return {};
  }

  base::Status members(const Key& key, const Value& table) {
    CW_TRY(const std::vector<Member> inner, members_of_table(table));
    for (const Member& each : inner) {
      Key inner_key = key;
      inner_key.push_back(each.name);
      CW_TRY_VOID(member(inner_key, each.value));
    }
    return {};
  }

  /// Writes a value after "key = " or inside an array.
  base::Status element(const Value& given, int depth) {
    if (depth > kEncodeDepthMax || out_.size() > kOutputBytesMax) {
      return base::Error(base::ErrorCode::kBudget, "toml: value is nested too deeply or too large");
    }
    const Value v = opened(given);
    switch (v.kind()) {
      case value::Kind::kString:
        out_ += toml_quoted(v.as_string());
        return {};
      case value::Kind::kFloat:
        out_ += float_text(v.as_float(), rule_);
        return {};
      case value::Kind::kList:
        return inline_array(v.as_list().items, depth);
      case value::Kind::kDict:
        return inline_table(v, depth);
      case value::Kind::kNative:
        if (const go::Time* time = funcs::as_time(v)) {
          out_ += time_text(*time);
          return {};
        }
        return inline_table(v, depth);
      case value::Kind::kBytes: {
        std::vector<Value> bytes;
        for (const char c : v.as_string()) {
          bytes.push_back(Value::integer(static_cast<unsigned char>(c)));
        }
        return inline_array(bytes, depth);
      }
      default:
        out_ += go::format_value(v);
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

  base::Status inline_table(const Value& table, int depth) {
    CW_TRY(const std::vector<Member> inner, members_of_table(table));
    out_ += '{';
    for (const Member& each : inner) {
      if (value::is_null(opened(each.value))) {
        continue;
      }
      out_ += toml_key_part(each.name) + " = ";
      CW_TRY_VOID(element(each.value, depth + 1));
      out_ += each.comma ? ", " : "";
    }
    out_ += '}';
    return {};
  }

  TomlRule rule_;
  std::string out_;
};

}  // namespace

base::Result<std::string> to_toml(const Value& v, TomlRule rule) { return Encoder(rule).encode(v); }

}  // namespace chartwright::helm
