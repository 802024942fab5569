// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/label_selector.h"
#include "kube/object.h"
#include "runtime/informer.h"

namespace chartwright::observe {

/// How soon a reconcile should begin.
enum class Urgency : uint8_t {
  kNow,   ///< Drift has to be repaired.
  kSoon,  ///< A status may have to be updated: such changes come in bursts, and one reconcile is
          ///< enough for all of them.
  kLate,  ///< The same, for a change that may come again every second.
};

/// Returns how long such changes are gathered before a reconcile begins.
base::Duration delay_of(Urgency urgency);

/// Called with a custom resource that may need a reconcile. Must be thread-safe and quick.
using Trigger = std::function<void(const kube::ObjectRef& cr, Urgency urgency)>;

/// A custom resource that reads the objects of one `related` entry of its bundle.
struct Reader {
  kube::ObjectRef cr;
  std::string entry;
  auto operator<=>(const Reader&) const = default;
};

/// Objects of one kind that bundles read but do not own. Each reader selects them by the values of
/// some labels. Objects and readers are both indexed by these values, so that neither a read nor an
/// event looks at more than it concerns. Thread-safe.
class RelatedSource {
 public:
  /// `index_labels`: the labels to index by; none: the objects of a namespace are one group.
  RelatedSource(std::vector<std::string> index_labels, Trigger trigger)
      : index_labels_(std::move(index_labels)), trigger_(std::move(trigger)) {}

  /// Adds the objects of `informer`, which must outlive this: one per namespace.
  void follow(runtime::Informer& informer) CW_EXCLUDES(mutex_);

  /// Returns the condensed objects in `ns` ("": cluster-scoped) that `selector` selects, ordered by
  /// name; it must name one value for each index label. From now on `reader` is triggered when an
  /// object with these values is created, changed or deleted.
  std::vector<runtime::Stored> read(const Reader& reader, const std::string& ns,
                                    const kube::LabelSelector& selector) CW_EXCLUDES(mutex_);
  /// Ends the triggers for a custom resource.
  void forget(const kube::ObjectRef& cr) CW_EXCLUDES(mutex_);

 private:
  void on_change(const runtime::Change& change) CW_EXCLUDES(mutex_);
  std::string bucket_of(std::string_view ns, const value::Value& condensed) const;
  /// Removes a reader from those of its bucket.
  void leave(const Reader& reader, const std::string& bucket) CW_REQUIRES(mutex_);

  const std::vector<std::string> index_labels_;
  const Trigger trigger_;
  base::Mutex mutex_;
  /// The key is "namespace/label value/...".
  std::unordered_map<std::string, std::map<std::string, runtime::Stored>> objects_
      CW_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::set<Reader>> readers_ CW_GUARDED_BY(mutex_);
  std::map<Reader, std::string> bucket_by_reader_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::observe
