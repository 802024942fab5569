// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::record {

/// The outcome of a revision, as its record has it.
struct RecordedOutcome {
  std::string status;  ///< Helm's word.
  std::string description;
};

/// The most bytes of JSON that the outcome of a record has, with its times and notes.
inline constexpr size_t kInfoBytesMax = size_t{8} << 20;

/// The limits of an edited record.
struct RecordLimits {
  size_t text_max;   ///< Bytes of its JSON.
  size_t bytes_max;  ///< Bytes of the record in base64.
  /// Takes the place of all members but the first, if the record would be too large.
  std::string_view short_end;
};

/// Returns a compressed record in which `edit` has changed the outcome; nullopt if `edit` returns
/// false. The rest is copied as it is, piece by piece: a record that is too large to be decoded can
/// still be given its outcome. The files of its chart are left out if they no longer fit. Errors:
/// kParse if it is not a record, kBudget if its outcome is too large or the result does not fit.
base::Result<std::optional<std::string>> edit_outcome(
    std::string_view packed, const RecordLimits& limits,
    const std::function<base::Result<bool>(RecordedOutcome&)>& edit);

/// Reports whether a compressed record unpacks to more than `text_max` bytes.
bool unpacks_beyond(std::string_view packed, size_t text_max);

}  // namespace chartwright::record
