// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace chartwright::base {

/// Prints the failed condition and its location, then aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace chartwright::base

/// Aborts if `cond` is false, in every build. For programming errors only: nothing that a chart, a
/// custom resource or the API server sends may cause a check to fail.
#define CW_CHECK(cond) \
  ((cond) ? static_cast<void>(0) : ::chartwright::base::check_failed(#cond, __FILE__, __LINE__))
