// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "kube/object_json.h"
#include "test/fuzz/targets.h"
#include "value/compare.h"
#include "value/json.h"
#include "yaml/yaml.h"

// Targets that parse a value and serialise it again.
namespace chartwright::fuzz {

using base::Result;
using value::Numbers;
using value::Value;

namespace {

// Reports whether Go does not round-trip the value: it writes the key "<<" without quotes and reads
// it as a merge, and it turns line breaks of Unicode into spaces.
bool loses_its_meaning(const Value& v) {
  const std::string json = CW_MUST(value::to_json(v));
  for (std::string_view lost : {"<<", "\\u003c\\u003c", "\u0085", "\\u2028", "\\u2029"}) {
    if (json.find(lost) != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

void yaml_text(std::string_view text) {
  const Result<Value> first = yaml::parse_yaml(text, Numbers::kFloat64);
  if (!first.ok()) {
    return;
  }
  const Result<std::string> written = yaml::to_yaml(*first);
  if (!written.ok()) {
    return;  // Control characters, as in Go.
  }
  if (loses_its_meaning(*first)) {
    return;
  }
  const Result<Value> second = yaml::parse_yaml(*written, Numbers::kFloat64);
  CW_CHECK(second.ok() && value::json_equal(*first, *second));
}

void json_text(std::string_view text) {
  const Result<Value> first = value::parse_json(text, Numbers::kInt64);
  if (first.ok()) {
    const std::string written = CW_MUST(value::to_json(*first));
    const Result<Value> second = value::parse_json(written, Numbers::kInt64);
    CW_CHECK(second.ok() && value::json_equal(*first, *second));
    (void)value::to_json_pretty(*first);
  }
  // The fast reader of API objects keeps fieldsV1 as a string and must agree on everything else.
  const Result<Value> object = kube::parse_object_json(text);
  if (text.find("fieldsV1") == std::string_view::npos &&
      text.find('\\') == std::string_view::npos) {
    CW_CHECK(object.ok() == first.ok());
    CW_CHECK(!object.ok() || value::json_equal(*object, *first));
  }
}

}  // namespace chartwright::fuzz
