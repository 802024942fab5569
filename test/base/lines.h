// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace chartwright::base::testing {

/// Lines that several threads log.
class Lines {
 public:
  void add(std::string_view line) {
    base::MutexLock lock(mutex_);
    lines_.emplace_back(line);
  }
  bool mention(std::string_view text) const {
    base::MutexLock lock(mutex_);
    return std::any_of(lines_.begin(), lines_.end(), [text](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  }

 private:
  mutable base::Mutex mutex_;
  std::vector<std::string> lines_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::base::testing
