// SPDX-License-Identifier: Apache-2.0
#include "release/contest.h"

#include <catch2/catch.hpp>

namespace chartwright::release {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const kube::ObjectRef kFoughtOver{{"", "v1", "ConfigMap"}, "shop", "w"};

/// One object that is changed again as soon as it is repaired.
struct Fight {
  Contests contests;
  base::MonotonicTime now;

  bool waits() const { return has_to_wait(contests, kFoughtOver, now); }
  /// Returns how long the next repair has to wait.
  base::Duration repair() {
    note_repair(contests, kFoughtOver, now, "foo");
    return contests.at(kFoughtOver).due - now;
  }
  void repair_when_due() {
    now = std::max(now, contests.empty() ? now : contests.at(kFoughtOver).due);
    repair();
  }
  void begin() {
    for (int i = 0; i < 10; ++i) {
      repair();
    }
  }
  Plan held(Action action, Reason reason) const {
    Plan plan(1);
    plan[0].ref = kFoughtOver;
    plan[0].action = action;
    plan[0].reason = reason;
    hold_repairs(contests, now, plan);
    return plan;
  }
};

TEST_CASE("The first nine repairs do not make the next one wait") {
  Fight fight;
  for (int i = 0; i < 9; ++i) {
    CHECK(fight.repair() == base::Duration::zero());
    CHECK_FALSE(fight.waits());
    CHECK_FALSE(is_contested(fight.contests.at(kFoughtOver)));
    CHECK_FALSE(next_of(fight.contests, fight.now));
  }
  CHECK(note_repair(fight.contests, kFoughtOver, fight.now, "foo"));
  CHECK(fight.waits());
  CHECK(is_contested(fight.contests.at(kFoughtOver)));
}

TEST_CASE("Each wait is twice the last one, up to five minutes") {
  Fight fight;
  fight.begin();
  std::vector<base::Duration> waits;
  for (int i = 0; i < 12; ++i) {
    waits.push_back(fight.contests.at(kFoughtOver).due - fight.now);
    CHECK(next_of(fight.contests, fight.now) == waits.back());
    fight.now = fight.contests.at(kFoughtOver).due - milliseconds(1);
    CHECK(fight.waits());
    fight.now += milliseconds(1);
    CHECK_FALSE(fight.waits());
    CHECK_FALSE(note_repair(fight.contests, kFoughtOver, fight.now, "foo"));
  }
  CHECK(waits == std::vector<base::Duration>{seconds(1), seconds(2), seconds(4), seconds(8),
                                             seconds(16), seconds(32), seconds(64), seconds(128),
                                             seconds(256), minutes(5), minutes(5), minutes(5)});
}

TEST_CASE("A fight of a day costs less than three hundred repairs") {
  Fight fight;
  int repairs = 0;
  const base::MonotonicTime end = fight.now + std::chrono::hours(24);
  for (; fight.now < end; ++repairs) {
    fight.repair_when_due();
  }
  CHECK(repairs < 310);
}

TEST_CASE("It starts over after a quiet time as long as the last wait, at least 30 s") {
  Fight fight;
  fight.begin();
  SECTION("short") {
    fight.now = fight.contests.at(kFoughtOver).due + seconds(30) - milliseconds(1);
    CHECK(fight.repair() == seconds(2));
    fight.now = fight.contests.at(kFoughtOver).due + seconds(30);
    CHECK(fight.repair() == base::Duration::zero());
  }
  SECTION("long") {
    for (int i = 0; i < 10; ++i) {
      fight.repair_when_due();
    }
    fight.now = fight.contests.at(kFoughtOver).due + minutes(5) - milliseconds(1);
    CHECK(fight.repair() == minutes(5));
    fight.now = fight.contests.at(kFoughtOver).due + minutes(5);
    CHECK(fight.repair() == base::Duration::zero());
  }
}

TEST_CASE("Repairs wait, and what the user asks for does not") {
  Fight fight;
  fight.begin();
  for (const Reason reason : {Reason::kDrifted, Reason::kOrphaned}) {
    CHECK(fight.held(Action::kApply, reason)[0].reason == Reason::kContested);
    CHECK_FALSE(fight.held(Action::kApply, reason)[0].acts());
  }
  CHECK_FALSE(fight.held(Action::kCreate, Reason::kMissing)[0].acts());
  CHECK(fight.held(Action::kApply, Reason::kChanged)[0].acts());
  CHECK(fight.held(Action::kPrune, Reason::kDropped)[0].acts());
  CHECK(fight.held(Action::kNone, Reason::kInSync)[0].reason == Reason::kInSync);
  fight.now = fight.contests.at(kFoughtOver).due;
  CHECK(fight.held(Action::kApply, Reason::kDrifted)[0].acts());
}

TEST_CASE("A contest that is quiet or no longer recorded is forgotten") {
  Fight fight;
  fight.begin();
  const Inventory recorded{{kFoughtOver, {}}};
  fight.now = fight.contests.at(kFoughtOver).due;
  CHECK(next_of(fight.contests, fight.now) == seconds(30));
  end_contests(fight.contests, recorded, fight.now + seconds(30) - milliseconds(1));
  CHECK(fight.contests.size() == 1);
  SECTION("quiet") { end_contests(fight.contests, recorded, fight.now + seconds(30)); }
  SECTION("not recorded") { end_contests(fight.contests, {}, fight.now); }
  CHECK(fight.contests.empty());
}

}  // namespace
}  // namespace chartwright::release
