// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "suite/results/suite_result.h"
#include "value/value.h"

namespace chartwright::suite {

/// The texts of one snapshot file: by the name of a job, and by a number that counts from 1.
using SnapshotTexts = std::map<std::string, std::map<int64_t, std::string>>;

enum class SnapshotUse : uint8_t {
  kCompare,  ///< Different texts fail, new ones are added.
  kUpdate,   ///< All texts are taken.
};

/// The snapshots of a suite: those of its file, and those of this run. Not thread-safe.
/// Source: helm-unittest pkg/unittest/snapshot/cache.go.
class Snapshots {
 public:
  Snapshots(SnapshotTexts cached, SnapshotUse use) : cached_(std::move(cached)), use_(use) {}
  /// Reads the text of a snapshot file. Error: kParse.
  static base::Result<SnapshotTexts> parse(std::string_view text);

  /// Patterns in place of the stored text; "" for none.
  struct Patterns {
    std::string match;
    std::string not_match;
  };
  struct Comparison {
    bool passed = false;
    int64_t index = 0;
    std::string stored = {};
    std::string found = {};
    std::string message = {};  ///< Which pattern decided.
  };
  /// Returns the snapshots of one job, without what was compared so far.
  Snapshots of_job(const std::string& job) const;
  /// Starts the numbers of a job.
  void begin(const std::string& job);
  /// Compares a value with the next snapshot of the job. Error: kParse for a pattern; kBudget.
  base::Result<Comparison> compare(const value::Value& v, const Patterns& patterns);

  SnapshotCounts counts() const;
  /// Reports whether the file must be written: with texts that are new, gone, or updated.
  bool is_changed() const;
  /// Returns the text of the file. Error: kBudget.
  base::Result<std::string> text() const;

 private:
  SnapshotTexts cached_;
  SnapshotTexts current_;
  SnapshotUse use_;
  std::string job_;
  int64_t number_ = 0;
  size_t total_ = 0;
  size_t updated_ = 0;
  size_t inserted_ = 0;
};

}  // namespace chartwright::suite
