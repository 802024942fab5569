// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/label_selector.h"
#include "yaml/document.h"

namespace chartwright::bundle {

/// One requirement of a selector in a file, with its values as they stand there.
struct SelectorTerm {
  std::string key;
  kube::LabelRequirement::Op op = kube::LabelRequirement::Op::kIn;
  std::vector<const yaml::DocumentNode*> values;
};

/// Reads labels and their values. Errors: kParse and kInvalidArgument with the node's position.
base::Result<std::vector<SelectorTerm>> read_labels(const yaml::DocumentNode& node);
/// Reads a metav1.LabelSelector. Errors: as read_labels.
/// Source: k8s.io/apimachinery pkg/apis/meta/v1 LabelSelectorAsSelector.
base::Result<std::vector<SelectorTerm>> read_selector_terms(const yaml::DocumentNode& node);
/// Reads the value of a label. Errors: as read_labels.
base::Result<std::string> read_label_value(const yaml::DocumentNode& node);

/// Converts a metav1.LabelSelector to the string form of the API's labelSelector parameter; ""
/// selects everything. Errors: as read_labels.
base::Result<std::string> read_label_selector(const yaml::DocumentNode& node);

}  // namespace chartwright::bundle
