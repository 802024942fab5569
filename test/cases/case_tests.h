// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "test/cases/case_file.h"

namespace chartwright::cases {

/// Checks one case with Catch2's assertions.
using CheckCase = void (*)(const CaseFile& file, const Case& one);

/// Registers a test for each case file in test/cases/`folder`, under the name "FOLDER/FILE.txt". It
/// checks every case of the file or, if the environment variable CW_CASE is set, those whose title
/// contains its value. For the initialiser of a static variable; returns true.
bool register_case_files(const std::string& folder, CheckCase check);

}  // namespace chartwright::cases
