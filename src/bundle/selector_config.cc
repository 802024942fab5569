// SPDX-License-Identifier: Apache-2.0
#include "bundle/selector_config.h"

#include "base/strings.h"
#include "kube/names.h"

namespace chartwright::bundle {
namespace {

using yaml::DocumentNode;
using yaml::MapReader;
using Op = kube::LabelRequirement::Op;

// Keys and values are joined into one string, in which a comma or bracket has a meaning of its own.
base::Status check_key(const DocumentNode& node, const std::string& key) {
  if (kube::is_label_key(key)) {
    return {};
  }
  return yaml::document_error(
      node, "\"" + key + "\" is not a label key such as \"app\" or \"example.com/app\"");
}

base::Result<Op> read_operator(const DocumentNode& node) {
  CW_TRY(const std::string name, yaml::document_text(node));
  if (const auto op = kube::label_operator(name)) {
    return *op;
  }
  return yaml::document_error(
      node, "\"" + name + "\" is not a label selector operator: In, NotIn, Exists, DoesNotExist");
}

base::Result<SelectorTerm> read_expression(const DocumentNode& node) {
  SelectorTerm term;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(const DocumentNode* key, map.require("key"));
  CW_TRY(const DocumentNode* op, map.require("operator"));
  CW_TRY(term.key, yaml::document_text(*key));
  CW_TRY_VOID(check_key(*key, term.key));
  CW_TRY(term.op, read_operator(*op));
  if (const DocumentNode* values = map.find("values")) {
    CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*values));
    for (const DocumentNode& item : *items) {
      term.values.push_back(&item);
    }
  }
  CW_TRY_VOID(map.finish());
  const bool takes_values = term.op == Op::kIn || term.op == Op::kNotIn;
  if (takes_values == term.values.empty()) {
    return yaml::document_error(
        node, (takes_values ? "values must not be empty with " : "values must be empty with ") +
                  op->text);
  }
  return term;
}

}  // namespace

base::Result<std::vector<SelectorTerm>> read_labels(const DocumentNode& node) {
  std::vector<SelectorTerm> terms;
  CW_TRY_DISCARD(MapReader::open(node));
  for (const yaml::DocumentEntry& entry : node.entries) {
    CW_TRY_VOID(check_key(entry.key, entry.key.text));
    terms.push_back({entry.key.text, Op::kIn, {&entry.value}});
  }
  return terms;
}

base::Result<std::vector<SelectorTerm>> read_selector_terms(const DocumentNode& node) {
  std::vector<SelectorTerm> terms;
  CW_TRY(MapReader map, MapReader::open(node));
  if (const DocumentNode* labels = map.find("matchLabels")) {
    CW_TRY(terms, read_labels(*labels));
  }
  if (const DocumentNode* expressions = map.find("matchExpressions")) {
    CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*expressions));
    for (const DocumentNode& item : *items) {
      CW_TRY(SelectorTerm term, read_expression(item));
      terms.push_back(std::move(term));
    }
  }
  CW_TRY_VOID(map.finish());
  return terms;
}

base::Result<std::string> read_label_value(const DocumentNode& node) {
  CW_TRY(std::string text, yaml::document_text(node));
  if (!kube::is_label_value(text)) {
    return yaml::document_error(
        node, "\"" + text +
                  "\" is not a label value: at most 63 letters, digits, \"-\", \"_\" and \".\", "
                  "with a letter or digit at both ends");
  }
  return text;
}

base::Result<std::string> read_label_selector(const DocumentNode& node) {
  CW_TRY(const std::vector<SelectorTerm> terms, read_selector_terms(node));
  std::vector<std::string> parts;
  for (const SelectorTerm& term : terms) {
    kube::LabelRequirement requirement{term.key, term.op};
    for (const DocumentNode* value : term.values) {
      CW_TRY(std::string text, read_label_value(*value));
      requirement.values.push_back(std::move(text));
    }
    parts.push_back(requirement.to_string());
  }
  return base::join(parts, ",");
}

}  // namespace chartwright::bundle
