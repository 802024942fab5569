// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "helm/lint/message.h"
#include "helm/lint/source.h"
#include "value/value.h"

namespace chartwright::helm::lint {

/// A values file with which the chart's authors test it.
struct CiValues {
  std::string path;  ///< "ci/ha-values.yaml"; empty for the chart's defaults alone.
  std::string text;
  value::Value values;
};

/// The files ci/*values.yaml of a chart, the names that chart-testing knows among them. One that
/// cannot be read becomes a finding.
std::vector<CiValues> read_ci_values(const ChartSource& source, Messages& messages);

}  // namespace chartwright::helm::lint
