// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "kube/object.h"
#include "runtime/store.h"

namespace chartwright::process {

/// The custom resources of one kind in a cache.
struct CrsOfKind {
  kube::Gvk gvk;
  std::vector<runtime::Stored> all;
};

/// The facts about one custom resource that the metrics show.
struct CrFacts;

/// The metrics about custom resources: how many of each kind are ready and have which condition,
/// and two series for each of them, up to a limit. They are made for each scrape from the statuses
/// in the cache, so that no series outlives its object. A status is read once, and again only when
/// the cache has a newer one. Thread-safe.
class CrMetrics {
 public:
  /// With more than `single_max` custom resources, none has series of its own.
  explicit CrMetrics(size_t single_max);
  ~CrMetrics();
  CrMetrics(const CrMetrics&) = delete;
  CrMetrics& operator=(const CrMetrics&) = delete;

  /// Returns the samples in Prometheus' text format. Custom resources that are not in `kinds` are
  /// forgotten.
  std::string samples(const std::vector<CrsOfKind>& kinds) CW_EXCLUDES(mutex_);
  /// Returns how many statuses have been read.
  size_t reads() const CW_EXCLUDES(mutex_);

 private:
  using Known = std::unordered_map<const value::Value*, std::unique_ptr<const CrFacts>>;

  const size_t single_max_;
  mutable base::Mutex mutex_;
  Known known_ CW_GUARDED_BY(mutex_);
  size_t reads_ CW_GUARDED_BY(mutex_) = 0;
};

}  // namespace chartwright::process
