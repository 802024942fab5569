// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "suite/suite.h"
#include "suite/suite_reader.h"

namespace chartwright::suite {

/// The version of helm-unittest whose behaviour this is, for `skip.minimumVersion`.
inline constexpr std::string_view kUnittestVersion = "1.1.2";

/// Reads the key `scenarios` of a suite, if it has one. Errors: kParse, with the position.
using ReadScenarios = std::function<base::Result<std::vector<ScenarioTest>>(SuiteMap& suite)>;

struct SuiteFile {
  std::vector<Suite> suites;
  /// Keys that nothing reads, as in "tests/a_test.yaml:3:1: unknown key ...".
  std::vector<std::string> warnings;
};

/// Reads a file of one or several suites. Errors, with the position in the file: kParse for
/// malformed YAML, values of wrong types, assertions of unknown types, suites without tests, tests
/// without assertions, and keys of the format that are not supported. Without `read_scenarios`,
/// `scenarios` is a key that nothing reads.
base::Result<SuiteFile> read_suite_file(std::string_view text, const std::string& file,
                                        const ReadScenarios& read_scenarios = {});

}  // namespace chartwright::suite
