// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/heap_peak.h"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#if defined(__has_feature)
#define CW_CLANG_HAS(feature) __has_feature(feature)
#else
#define CW_CLANG_HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    CW_CLANG_HAS(address_sanitizer) || CW_CLANG_HAS(thread_sanitizer)
#define CW_SANITIZED 1
#else
#define CW_SANITIZED 0
#endif

namespace chartwright::fuzz {
namespace {

struct Account {
  int64_t held = 0;  // Negative if this thread frees memory that another one allocated.
  int64_t peak = 0;
  int64_t begin = 0;
};
thread_local constinit Account account;

void note_taken(size_t bytes) {
  account.held += static_cast<int64_t>(bytes);
  account.peak = std::max(account.peak, account.held);
}

void note_given_back(size_t bytes) { account.held -= static_cast<int64_t>(bytes); }

}  // namespace
}  // namespace chartwright::fuzz

// NOLINTBEGIN(bugprone-reserved-identifier): names of the C library and the sanitizers.
// NOLINTBEGIN(readability-identifier-naming): the same.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of parameters are ours.
#if CW_SANITIZED

extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*taken)(const volatile void* memory, size_t bytes),
    void (*given_back)(const volatile void* memory));
extern "C" size_t __sanitizer_get_allocated_size(const volatile void* memory);

namespace chartwright::fuzz {
namespace {

void install_hooks() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void* /*memory*/, size_t bytes) { note_taken(bytes); },
      [](const volatile void* memory) { note_given_back(__sanitizer_get_allocated_size(memory)); });
  (void)installed;
}

}  // namespace
}  // namespace chartwright::fuzz

#else

// Aliases of the C library's functions; the usual names are defined below.
extern "C" void* __libc_malloc(size_t bytes);
extern "C" void* __libc_calloc(size_t count, size_t bytes);
extern "C" void* __libc_realloc(void* memory, size_t bytes);
extern "C" void* __libc_memalign(size_t alignment, size_t bytes);
extern "C" void __libc_free(void* memory);

namespace chartwright::fuzz {
namespace {

void install_hooks() {}

void* taken(void* memory) {
  note_taken(malloc_usable_size(memory));
  return memory;
}

}  // namespace
}  // namespace chartwright::fuzz

using chartwright::fuzz::taken;

extern "C" void* malloc(size_t bytes) { return taken(__libc_malloc(bytes)); }
extern "C" void* calloc(size_t count, size_t bytes) { return taken(__libc_calloc(count, bytes)); }
extern "C" void* realloc(void* memory, size_t bytes) {
  const size_t before = malloc_usable_size(memory);
  void* grown = __libc_realloc(memory, bytes);
  if (grown != nullptr || bytes == 0) {
    chartwright::fuzz::note_given_back(before);
  }
  return taken(grown);
}
extern "C" void* memalign(size_t alignment, size_t bytes) {
  return taken(__libc_memalign(alignment, bytes));
}
extern "C" void* aligned_alloc(size_t alignment, size_t bytes) {
  return taken(__libc_memalign(alignment, bytes));
}
extern "C" int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  void* made = taken(__libc_memalign(alignment, bytes));
  if (made != nullptr) {
    *memory = made;
  }
  return made == nullptr ? ENOMEM : 0;
}
extern "C" void free(void* memory) {
  chartwright::fuzz::note_given_back(malloc_usable_size(memory));
  __libc_free(memory);
}

#endif
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
// NOLINTEND(readability-identifier-naming)
// NOLINTEND(bugprone-reserved-identifier)

namespace chartwright::fuzz {

HeapPeak::HeapPeak() {
  install_hooks();
  account.begin = account.held;
  account.peak = account.held;
}

size_t HeapPeak::bytes() const { return static_cast<size_t>(account.peak - account.begin); }

bool is_sanitized() { return CW_SANITIZED != 0; }

}  // namespace chartwright::fuzz
