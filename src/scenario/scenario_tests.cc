// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_tests.h"

#include <memory>
#include <utility>

#include "scenario/scenario_file.h"
#include "scenario/scenario_run.h"

namespace chartwright::scenario {

base::Result<std::vector<suite::ScenarioTest>> scenario_tests(suite::SuiteMap& suite,
                                                              const std::string& folder,
                                                              const base::Clock& clock) {
  CW_TRY(std::vector<Scenario> scenarios, read_scenarios(suite, {folder, clock}));
  std::vector<suite::ScenarioTest> tests;
  for (Scenario& one : scenarios) {
    const auto scenario = std::make_shared<const Scenario>(std::move(one));
    tests.push_back({.name = scenario->name,
                     .skip_reason = scenario->skip_reason,
                     .run = [scenario] { return run_in_memory(*scenario); }});
  }
  return tests;
}

}  // namespace chartwright::scenario
