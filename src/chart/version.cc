// SPDX-License-Identifier: Apache-2.0
#include "chart/version.h"

#include "funcs/semver.h"

namespace chartwright::chart {

bool is_compatible(std::string_view constraint, std::string_view version,
                   funcs::SemverRelease release) {
  const auto parsed = funcs::Version::parse(version, release);
  const auto constraints = funcs::Constraints::parse(constraint, release);
  return parsed.ok() && constraints.ok() && constraints->check(*parsed);
}

}  // namespace chartwright::chart
