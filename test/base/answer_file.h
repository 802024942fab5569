// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace chartwright::base {

/// One line of a file that test/value/oracle wrote: an input and what Go answers to it.
struct Answer {
  std::string input;
  bool ok = false;  ///< Whether `text` is a result rather than an error text.
  std::string text;
};

/// The lines of test/cases/<name>. Aborts when there is none: a test must not pass for want of
/// cases.
std::vector<Answer> read_answers(const std::string& name);

}  // namespace chartwright::base
