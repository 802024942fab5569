// SPDX-License-Identifier: Apache-2.0
#include "chart/decode.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "chart/coalesce.h"
#include "chart/documents.h"
#include "chart/go_struct.h"
#include "value/json.h"
#include "value/yaml.h"

namespace chartwright::chart {
namespace {

using value::Value;

constexpr std::string_view kDictType = "map[string]interface {}";
constexpr std::string_view kListType = "[]interface {}";

base::Error wrong_json_type(const Value& v, std::string_view go_type) {
  return base::Error(base::ErrorCode::kParse, "json: cannot unmarshal " +
                                                  std::string(json_type(v)) +
                                                  " into Go value of type " + std::string(go_type));
}

/// Texts count lines from the start of the document, places from the start of the file.
base::Error in_document(base::Error error, int lines_before) {
  const std::optional<base::SourcePos> pos = error.pos();
  error = std::move(error).wrap("cannot unmarshal yaml document");
  return pos ? std::move(error).at({pos->file, pos->line + lines_before, pos->column}) : error;
}

}  // namespace

base::Result<Value> decode_yaml_dict(std::string_view text) {
  CW_TRY(Value v, value::parse_yaml(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::dict();
  }
  return v.is_dict() ? base::Result<Value>(std::move(v)) : wrong_top_type(v, kDictType);
}

base::Result<Value> decode_values_file(std::string_view text, ValuesRule rule) {
  if (rule == ValuesRule::kFirstDocument) {
    return decode_yaml_dict(text);
  }
  auto documents = split_documents(text);
  if (!documents.ok()) {
    return std::move(documents).error().wrap("error reading yaml document");
  }
  Value values = Value::dict();
  for (const YamlDocument& document : *documents) {
    auto part = decode_yaml_dict(document.text);
    if (!part.ok()) {
      return in_document(std::move(part).error(), document.lines_before);
    }
    values = overlay(values, *part);
  }
  return values;
}

base::Result<Value> decode_yaml_list(std::string_view text) {
  CW_TRY(Value v, value::parse_yaml(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::list({});  // sigs.k8s.io/yaml leaves the target alone; encoding/json would not.
  }
  return v.is_list() ? base::Result<Value>(std::move(v)) : wrong_top_type(v, kListType);
}

base::Result<Value> decode_json_dict(std::string_view text) {
  CW_TRY(Value v, value::parse_json(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::nil_dict();
  }
  return v.is_dict() ? base::Result<Value>(std::move(v)) : wrong_json_type(v, kDictType);
}

base::Result<Value> decode_json_list(std::string_view text) {
  CW_TRY(Value v, value::parse_json(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::nil_list();
  }
  return v.is_list() ? base::Result<Value>(std::move(v)) : wrong_json_type(v, kListType);
}

}  // namespace chartwright::chart
