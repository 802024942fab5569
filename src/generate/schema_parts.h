// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "generate/json_schema.h"
#include "yaml/document.h"

// The parts of a JSON schema that a CRD has a place for.
namespace chartwright::generate {

/// The most schemas that are converted. References may make more of a few.
inline constexpr size_t kNodesMax = 20'000;

/// Reports whether the table is anyOf or oneOf of an integer and a string.
bool allows_int_or_string(const WrittenSchema& document, const yaml::DocumentNode& table);
/// Returns the most levels, of 40 and its halves, that have at most kNodesMax schemas. One that
/// refers to itself more than once doubles with each level: it is not walked through.
int depth_that_fits(const WrittenSchema& document);

}  // namespace chartwright::generate
