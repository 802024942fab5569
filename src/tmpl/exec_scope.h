// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tmpl/evaluator.h"

namespace chartwright::tmpl {

/// Levels of evaluation inside each other: parenthesised pipelines, branches, template runs. Keeps
/// recursion within the stack of a render thread; a template that nests kParenDepthMax parentheses
/// still runs.
inline constexpr int kEvaluationDepthMax = 20000;

/// Makes a template's frame the current one and puts the caller's back.
class Evaluator::FrameScope {
 public:
  FrameScope(Evaluator& evaluator, const Tree& tree, std::string& out)
      : evaluator_(evaluator), caller_(evaluator.frame_) {
    evaluator_.frame_ = Frame{&tree, {}, evaluator_.variables_.size(), &out};
  }
  ~FrameScope() {
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

/// One level of nested evaluation.
class Evaluator::DepthScope {
 public:
  explicit DepthScope(Evaluator& evaluator) : evaluator_(evaluator) { ++evaluator_.depth_; }
  ~DepthScope() { --evaluator_.depth_; }
  DepthScope(const DepthScope&) = delete;
  DepthScope& operator=(const DepthScope&) = delete;
  base::Status check() const {
    if (evaluator_.depth_ <= kEvaluationDepthMax) {
      return {};
    }
    return evaluator_.error(
        "exceeded maximum evaluation depth (" + std::to_string(kEvaluationDepthMax) + ")",
        base::ErrorCode::kBudget);
  }

 private:
  Evaluator& evaluator_;
};

}  // namespace chartwright::tmpl
