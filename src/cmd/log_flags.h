// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/log.h"
#include "base/result.h"
#include "cli/command.h"

namespace chartwright::cmd {

/// The --zap-... flags of operators, as given.
struct LogFlags {
  bool zap_devel = false;
  std::string zap_encoder;
  std::string zap_level;
};

void declare_log_flags(FlagSet& flags, LogFlags& into);

/// Error: kInvalidArgument for a value that is not known.
base::Result<base::LogOptions> log_options(const LogFlags& flags);

}  // namespace chartwright::cmd
