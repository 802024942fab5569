// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "external/external_record.h"

namespace chartwright::external {

/// Whether the object outside is to be there.
enum class Goal : uint8_t { kPresent, kAbsent };

/// The result of a look at the object with the recorded id. A call that failed has none.
enum class Seen : uint8_t {
  kUnknown,  ///< Not looked yet.
  kAbsent,   ///< The server answered that there is none.
  kCurrent,  ///< There, and as desired.
  kStale,    ///< There, and not as desired.
};

/// The knowledge of one run so far.
struct Knowledge {
  Seen seen = Seen::kUnknown;
  bool announced = false;  ///< This run wrote the intent, and has not sent the create yet.
  bool deleted = false;    ///< This run has sent a delete.
  std::optional<size_t> candidates = {};  ///< Objects that the interrupted create may have made.
  bool settled = false;                   ///< There were none for so long that none will come.
  bool contested = false;                 ///< The server does not let the create be repeated.
};

/// The next step towards the goal.
enum class Action : uint8_t {
  kObserve,   ///< Ask for the object with the recorded id.
  kSearch,    ///< Look for what an interrupted create may have made.
  kAnnounce,  ///< Drop the id, and write the intent to create.
  kCreate,    ///< Send the create; then write the id that it gives.
  kAdopt,     ///< Write the id of the only candidate.
  kUpdate,
  kDelete,
  kForget,  ///< Nothing is there any more: drop the record.
  kHold,    ///< It cannot be known which object is ours, if any: do nothing.
  kPause,   ///< An interrupted create may still be under way: search again later.
  kWait,    ///< The delete was accepted, and the object is still there.
  kDone,
};

/// Whether the external says how to find what an interrupted create has made.
enum class Adoption : uint8_t { kImpossible, kPossible };

/// Decides the next step from what is recorded and what is known. Pure. An object is created only
/// after an intent was written, and, if that was in an earlier run or is presumed, only after a
/// search that found nothing. A presumed one is then replaced by one of this run.
Action next_action(const Record& record, const Knowledge& known, Goal goal, Adoption adoption);

}  // namespace chartwright::external
