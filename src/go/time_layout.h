// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace chartwright::go {

/// What a piece of a Go layout stands for. Source: Go time format.go, its std... constants.
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

/// How an offset from UTC is written.
struct OffsetForm {
  bool z_for_utc = false;
  bool colons = false;
  bool minutes = true;
  bool seconds = false;
};

/// How a fraction of a second is written.
struct FractionForm {
  char separator = '.';
  size_t digits = 0;
  bool trims_zeros = false;
};

/// A piece of a layout: literal text, then a part.
struct LayoutChunk {
  std::string_view literal;
  LayoutPart part = LayoutPart::kNone;
  std::string_view text;  ///< The part as the layout writes it.
  OffsetForm offset;      ///< For kOffset.
  FractionForm fraction;  ///< For kFraction.
};

/// Takes the next chunk off the front of `layout`. Source: Go time.nextStdChunk.
LayoutChunk next_chunk(std::string_view& layout);

}  // namespace chartwright::go
