// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "scenario/scenario_tests.h"
#include "suite/suite_file.h"
#include "test/source_dir.h"

namespace chartwright::scenario::testing {

/// Reads the suites of a text, of that file, about the chart in `folder`.
inline base::Result<suite::SuiteFile> read_file_of(std::string_view text, const std::string& folder,
                                                   const std::string& file) {
  const base::SystemClock clock;
  return suite::read_suite_file(
      text, file, [&](suite::SuiteMap& map) { return scenario_tests(map, folder, clock); });
}

/// Reads the suites of a text about a chart in charts/, named "s.yaml" in its folder tests.
inline base::Result<suite::SuiteFile> read(std::string_view text, const std::string& chart) {
  const std::string folder = source_dir() + "/charts/" + chart;
  return read_file_of(text, folder, folder + "/tests/s.yaml");
}

/// A scenario of a PodSet "p" with these steps.
inline std::string pods(const std::string& steps, const std::string& given = "") {
  return "suite: s\nscenarios:\n- it: t\n  given:\n    resource:\n"
         "      {apiVersion: app.example.com/v1alpha1, kind: PodSet, metadata: {name: p}}\n" +
         given + "  when:\n" + steps;
}

/// A scenario of a BookStore "shop" with these steps.
inline std::string shop(const std::string& steps, const std::string& given = "") {
  return "suite: s\nscenarios:\n- it: t\n  given:\n    resource:\n"
         "      apiVersion: blog.velotio.com/v1alpha1\n      kind: BookStore\n"
         "      metadata: {name: shop}\n      spec: {bookApp: {replicas: 2}}\n" +
         given + "  when:\n" + steps;
}

}  // namespace chartwright::scenario::testing
