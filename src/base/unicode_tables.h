// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace chartwright::base {

/// Number of bits of a run that hold the classes of its code points (unicode.cc names them).
inline constexpr unsigned kRuneClassBits = 9;

/// A delta that means "upper and lower case alternate in this range, upper first".
inline constexpr int32_t kUpperLower = 0x110000;

/// The deltas to add to a code point of [low, high] to change its case.
struct CaseRange {
  uint32_t low;
  uint32_t high;
  int32_t to_upper;
  int32_t to_lower;
  int32_t to_title;
};

/// Sorted. Each entry is the first code point of a run, shifted left by kRuneClassBits, and the
/// class bits of all code points up to the next run.
extern const uint32_t kRuneRuns[];
extern const size_t kRuneRunCount;
extern const CaseRange kCaseRanges[];
extern const size_t kCaseRangeCount;

}  // namespace chartwright::base
