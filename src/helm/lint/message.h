// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chartwright::helm::lint {

/// The severity of a finding, least severe first.
enum class Severity : uint8_t {
  kInfo,     ///< For information.
  kWarning,  ///< Breaks a convention, or works only by chance.
  kError,    ///< The chart cannot be installed.
};

/// A finding about a chart.
struct Message {
  Severity severity = Severity::kInfo;
  std::string path;  ///< The file, as "templates/x.yaml"; with a position, "x.yaml:3:5".
  std::string text;
  /// Returns "[ERROR] Chart.yaml: name is required".
  /// Source: helm/helm v3 pkg/lint/support/message.go.
  std::string to_string() const;
};

using Messages = std::vector<Message>;

}  // namespace chartwright::helm::lint
