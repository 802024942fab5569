// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chartwright::helm::lint {

/// How much a finding matters, the least first.
enum class Severity : uint8_t {
  kInfo,     ///< Worth knowing.
  kWarning,  ///< Breaks a convention, or works by luck.
  kError,    ///< Will not install.
};

/// One finding about a chart.
struct Message {
  Severity severity = Severity::kInfo;
  std::string path;  ///< The file it is about, as "templates/x.yaml"; with a place, "x.yaml:3:5".
  std::string text;
  /// "[ERROR] Chart.yaml: name is required". Source: helm/helm v3 pkg/lint/support/message.go.
  std::string to_string() const;
};

using Messages = std::vector<Message>;

}  // namespace chartwright::helm::lint
