// SPDX-License-Identifier: Apache-2.0
#include "external/machine.h"

namespace chartwright::external {
namespace {

// A create may have been sent, and its result is not known.
Action resolve(const Record& record, const Knowledge& known, Goal goal, Adoption adoption) {
  if (goal == Goal::kPresent && known.announced) {
    return Action::kCreate;
  }
  if (adoption == Adoption::kImpossible || known.contested) {
    return Action::kHold;
  }
  if (!known.candidates) {
    return Action::kSearch;
  }
  if (*known.candidates == 0) {
    if (!known.settled) {
      return Action::kPause;
    }
    if (goal == Goal::kAbsent) {
      return Action::kForget;
    }
    return record.is_presumed() ? Action::kAnnounce : Action::kCreate;
  }
  return *known.candidates == 1 ? Action::kAdopt : Action::kHold;
}

Action keep_present(Seen seen) {
  switch (seen) {
    case Seen::kUnknown:
      return Action::kObserve;
    case Seen::kAbsent:
      return Action::kAnnounce;
    case Seen::kStale:
      return Action::kUpdate;
    case Seen::kCurrent:
      return Action::kDone;
  }
  return Action::kDone;
}

Action make_absent(const Knowledge& known) {
  switch (known.seen) {
    case Seen::kUnknown:
      return Action::kObserve;
    case Seen::kAbsent:
      return Action::kForget;
    case Seen::kStale:
    case Seen::kCurrent:
      return known.deleted ? Action::kWait : Action::kDelete;
  }
  return Action::kDone;
}

}  // namespace

Action next_action(const Record& record, const Knowledge& known, Goal goal, Adoption adoption) {
  if (!record.id.empty()) {
    return goal == Goal::kPresent ? keep_present(known.seen) : make_absent(known);
  }
  if (!record.intent.empty()) {
    return resolve(record, known, goal, adoption);
  }
  return goal == Goal::kPresent ? Action::kAnnounce : Action::kDone;
}

}  // namespace chartwright::external
