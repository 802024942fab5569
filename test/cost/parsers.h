// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace chartwright::cost {

/// A reader of what comes from outside of templates, with a text that grows. Nothing is charged
/// there: it is held to the size of its text.
struct Parser {
  std::string name;
  std::string shape;
  std::string (*make)(size_t bytes);  ///< A text of about so many bytes.
  base::Status (*parse)(const std::string& text);
};

std::vector<Parser> all_parsers();

}  // namespace chartwright::cost
