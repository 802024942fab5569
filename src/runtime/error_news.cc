// SPDX-License-Identifier: Apache-2.0
#include "runtime/error_news.h"

#include <functional>

namespace chartwright::runtime {

bool ErrorNews::is_due(const kube::ObjectRef& key, std::string_view text, base::MonotonicTime now) {
  const size_t hash = std::hash<std::string_view>()(text);
  const base::MutexLock lock(mutex_);
  const auto [told, is_new] = told_.try_emplace(key);
  if (!is_new && told->second.text == hash && now - told->second.at < kAgain) {
    return false;
  }
  told->second = {hash, now};
  return true;
}

void ErrorNews::forget(const kube::ObjectRef& key) {
  const base::MutexLock lock(mutex_);
  told_.erase(key);
}

}  // namespace chartwright::runtime
