// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/decode.h"

#include <string>

#include "helm/chart/go_struct.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr std::string_view kDictType = "map[string]interface {}";
constexpr std::string_view kListType = "[]interface {}";

base::Error wrong_json_type(const Value& v, std::string_view go_type) {
  return base::Error(base::ErrorCode::kParse, "json: cannot unmarshal " +
                                                  std::string(json_type(v)) +
                                                  " into Go value of type " + std::string(go_type));
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

}  // namespace chartwright::helm
