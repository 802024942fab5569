// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"
#include "base/schedule.h"

namespace chartwright::base {

/// Stack size of a thread that renders templates. Counters bound the depth of `include` and
/// of parser recursion, and the stack must be large enough for that bound (a test checks
/// this under ASan).
inline constexpr size_t kRenderStackBytes = size_t{64} << 20;
inline constexpr size_t kDefaultStackBytes = size_t{1} << 20;

/// A named OS thread with an explicit stack size. The destructor joins, so the body must return on
/// its own when its stop source requests it. Not thread-safe.
class Thread {
 public:
  Thread() = default;
  /// Starts `body` immediately. `name` is cut to 15 bytes for the kernel. Error: kUnavailable if
  /// the system cannot create a thread; `body` is then not run.
  static Result<Thread> start(std::string name, size_t stack_bytes, std::function<void()> body);
  /// Like start, for a thread that the process cannot do without: aborts if it cannot be created.
  Thread(std::string name, size_t stack_bytes, std::function<void()> body);
  ~Thread();
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  /// Waits for the body to return. Does nothing on a moved-from or joined thread.
  void join();

 private:
  bool joinable_ = false;
  pthread_t handle_{};
  Schedule::Member* member_ = nullptr;  ///< If the thread that started it has a schedule.
};

}  // namespace chartwright::base
