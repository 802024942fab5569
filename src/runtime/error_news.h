// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/object.h"

namespace chartwright::runtime {

/// Decides which errors of retried keys are told: a right that is missing for a hundred custom
/// resources would fill the log with the same lines. Thread-safe.
class ErrorNews {
 public:
  /// The same error of the same key is told again after this time.
  static constexpr base::Duration kAgain = std::chrono::minutes(1);

  /// Reports whether to tell that `key` fails with `text` at `now`, and takes it as told then.
  bool is_due(const kube::ObjectRef& key, std::string_view text, base::MonotonicTime now)
      CW_EXCLUDES(mutex_);
  /// `key` has succeeded, or is not retried: its next error is news.
  void forget(const kube::ObjectRef& key) CW_EXCLUDES(mutex_);

 private:
  struct Told {
    size_t text = 0;  ///< The hash of the text.
    base::MonotonicTime at;
  };
  base::Mutex mutex_;
  std::unordered_map<kube::ObjectRef, Told> told_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::runtime
