// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value/value.h"

// The lines below a failed assertion, as helm-unittest prints them.
namespace chartwright::suite {

/// Where an assertion failed: the index of the document and that of the value at its path; -1 if
/// that is not printed.
struct FailurePlace {
  int document = -1;
  int value = -1;
};

/// A heading, and the text that follows: indented below it, or, of a path, on its own line.
using FailurePart = std::pair<std::string, std::string>;

/// Returns the lines of a failure. Source: helm-unittest validators/common.go splitInfof.
std::vector<std::string> failure_lines(FailurePlace place, const std::vector<FailurePart>& parts);

/// Returns the lines of an error: "Error:" and the text.
std::vector<std::string> error_lines(FailurePlace place, const std::string& text);

/// Returns "Expected to equal:" or "Expected NOT to equal:".
std::string expected(bool negative, std::string_view what);

/// Returns the text of a value in a failure: YAML.
std::string shown(const value::Value& v);

/// Returns a text without blanks at the ends of its lines and without empty lines at its start.
std::string uniform(std::string_view text);

}  // namespace chartwright::suite
