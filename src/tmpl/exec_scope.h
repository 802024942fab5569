// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tmpl/evaluator.h"
#include "tmpl/output_trace.h"
#include "tmpl/run_counts.h"

namespace chartwright::tmpl {

/// Makes a template's frame the current one, and restores the caller's frame on destruction.
class Evaluator::FrameScope {
 public:
  FrameScope(Evaluator& evaluator, const Tree& tree, std::string& out)
      : evaluator_(evaluator), caller_(evaluator.frame_) {
    RunCounts* const counts = evaluator_.options_.counts;
    evaluator_.frame_ = Frame{&tree,
                              {},
                              evaluator_.variables_.size(),
                              &out,
                              evaluator_.places_.size(),
                              counts != nullptr ? counts->of(tree.parse_name) : nullptr};
    if (evaluator_.options_.trace != nullptr) {
      evaluator_.options_.trace->enter(tree, caller_.node);
    }
  }
  ~FrameScope() {
    if (evaluator_.options_.trace != nullptr) {
      evaluator_.options_.trace->leave();
    }
    evaluator_.variables_.resize(evaluator_.frame_.variables_base);
    evaluator_.frame_ = caller_;
    evaluator_.options_.budget.leave();
  }
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;

 private:
  Evaluator& evaluator_;
  Frame caller_;
};

/// Records the current statement of a list while the list is executed.
class Evaluator::PlaceScope {
 public:
  PlaceScope(Evaluator& evaluator, const Slot& dot) : places_(evaluator.places_) {
    places_.push_back({&dot, nullptr});
  }
  ~PlaceScope() { places_.pop_back(); }
  PlaceScope(const PlaceScope&) = delete;
  PlaceScope& operator=(const PlaceScope&) = delete;
  void at(const Statement& statement) { places_.back().statement = &statement; }

 private:
  std::vector<Place>& places_;
};

/// One level of nested evaluation. Proceed only if `status` is ok.
class Evaluator::NestingScope {
 public:
  explicit NestingScope(Evaluator& evaluator)
      : budget_(evaluator.options_.budget), status_(budget_.nest()) {
    if (!status_.ok()) {
      status_ = evaluator.budget_error(status_.error());
    }
  }
  ~NestingScope() {
    if (status_.ok()) {
      budget_.unnest();
    }
  }
  NestingScope(const NestingScope&) = delete;
  NestingScope& operator=(const NestingScope&) = delete;
  base::Status status() const { return status_; }

 private:
  base::Budget& budget_;
  base::Status status_;
};

}  // namespace chartwright::tmpl
