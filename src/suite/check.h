// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suite/failure_text.h"
#include "suite/results/suite_result.h"
#include "suite/snapshot.h"
#include "suite/suite.h"
#include "value/value.h"

namespace chartwright::suite {

/// The member of a document that is not YAML: the text of NOTES.txt, or of an error.
inline constexpr std::string_view kRaw = "raw";

/// An assertion, and the documents of one template that it checks.
struct CheckInput {
  const Assertion& assertion;
  const std::vector<value::Value>& documents;  ///< All of the template.
  const std::vector<value::Value>& selected;   ///< Those that index or selector leave.
  const std::optional<std::string>& render_error;
  Snapshots& snapshots;
  bool fail_fast = false;
  /// The mistakes of helm-unittest are wanted, and its words alone: see Compat.
  bool copies_mistakes = false;
};

struct CheckResult {
  bool passed = false;
  std::vector<std::string> lines = {};  ///< Why it failed.
  /// The documents, and the values at the assertion's path in them, that it failed for; a value of
  /// -1 stands for all, or for none.
  std::vector<FailurePlace> places = {};
  std::vector<FieldDifference> fields = {};  ///< Those that `lines` has.
};

/// Runs the check of an assertion. Source: helm-unittest pkg/unittest/validators.
CheckResult run_check(const CheckInput& input);

// Checks by what they look at; run_check chooses.
CheckResult check_values(const CheckInput& input);     ///< Values at a path.
CheckResult check_documents(const CheckInput& input);  ///< Whole documents.

/// Combines the results of several documents or values: all must pass.
class CheckResults {
 public:
  explicit CheckResults(bool passed_if_none) : result_{passed_if_none, {}} {}
  /// Returns false if the rest need not be looked at.
  bool add(CheckResult one, bool fail_fast);
  CheckResult take() { return std::move(result_); }

 private:
  CheckResult result_;
  bool is_first_ = true;
};

}  // namespace chartwright::suite
