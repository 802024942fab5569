// SPDX-License-Identifier: Apache-2.0
#include "release/pace.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace chartwright::release {
namespace {

/// A step under a rule with a pace, and what is known of its object.
struct Paced {
  Step* step;
  Motion before;  ///< The recorded one.
  /// It lives, the cache has seen our last write, and it is ready if it must be; or it is over.
  bool settled;
  kube::ObjectRef slot;
};

bool is_settled(const Pace& pace, const std::optional<Observed>& live,
                const InventoryEntry* entry) {
  if (!live || live->deleting() ||
      (entry != nullptr && is_behind(live->resource_version(), *entry))) {
    return false;
  }
  return pace.until == Until::kObserved || live->ready_state() == health::ReadyState::kReady;
}

bool repairs(const Step& step) {
  return step.action == Action::kApply && step.reason != Reason::kChanged;
}

/// The steps of one rule.
class Lane {
 public:
  explicit Lane(const Pace& pace) : pace_(pace) {}

  void add(Paced one) { steps_.push_back(std::move(one)); }

  void run() {
    for (Paced& one : steps_) {
      if (one.step->desired != nullptr) {
        count_desired(one);
      } else {
        count_dropped(one);
      }
    }
    begin(ends_, [this] { return coming_ + going_ < pace_.max; });
    begin(changes_, [this] { return coming_ + going_ < pace_.max; });
    begin(prunes_, [this] { return going_ < pace_.max; });
  }

 private:
  void move(Step& step) {
    const bool goes = step.action == Action::kReplace || step.action == Action::kPrune ||
                      step.action == Action::kWait;
    step.motion = goes ? Motion::kGoing : Motion::kComing;
    ++(goes ? going_ : coming_);
  }

  static void hold(Step& step) {
    step.action = Action::kNone;
    step.reason = Reason::kPaced;
    step.motion = Motion::kHeld;
  }

  template <typename Free>
  void begin(const std::vector<Step*>& waiting, Free is_free) {
    for (Step* step : waiting) {
      if (is_free()) {
        move(*step);
      } else {
        hold(*step);
      }
    }
  }

  void count_desired(const Paced& one) {
    Step& step = *one.step;
    const bool coming = one.before == Motion::kComing && !one.settled;
    switch (step.action) {
      case Action::kNone:
      case Action::kMove:
        if (coming) {
          move(step);
        }
        break;
      case Action::kWait:
        if (one.before == Motion::kGoing) {
          move(step);
        }
        break;
      case Action::kCreate:
      case Action::kApply:
      case Action::kReplace:
        if (coming || one.before == Motion::kGoing) {
          move(step);  // The next part of the same change.
        } else if (!repairs(step)) {
          changes_.push_back(&step);
        }
        break;
      default:
        break;
    }
    if (!one.step->desired->slot.empty()) {
      successors_[one.slot] =
          one.settled && (step.action == Action::kNone || step.action == Action::kMove);
    }
  }

  void count_dropped(const Paced& one) {
    Step& step = *one.step;
    if (step.action == Action::kForget && step.reason == Reason::kTerminating &&
        pace_.until == Until::kGone) {
      step.action = Action::kWait;
      move(step);
      return;
    }
    if (step.action != Action::kPrune) {
      return;
    }
    if (one.before == Motion::kGoing || (one.before == Motion::kComing && !one.settled)) {
      move(step);
      return;
    }
    const auto successor = successors_.find(one.slot);  // Desired steps come first in a plan.
    if (successor == successors_.end()) {
      prunes_.push_back(&step);
    } else if (successor->second) {
      ends_.push_back(&step);
    } else {
      hold(step);
    }
  }

  const Pace& pace_;
  std::vector<Paced> steps_;
  int coming_ = 0;
  int going_ = 0;
  std::map<kube::ObjectRef, bool> successors_;  ///< Whether that of a slot has settled.
  std::vector<Step*> ends_;                     ///< The ends of predecessors.
  std::vector<Step*> changes_;
  std::vector<Step*> prunes_;
};

const ChildRule* rule_of(const Step& step, const std::optional<Observed>& live,
                         const std::vector<ChildRule>& rules) {
  if (step.desired != nullptr) {
    return step.desired->role == Role::kChild ? step.desired->rule : nullptr;
  }
  const bool ends = step.action == Action::kPrune || step.reason == Reason::kTerminating;
  return ends && live ? find_rule(rules, live->condensed()) : nullptr;
}

bool have_pace(const std::vector<ChildRule>& rules) {
  return std::any_of(rules.begin(), rules.end(),
                     [](const ChildRule& rule) { return rule.pace.has_value(); });
}

}  // namespace

void hold_to_pace(const PlanInput& input, const std::vector<ChildRule>& rules, Plan& plan) {
  if (!have_pace(rules)) {
    return;
  }
  std::map<const ChildRule*, Lane> lanes;
  for (Step& step : plan) {
    const auto live = input.live(step.ref);
    const ChildRule* rule = rule_of(step, live, rules);
    if (rule == nullptr || !rule->pace) {
      continue;
    }
    const auto recorded = input.inventory.find(step.ref);
    const InventoryEntry* entry = recorded == input.inventory.end() ? nullptr : &recorded->second;
    Paced one{&step, entry == nullptr ? Motion::kNone : entry->motion,
              step.reason == Reason::kOver || is_settled(*rule->pace, live, entry), step.ref};
    const std::string& slot = step.desired != nullptr ? step.desired->slot : entry->slot;
    if (!slot.empty()) {
      one.slot.name = slot;
    }
    lanes.try_emplace(rule, *rule->pace).first->second.add(std::move(one));
  }
  for (auto& [rule, lane] : lanes) {
    lane.run();
  }
}

}  // namespace chartwright::release
