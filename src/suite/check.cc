// SPDX-License-Identifier: Apache-2.0
#include "suite/check.h"

#include <iterator>

namespace chartwright::suite {

bool CheckResults::add(CheckResult one, bool fail_fast) {
  result_.passed = is_first_ ? one.passed : result_.passed && one.passed;
  is_first_ = false;
  result_.lines.insert(result_.lines.end(), std::make_move_iterator(one.lines.begin()),
                       std::make_move_iterator(one.lines.end()));
  result_.places.insert(result_.places.end(), one.places.begin(), one.places.end());
  result_.fields.insert(result_.fields.end(), std::make_move_iterator(one.fields.begin()),
                        std::make_move_iterator(one.fields.end()));
  return result_.passed || !fail_fast;
}

CheckResult run_check(const CheckInput& input) {
  switch (input.assertion.check) {
    case Check::kEqual:
    case Check::kNullOrEmpty:
    case Check::kContains:
    case Check::kSubset:
    case Check::kType:
    case Check::kMatch:
    case Check::kGreater:
    case Check::kLess:
    case Check::kSnapshot:
      return check_values(input);
    default:
      return check_documents(input);
  }
}

}  // namespace chartwright::suite
