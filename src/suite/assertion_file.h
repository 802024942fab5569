// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/result.h"
#include "suite/suite.h"
#include "suite/suite_reader.h"

namespace chartwright::suite {

/// Reads one element of `asserts`. Errors: kParse, with its position.
base::Result<Assertion> read_assertion(const SuiteText& text, const value::Value& v,
                                       SuiteMap::Steps steps);

/// Reads `documentSelector` of a map, if it has one. Error: kParse, with its position.
base::Status read_selector(SuiteMap& map, std::optional<DocumentSelector>& into);

}  // namespace chartwright::suite
