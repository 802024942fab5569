// SPDX-License-Identifier: Apache-2.0
#include "suite/assertion_file.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace chartwright::suite {
namespace {

using value::Value;

struct AssertionType {
  std::string_view name;
  Check check;
  bool antonym = false;
};

/// Source: helm-unittest pkg/unittest/assertion.go assertTypeMapping.
constexpr AssertionType kTypes[] = {
    {"contains", Check::kContains},
    {"containsDocument", Check::kContainsDocument},
    {"equal", Check::kEqual},
    {"equalRaw", Check::kEqualRaw},
    {"exists", Check::kExists},
    {"failedTemplate", Check::kFailedTemplate},
    {"greaterOrEqual", Check::kGreater},
    {"hasDocuments", Check::kDocuments},
    {"isAPIVersion", Check::kApiVersion},
    {"isEmpty", Check::kNullOrEmpty},
    {"isKind", Check::kKind},
    {"isNotEmpty", Check::kNullOrEmpty, true},
    {"isNotNull", Check::kExists},
    {"isNotNullOrEmpty", Check::kNullOrEmpty, true},
    {"isNotSubset", Check::kSubset, true},
    {"isNotType", Check::kType, true},
    {"isNull", Check::kExists, true},
    {"isNullOrEmpty", Check::kNullOrEmpty},
    {"isSubset", Check::kSubset},
    {"isType", Check::kType},
    {"lengthEqual", Check::kLength},
    {"lessOrEqual", Check::kLess},
    {"matchRegex", Check::kMatch},
    {"matchRegexRaw", Check::kMatchRaw},
    {"matchSnapshot", Check::kSnapshot},
    {"matchSnapshotRaw", Check::kSnapshotRaw},
    {"notContains", Check::kContains, true},
    {"notEqual", Check::kEqual, true},
    {"notEqualRaw", Check::kEqualRaw, true},
    {"notExists", Check::kExists, true},
    {"notFailedTemplate", Check::kFailedTemplate, true},
    {"notGreaterOrEqual", Check::kGreater, true},
    {"notLengthEqual", Check::kLength, true},
    {"notLessOrEqual", Check::kLess, true},
    {"notMatchRegex", Check::kMatch, true},
    {"notMatchRegexRaw", Check::kMatchRaw, true},
};

constexpr std::string_view kCommonKeys[] = {"not", "template", "documentIndex", "documentSelector"};

const AssertionType* find_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &AssertionType::name);
  return found != std::end(kTypes) ? found : nullptr;
}

base::Error unknown_type(const SuiteMap& map, std::string_view key) {
  std::vector<std::string_view> known(std::begin(kCommonKeys), std::end(kCommonKeys));
  std::ranges::transform(kTypes, std::back_inserter(known), &AssertionType::name);
  const std::string_view near = base::nearest(key, known);
  return map.error(key, "Assertion type `" + std::string(key) + "` is invalid" +
                            (near.empty() ? "" : ", did you mean `" + std::string(near) + "`?"));
}

/// Reads the parameters of a check of whole documents.
base::Status read_document_parameters(SuiteMap& map, Assertion& a) {
  switch (a.check) {
    case Check::kDocuments:
      CW_TRY_VOID(map.integer("count", a.count));
      CW_TRY_VOID(map.boolean("filterAware", a.filter_aware));
      break;
    case Check::kContainsDocument:
      CW_TRY_VOID(map.text("kind", a.kind));
      CW_TRY_VOID(map.text("apiVersion", a.api_version));
      CW_TRY_VOID(map.text("name", a.name));
      CW_TRY_VOID(map.text("namespace", a.namespace_name));
      CW_TRY_VOID(map.boolean("any", a.any));
      break;
    case Check::kFailedTemplate:
      CW_TRY_VOID(map.text("errorMessage", a.error_message));
      CW_TRY_VOID(map.text("errorPattern", a.error_pattern));
      break;
    case Check::kSnapshot:
      for (const auto& [key, into] :
           {std::pair("matchRegex", &a.match), {"notMatchRegex", &a.not_match}}) {
        CW_TRY(SuiteMap pattern, map.map(key));
        CW_TRY_VOID(pattern.text("pattern", *into));
        pattern.finish();
      }
      break;
    default:
      break;
  }
  return {};
}

