// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace chartwright::tmpl {

/// How often the statements of one source were executed. A statement is known by its position.
class SourceCounts {
 public:
  struct Count {
    uint64_t runs = 0;  ///< Executions that began.
    /// The executions of an if, range or with that went on in its body. A range does so once,
    /// however many turns it takes.
    uint64_t bodies = 0;
    uint64_t others = 0;  ///< The executions that went on in its else, or behind its end.
  };

  void ran(size_t pos) { ++at_[pos].runs; }
  void went_to_body(size_t pos) { ++at_[pos].bodies; }
  void went_elsewhere(size_t pos) { ++at_[pos].others; }
  void add(const SourceCounts& other);

  /// Returns zeros for a statement that never ran.
  Count at(size_t pos) const;

 private:
  std::unordered_map<size_t, Count> at_;
};

/// Counts which statements are executed (ExecOptions::counts). Only those of the given sources
/// count, so that texts which a template evaluates while it runs take no memory. Not thread-safe.
class RunCounts {
 public:
  /// `sources` has the names under which they are parsed.
  explicit RunCounts(const std::set<std::string>& sources);

  /// Returns nullptr for any other source.
  SourceCounts* of(std::string_view source);
  const SourceCounts* of(std::string_view source) const;
  /// Adds the counts of the same sources.
  void add(const RunCounts& other);

 private:
  std::map<std::string, SourceCounts, std::less<>> sources_;
};

}  // namespace chartwright::tmpl
