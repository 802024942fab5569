// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace chartwright::kube {

/// The parts of Config::server.
struct ServerUrl {
  std::string scheme;
  std::string host;    ///< An IPv6 address keeps its brackets.
  std::string port;    ///< The scheme's default if none is given.
  std::string prefix;  ///< Prepended to the path of every request; empty or starts with '/'.
  std::string host_port() const { return host + ":" + port; }
};
ServerUrl split_server_url(const std::string& server);

}  // namespace chartwright::kube
