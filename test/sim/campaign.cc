// SPDX-License-Identifier: Apache-2.0
#include "test/sim/campaign.h"

#include <algorithm>
#include <map>
#include <utility>

namespace chartwright::sim {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

/// A call that comes again and again does so in the same state.
constexpr size_t kNumberMax = 4;

Incident incident_of(Occasion::Side side, const std::string& call, size_t number,
                     Incident::Kind kind) {
  return {.when = {side, call, number}, .kind = kind};
}

}  // namespace

Result<Campaign> Campaign::begin(const std::string& subject) {
  Campaign campaign;
  campaign.base_.subject = subject;
  CW_TRY(campaign.subject_, load_subject(subject));
  CW_TRY(campaign.undisturbed_, run(campaign.base_, *campaign.subject_));
  if (const auto violation = judge(campaign.undisturbed_, campaign.undisturbed_)) {
    return Error(ErrorCode::kInternal,
                 subject + ", undisturbed: " + violation->oracle + ": " + violation->what);
  }
  return campaign;
}

// The steps of the subject could be read when the campaign began.
Record Campaign::run_plan(const Plan& plan) const { return CW_MUST(run(plan, *subject_)); }

std::vector<Incident> Campaign::incidents_at(const std::string& call, size_t number) const {
  using Kind = Incident::Kind;
  using Side = Occasion::Side;
  std::vector<Incident> all;
  const auto add = [&](Side side, Kind kind) -> Incident& {
    all.push_back(incident_of(side, call, number, kind));
    return all.back();
  };
  add(Side::kBefore, Kind::kCrash);
  for (const int status : {409, 429, 500, 503}) {
    if (is_write(call) || status == 503) {
      add(Side::kBefore, Kind::kRefuse).status = status;
    }
  }
  add(Side::kBefore, Kind::kLose);
  add(Side::kBefore, Kind::kDelay).delay = std::chrono::seconds(5);
  for (const char* step : {"paint ConfigMap w-a black", "erase ConfigMap w-b", "hold Widget 90s",
                           "hold ConfigMap 90s", "cut Widget", "expire ConfigMap"}) {
    add(Side::kBefore, Kind::kStep).step = step;
  }
  if (subject_->subject().elects) {
    add(Side::kBefore, Kind::kFreeze).delay = std::chrono::seconds(20);
    for (const char* step : {"hold Widget 90s b", "hold ConfigMap 90s b"}) {
      add(Side::kBefore, Kind::kStep).step = step;
    }
  }
  if (is_write(call)) {
    add(Side::kAfter, Kind::kCrash);
    add(Side::kAfter, Kind::kLose);
    add(Side::kAfter, Kind::kDelay).delay = std::chrono::seconds(31);
  }
  return all;
}

std::vector<Incident> Campaign::incidents_of(const Journal& journal, size_t first,
                                             size_t calls) const {
  std::vector<Incident> all;
  std::map<std::string, size_t> count;
  for (size_t i = 0, seen = 0; i < journal.size() && seen < calls; ++i) {
    const Row& row = journal[i];
    if (row.what == Row::What::kCall) {
      const size_t number = ++count[row.call];
      if (i >= first && number <= kNumberMax) {
        ++seen;
        const std::vector<Incident> here = incidents_at(row.call, number);
        all.insert(all.end(), here.begin(), here.end());
      }
    }
  }
  return all;
}

std::vector<Plan> Campaign::singles() const {
  std::vector<Plan> plans;
  for (const Incident& incident :
       incidents_of(undisturbed_.journal, 0, undisturbed_.journal.size())) {
    plans.push_back(base_);
    plans.back().incidents = {incident};
  }
  return plans;
}

std::vector<Plan> Campaign::pairs(const Plan& single) const {
  const Record first = run_plan(single);
  const Occasion& when = single.incidents.front().when;
  size_t number = 0;
  size_t at = 0;
  while (at < first.journal.size()) {
    const Row& row = first.journal[at++];
    if (row.what == Row::What::kCall && row.call == when.call && ++number == when.number) {
      break;
    }
  }
  std::vector<Plan> plans;
  for (const Incident& second : incidents_of(first.journal, at, 3)) {
    plans.push_back(single);
    plans.back().incidents.push_back(second);
  }
  return plans;
}

