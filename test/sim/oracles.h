// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "test/sim/run.h"

namespace chartwright::sim {

/// Something that must never be, whatever the plan.
struct Violation {
  std::string oracle;
  std::string what;
};

/// Judges a run by itself, and beside one of the same subject in which nothing went wrong. Returns
/// nullopt if all is well.
using Judge = std::optional<std::string> (*)(const Record& run, const Record& undisturbed);

struct Oracle {
  std::string_view name;
  Judge judge;
};

const std::vector<Oracle>& oracles();

/// Returns the first violation.
std::optional<Violation> judge(const Record& run, const Record& undisturbed);

}  // namespace chartwright::sim
