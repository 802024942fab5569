// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"

namespace chartwright::base {

/// Collects errors that do not depend on each other, so that a user gets all of them at once. Not
/// thread-safe.
class Faults {
 public:
  void add(Error error) { all_.push_back(std::move(error)); }
  void add(Status status) {
    if (!status.ok()) {
      add(std::move(status).error());
    }
  }
  bool empty() const { return all_.empty(); }
  const std::vector<Error>& all() const { return all_; }

  /// Returns the first error, whose message has the others, one a line; success if there is none.
  Status status() const;

 private:
  std::vector<Error> all_;
};

}  // namespace chartwright::base
