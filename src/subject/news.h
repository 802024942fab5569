// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/mutex.h"
#include "release/apply.h"
#include "subject/subject.h"

namespace chartwright::op {

/// Counts repairs, and changes that are not repaired. Thread-safe.
class RepairCounter {
 public:
  /// `metrics` must outlive it.
  explicit RepairCounter(base::Metrics& metrics) : metrics_(metrics) {}

  /// Counts from 0 for this kind of custom resource. A kind without repairs shows that it has none.
  void begin(const std::string& kind);
  /// Counts the repair of a child. Charts may compute kinds, so that those after the first 100 are
  /// counted as "other".
  void count(const std::string& kind, const release::Repair& repair) CW_EXCLUDES(mutex_);
  /// Counts a change of a child that stays, in the same way.
  void count_drift(const std::string& kind, const kube::ObjectRef& child) CW_EXCLUDES(mutex_);

 private:
  base::Counter& series(const std::string& kind, const std::string& child, std::string_view reason);
  base::Counter& drifts(const std::string& kind, const std::string& child);
  /// Returns the label of a child's kind.
  std::string label_of(const kube::ObjectRef& child) CW_EXCLUDES(mutex_);

  base::Metrics& metrics_;
  base::Mutex mutex_;
  std::set<std::string> children_ CW_GUARDED_BY(mutex_);
};

// The news of a custom resource, told as Events about it, and in the log. An Event is news,
// not state: none of these blocks or fails.

/// Writes an Event, and nothing else. Values of overrideValues are masked.
void tell(const Subject& subject, NoticeType type, std::string_view reason,
          const std::string& message);

/// Logs the goal of a reconcile and its reason, and hands them to Services::on_decision. The Event
/// of the revision that comes of it has the reason.
void tell_decision(const Subject& subject, const Decision& decision);

/// Tells that an override decides a value, and which: `text`, unless
/// Services::suppress_override_values says otherwise.
void tell_override(const Subject& subject, const std::string& path, const std::string& text);

/// Tells which fields of an object were set back: each from what to what, and who had set it.
/// Values are not shown for Secrets, nor where the chart may look up other objects, nor those that
/// have a value of overrideValues. Nothing is told
/// if only ownership in managedFields was set back. Returns the field managers that had set them,
/// for people; "" if they are unknown.
std::string tell_repair(const Subject& subject, const release::Repair& repair);

/// Returns the fields of a change that stays, with its values as far as tell_repair would show
/// them, and who manages them: "spec.replicas: 5 instead of 3 (managed by scaler)"; "" where no
/// value differs.
std::string describe_drift(const Subject& subject, const release::Repair& drift);

/// Tells of a change by others to a child that stays as it is.
void tell_drift(const Subject& subject, const kube::ObjectRef& ref, const std::string& change);

/// Tells that repairs of an object wait from now on, because `managers` ("": unknown) change it
/// again and again.
void tell_contest(const Subject& subject, const kube::ObjectRef& ref, const std::string& managers);

/// Tells which of the objects in `created`, where a custom resource seems to come from a backup, do
/// not have what the backup had: claims are empty, and beside claims, Secrets may have other
/// passwords than the volumes.
void tell_made_anew(const Subject& subject, const std::vector<const release::Desired*>& created);

/// Tells that a revision is in force: its number, its chart, such as "bookstore-0.1.0", and the
/// reason of the decision that led to it, unless that is new inputs.
void tell_deployed(const Subject& subject, std::string_view reason, int revision,
                   const std::string& chart);

/// Tells of the failure that `status`, which was written over `previous`, reports. One that goes on
/// with the same text is told once, also if the process restarts meanwhile.
void tell_failure(const Subject& subject, const value::Value& previous, const value::Value& status);
/// Takes the last failure as over: the same one is news again.
void forget_failure(const Subject& subject);

}  // namespace chartwright::op
