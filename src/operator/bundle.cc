// SPDX-License-Identifier: Apache-2.0
#include "operator/bundle.h"

#include <algorithm>

namespace chartwright::op {
namespace {

constexpr std::string_view kPatchesFolder = "patches/";

bool is_yaml(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

}  // namespace

RelatedQuery RelatedConfig::query() const {
  RelatedQuery query;
  query.name = name;
  query.gvk = gvk;
  for (const Label& label : selector) {
    query.label_selector += query.label_selector.empty() ? "" : ",";
    query.label_selector += label.templated ? label.key : label.key + "=" + label.value;
    if (label.templated && query.index_label.empty()) {
      query.index_label = label.key;
    }
  }
  if (query.index_label.empty() && !selector.empty()) {
    query.index_label = selector.front().key;
  }
  return query;
}

base::Result<Bundle> load_bundle(const std::string& path) {
  Bundle bundle;
  CW_TRY(bundle.chart, chart::Bundle::load(path));
  for (const auto& [name, text] : bundle.chart->operator_files()) {
    if (name == "operator.yaml") {
      CW_TRY(bundle.rules, parse_operator_rules(text, path + "/operator/" + name));
    } else if (name == "status.yaml") {
      bundle.status_template = text;
    } else if (name.starts_with(kPatchesFolder) && is_yaml(name)) {
      bundle.patches.emplace_back(name, text);
    } else {
      continue;
    }
    bundle.reads_live = bundle.reads_live || text.find(".Live") != std::string::npos;
  }
  return bundle;
}

}  // namespace chartwright::op
