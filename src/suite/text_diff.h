// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::suite {

/// Returns the unified diff of two texts with one line of context, as helm-unittest prints it; ""
/// if they are equal. Source: Python's difflib, in pmezard/go-difflib.
std::string text_diff(std::string_view expected, std::string_view actual);

}  // namespace chartwright::suite
