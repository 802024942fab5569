// SPDX-License-Identifier: Apache-2.0
#include "cmd/environment.h"

#include <unistd.h>

#include <cstdlib>

namespace chartwright::cmd {

std::optional<std::string> environment(const std::string& name) {
  const char* const text = std::getenv(name.c_str());
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

std::vector<std::string> environment_variables() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  return variables;
}

}  // namespace chartwright::cmd
