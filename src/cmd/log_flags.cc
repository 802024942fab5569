// SPDX-License-Identifier: Apache-2.0
#include "cmd/log_flags.h"

#include "base/strings.h"

namespace chartwright::cmd {

using base::Error;
using base::ErrorCode;

void declare_log_flags(FlagSet& flags, LogFlags& into) {
  flags.boolean(into.zap_devel, {.name = "zap-devel", .help = "Console encoding and debug level"});
  flags.text(into.zap_encoder, {.name = "zap-encoder",
                                .help = "Log encoding: json or console",
                                .takes = {.words = {"json", "console"}},
                                .default_text = "json; with --zap-devel: console"});
  flags.text(into.zap_level, {.name = "zap-log-level",
                              .help = "debug, info, warn, error, or a number above 0",
                              .takes = {.words = {"debug", "info", "warn", "error"}},
                              .default_text = "info; with --zap-devel: debug"});
}

base::Result<base::LogOptions> log_options(const LogFlags& flags) {
  base::LogOptions options;
  if (flags.zap_devel) {
    options = {base::LogLevel::kDebug, base::LogEncoding::kConsole};
  }
  if (flags.zap_encoder == "console") {
    options.encoding = base::LogEncoding::kConsole;
  } else if (flags.zap_encoder == "json") {
    options.encoding = base::LogEncoding::kJson;
  } else if (!flags.zap_encoder.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "--zap-encoder: \"" + flags.zap_encoder + "\" is neither json nor console");
  }
  const std::string level = base::to_lower_ascii(flags.zap_level);
  const auto number = base::parse_int(level);
  if (level == "debug" || (number && *number > 0)) {
    options.level = base::LogLevel::kDebug;
  } else if (level == "info" || (number && *number == 0)) {
    options.level = base::LogLevel::kInfo;
  } else if (level == "warn") {
    options.level = base::LogLevel::kWarn;
  } else if (level == "error" || level == "panic") {
    options.level = base::LogLevel::kError;
  } else if (!level.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "--zap-log-level: \"" + flags.zap_level +
                     "\" is not one of debug, info, warn, error or a whole number");
  }
  return options;
}

}  // namespace chartwright::cmd
