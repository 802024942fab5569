// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "yaml/document.h"

namespace chartwright::bundle {

/// Converts a metav1.LabelSelector to the string form of the API's labelSelector parameter; ""
/// selects everything. Errors: kParse and kInvalidArgument with the node's position.
/// Source: k8s.io/apimachinery pkg/apis/meta/v1 LabelSelectorAsSelector.
base::Result<std::string> read_label_selector(const yaml::DocumentNode& node);

}  // namespace chartwright::bundle
