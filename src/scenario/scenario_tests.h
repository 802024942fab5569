// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "suite/suite.h"
#include "suite/suite_reader.h"

namespace chartwright::scenario {

/// Reads the key `scenarios` of a suite about the chart in `folder` as tests that run in memory.
/// Errors: those of read_scenarios.
base::Result<std::vector<suite::ScenarioTest>> scenario_tests(suite::SuiteMap& suite,
                                                              const std::string& folder,
                                                              const base::Clock& clock);

}  // namespace chartwright::scenario
