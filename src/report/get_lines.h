// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kube/object.h"
#include "report/summary.h"

namespace chartwright::cmd {

/// The form of a table of custom resources.
struct GetTable {
  bool is_wide = false;         ///< Whole messages, and since when.
  bool has_kinds = false;       ///< Several kinds: each name has its kind.
  bool has_namespaces = false;  ///< A column more.
};
/// Returns the columns of the table.
std::vector<std::string> get_header(const GetTable& table);
/// Returns the cells of a custom resource in them.
std::vector<std::string> get_row(const Summary& summary, const GetTable& table, base::WallTime now);

/// Decides which custom resources that are followed have a line that was not shown. Not
/// thread-safe.
class ShownLines {
 public:
  enum class Of : uint8_t { kAll, kProblems };
  /// Without a table, lines are JSON.
  ShownLines(std::optional<GetTable> table, Of of) : table_(table), of_(of) {}

  /// Notes the state of a custom resource. Reports whether its line is to be shown: it differs in
  /// more than an age from the last one. With kProblems, the line of one without a problem is shown
  /// once, where a problem was shown before.
  bool is_news(const Summary& summary);
  /// Forgets a custom resource that is deleted. Returns its last line, with that as its problem;
  /// nullopt if it had none.
  std::optional<Summary> take_deleted(const kube::ObjectRef& ref);

 private:
  struct Line {
    Summary summary;
    std::string text;
  };
  std::string text_of(Summary summary) const;

  const std::optional<GetTable> table_;
  const Of of_;
  std::map<kube::ObjectRef, Line> lines_;
};

}  // namespace chartwright::cmd
