// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "test/sim/oracles.h"
#include "test/sim/plan.h"
#include "test/sim/run.h"

namespace chartwright::sim {

/// A plan that violates an oracle, as small as it could be made.
struct Failure {
  Plan plan;
  Violation violation;
};

/// The counts of a campaign.
struct Tally {
  uint64_t runs = 0;
  uint64_t choices = 0;
  uint64_t without_effect = 0;  ///< Runs in which no incident of the plan happened.
  std::set<uint64_t> digests;   ///< Runs that are equal have the same.
};

/// Makes plans about one subject, and judges them.
class Campaign {
 public:
  /// Runs the subject undisturbed. Errors: as run(), or kInternal if that violates an oracle.
  static base::Result<Campaign> begin(const std::string& subject);

  /// Returns a plan for every incident at every call of the undisturbed run.
  std::vector<Plan> singles() const;
  /// Adds a second incident to `single`: each that is possible at one of the next three calls.
  std::vector<Plan> pairs(const Plan& single) const;
  /// Returns a plan with up to three incidents, in any order of threads.
  Plan random(uint64_t seed) const;

  /// Runs a plan. Returns what it violates, if it does.
  std::optional<Violation> try_plan(const Plan& plan);
  /// Returns the least plan found that violates the same oracle.
  Failure shrink(const Plan& plan, const Violation& violation);

  const Tally& tally() const { return tally_; }
  /// Runs a plan. Not counted.
  Record run_plan(const Plan& plan) const;

 private:
  Campaign() = default;

  std::vector<Incident> incidents_at(const std::string& call, size_t number) const;
  std::vector<Incident> incidents_of(const Journal& journal, size_t first, size_t calls) const;
  Order random_order(std::mt19937_64& random) const;
  /// Also false once enough has been tried.
  bool still_fails(const Plan& plan, const std::string& oracle);
  void shrink_incidents(Plan& plan, const std::string& oracle);
  void shrink_order(Plan& plan, const std::string& oracle);

  uint64_t tries_left_ = 0;  ///< For shrinking.
  std::shared_ptr<const LoadedSubject> subject_;
  Plan base_;
  Record undisturbed_;
  Tally tally_;
};

}  // namespace chartwright::sim
