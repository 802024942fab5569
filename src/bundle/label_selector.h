// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "yaml/document.h"

namespace chartwright::bundle {

/// A metav1.LabelSelector in the text form that the API's labelSelector parameter takes; "" selects
/// everything. Errors: kParse and kInvalidArgument with the node's place.
/// Source: k8s.io/apimachinery pkg/apis/meta/v1 LabelSelectorAsSelector.
base::Result<std::string> read_label_selector(const yaml::DocumentNode& node);

}  // namespace chartwright::bundle
