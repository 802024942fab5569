// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "suite/job_render.h"
#include "suite/results/suite_result.h"
#include "suite/snapshot.h"
#include "suite/suite.h"

namespace chartwright::suite {

enum class FailFast : uint8_t { kNo, kYes };

/// Runs all jobs of a suite. Pure but for the context of the render, and the values files that it
/// reads.
/// Source: helm-unittest pkg/unittest/test_suite.go, test_job.go, assertion.go.
SuiteResult run_suite(const Suite& suite, const ChartUnderTest& under, Snapshots& snapshots,
                      FailFast fail_fast);

}  // namespace chartwright::suite
