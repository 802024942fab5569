// SPDX-License-Identifier: Apache-2.0
#include "external/machine.h"

#include <catch2/catch.hpp>
#include <vector>

namespace chartwright::external {
namespace {

const Record kNew;
const Record kPending{"", "2026-01-02T03:04:05Z", "", ""};
const Record kKnown{"7", "", "", ""};

Action present(const Record& record, const Knowledge& known,
               Adoption adoption = Adoption::kPossible) {
  return next_action(record, known, Goal::kPresent, adoption);
}

Action absent(const Record& record, const Knowledge& known,
              Adoption adoption = Adoption::kPossible) {
  return next_action(record, known, Goal::kAbsent, adoption);
}

TEST_CASE("Nothing is created before an intent was written") {
  CHECK(present(kNew, {}) == Action::kAnnounce);
  CHECK(present(kPending, {.announced = true}) == Action::kCreate);
}

TEST_CASE("An intent of an earlier run leads to a search, and to a create only once it settled") {
  CHECK(present(kPending, {}) == Action::kSearch);
  CHECK(present(kPending, {.candidates = 0}) == Action::kPause);
  CHECK(present(kPending, {.candidates = 0, .settled = true}) == Action::kCreate);
  CHECK(present(kPending, {.candidates = 1}) == Action::kAdopt);
  CHECK(present(kPending, {.candidates = 2, .settled = true}) == Action::kHold);
}

TEST_CASE("A presumed intent leads to a search, and then to an intent of its own") {
  const Record presumed = presumed_record(base::WallTime());
  CHECK(presumed.intent == "before 1970-01-01T00:00:00Z");
  CHECK(presumed.is_presumed());
  CHECK_FALSE(kPending.is_presumed());
  CHECK(present(presumed, {}) == Action::kSearch);
  CHECK(present(presumed, {.candidates = 0}) == Action::kPause);
  CHECK(present(presumed, {.candidates = 0, .settled = true}) == Action::kAnnounce);
  CHECK(present(presumed, {.candidates = 1}) == Action::kAdopt);
  CHECK(present(presumed, {}, Adoption::kImpossible) == Action::kHold);
  CHECK(absent(presumed, {.candidates = 0, .settled = true}) == Action::kForget);
}

TEST_CASE("Without a way to search, an intent of an earlier run is for a person") {
  CHECK(present(kPending, {}, Adoption::kImpossible) == Action::kHold);
  CHECK(absent(kPending, {}, Adoption::kImpossible) == Action::kHold);
  CHECK(present(kPending, {.announced = true}, Adoption::kImpossible) == Action::kCreate);
}

TEST_CASE("A known object is observed, then repaired or made again") {
  CHECK(present(kKnown, {}) == Action::kObserve);
  CHECK(present(kKnown, {.seen = Seen::kCurrent}) == Action::kDone);
  CHECK(present(kKnown, {.seen = Seen::kStale}) == Action::kUpdate);
  CHECK(present(kKnown, {.seen = Seen::kAbsent}) == Action::kAnnounce);
}

TEST_CASE("A known object is deleted until the server says that it is gone") {
  CHECK(absent(kKnown, {}) == Action::kObserve);
  for (const Seen seen : {Seen::kCurrent, Seen::kStale}) {
    CHECK(absent(kKnown, {.seen = seen}) == Action::kDelete);
    CHECK(absent(kKnown, {.seen = seen, .deleted = true}) == Action::kWait);
  }
  CHECK(absent(kKnown, {.seen = Seen::kAbsent}) == Action::kForget);
  CHECK(absent(kNew, {}) == Action::kDone);
}

TEST_CASE("A deletion also finds what an interrupted create made") {
  CHECK(absent(kPending, {}) == Action::kSearch);
  CHECK(absent(kPending, {.candidates = 0}) == Action::kPause);
  CHECK(absent(kPending, {.candidates = 0, .settled = true}) == Action::kForget);
  CHECK(absent(kPending, {.candidates = 1}) == Action::kAdopt);
  CHECK(absent(kPending, {.candidates = 3}) == Action::kHold);
  // An announced create has not been sent.
  CHECK(absent(kPending, {.announced = true}) == Action::kSearch);
}

TEST_CASE("No state leads to a create while the goal is absence") {
  for (const Record& record : {kNew, kPending, kKnown}) {
    for (const Seen seen : {Seen::kUnknown, Seen::kAbsent, Seen::kCurrent, Seen::kStale}) {
      for (const bool flag : {false, true}) {
        for (const Adoption adoption : {Adoption::kImpossible, Adoption::kPossible}) {
          const Knowledge known{seen, flag, flag, flag ? std::optional<size_t>(0) : std::nullopt,
                                flag};
          const Action action = absent(record, known, adoption);
          CHECK(action != Action::kCreate);
          CHECK(action != Action::kAnnounce);
          CHECK(action != Action::kUpdate);
        }
      }
    }
  }
}

}  // namespace
}  // namespace chartwright::external
