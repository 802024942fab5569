// SPDX-License-Identifier: Apache-2.0
//
// Leads custom resources through lives, and tries at each moment what else may happen there:
// another event, and after it a reconcile that is cut off after one of its writes, or has one
// refused, or gets no answer to it; then the same again to the reconcile after that one. Nothing is
// modelled: the program runs on an API server in memory, which goes back to the moment each time. A
// share of the possibilities is tried, always the same one; CW_STATES=all tries all of them.

#include "test/operator/states/walk.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <functional>
#include <unordered_set>

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::kApplyNew;
using testing::kSpecBroken;
using testing::kSpecGreen;
using testing::kSpecRed;
using testing::Moment;
using testing::Walk;

struct Event {
  std::string name;
  std::function<bool(const Walk&)> may_happen;
  std::function<void(Walk&)> happen;
};

const std::string kNothing = "nothing";
const std::string kToGreen = "spec " + kSpecGreen;
const std::string kToBroken = "spec " + kSpecBroken;
const std::string kToRed = "spec " + kSpecRed;
const std::string kAsk = "ask for a rollback";
const std::string kAgain = "ask again";
const std::string kDone = "jobs complete";
const std::string kFail = "jobs fail";

const std::vector<Event>& events() {
  const auto there = [](const Walk& walk) { return walk.api.has(walk.ref()); };
  const auto spec = [there](const std::string& text) {
    return Event{"spec " + text,
                 [there, text](const Walk& walk) { return there(walk) && walk.spec_now() != text; },
                 [text](Walk& walk) { walk.spec(text); }};
  };
  static const std::vector<Event> all = {
      {kNothing, [](const Walk& /*walk*/) { return true; }, [](Walk& /*walk*/) {}},
      spec(kSpecRed),
      spec(kSpecGreen),
      spec(kSpecBroken),
      {kAsk,
       [there](const Walk& walk) { return there(walk) && walk.annotation(kRollbackTo).empty(); },
       [](Walk& walk) { walk.ask_for_rollback(); }},
      {"withdraw the rollback",
       [there](const Walk& walk) { return there(walk) && !walk.annotation(kRollbackTo).empty(); },
       [](Walk& walk) { walk.annotate(kRollbackTo, std::nullopt); }},
      {kAgain, there, [](Walk& walk) { walk.ask_again(); }},
      {"the server refuses", [](const Walk& walk) { return !walk.refuses(); },
       [](Walk& walk) { walk.refuse(true); }},
      {"the server accepts", [](const Walk& walk) { return walk.refuses(); },
       [](Walk& walk) { walk.refuse(false); }},
      {kDone, [](const Walk& walk) { return walk.runs("before") || walk.runs("after"); },
       [](Walk& walk) { walk.end_jobs("Complete"); }},
      {kFail, [](const Walk& walk) { return walk.runs("before") || walk.runs("after"); },
       [](Walk& walk) { walk.end_jobs("Failed"); }},
      {"a child is deleted", [](const Walk& walk) { return walk.exists("w"); },
       [](Walk& walk) { walk.api.erase(walk.config_map("w")); }},
      {"minutes pass", there, [](Walk& walk) { walk.clock.advance(std::chrono::minutes(10)); }},
      {"deletion",
       [there](const Walk& walk) { return there(walk) && !kube::is_deleting(walk.cr()); },
       [](Walk& walk) { walk.api.begin_deletion(walk.ref()); }},
  };
  return all;
}

const Event& event_named(const std::string& name) {
  return *std::find_if(events().begin(), events().end(),
                       [&name](const Event& one) { return one.name == name; });
}

/// The beginning of a custom resource's lives.
enum class Origin : uint8_t {
  kNew,
  kFailedReleaseOfHelm,  ///< It takes over a release whose last upgrade has failed.
};

/// Leads a custom resource through a life, event by event, and tries at each moment what else may
/// happen there.
class Explorer {
 public:
  Explorer(bundle::UpgradeFailure upgrade, bundle::InstallFailure install,
           Origin origin = Origin::kNew)
      : keeps_(upgrade == bundle::UpgradeFailure::kHold) {
    walk_.watch.on_upgrade_failure = upgrade;
    walk_.watch.on_install_failure = install;
    walk_.history_max = 4;
    if (origin == Origin::kFailedReleaseOfHelm) {
      walk_.begin_as_failed_release_of_helm();
    }
    turn_to_moment();
    lived_.emplace("", walk_.moment());
  }

