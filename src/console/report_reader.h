// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "console/report_draft.h"
#include "console/wanted.h"
#include "kube/object.h"
#include "report/summary.h"
#include "value/value.h"

namespace chartwright::cmd {

/// Whether the logs of the pods of custom resources are wanted, which their users have written.
enum class PodLogs : uint8_t { kNo, kYes };

/// Reads custom resources for a report, each with what belongs to it. Not thread-safe; its methods
/// block.
class ReportReader {
 public:
  /// Hears of each custom resource before that is read.
  using Tell = std::function<void(const kube::ObjectRef& ref)>;

  static constexpr size_t kCustomResourcesMax = 200;

  /// `draft` must outlive it.
  ReportReader(ReportDraft& draft, PodLogs logs, Tell tell)
      : draft_(draft), logs_(logs), tell_(std::move(tell)) {}

  /// Adds the custom resources that are meant of a kind, and its CRD.
  void add(const Wanted& wanted);
  /// Adds the list of all custom resources.
  void add_list();
  /// Returns the custom resources that were read.
  const std::vector<Summary>& summaries() const { return summaries_; }
  /// Reports whether all custom resources that were meant were read.
  bool is_complete() const { return is_complete_; }

 private:
  std::vector<kube::ObjectRef> refs_of(const Wanted& wanted);
  void add_resource(const kube::ObjectRef& ref);
  void add_history(const ReportDraft::Path& folder, const value::Value& cr);
  void add_children(const ReportDraft::Path& folder, const value::Value& cr,
                    const TreeReport& report);
  void add_child(const ReportDraft::Path& folder, const value::Value& cr, const TreeNode& node);
  void add_pods(const ReportDraft::Path& folder, const TreeReport& report);

  ReportDraft& draft_;
  const PodLogs logs_;
  const Tell tell_;
  std::vector<Summary> summaries_;
  bool is_complete_ = true;
};

/// Returns an error, kInvalidArgument, unless each of the names is NAME or NAMESPACE/NAME.
base::Status check_operator_names(const std::vector<std::string>& names);

/// Adds the Deployments of operators, with their pods and logs: those of the names, else all that
/// can be found. Returns how many there are. Blocks.
size_t add_operators(ReportDraft& draft, const std::vector<std::string>& names);

}  // namespace chartwright::cmd