/// Reads the parameters of a check, but for its path.
base::Status read_parameters(SuiteMap& map, Assertion& a) {
  switch (a.check) {
    case Check::kEqual:
      CW_TRY_VOID(map.boolean("decodeBase64", a.decode_base64));
      a.value = map.get("value");
      break;
    case Check::kGreater:
    case Check::kLess:
      a.value = map.get("value");
      break;
    case Check::kEqualRaw:
      CW_TRY_VOID(map.text("value", a.text));
      break;
    case Check::kContains:
      CW_TRY_VOID(map.integer("count", a.count));
      CW_TRY_VOID(map.boolean("any", a.any));
      a.value = map.get("content");
      break;
    case Check::kSubset:
      a.value = map.get("content");
      break;
    case Check::kKind:
    case Check::kApiVersion:
      CW_TRY_VOID(map.text("of", a.text));
      break;
    case Check::kType:
      CW_TRY_VOID(map.text("type", a.text));
      break;
    case Check::kMatch:
      CW_TRY_VOID(map.boolean("decodeBase64", a.decode_base64));
      [[fallthrough]];
    case Check::kMatchRaw:
      CW_TRY_VOID(map.text("pattern", a.text));
      break;
    case Check::kLength:
      CW_TRY_VOID(map.integer("count", a.count));
      CW_TRY_VOID(map.texts("paths", a.paths));
      break;
    default:
      return read_document_parameters(map, a);
  }
  return {};
}

}  // namespace

base::Status read_selector(SuiteMap& map, std::optional<DocumentSelector>& into) {
  const Value selector = map.get("documentSelector");
  if (selector.is_nil()) {
    return {};
  }
  CW_TRY(SuiteMap members, map.map("documentSelector"));
  into.emplace();
  CW_TRY_VOID(members.text("path", into->path));
  into->value = members.get("value");
  CW_TRY_VOID(members.boolean("matchMany", into->match_many));
  CW_TRY_VOID(members.boolean("skipEmptyTemplates", into->skip_empty_templates));
  if (!members.has("path")) {
    return map.error("documentSelector", "empty 'documentSelector.path' not supported");
  }
  members.finish();
  return {};
}

base::Result<Assertion> read_assertion(const SuiteText& text, const Value& v,
                                       SuiteMap::Steps steps) {
  CW_TRY(SuiteMap map, SuiteMap::open(text, v, std::move(steps)));
  Assertion a;
  a.pos = map.pos();
  CW_TRY_VOID(map.boolean("not", a.is_not));
  CW_TRY_VOID(map.text("template", a.template_name));
  CW_TRY_VOID(map.integer("documentIndex", a.document_index));
  CW_TRY_VOID(read_selector(map, a.selector));
  for (const auto& [key, parameters] : map.value().as_dict()) {
    const AssertionType* const type = find_type(key);
    if (type == nullptr) {
      if (std::ranges::find(kCommonKeys, key) == std::end(kCommonKeys)) {
        return unknown_type(map, key);
      }
      continue;
    }
    if (!a.type.empty()) {
      return map.error(key,
                       "assertion type `" + a.type + "` and `" + key + "` is declared duplicately");
    }
    a.type = key;
    a.check = type->check;
    a.antonym = type->antonym;
    a.expects_failure = type->check == Check::kFailedTemplate && !type->antonym;
    CW_TRY(SuiteMap members, map.map(key));
    CW_TRY_VOID(read_parameters(members, a));
    CW_TRY_VOID(members.text("path", a.path));
    members.finish();
  }
  if (a.type.empty()) {
    return map.error({}, "no assertion type defined");
  }
  return a;
}

}  // namespace chartwright::suite