  /// `steps` are names of events. Each is followed by a reconcile.
  void live(const Calls& steps) {
    size_t known = steps.size();
    while (!lived_.contains(first(steps, known))) {
      --known;
    }
    walk_.go_back(lived_.at(first(steps, known)));
    for (size_t n = known; n < steps.size(); ++n) {
      const Event& event = event_named(steps[n]);
      for (int i = 0; i < 3 && !event.may_happen(walk_); ++i) {
        go_on(event_named(kNothing));  // An earlier Job is deleted before a new one runs.
      }
      CAPTURE(base::join(steps, " > "), walk_.name());
      REQUIRE(event.may_happen(walk_));
      go_on(event);
      lived_.emplace(first(steps, n + 1), walk_.moment());
    }
  }
  size_t states() const { return seen_.size(); }
  size_t cuts() const { return cuts_; }
  bool tries_all() const { return all_; }

 private:
  static std::string first(const Calls& steps, size_t number) {
    return base::join({steps.begin(), steps.begin() + static_cast<ptrdiff_t>(number)}, " > ");
  }
  void go_on(const Event& event) {
    walk_.note(event.name);
    event.happen(walk_);
    walk_.advance();
    turn_to_moment();
  }
  /// Tries everything at a moment that was not seen before, and comes back to it.
  void turn_to_moment() {
    const Moment here = walk_.moment();
    if (tried_.insert(walk_.name()).second) {
      found(true);
      for (const Event& event : events()) {
        try_out(here, event, one_event_in_);
      }
      while (!todo_.empty()) {
        const Reached from = std::move(todo_.front());
        todo_.pop_front();
        if (from.faults == 1) {
          faults_ = 1;
          try_out(from.moment, event_named(kNothing), one_second_in_);
          faults_ = 0;
        }
        heal(from.moment);
      }
    }
    walk_.go_back(here);
  }
  /// Lets an event happen, and whatever may become of the reconcile that follows.
  void try_out(const Moment& from, const Event& event, size_t one_in) {
    if (!is_drawn(from, event.name, one_in)) {
      return;
    }
    walk_.go_back(from);
    if (!event.may_happen(walk_)) {
      return;
    }
    walk_.note(event.name);
    event.happen(walk_);
    walk_.advance();
    const Calls sent = walk_.calls();
    found(faults_ == 0);
    for (size_t i = 0; i < sent.size(); ++i) {
      if (sent[i].starts_with("get ") || sent[i].starts_with("list ")) {
        continue;
      }
      if (is_drawn(from, event.name + " cut off after " + sent[i], one_fault_in_)) {
        cut_off(from, event, i + 1);
      }
      if (is_drawn(from, event.name + " refused " + sent[i], one_fault_in_)) {
        fail_call(from, event, sent[i], true);
      }
      if (is_drawn(from, event.name + " unanswered " + sent[i], one_fault_in_)) {
        fail_call(from, event, sent[i], false);
      }
    }
    if (is_drawn(from, event.name + " unseen", one_fault_in_)) {
      cut_off(from, event, 0);
    }
  }
  /// Reports whether one of the possibilities of a moment is tried: each, or a share of them, which
  /// is always the same.
  bool is_drawn(const Moment& at, const std::string& possibility, size_t one_in) const {
    return all_ || std::hash<std::string>()(base::join(at.way, " > ") + possibility) % one_in == 0;
  }
  void cut_off(const Moment& from, const Event& event, size_t calls) {
    walk_.go_back(from);
    walk_.note(event.name + ", cut off after " + std::to_string(calls));
    event.happen(walk_);
    walk_.api.allow_calls(calls);
    walk_.advance();
    walk_.api.allow_calls(std::nullopt);
    walk_.lose_memory();
    found_after_fault();
  }
  /// The server refuses `call`, or carries it out and the answer is lost.
  void fail_call(const Moment& from, const Event& event, const std::string& call, bool refused) {
    walk_.go_back(from);
    walk_.note(event.name + (refused ? ", refused " : ", unanswered ") + call);
    event.happen(walk_);
    if (refused) {
      walk_.api.fail_once(call, Error(ErrorCode::kUnavailable, "refused"));
    } else {
      walk_.api.lose_answer_once(call);
    }
    walk_.advance();
    const bool struck = walk_.api.disarm().empty();
    // A write that the server refuses has no answer of a write to lose.
    demand(struck || !refused, "a second run sends other calls", walk_.name());
    failed_call_ = call;
    found_after_fault();
    failed_call_.clear();
  }
  void found_after_fault() {
    ++cuts_;
    ++faults_;
    found(false);
    --faults_;
  }

