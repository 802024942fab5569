// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "scenario/scenario.h"
#include "suite/suite_reader.h"

namespace chartwright::scenario {

/// The chart that scenarios are about.
struct ChartPlace {
  std::string folder;
  const base::Clock& clock;
};

/// Reads the key `scenarios` of a suite, if it has one, and loads the charts that it names. Errors,
/// with the position in the file: kParse for unknown keys, kinds and steps, for values of wrong
/// types, and for a chart that cannot be loaded or needs what a scenario does not have.
base::Result<std::vector<Scenario>> read_scenarios(suite::SuiteMap& suite, const ChartPlace& chart);

}  // namespace chartwright::scenario
