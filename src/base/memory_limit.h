// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "base/error.h"

// Accounts for all memory that is used to process input from outside. Heap memory is counted where
// it is allocated, in operator new, so that no decoder, parser or function can bypass the limit.
namespace chartwright::base {

/// Thrown by operator new when an allocation would exceed a MemoryLimit.
class MemoryLimitReached : public std::bad_alloc {
 public:
  explicit MemoryLimitReached(size_t bytes_max) : bytes_max_(bytes_max) {}
  const char* what() const noexcept override { return "memory limit reached"; }
  size_t bytes_max() const { return bytes_max_; }  ///< The limit that was reached.

 private:
  size_t bytes_max_;
};

/// Bounds the heap memory that this thread allocates and has not yet freed, from construction to
/// the end of the scope. Limits nest, and the narrowest one applies. The limit covers operator new;
/// with jemalloc, which release builds link, it also covers malloc calls by C libraries. Memory
/// that another thread frees is not credited back. For one thread and one scope, so neither
/// copyable nor movable.
class MemoryLimit {
 public:
  explicit MemoryLimit(size_t bytes_max);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  /// Returns the bytes that this thread may still allocate. Without a limit, returns more than any
  /// machine has.
  static size_t left();
  /// Reports whether this thread may allocate `bytes` more. Called before building something in one
  /// piece. A negative answer counts as a refusal.
  static bool allows(size_t bytes);
  /// Returns the bytes allocated since this limit was set and not yet freed, or 0 if
  /// more was freed.
  size_t held() const;
  /// Returns the narrowest limit of this thread in bytes, or 0 if there is none.
  static size_t bytes_in_force();
  /// Returns how often a limit of this thread has refused memory so far. If the number grew during
  /// work that failed, the reason was lack of memory, even if the exception was lost on the way.
  static uint64_t refusals();

 private:
  int64_t before_;
  int64_t outer_end_;
  size_t outer_max_;
};

/// Lifts the limits of this thread for a scope: in destructors, and around libraries that an
/// exception must not pass through. Memory use in that scope must be bounded in another way.
class MemoryLimitLifted {
 public:
  MemoryLimitLifted();
  ~MemoryLimitLifted();
  MemoryLimitLifted(const MemoryLimitLifted&) = delete;
  MemoryLimitLifted& operator=(const MemoryLimitLifted&) = delete;

 private:
  int64_t end_;
};

/// Returns the error that reports `cause` to a caller. Error: kBudget.
Error memory_error(const std::bad_alloc& cause);

/// Runs `work`, which returns a Result or a Status, with a limit of `bytes_max`. Error: kBudget
/// "more than N bytes of memory", in addition to those of `work`.
template <typename Work>
std::invoke_result_t<Work> within_memory(size_t bytes_max, Work work) {
  try {
    const MemoryLimit limit(bytes_max);
    return work();
  } catch (const std::bad_alloc& cause) {
    return memory_error(cause);
  } catch (const std::length_error&) {  // More than a container can hold.
    return memory_error(MemoryLimitReached(bytes_max));
  }
}

}  // namespace chartwright::base
