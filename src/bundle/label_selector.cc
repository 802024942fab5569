// SPDX-License-Identifier: Apache-2.0
#include "bundle/label_selector.h"

#include <vector>

#include "base/strings.h"
#include "kube/names.h"

namespace chartwright::bundle {
namespace {

using yaml::DocumentNode;
using yaml::MapReader;

// Keys and values are joined into one string, in which a comma or bracket has a meaning of its own.
base::Status check_key(const DocumentNode& node, const std::string& key) {
  if (kube::is_label_key(key)) {
    return {};
  }
  return yaml::document_error(
      node, "\"" + key + "\" is not a label key such as \"app\" or \"example.com/app\"");
}

base::Result<std::string> read_value(const DocumentNode& node) {
  CW_TRY(std::string text, yaml::document_text(node));
  if (!kube::is_label_value(text)) {
    return yaml::document_error(
        node, "\"" + text +
                  "\" is not a label value: at most 63 letters, digits, \"-\", \"_\" and \".\", "
                  "with a letter or digit at both ends");
  }
  return text;
}

base::Result<std::string> read_requirement(const DocumentNode& node) {
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(const DocumentNode* key_node, map.require("key"));
  CW_TRY(const DocumentNode* op_node, map.require("operator"));
  CW_TRY(std::string key, yaml::document_text(*key_node));
  CW_TRY_VOID(check_key(*key_node, key));
  CW_TRY(std::string op, yaml::document_text(*op_node));
  std::vector<std::string> values;
  if (const DocumentNode* list_node = map.find("values")) {
    CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*list_node));
    for (const DocumentNode& item : *items) {
      CW_TRY(std::string text, read_value(item));
      values.push_back(std::move(text));
    }
  }
  CW_TRY_VOID(map.finish());
  const bool takes_values = op == "In" || op == "NotIn";
  if (!takes_values && op != "Exists" && op != "DoesNotExist") {
    return yaml::document_error(
        *op_node,
        "\"" + op + "\" is not a label selector operator: In, NotIn, Exists, DoesNotExist");
  }
  if (takes_values == values.empty()) {
    return yaml::document_error(node, takes_values ? "values must not be empty with " + op
                                                   : "values must be empty with " + op);
  }
  if (takes_values) {
    return key + (op == "In" ? " in (" : " notin (") + base::join(values, ",") + ")";
  }
  return op == "Exists" ? key : "!" + key;
}

}  // namespace

base::Result<std::string> read_label_selector(const DocumentNode& node) {
  std::vector<std::string> parts;
  CW_TRY(MapReader map, MapReader::open(node));
  if (const DocumentNode* labels = map.find("matchLabels")) {
    CW_TRY_DISCARD(MapReader::open(*labels));
    for (const yaml::DocumentEntry& entry : labels->entries) {
      CW_TRY_VOID(check_key(entry.key, entry.key.text));
      CW_TRY(std::string text, read_value(entry.value));
      parts.push_back(entry.key.text + "=" + text);
    }
  }
  if (const DocumentNode* expressions = map.find("matchExpressions")) {
    CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*expressions));
    for (const DocumentNode& item : *items) {
      CW_TRY(std::string part, read_requirement(item));
      parts.push_back(std::move(part));
    }
  }
  CW_TRY_VOID(map.finish());
  return base::join(parts, ",");
}

}  // namespace chartwright::bundle