  /// Checks the promises, and keeps the moment if its state is new.
  void found(bool whole) {
    std::string name = walk_.name();
    demand(walk_.deployed() <= (whole ? 1U : 2U), "more than one record is deployed", name);
    for (const auto& [run, times] : walk_.past().runs) {
      demand(times == 1, "hook " + run + " ran again", name);
    }
    const bool lives = walk_.api.has(walk_.ref()) && !kube::is_deleting(walk_.cr());
    demand(!lives || walk_.revision() == 0 || walk_.exists("old") || walk_.exists("new"),
           "more is deleted than was replaced", name);
    demand(!keeps_ || !lives || !failed_to_apply() || !prunes(), "it prunes after a failure", name);
    demand(!keeps_ || walk_.past().rollbacks.size() <= static_cast<size_t>(walk_.past().asked),
           "a rollback was made more than once", name);
    if (seen_.insert(std::move(name)).second) {
      todo_.push_back({walk_.moment(), faults_});
    }
  }

  /// Every state is left: once all is well, what the spec asks for is in force.
  void heal(const Moment& from) {
    walk_.go_back(from);
    if (!walk_.api.has(walk_.ref())) {
      return;
    }
    walk_.note("all is well");
    const bool is_deleted = kube::is_deleting(walk_.cr());
    walk_.refuse(false);
    walk_.spec(kSpecRed);
    walk_.annotate(kRollbackTo, std::nullopt);
    walk_.annotate(kReconcileRequestedAt, "healed");
    bool rests = false;
    Calls sent;
    std::vector<std::string> names;
    for (int i = 0; i < 40 && !rests; ++i) {
      walk_.end_jobs("Complete");
      names.push_back(walk_.name(Walk::Lines::kInForce));
      if (healed_.contains(names.back())) {
        healed_.insert(names.begin(), names.end());
        return;
      }
      const auto outcome = walk_.advance();
      const Calls now = walk_.calls();
      sent.insert(sent.end(), now.begin(), now.end());
      rests = std::holds_alternative<runtime::Done>(outcome) && walk_.at_rest();
      walk_.clock.advance(std::chrono::minutes(1));
    }
    healed_.insert(names.begin(), names.end());
    const std::string name =
        walk_.name() + "\n" + walk_.condition("Ready") + "\n" + base::join(sent, "\n");
    demand(rests, "it does not come to rest", name);
    if (is_deleted) {
      demand(!walk_.api.has(walk_.ref()) && walk_.config_maps().empty() &&
                 walk_.record_lines().empty(),
             "a deletion does not end", name);
      return;
    }
    demand(walk_.config_maps() == Calls{"w=red", "old="}, "other children are in force", name);
    demand(walk_.deployed() == 1, "no record is deployed", name);
    demand(walk_.status().find("attempt") == nullptr, "an attempt does not end", name);
    demand(walk_.condition("Ready").starts_with("True"), "it is not ready", name);
  }
  bool failed_to_apply() const {
    return failed_call_.starts_with("apply ConfigMap") ||
           (walk_.refuses() && testing::has(walk_.calls(), kApplyNew));
  }
  bool prunes() const {
    const Calls sent = walk_.calls();
    return std::any_of(sent.begin(), sent.end(), [](const std::string& call) {
      return call.starts_with("delete ConfigMap");
    });
  }
  void demand(bool holds, const std::string& complaint, const std::string& name) {
    if (!holds) {
      FAIL_CHECK(complaint << " after:\n" << base::join(walk_.way(), " > ") << "\n" << name);
    }
  }

