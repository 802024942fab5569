// SPDX-License-Identifier: Apache-2.0
// Reads operator/operator.yaml of a chart.
#include <algorithm>
#include <array>

#include "bundle/bundle.h"
#include "bundle/choice.h"
#include "bundle/watch.h"
#include "go/quote.h"
#include "yaml/document.h"

namespace chartwright::bundle {
namespace {

using yaml::DocumentNode;
using yaml::MapReader;

using release::OnDelete;
using release::Until;
using release::Update;

constexpr std::array<std::pair<std::string_view, Update>, 5> kUpdates = {{
    {"apply", Update::kApply},
    {"recreate", Update::kRecreate},
    {"recreateIfImmutable", Update::kRecreateIfImmutable},
    {"orphanRecreate", Update::kOrphanRecreate},
    {"onDelete", Update::kOnDelete},
}};
constexpr std::array<std::pair<std::string_view, OnDelete>, 3> kOnDelete = {{
    {"cascade", OnDelete::kCascade},
    {"orphan", OnDelete::kOrphan},
    {"keep", OnDelete::kKeep},
}};

constexpr std::array<std::pair<std::string_view, Until>, 3> kUntil = {{
    {"observed", Until::kObserved},
    {"ready", Until::kReady},
    {"gone", Until::kGone},
}};
// More objects at a time than any custom resource has.
constexpr int64_t kPaceMax = 1'000'000;

// The members that say which object it is; nobody can change them.
constexpr std::array<std::string_view, 4> kIdentity = {"apiVersion", "kind", "metadata.name",
                                                       "metadata.namespace"};

base::Result<std::vector<value::Path>> read_paths(MapReader& map, std::string_view key) {
  std::vector<value::Path> paths;
  const DocumentNode* node = map.find(key);
  if (node == nullptr) {
    return paths;
  }
  CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*node));
  for (const DocumentNode& item : *items) {
    CW_TRY(const std::string text, yaml::document_text(item));
    auto path = value::Path::parse(text);
    if (!path.ok()) {
      return yaml::document_error(item, path.error().message());
    }
    if (std::ranges::find(kIdentity, path->to_string()) != kIdentity.end()) {
      return yaml::document_error(item, go::quote(text) +
                                            " tells which object it is, and never changes: name "
                                            "a field that does");
    }
    paths.push_back(*std::move(path));
  }
  return paths;
}

/// A field cannot keep its live value by both rules: one of them decides whether a drift is
/// reported.
base::Status check_fields(const release::ChildRule& rule, MapReader& map) {
  for (size_t i = 0; i < rule.ignore.size(); ++i) {
    const std::string path = rule.ignore[i].to_string();
    if (std::ranges::find(rule.freeze, path, &value::Path::to_string) != rule.freeze.end()) {
      return yaml::document_error(
          map.find("ignore")->items[i],
          go::quote(path) +
              " is in \"freeze\" too: freeze keeps the live value and reports a "
              "difference, ignore leaves the field to others; choose one");
    }
  }
  return {};
}

/// A match that was read, to find equal ones.
struct ReadMatch {
  release::ChildMatch match;
  base::SourcePos pos;
};

bool are_equal(const release::ChildMatch& a, const release::ChildMatch& b) {
  return a.api_version == b.api_version && a.kind == b.kind && a.name == b.name &&
         std::ranges::is_permutation(a.labels, b.labels);
}

base::Status add_match(const DocumentNode& node, const release::ChildMatch& match,
                       std::vector<ReadMatch>& before) {
  const auto same = std::ranges::find_if(
      before, [&match](const ReadMatch& one) { return are_equal(one.match, match); });
  if (same != before.end()) {
    return yaml::document_error(
        node, "this rule never applies: that at " + same->pos.to_string() +
                  " has the same match and comes first; write one rule with the members of both");
  }
  before.push_back({match, node.pos});
  return {};
}

/// Reads a text that is compared as it is: a pattern in it would match nothing.
base::Result<std::string> exact_text(MapReader& map, std::string_view key) {
  CW_TRY(std::string text, map.text(key));
  if (text.find_first_of("*?") != std::string::npos) {
    return yaml::document_error(*map.find(key),
                                "\"" + text + "\" would match nothing: only name may have * and ?");
  }
  return text;
}

base::Result<release::ChildMatch> read_match(const DocumentNode& node) {
  release::ChildMatch match;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(match.api_version, exact_text(map, "apiVersion"));
  CW_TRY(match.kind, exact_text(map, "kind"));
  CW_TRY(match.name, map.text("name"));
  if (const DocumentNode* labels = map.find("labels")) {
    CW_TRY_DISCARD(MapReader::open(*labels));
    for (const yaml::DocumentEntry& entry : labels->entries) {
      CW_TRY(std::string text, yaml::document_text(entry.value));
      match.labels.emplace_back(entry.key.text, std::move(text));
    }
  }
  CW_TRY_VOID(map.finish());
  return match;
}

