// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "base/log.h"
#include "bundle/watch.h"
#include "subject/services.h"

namespace chartwright::process {

/// A trial of charts ends after this time, with the custom resources that it has reached.
inline constexpr base::Duration kTrialTime = std::chrono::seconds(30);
/// The number of failures that are logged one by one. The summary counts all.
inline constexpr size_t kTrialsToldMax = 100;

/// Renders the charts of `watches`, which are about to be used, for the custom resources of a
/// running operator, one after the other, in the memory that its renders share. Logs each for which
/// that fails, and a summary; changes nothing. Ends soon after `stop` is requested.
void try_charts(const std::vector<bundle::Watch>& watches, const op::Services& services,
                const base::Logger& log, const std::stop_token& stop);

}  // namespace chartwright::process
