// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "suite/results/suite_result.h"

// The results of a run as files for CI. Source: helm-unittest pkg/unittest/formatter. Unlike there,
// a suite that could not be run is in each of them, and an assertion that has passed in none.
namespace chartwright::suite {

enum class ResultsForm : uint8_t { kJUnit, kNUnit, kXUnit, kSonar, kJson };

/// Reads "JUnit", "NUnit", "XUnit", "Sonar" or "JSON", in any case. Error: kInvalidArgument.
base::Result<ResultsForm> parse_results_form(std::string_view name);

/// The circumstances of a run.
struct RunPlace {
  base::WallTime time;
  std::string program;  ///< "chartwright 1.0.0"
  std::string host;
  std::string user;
  std::string folder;  ///< The current one.
};

/// Returns the content of the file: an XML document, or one of JSON. Pure. Error: that of
/// value::to_json.
base::Result<std::string> results_text(const RunResults& results, ResultsForm form,
                                       const RunPlace& place);

}  // namespace chartwright::suite
