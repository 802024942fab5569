// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"

namespace chartwright::base {

/// A cache of results by input string, for inputs that recur. Holds a fixed maximum number of
/// entries and drops all of them when it is full; inputs that are still in use soon return. T must
/// be cheap to copy, e.g. a pointer to an immutable object. Thread-safe.
template <typename T>
class TextCache {
 public:
  explicit TextCache(size_t entries_max) : entries_max_(entries_max) {}

  /// Returns nullopt if `text` is not cached, or no longer cached.
  std::optional<T> find(std::string_view text) const CW_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(text);
    return found != entries_.end() ? std::optional<T>(found->second) : std::nullopt;
  }

  void keep(std::string_view text, T made) CW_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (entries_.size() >= entries_max_) {
      entries_.clear();
    }
    entries_.insert_or_assign(std::string(text), std::move(made));
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  const size_t entries_max_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, T, Hash, std::equal_to<>> entries_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::base
