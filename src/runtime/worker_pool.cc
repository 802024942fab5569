// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker_pool.h"

#include <utility>

namespace chartwright::runtime {

WorkerPool::WorkerPool(const std::string& name, int workers, FairQueue::Limits limits,
                       size_t stack_bytes)
    : queue_(limits) {
  for (int i = 0; i < workers; ++i) {
    threads_.emplace_back(name + ":" + std::to_string(i), stack_bytes, [this] { work(); });
  }
}

WorkerPool::~WorkerPool() {
  {
    const base::MutexLock lock(mutex_);
    ending_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  for (base::Thread& thread : threads_) {
    thread.join();
  }
}

bool WorkerPool::submit(const std::string& client, FairQueue::Task task) {
  {
    const base::MutexLock lock(mutex_);
    if (ending_ || !queue_.push(client, std::move(task))) {
      return false;
    }
  }
  changed_.notify_one();
  return true;
}

void WorkerPool::work() {
  while (auto next = await()) {
    next->task();
    next->task = nullptr;  // Its request goes before the next one of the client begins.
    const base::MutexLock lock(mutex_);
    queue_.end(next->client);
  }
}

/// Returns nullopt at the end.
std::optional<FairQueue::Next> WorkerPool::await() {
  const base::MutexLock lock(mutex_);
  auto next = queue_.pop();
  while (!next && !ending_) {
    changed_.wait(mutex_);
    next = queue_.pop();
  }
  return next;
}

}  // namespace chartwright::runtime
