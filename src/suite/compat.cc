// SPDX-License-Identifier: Apache-2.0
#include "suite/compat.h"

#include <utility>

namespace chartwright::suite {

Compat after_job(const Compat& before, const Suite& suite, const Job& job) {
  const Settings& own = job.settings;
  if (own.major_version.empty() && own.minor_version.empty()) {
    return before;
  }
  return {.kube_major = own.major_version.empty() ? before.kube_major : own.major_version,
          .kube_minor = own.minor_version.empty() ? before.kube_minor : own.minor_version,
          .from = "\"" + job.name + "\" of " + suite.file};
}

Compat after_suite(Compat before, const Suite& suite) {
  for (const Job& job : suite.jobs) {
    if (job.settings.skip_reason.empty()) {
      before = after_job(before, suite, job);
    }
  }
  return before;
}

bool depends_on(const Compat& kept, const Job& job) {
  return (job.settings.major_version.empty() && kept.kube_major != kKubeMajor) ||
         (job.settings.minor_version.empty() && kept.kube_minor != kKubeMinor);
}

// Source: helm-unittest pkg/unittest/validators/equal_or_greater_validator.go.
bool never_fails(const Assertion& assertion) {
  return assertion.check == Check::kGreater && assertion.negative();
}

}  // namespace chartwright::suite
