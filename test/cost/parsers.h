// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace chartwright::cost {

/// A parser of input from outside templates, with an input of variable size. Parsers charge
/// nothing, so their cost is compared with the size of the input.
struct Parser {
  std::string name;
  std::string shape;
  std::string (*make)(size_t bytes);  ///< Returns an input of about `bytes` bytes.
  base::Status (*parse)(const std::string& text);
};

std::vector<Parser> all_parsers();

}  // namespace chartwright::cost
