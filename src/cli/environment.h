// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace chartwright::cmd {

/// Returns a variable of the environment; nullopt if it is not set. Nothing may change the
/// environment meanwhile.
std::optional<std::string> environment(const std::string& name);
/// Returns all variables, "NAME=value".
std::vector<std::string> environment_variables();
/// Returns the namespaces of WATCH_NAMESPACE, each once; none: all, or it is not set.
std::vector<std::string> watched_namespaces();
/// Returns the file of authorities that SSL_CERT_FILE names, as for Go's programs; else "".
std::string ca_file_of_environment();

}  // namespace chartwright::cmd
