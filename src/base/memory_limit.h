// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "base/error.h"

// One account of memory for everything that is done for input from outside: what a thread holds on
// the heap is counted where it is taken, in operator new, so that no decoder, parser or function
// can forget to.
namespace chartwright::base {

/// What operator new throws past a MemoryLimit.
class MemoryLimitReached : public std::bad_alloc {
 public:
  explicit MemoryLimitReached(size_t bytes_max) : bytes_max_(bytes_max) {}
  const char* what() const noexcept override { return "memory limit reached"; }
  size_t bytes_max() const { return bytes_max_; }  ///< Of the limit.

 private:
  size_t bytes_max_;
};

/// Bounds what this thread takes from the heap and has not given back, from here to the end of the
/// scope. Limits nest, and the narrowest counts. What operator new gives is bounded; over jemalloc,
/// which release builds bring, what C libraries take from malloc counts too. What another thread
/// frees does not come back. For one thread and one scope: neither copied nor moved.
class MemoryLimit {
 public:
  explicit MemoryLimit(size_t bytes_max);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  /// Bytes that this thread may still take; without a limit more than there is.
  static size_t left();
  /// Whether this thread may take so many bytes more, for what is about to be built in one piece. A
  /// no counts as a refusal.
  static bool allows(size_t bytes);
  /// Bytes taken since this limit was set and not given back; 0 when more was given back.
  size_t held() const;
  /// The narrowest limit of this thread, in bytes; 0 without one.
  static size_t bytes_in_force();
  /// How often a limit of this thread said no so far: a caller who sees it grow knows why the work
  /// failed, whatever became of the exception on the way.
  static uint64_t refusals();

 private:
  int64_t before_;
  int64_t outer_end_;
  size_t outer_max_;
};

/// Lifts the limits of this thread for a scope: in destructors, and around libraries that no
/// exception may pass through. What is done meanwhile must be bounded otherwise.
class MemoryLimitLifted {
 public:
  MemoryLimitLifted();
  ~MemoryLimitLifted();
  MemoryLimitLifted(const MemoryLimitLifted&) = delete;
  MemoryLimitLifted& operator=(const MemoryLimitLifted&) = delete;

 private:
  int64_t end_;
};

/// What a caller is told. Error: kBudget.
Error memory_error(const std::bad_alloc& cause);

/// Runs `work`, which returns a Result or a Status, within so many bytes. Error: kBudget "more than
/// N bytes of memory", beside those of `work`.
template <typename Work>
std::invoke_result_t<Work> within_memory(size_t bytes_max, Work work) {
  try {
    const MemoryLimit limit(bytes_max);
    return work();
  } catch (const std::bad_alloc& cause) {
    return memory_error(cause);
  } catch (const std::length_error&) {  // Beyond what a container can hold.
    return memory_error(MemoryLimitReached(bytes_max));
  }
}

}  // namespace chartwright::base
