// SPDX-License-Identifier: Apache-2.0
#include "cmd/environment.h"

#include <cstdlib>

namespace chartwright::cmd {

std::optional<std::string> environment(const std::string& name) {
  const char* const text = std::getenv(name.c_str());
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace chartwright::cmd