Order Campaign::random_order(std::mt19937_64& random) const {
  Order order;
  const uint64_t chance = random() % 100;
  if (chance < 45) {
    order.kind = Order::Kind::kPriorities;
    order.number = 2 + random() % 2;
    order.fine = random() % 2 == 0;
    order.choices = undisturbed_.choices * (order.fine ? 4 : 1) + 1;
  } else if (chance < 85) {
    order.kind = Order::Kind::kWalk;
    order.number = static_cast<unsigned>(2U << random() % 5);
    order.fine = random() % 2 == 0;
  }
  return order;
}

Plan Campaign::random(uint64_t seed) const {
  std::mt19937_64 random(seed);
  Plan plan = base_;
  plan.seed = random() >> 1;
  plan.order = random_order(random);
  const size_t count = random() % 4;
  std::vector<const Row*> calls;
  for (const Row& row : undisturbed_.journal) {
    if (row.what == Row::What::kCall) {
      calls.push_back(&row);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const std::vector<Incident> here =
        incidents_at(calls[random() % calls.size()]->call, 1 + random() % 3);
    plan.incidents.push_back(here[random() % here.size()]);
  }
  return plan;
}

std::optional<Violation> Campaign::try_plan(const Plan& plan) {
  const Record record = run_plan(plan);
  ++tally_.runs;
  tally_.choices += record.choices;
  tally_.digests.insert(record.digest);
  if (!plan.incidents.empty() && record.missed.size() == plan.incidents.size()) {
    ++tally_.without_effect;
  }
  return judge(record, undisturbed_);
}

bool Campaign::still_fails(const Plan& plan, const std::string& oracle) {
  if (tries_left_ == 0) {
    return false;
  }
  --tries_left_;
  const auto violation = try_plan(plan);
  return violation && violation->oracle == oracle;
}

void Campaign::shrink_incidents(Plan& plan, const std::string& oracle) {
  for (size_t i = 0; i < plan.incidents.size();) {
    Plan smaller = plan;
    smaller.incidents.erase(smaller.incidents.begin() + static_cast<ptrdiff_t>(i));
    if (still_fails(smaller, oracle)) {
      plan = std::move(smaller);
    } else {
      ++i;
    }
  }
}

/// Replaces a random order by the places where it is not first come, first served, and leaves out
/// half of them, a quarter, and so on. Source: Zeller and Hildebrandt, Simplifying and Isolating
/// Failure-Inducing Input.
void Campaign::shrink_order(Plan& plan, const std::string& oracle) {
  Plan explicit_order = plan;
  explicit_order.order = {.kind = Order::Kind::kFirstCome, .fine = plan.order.fine};
  explicit_order.order.deviations = run_plan(plan).deviations;
  if (!still_fails(explicit_order, oracle)) {
    return;
  }
  plan = std::move(explicit_order);
  for (size_t chunk = plan.order.deviations.size(); chunk > 0; chunk /= 2) {
    for (size_t at = 0; at < plan.order.deviations.size();) {
      Plan smaller = plan;
      std::vector<Deviation>& left = smaller.order.deviations;
      const auto first = left.begin() + static_cast<ptrdiff_t>(at);
      left.erase(first, first + static_cast<ptrdiff_t>(std::min(chunk, left.size() - at)));
      if (still_fails(smaller, oracle)) {
        plan = std::move(smaller);
      } else {
        at += chunk;
      }
    }
  }
}

Failure Campaign::shrink(const Plan& plan, const Violation& violation) {
  constexpr uint64_t kTriesMax = 400;
  tries_left_ = kTriesMax;
  Plan least = plan;
  shrink_incidents(least, violation.oracle);
  shrink_order(least, violation.oracle);
  shrink_incidents(least, violation.oracle);
  const Record record = run_plan(least);
  least.expect = violation.oracle;
  return {std::move(least), judge(record, undisturbed_).value_or(violation)};
}

}  // namespace chartwright::sim
