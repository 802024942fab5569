// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/go_decode.h"

#include <string>

#include "base/strings.h"
#include "helm/chart/go_struct.h"
#include "value/json.h"
#include "value/json_syntax.h"
#include "yaml/yaml.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr std::string_view kDictType = "map[string]interface {}";
constexpr std::string_view kListType = "[]interface {}";

base::Error wrong_json_type(std::string_view type, std::string_view go_type) {
  return base::Error(base::ErrorCode::kParse, "json: cannot unmarshal " + std::string(type) +
                                                  " into Go value of type " + std::string(go_type));
}

/// Decodes JSON whose top level begins with `opening`. Go looks at the type of a well-formed text
/// before it converts a number in it, so that one outside the range of float64 is not what it
/// tells of a text of another type.
base::Result<Value> decode_json(std::string_view text, char opening, std::string_view go_type) {
  auto decoded = value::parse_json(text, value::Numbers::kFloat64);
  const std::string_view body = base::trim(text);
  if (decoded.ok() || decoded.error().code() != base::ErrorCode::kParse ||
      body.starts_with(opening) || value::find_json_syntax_error(text)) {
    return decoded;
  }
  std::string_view type = "number";
  if (body.starts_with('{')) {
    type = "object";
  } else if (body.starts_with('[')) {
    type = "array";
  }
  return wrong_json_type(type, go_type);
}

}  // namespace

base::Result<Value> decode_yaml_dict(std::string_view text) {
  CW_TRY(Value v, yaml::parse_yaml(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::dict();
  }
  return v.is_dict() ? base::Result<Value>(std::move(v)) : wrong_top_type(v, kDictType);
}

base::Result<Value> decode_yaml_list(std::string_view text) {
  CW_TRY(Value v, yaml::parse_yaml(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::list({});  // sigs.k8s.io/yaml leaves the target alone; encoding/json would not.
  }
  return v.is_list() ? base::Result<Value>(std::move(v)) : wrong_top_type(v, kListType);
}

base::Result<Value> decode_json_dict(std::string_view text) {
  CW_TRY(Value v, decode_json(text, '{', kDictType));
  if (v.is_nil()) {
    return Value::nil_dict();
  }
  return v.is_dict() ? base::Result<Value>(std::move(v)) : wrong_json_type(json_type(v), kDictType);
}

base::Result<Value> decode_json_list(std::string_view text) {
  CW_TRY(Value v, decode_json(text, '[', kListType));
  if (v.is_nil()) {
    return Value::nil_list();
  }
  return v.is_list() ? base::Result<Value>(std::move(v)) : wrong_json_type(json_type(v), kListType);
}

}  // namespace chartwright::helm
