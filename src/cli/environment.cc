// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/strings.h"

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

std::vector<std::string> watched_namespaces() {
  std::vector<std::string> namespaces;
  const std::string list = environment("WATCH_NAMESPACE").value_or("");
  for (std::string_view ns : base::split(list, ',')) {
    ns = base::trim(ns);
    if (!ns.empty() && std::ranges::find(namespaces, ns) == namespaces.end()) {
      namespaces.emplace_back(ns);
    }
  }
  return namespaces;
}

std::string ca_file_of_environment() { return environment("SSL_CERT_FILE").value_or(""); }

}  // namespace chartwright::cmd
