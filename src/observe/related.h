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

namespace chartwright::observe {

/// Labels and their values, all of which an object must have.
using LabelMap = std::vector<std::pair<std::string, std::string>>;

/// How soon a reconcile should begin.
enum class Urgency : uint8_t {
  kNow,   ///< Drift has to be repaired.
  kSoon,  ///< A status may have to be updated: such changes come in bursts, and one reconcile is
          ///< enough for all of them.
};

/// Called with a custom resource that may need a reconcile. Must be thread-safe and quick.
using Trigger = std::function<void(const kube::ObjectRef& cr, Urgency urgency)>;

/// Objects of one kind that bundles read but do not own. Each custom resource, a reader, selects
/// them by the value of one label. Objects and readers are both indexed by that value, so that
/// neither a read nor an event looks at more than it concerns. Thread-safe.
class RelatedSource {
 public:
  /// `index_label`: the label to index by; empty: the objects of a namespace are one group.
  RelatedSource(std::string index_label, Trigger trigger)
      : index_label_(std::move(index_label)), trigger_(std::move(trigger)) {}

  /// Adds the objects of `informer`, which must outlive this: one per namespace.
  void follow(runtime::Informer& informer) CW_EXCLUDES(mutex_);

  /// Returns the condensed objects in `ns` with all of `labels`, ordered by name. From now on
  /// `reader` is triggered when one is created, changed or deleted.
  std::vector<runtime::Stored> read(const kube::ObjectRef& reader, const std::string& ns,
                                    const LabelMap& labels) CW_EXCLUDES(mutex_);
  /// Ends the triggers for a reader.
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

}  // namespace chartwright::observe
