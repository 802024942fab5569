// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "suite/suite.h"

namespace chartwright::suite {

/// The version of Kubernetes of jobs that name none: the one that Helm's library has unless it is
/// built for Helm itself. Charts decide by it, and suites and their snapshots expect what they
/// decide. Source: Helm pkg/chartutil/capabilities.go.
inline constexpr std::string_view kKubeMajor = "1";
inline constexpr std::string_view kKubeMinor = "20";

/// Mistakes of helm-unittest that suites may rest on, to be copied: an assertion that never fails,
/// and the version of Kubernetes that a job leaves to all jobs after it.
struct Compat {
  std::string kube_major{kKubeMajor};
  std::string kube_minor{kKubeMinor};
  std::string from = {};  ///< The job that has left the version, and its file; "": none.
};

/// Returns what helm-unittest keeps after a job.
Compat after_job(const Compat& before, const Suite& suite, const Job& job);
/// Returns what it keeps after all jobs of a suite that are not skipped.
Compat after_suite(Compat before, const Suite& suite);

/// Reports whether a job is rendered for another version of Kubernetes if `kept` is copied.
bool depends_on(const Compat& kept, const Job& job);
/// Reports whether an assertion never fails in helm-unittest.
bool never_fails(const Assertion& assertion);

}  // namespace chartwright::suite
