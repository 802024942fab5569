// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "runtime/fair_queue.h"

namespace chartwright::runtime {

/// Runs the tasks of several clients, in the order of a FairQueue, on a bounded number of threads.
/// Thread-safe.
class WorkerPool {
 public:
  /// The threads are called NAME:0, NAME:1 and so on.
  WorkerPool(const std::string& name, int workers, FairQueue::Limits limits, size_t stack_bytes);
  /// Drops the tasks that wait, and waits for those that run.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Returns false if too much is waiting.
  bool submit(const std::string& client, FairQueue::Task task) CW_EXCLUDES(mutex_);

 private:
  void work() CW_EXCLUDES(mutex_);
  std::optional<FairQueue::Next> await() CW_EXCLUDES(mutex_);

  base::Mutex mutex_;
  base::CondVar changed_;
  FairQueue queue_ CW_GUARDED_BY(mutex_);
  bool ending_ CW_GUARDED_BY(mutex_) = false;
  std::vector<base::Thread> threads_;
};

}  // namespace chartwright::runtime
