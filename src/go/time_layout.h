// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace chartwright::go {

/// The meaning of a piece of a Go layout. Source: Go time format.go, the std... constants.
enum class LayoutPart : uint8_t {
  kNone,          ///< The end of the layout.
  kLongMonth,     ///< January
  kMonth,         ///< Jan
  kNumMonth,      ///< 1
  kZeroMonth,     ///< 01
  kLongWeekDay,   ///< Monday
  kWeekDay,       ///< Mon
  kDay,           ///< 2
  kUnderDay,      ///< _2
  kZeroDay,       ///< 02
  kUnderYearDay,  ///< __2
  kZeroYearDay,   ///< 002
  kHour,          ///< 15
  kHour12,        ///< 3
  kZeroHour12,    ///< 03
  kMinute,        ///< 4
  kZeroMinute,    ///< 04
  kSecond,        ///< 5
  kZeroSecond,    ///< 05
  kLongYear,      ///< 2006
  kYear,          ///< 06
  kUpperPm,       ///< PM
  kLowerPm,       ///< pm
  kZoneName,      ///< MST
  kOffset,        ///< -0700 and its other forms
  kFraction       ///< .000 or .999
};

/// The format of an offset from UTC.
struct OffsetForm {
  bool z_for_utc = false;
  bool colons = false;
  bool minutes = true;
  bool seconds = false;
};

/// The format of a fraction of a second.
struct FractionForm {
  char separator = '.';
  size_t digits = 0;
  bool trims_zeros = false;
};

/// A piece of a layout: literal text followed by a part.
struct LayoutChunk {
  std::string_view literal;
  LayoutPart part = LayoutPart::kNone;
  std::string_view text;  ///< The part as written in the layout.
  OffsetForm offset;      ///< For kOffset.
  FractionForm fraction;  ///< For kFraction.
};

/// Removes and returns the first chunk of `layout`. Source: Go time.nextStdChunk.
LayoutChunk next_chunk(std::string_view& layout);

}  // namespace chartwright::go