  /// A moment whose state is new, and how many faults led there.
  struct Reached {
    Moment moment;
    int faults;
  };

  Walk walk_;
  const bool keeps_;
  const size_t one_event_in_ = 16;
  const size_t one_fault_in_ = 3;
  const size_t one_second_in_ = 8;
  const bool all_ = std::getenv("CW_STATES") != nullptr;
  std::map<std::string, Moment> lived_;  ///< By the first steps of a life.
  std::deque<Reached> todo_;
  int faults_ = 0;  ///< In a row, up to now.
  std::unordered_set<std::string> seen_;
  std::unordered_set<std::string> tried_;   ///< Moments of lives.
  std::unordered_set<std::string> healed_;  ///< States from which all became well.
  std::string failed_call_;  ///< The call that failed in the last reconcile; empty: none.
  size_t cuts_ = 0;
};

Calls after(Calls first, const Calls& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

void lead_lives(Explorer& explorer, const std::vector<Calls>& lives) {
  for (const Calls& life : lives) {
    explorer.live(life);
  }
  CHECK(explorer.states() > 60);
  CHECK(explorer.cuts() > 10);
  if (explorer.tries_all()) {
    WARN(explorer.states() << " states, " << explorer.cuts() << " faults");
  }
}

std::vector<Calls> all_lives() {
  const Calls installed = {kNothing, kDone, kDone, kNothing};
  const Calls upgraded = after(installed, {kToGreen, kDone, kDone, kNothing});
  return {
      installed,
      {kNothing, kFail, kNothing, kAgain, kDone, kFail, kNothing},
      after(upgraded, {kToBroken, kNothing, kToRed, kDone, kDone}),
      after(installed, {kToGreen, kFail, kNothing, kAgain}),
      after(installed, {kToGreen, kDone, kFail, kNothing, kAgain, kToRed}),
      after(installed, {kToGreen, kToRed, kNothing}),
      after(installed, {"the server refuses", kToGreen, kDone, kNothing, "minutes pass",
                        "the server accepts", "minutes pass"}),
      after(upgraded, {kAsk, kDone, kDone, kNothing, "withdraw the rollback", kDone, kDone}),
      after(upgraded, {kAsk, kFail, kNothing, kAgain, kDone, kDone, kToBroken}),
      after(upgraded, {kAsk, "deletion", kNothing}),
      after(installed, {kToGreen, kDone, "deletion", kNothing}),
      after(upgraded, {kToBroken, kAsk, kDone, kDone, kNothing, "withdraw the rollback", kToRed}),
      after(installed, {"the server refuses", kToGreen, kDone, kNothing, kAsk, kNothing,
                        "the server accepts", "minutes pass", kNothing}),
      after(upgraded, {"a child is deleted", "the server refuses", kToRed, "minutes pass",
                       "the server accepts", "minutes pass", kNothing}),
  };
}

// One thread at a time does anything here: ThreadSanitizer would find nothing, for two minutes.
TEST_CASE("Every state of a release keeps the promises, and is left", "[large]") {
  Explorer explorer(bundle::UpgradeFailure::kHold, bundle::InstallFailure::kHold);
  lead_lives(explorer, all_lives());
}

TEST_CASE("Every state of a release whose failures are undone keeps the promises, and is left",
          "[large]") {
  Explorer explorer(bundle::UpgradeFailure::kRollback, bundle::InstallFailure::kUninstall);
  lead_lives(explorer, all_lives());
}

TEST_CASE("Every state after the takeover of a failed release of Helm keeps the promises",
          "[large]") {
  Explorer explorer(bundle::UpgradeFailure::kHold, bundle::InstallFailure::kHold,
                    Origin::kFailedReleaseOfHelm);
  lead_lives(explorer, {
                           {kNothing, kNothing, "a child is deleted", kNothing},
                           {kAgain, kNothing, kToGreen, kDone, kDone, kNothing},
                           {kToGreen, kNothing, kDone, kFail, kNothing, kAgain, kDone, kDone},
                           {kToGreen, kFail, kNothing, kAgain, kDone, kAsk, kNothing},
                           {kNothing, "the server refuses", kToGreen, kDone, "deletion", kNothing},
                       });
}

}  // namespace
}  // namespace chartwright::op
