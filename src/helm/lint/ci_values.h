// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "helm/lint/message.h"
#include "helm/render/chart_source.h"
#include "value/value.h"

namespace chartwright::helm::lint {

/// A values file that the chart's authors use for tests.
struct CiValues {
  std::string path;  ///< "ci/ha-values.yaml"; empty if only the chart's defaults apply.
  std::string text;
  value::Value values;
};

/// Reads the files ci/*values.yaml of a chart, which include the names that chart-testing uses. A
/// file that cannot be read becomes a finding in `messages`.
std::vector<CiValues> read_ci_values(const ChartSource& source, Messages& messages);

}  // namespace chartwright::helm::lint
