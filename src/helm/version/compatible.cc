// SPDX-License-Identifier: Apache-2.0
#include "helm/version/compatible.h"

#include "helm/version/semver.h"

namespace chartwright::helm {

bool is_compatible(std::string_view constraint, std::string_view version, SemverRelease release,
                   ConstraintsCache& cache) {
  const auto parsed = Version::parse(version, release);
  const auto constraints = cache.parse(constraint, release);
  return parsed.ok() && constraints.ok() && constraints->check(*parsed);
}

}  // namespace chartwright::helm
