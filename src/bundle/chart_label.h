// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "kube/names.h"

namespace chartwright::bundle {

/// Returns the label of a chart's objects: its name. `path` is the folder or archive of the chart.
/// Error: kInvalidArgument with the place of the name in Chart.yaml if it can be no label. Helm
/// takes such a name, helm-operator refuses it.
base::Result<kube::LabelValue> chart_label(const std::string& name, const std::string& path);

}  // namespace chartwright::bundle
