// SPDX-License-Identifier: Apache-2.0
#include "apiserver/json_patch.h"
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

// A patch changes neither argument, and nests nothing deeper than a body may be.
void json_patch(std::string_view patch_and_object) {
  const auto [patch_text, object_text] = split(patch_and_object, '\0');
  const auto patch = value::parse_json(patch_text, Numbers::kInt64, apiserver::kBodyLimits);
  const auto object = value::parse_json(object_text, Numbers::kInt64, apiserver::kBodyLimits);
  if (!patch.ok() || !object.ok()) {
    return;
  }
  const auto texts = [&] {
    return std::pair(CW_MUST(value::to_json(*patch)), CW_MUST(value::to_json(*object)));
  };
  const auto before = texts();
  const base::SystemClock clock;
  views::Work work(clock, {}, std::chrono::seconds(2));
  const Result<Value> once = apiserver::json_patched(*object, *patch, work);
  CW_CHECK(texts() == before);
  if (!once.ok()) {
    return;
  }
  const std::string written = CW_MUST(value::to_json(*once));
  CW_CHECK(value::parse_json(written, Numbers::kInt64, apiserver::kBodyLimits).ok() ||
           written.size() > apiserver::kBodyLimits.max_bytes);
  views::Work again(clock, {}, std::chrono::seconds(2));
  const Result<Value> twice = apiserver::json_patched(*object, *patch, again);
  CW_CHECK(twice.ok() && CW_MUST(value::to_json(*twice)) == written);
}

}  // namespace chartwright::fuzz