base::Result<release::Pace> read_pace(const DocumentNode& node) {
  release::Pace pace;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(const DocumentNode* max, map.require("max"));
  CW_TRY(const int64_t number, yaml::document_int(*max));
  if (number < 1 || number > kPaceMax) {
    return yaml::document_error(
        *max, std::to_string(number) + " is not a number from 1 to " + std::to_string(kPaceMax));
  }
  pace.max = static_cast<int>(number);
  if (const DocumentNode* until = map.find("until")) {
    CW_TRY(pace.until, read_choice(*until, kUntil));
  }
  CW_TRY_VOID(map.finish());
  return pace;
}

base::Result<std::optional<Predicate>> read_predicate(MapReader& map, std::string_view key) {
  const DocumentNode* node = map.find(key);
  if (node == nullptr) {
    return std::optional<Predicate>();
  }
  CW_TRY(std::string text, yaml::document_text(*node));
  if (text.find("{{") == std::string::npos) {
    return yaml::document_error(
        *node,
        "\"" + text + "\" is not a template, such as '{{ eq .Object.status.phase \"Running\" }}'");
  }
  return std::optional(Predicate{std::move(text), node->pos, node->path, std::nullopt});
}

base::Result<release::ChildRule> read_rule(const DocumentNode& node, ChildPredicates& predicates) {
  release::ChildRule rule;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(const DocumentNode* match, map.require("match"));
  CW_TRY(rule.match, read_match(*match));
  CW_TRY(rule.freeze, read_paths(map, "freeze"));
  CW_TRY(rule.ignore, read_paths(map, "ignore"));
  CW_TRY(rule.grow_only, read_paths(map, "growOnly"));
  CW_TRY_VOID(check_fields(rule, map));
  if (const DocumentNode* update = map.find("update")) {
    CW_TRY(rule.update, read_choice(*update, kUpdates));
  }
  if (const DocumentNode* on_delete = map.find("onDelete")) {
    CW_TRY(rule.on_delete, read_choice(*on_delete, kOnDelete));
  }
  if (const DocumentNode* drift = map.find("drift")) {
    CW_TRY(rule.drift, read_choice(*drift, kDriftPolicies));
  }
  if (const DocumentNode* pace = map.find("pace")) {
    CW_TRY(rule.pace, read_pace(*pace));
  }
  CW_TRY(predicates.present, read_predicate(map, "present"));
  CW_TRY(predicates.ready, read_predicate(map, "ready"));
  CW_TRY_VOID(map.finish());
  return rule;
}

/// Reads the entries of `related`, each by itself.
base::Status read_all_related(const DocumentNode& node, OperatorRules& rules,
                              base::Faults& faults) {
  CW_TRY_DISCARD(MapReader::open(node));
  for (const yaml::DocumentEntry& entry : node.entries) {
    auto config = read_related(entry.key.text, entry.value);
    if (config.ok()) {
      rules.related.push_back(*std::move(config));
    } else {
      faults.add(std::move(config).error());
    }
  }
  return {};
}

/// Reads the rules for children, each by itself.
base::Status read_children(const DocumentNode& node, OperatorRules& rules, base::Faults& faults) {
  CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(node));
  std::vector<ReadMatch> matches;
  for (const DocumentNode& item : *items) {
    ChildPredicates predicates;
    auto rule = read_rule(item, predicates);
    if (!rule.ok()) {
      faults.add(std::move(rule).error());
      continue;
    }
    faults.add(add_match(*item.find("match"), rule->match, matches));
    rules.children.push_back(*std::move(rule));
    rules.predicates.push_back(std::move(predicates));
  }
  return {};
}

base::Status read_crd(const DocumentNode& node, OperatorRules& rules) {
  CW_TRY(rules.crd, read_crd_options(node));
  return {};
}

base::Status read_allow_empty(const DocumentNode& node, OperatorRules& rules) {
  CW_TRY(rules.allow_empty, yaml::document_bool(node));
  return {};
}

base::Status read_rules(const DocumentNode& root, OperatorRules& rules, base::Faults& faults) {
  if (root.kind == DocumentNode::Kind::kNull) {
    return {};
  }
  CW_TRY(MapReader map, MapReader::open(root));
  rules.mentions = mentions_of(root);
  if (const DocumentNode* related = map.find("related")) {
    faults.add(read_all_related(*related, rules, faults));
  }
  if (const DocumentNode* children = map.find("children")) {
    faults.add(read_children(*children, rules, faults));
  }
  if (const DocumentNode* crd = map.find("crd")) {
    faults.add(read_crd(*crd, rules));
  }
  if (const DocumentNode* allow_empty = map.find("allowEmpty")) {
    faults.add(read_allow_empty(*allow_empty, rules));
  }
  return map.finish();
}

}  // namespace

OperatorRules parse_operator_rules(const std::string& text, const std::string& file,
                                   base::Faults& faults) {
  OperatorRules rules;
  const auto root = yaml::parse_document(text, file);
  if (!root.ok()) {
    faults.add(root.error());
    return rules;
  }
  faults.add(read_rules(*root, rules, faults));
  return rules;
}

base::Result<OperatorRules> parse_operator_rules(const std::string& text, const std::string& file) {
  base::Faults faults;
  OperatorRules rules = parse_operator_rules(text, file, faults);
  CW_TRY_VOID(faults.status());
  return rules;
}

}  // namespace chartwright::bundle
