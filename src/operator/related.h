// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "kube/object.h"
#include "release/observed.h"
#include "runtime/informer.h"

namespace chartwright::op {

/// Equality requirements on labels: all must hold.
using LabelMap = std::vector<std::pair<std::string, std::string>>;

/// When a custom resource's reconcile should begin.
enum class Urgency : uint8_t {
  kNow,   ///< Something has to be repaired.
  kSoon,  ///< A status may have to follow: changes of that sort come in bursts, and one reconcile
          ///< serves them all.
};

/// Called with a custom resource that may need work. Thread-safe, quick.
using Trigger = std::function<void(const kube::ObjectRef& cr, Urgency urgency)>;

/// Objects of one kind that bundles read but do not own, found by one label whose value is a matter
/// of each custom resource. Objects and readers are both indexed by that label's value, so that
/// neither a lookup nor an event looks at more than it concerns. Thread-safe.
class RelatedSource {
 public:
  /// `index_label`: the label to index by; empty: all objects of a namespace belong together.
  RelatedSource(std::string index_label, Trigger trigger)
      : index_label_(std::move(index_label)), trigger_(std::move(trigger)) {}

  /// Follows `informer`, which must outlive this. Several may be added (one a namespace).
  void follow(runtime::Informer& informer) CW_EXCLUDES(mutex_);

  /// The condensed objects in `ns` with all of `labels`, ordered by name, and from now on a trigger
  /// for `reader` whenever one comes, changes or goes.
  std::vector<runtime::Stored> read(const kube::ObjectRef& reader, const std::string& ns,
                                    const LabelMap& labels) CW_EXCLUDES(mutex_);
  /// Forgets a reader.
  void forget(const kube::ObjectRef& reader) CW_EXCLUDES(mutex_);

 private:
  void on_change(const runtime::Change& change) CW_EXCLUDES(mutex_);
  std::string bucket_of(std::string_view ns, const value::Value& condensed) const;

  const std::string index_label_;
  const Trigger trigger_;
  base::Mutex mutex_;
  /// By "namespace/label value".
  std::unordered_map<std::string, std::map<std::string, runtime::Stored>> objects_
      CW_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::set<kube::ObjectRef>> readers_ CW_GUARDED_BY(mutex_);
  std::unordered_map<kube::ObjectRef, std::string> bucket_by_reader_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::op
