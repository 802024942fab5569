// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/go_struct.h"

#include "base/strings.h"
#include "go/format.h"

namespace chartwright::helm {
namespace {

using value::Value;

base::Error decode_error(const Value& v, std::string_view where, std::string_view go_type) {
  std::string text = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ";
  text.append(json_type(v)).append(" into Go ").append(where).append(" of type ").append(go_type);
  return base::Error(base::ErrorCode::kParse, std::move(text));
}

const StructDecoder::Field* find_field(std::span<const StructDecoder::Field> fields,
                                       std::string_view key) {
  const StructDecoder::Field* folded = nullptr;
  for (const auto& field : fields) {
    if (field.name == key) {
      return &field;
    }
    if (folded == nullptr && base::to_lower_ascii(field.name) == base::to_lower_ascii(key)) {
      folded = &field;
    }
  }
  return folded;
}

}  // namespace

void StructDecoder::object(const Value& v, const Type& type, std::span<const Field> fields) {
  if (v.is_nil()) {
    return;
  }
  if (!v.is_dict()) {
    mismatch(v, type.full);
    return;
  }
  const std::string_view outer = bare_type_;
  for (const auto& [key, member] : v.as_dict()) {
    if (const Field* field = find_field(fields, key)) {
      bare_type_ = type.bare;
      path_.emplace_back(field->name);
      field->read(*this, member);
      path_.pop_back();
    }
  }
  bare_type_ = outer;
}

void StructDecoder::list(const Value& v, std::string_view type, const Read& element) {
  if (v.is_nil()) {
    return;
  }
  if (!v.is_list()) {
    mismatch(v, type);
    return;
  }
  for (const Value& item : v.as_list().items) {
    element(*this, item);
  }
}

void StructDecoder::string(const Value& v, std::string& into) {
  if (v.is_string()) {
    into = v.as_string();
  } else if (v.is_bool() || v.is_number()) {
    into = go::format_value(v);
  } else if (!v.is_nil()) {
    mismatch(v, "string");
  }
}

void StructDecoder::boolean(const Value& v, bool& into) {
  if (v.is_bool()) {
    into = v.as_bool();
  } else if (!v.is_nil()) {
    mismatch(v, "bool");
  }
}

void StructDecoder::string_list(const Value& v, std::vector<std::string>& into) {
  if (v.is_list()) {
    into.clear();
  }
  list(v, "[]string", [&into](StructDecoder& decoder, const Value& item) {
    into.emplace_back();
    decoder.string(item, into.back());
  });
}

void StructDecoder::string_map(const Value& v, Value& into) {
  if (v.is_nil()) {
    return;
  }
  if (!v.is_dict()) {
    mismatch(v, "map[string]string");
    return;
  }
  into = Value::dict(value::kStringDict);
  for (const auto& [key, member] : v.as_dict()) {
    std::string text;
    string(member, text);
    into.mutable_dict().set(key, Value::string(std::move(text)));
  }
}

base::Status StructDecoder::status() const {
  if (error_) {
    return *error_;
  }
  return {};
}

void StructDecoder::mismatch(const Value& v, std::string_view type) {
  if (error_) {
    return;
  }
  error_ =
      path_.empty()
          ? wrong_top_type(v, type)
          : decode_error(
                v, "struct field " + std::string(bare_type_) + "." + base::join(path_, "."), type);
}

std::string_view json_type(const Value& v) {
  switch (v.kind()) {
    case value::Kind::kBool:
      return "bool";
    case value::Kind::kInt:
    case value::Kind::kFloat:
      return "number";
    case value::Kind::kList:
      return "array";
    case value::Kind::kDict:
      return "object";
    default:
      return "string";
  }
}

base::Error wrong_top_type(const Value& v, std::string_view go_type) {
  return decode_error(v, "value", go_type);
}

}  // namespace chartwright::helm
