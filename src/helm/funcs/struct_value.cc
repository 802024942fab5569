// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/struct_value.h"

#include <algorithm>

#include "base/strings.h"
#include "go/format.h"
#include "helm/funcs/go_value.h"

namespace chartwright::helm::funcs {

using value::Value;

StructValue::StructValue(std::string_view go_type, Form form, std::vector<StructField> fields)
    : go_type_((form == Form::kPointer ? "*" : "") + std::string(go_type)),
      form_(form),
      fields_(std::move(fields)) {}

std::optional<Value> StructValue::field(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [name](const StructField& f) { return f.go_name == name; });
  return found != fields_.end() ? std::optional(found->value) : std::nullopt;
}

std::string StructValue::to_plain_string() const {
  return (form_ == Form::kPointer ? "&" : "") + StructValue::to_string();
}

std::string StructValue::to_string() const {
  std::string out = "{";
  bool first = true;
  for (const StructField& field : fields_) {
    out += first ? "" : " ";
    out += field.value.is_native() ? field.value.as_native().to_plain_string()
                                   : go::format_value(field.value);
    first = false;
  }
  return out + "}";
}

std::vector<value::Native::Member> StructValue::members() const {
  std::vector<Member> members;
  for (const StructField& field : fields_) {
    members.push_back({field.go_name, field.value});
  }
  return members;
}

base::Result<Value> StructValue::to_json_value() const {
  Value json = Value::dict();
  for (const StructField& field : fields_) {
    if (field.empty == JsonEmpty::kWrite || !funcs::is_empty(field.value)) {
      json.mutable_dict().set(field.json_name, field.value);
    }
  }
  return json;
}

std::vector<YamlField> StructValue::yaml_fields() const {
  std::vector<YamlField> written;
  for (const StructField& field : fields_) {
    written.push_back({base::to_lower_ascii(field.go_name), field.value});
  }
  return written;
}

std::vector<std::string_view> StructValue::json_order() const {
  std::vector<std::string_view> names;
  for (const StructField& field : fields_) {
    names.push_back(field.json_name);
  }
  return names;
}

}  // namespace chartwright::helm::funcs
