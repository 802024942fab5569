// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/clock.h"

namespace chartwright::external {

/// The memory of the externals of a custom resource between runs. Lost at a restart, which
/// costs time and calls only.
struct Memory {
  std::set<std::string> unsent;  ///< Those with an intent of which no create was sent.
  /// When a search for an interrupted create first found nothing.
  std::map<std::string, base::MonotonicTime> nothing_since;
  std::string settled;  ///< Names the inputs of the last run that succeeded; empty: none did.
  base::MonotonicTime due = {};  ///< When that run has to be repeated.
};

}  // namespace chartwright::external
