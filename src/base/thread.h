// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace chartwright::base {

/// Stack of a thread that renders templates: deep `include` and parser recursion is bounded by
/// counters, and this must hold the bound (a test drives it under ASan).
inline constexpr size_t kRenderStackBytes = size_t{64} << 20;
inline constexpr size_t kDefaultStackBytes = size_t{1} << 20;

/// A named OS thread with a stated stack size; joins in its destructor. The body must end by itself
/// when its stop source says so. Not thread-safe.
class Thread {
 public:
  Thread() = default;
  /// Starts `body` at once. `name` is cut to 15 bytes for the kernel. Error: kUnavailable when the
  /// system gives no thread, so that `body` is not run.
  static Result<Thread> start(std::string name, size_t stack_bytes, std::function<void()> body);
  /// The same for a thread that nothing goes on without: aborts when there is none.
  Thread(std::string name, size_t stack_bytes, std::function<void()> body);
  ~Thread();
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  /// Waits for the body to return; does nothing on a moved-from or joined thread.
  void join();

 private:
  bool joinable_ = false;
  pthread_t handle_{};
};

}  // namespace chartwright::base
