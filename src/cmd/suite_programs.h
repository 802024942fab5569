// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "base/clock.h"
#include "suite/post_render.h"

namespace chartwright::cmd {

/// Returns a function that runs the post-renderers of suites. A program has a minute, prints at
/// most 16 MiB, and gets of the environment only the places of programs and files, and the language
/// of the user: no credentials. All that it has started ends with it. Errors in the words of
/// helm-unittest: kInvalidArgument (there is no such program, or it failed, with its standard
/// error), kTimeout, kBudget, kCancelled, kInternal. The clock must outlive the result.
/// Source: helm/helm v3 pkg/postrender/exec.go, helm-unittest pkg/unittest/test_job.go.
suite::PostRender suite_programs(const base::Clock& clock, std::stop_token stop);

}  // namespace chartwright::cmd
