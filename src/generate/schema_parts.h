// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "yaml/document.h"

// The parts of a JSON schema that a CRD has a place for.
namespace chartwright::generate {

/// The most schemas that are converted. References may make more of a few.
inline constexpr size_t kNodesMax = 20'000;

/// Returns the items of the list at `key`; none if there is no list.
const std::vector<yaml::DocumentNode>& items_at(const yaml::DocumentNode& schema,
                                                std::string_view key);
/// Returns the members of the map at `key`; none if there is no map.
const std::vector<yaml::DocumentEntry>& entries_at(const yaml::DocumentNode& schema,
                                                   std::string_view key);
/// Reports whether the schema is anyOf or oneOf of an integer and a string.
bool allows_int_or_string(const yaml::DocumentNode& schema);
/// Returns the schemas in allOf, as far as they are tables.
std::vector<const yaml::DocumentNode*> tables_of_all(const yaml::DocumentNode& schema,
                                                     const yaml::DocumentNode& root);
/// Returns the most levels, of 40 and its halves, that have at most kNodesMax schemas. One that
/// refers to itself more than once doubles with each level: it is not walked through.
int depth_that_fits(const yaml::DocumentNode& root);

}  // namespace chartwright::generate
