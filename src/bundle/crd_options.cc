// SPDX-License-Identifier: Apache-2.0
#include "bundle/crd_options.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "kube/names.h"

namespace chartwright::bundle {
namespace {

using yaml::DocumentNode;
using yaml::MapReader;

/// Source: k8s.io/apiextensions-apiserver pkg/apis/apiextensions/validation printerColumnDatatypes.
constexpr std::array<std::string_view, 5> kColumnTypes = {"integer", "number", "string", "boolean",
                                                          "date"};

base::Result<std::vector<std::string>> read_names(MapReader& map, std::string_view key) {
  std::vector<std::string> names;
  const DocumentNode* node = map.find(key);
  if (node == nullptr) {
    return names;
  }
  CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*node));
  for (const DocumentNode& item : *items) {
    CW_TRY(std::string name, yaml::document_string(item));
    names.push_back(std::move(name));
  }
  return names;
}

base::Status check_labels(MapReader& map, std::string_view key,
                          const std::vector<std::string>& names) {
  const DocumentNode* node = map.find(key);
  for (size_t i = 0; i < names.size(); ++i) {
    if (!kube::is_dns_label(names[i])) {
      return yaml::document_error(node->items[i],
                                  "expected lower-case letters, digits and hyphens");
    }
  }
  return {};
}

base::Result<PrinterColumn> read_column(const DocumentNode& node) {
  PrinterColumn column;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(const DocumentNode* name, map.require("name"));
  CW_TRY(column.name, yaml::document_string(*name));
  CW_TRY(const DocumentNode* type, map.require("type"));
  CW_TRY(column.type, yaml::document_string(*type));
  if (std::find(kColumnTypes.begin(), kColumnTypes.end(), column.type) == kColumnTypes.end()) {
    const std::string_view near =
        base::nearest(column.type, {kColumnTypes.begin(), kColumnTypes.end()});
    return yaml::document_error(
        *type, "unknown type \"" + column.type + "\"" +
                   (near.empty() ? ", expected integer, number, string, boolean or date"
                                 : ", did you mean \"" + std::string(near) + "\"?"));
  }
  CW_TRY(const DocumentNode* path, map.require("jsonPath"));
  CW_TRY(column.json_path, yaml::document_string(*path));
  if (!column.json_path.starts_with('.')) {
    return yaml::document_error(*path,
                                "expected a path from the custom resource, such as .spec.size");
  }
  if (const DocumentNode* priority = map.find("priority")) {
    CW_TRY(column.priority, yaml::document_int(*priority));
  }
  CW_TRY_VOID(map.finish());
  return column;
}

base::Result<kube::Scope> read_scope(const DocumentNode& node) {
  CW_TRY(const std::string text, yaml::document_string(node));
  if (text == "Cluster" || text == "Namespaced") {
    return text == "Cluster" ? kube::Scope::kCluster : kube::Scope::kNamespaced;
  }
  return yaml::document_error(node, "expected Namespaced or Cluster, got \"" + text + "\"");
}

}  // namespace

base::Result<CrdOptions> read_crd_options(const DocumentNode& node) {
  CrdOptions options;
  CW_TRY(MapReader map, MapReader::open(node));
  if (const DocumentNode* plural = map.find("plural")) {
    CW_TRY(options.plural, yaml::document_string(*plural));
    if (!kube::is_dns_label(options.plural)) {
      return yaml::document_error(*plural, "expected lower-case letters, digits and hyphens");
    }
  }
  CW_TRY(options.short_names, read_names(map, "shortNames"));
  CW_TRY_VOID(check_labels(map, "shortNames", options.short_names));
  CW_TRY(options.categories, read_names(map, "categories"));
  CW_TRY_VOID(check_labels(map, "categories", options.categories));
  CW_TRY(options.required, read_names(map, "required"));
  CW_TRY(options.omit, read_names(map, "omit"));
  if (const DocumentNode* scope = map.find("scope")) {
    CW_TRY(options.scope, read_scope(*scope));
  }
  if (const DocumentNode* columns = map.find("columns")) {
    CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*columns));
    for (const DocumentNode& item : *items) {
      CW_TRY(PrinterColumn column, read_column(item));
      options.columns.push_back(std::move(column));
    }
  }
  CW_TRY_VOID(map.finish());
  return options;
}

}  // namespace chartwright::bundle
