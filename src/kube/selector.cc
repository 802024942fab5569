// SPDX-License-Identifier: Apache-2.0
#include "kube/selector.h"

#include "kube/object.h"

namespace chartwright::kube {
namespace {

base::Error error(const value::Value& object, const std::string& problem) {
  return {base::ErrorCode::kInvalidArgument, ref_of(object).to_string() + " " + problem};
}

bool is_empty(const value::Value* list) {
  return list == nullptr || !list->is_list() || list->as_list().items.empty();
}

}  // namespace

base::Result<std::vector<std::pair<std::string, std::string>>> selected_labels(
    const value::Value& object) {
  const value::Value* selector = object.find_path({"spec", "selector"});
  if (selector == nullptr || !selector->is_dict()) {
    return error(object, "has no spec.selector");
  }
  if (!is_empty(selector->find("matchExpressions"))) {
    return error(object, "selects by matchExpressions: name its labels in `selector`");
  }
  if (const value::Value* labels = selector->find("matchLabels"); labels && labels->is_dict()) {
    selector = labels;
  }
  std::vector<std::pair<std::string, std::string>> labels;
  for (const auto& [key, label] : selector->as_dict()) {
    if (!label.is_string()) {
      return error(object, "has a spec.selector that is not a map of labels");
    }
    labels.emplace_back(key, label.as_string());
  }
  if (labels.empty()) {
    return error(object, "selects everything: its spec.selector is empty");
  }
  return labels;
}

}  // namespace chartwright::kube
