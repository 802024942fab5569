// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "console/connection.h"
#include "kube/object.h"
#include "report/redaction.h"
#include "report/report_files.h"
#include "report/tree_report.h"
#include "value/value.h"

namespace chartwright::cmd {

/// A report that is being made: its files, the contents of Secrets, and the trees to which Events
/// belong. Each object that cannot be read becomes a gap. Not thread-safe; its methods block.
class ReportDraft {
 public:
  using Path = std::vector<std::string>;

  /// `connection` must outlive it.
  explicit ReportDraft(Connection& connection) : connection_(connection) {}

  Connection& connection() { return connection_; }
  ReportFiles& files() { return files_; }

  /// Returns a live object; nullopt, and a gap, if it cannot be read.
  std::optional<value::Value> read(const kube::ObjectRef& ref);
  /// Adds a live object as YAML, without its secrets.
  void add_object(const Path& path, const value::Value& object);
  /// Adds the logs of all containers of a live pod, and of their runs before.
  void add_logs(const Path& folder, const value::Value& pod);
  /// Notes a tree, whose gaps become those of the report.
  void add_tree(TreeReport tree);
  /// Adds the Events about the objects of all trees.
  void add_events();

  /// Returns the texts by their names, without the contents of Secrets.
  std::map<std::string, std::string> take() { return files_.take(secrets_.mask()); }

 private:
  Connection& connection_;
  ReportFiles files_;
  SeenSecrets secrets_;
  std::vector<TreeReport> trees_;
};

/// Returns the folders of an object: its kind, its namespace or "_cluster", and its name with an
/// ending.
ReportDraft::Path path_of(const kube::ObjectRef& ref, std::string_view ending);

/// Returns a path below a folder.
ReportDraft::Path below(const ReportDraft::Path& folder, const ReportDraft::Path& path);

/// Returns "no right to get Secret team/one", or another reason why an object could not be read.
std::string read_gap(const kube::ObjectRef& ref, const base::Error& error);

}  // namespace chartwright::cmd
