// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helm/version/profile.h"

namespace chartwright::helm {

/// A record of Go's log/slog.
struct LogRecord {
  std::string_view level;  ///< "WARN"
  std::string_view message;
  std::vector<std::pair<std::string_view, std::string>> attributes;
};

/// A message that Helm writes to its log.
struct LogMessage {
  /// Where the source of Helm writes it. The lines are those of 3.18.6 and 3.22.0.
  struct Place {
    std::string_view file;
    int line_3_18;
    int line_3_22;
  };
  Place place;
  std::string text;                 ///< The text that Go's log.Printf gets.
  std::optional<LogRecord> record;  ///< In Helm 4, unless that calls log.Printf, too.
};

/// Returns the line that this version of Helm writes, without its end: "coalesce.go:301: TEXT", or
/// "level=WARN msg=TEXT path=a".
std::string log_line(const LogMessage& message, const Profile& profile);

/// Returns a record as slog's text handler writes it, without the time and the end of the line.
/// Source: Go log/slog text_handler.go, needsQuoting.
std::string log_line(const LogRecord& record);

}  // namespace chartwright::helm
