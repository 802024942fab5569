// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace chartwright::base {

/// Prints the failed condition with its place and aborts. Never returns.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace chartwright::base

/// Aborts when `cond` is false, in every build. For programmer errors only: nothing that a chart, a
/// custom resource or the API server sends may ever reach a failing check.
#define CW_CHECK(cond) \
  ((cond) ? static_cast<void>(0) : ::chartwright::base::check_failed(#cond, __FILE__, __LINE__))
