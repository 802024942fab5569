// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/check.h"

// Defined by jemalloc, if it is linked.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value,
                       size_t new_size) __attribute__((weak));
extern "C" void sdallocx(void* memory, size_t bytes, int flags) __attribute__((weak));

namespace chartwright::base {
namespace {

// Half of the range, so that sums with it do not overflow.
constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max() / 2;
// Small allocations, of which there are millions, check the limit only once per this many bytes.
constexpr uint64_t kCreditBytes = uint64_t{32} << 10;

/// The memory account of a thread. With jemalloc it reads the allocator's own counters, which adds
/// no cost to an allocation; otherwise operator new and delete count.
struct Account {
  uint64_t own_allocated = 0;
  uint64_t own_deallocated = 0;
  const uint64_t* allocated = nullptr;  // Null before the first limit.
  const uint64_t* deallocated = nullptr;
  int64_t end = kNoEnd;  // The maximum for held_now().
  size_t bytes_max = 0;  // Of the limit that set `end`.
  uint64_t refusals = 0;
  // Bytes that may be allocated before the limit is checked again. Always 0 if operator new counts.
  uint64_t credit = 0;

  void set_limit(int64_t new_end, size_t new_bytes_max) {
    end = new_end;
    bytes_max = new_bytes_max;
    credit = 0;
  }
};
thread_local constinit Account account;

// Reports whether the allocator counts: the weak symbol is null unless jemalloc is linked.
bool counts_itself() { return mallctl != nullptr; }

const uint64_t* counter(const char* name) {
  const uint64_t* found = nullptr;
  size_t size = sizeof(found);
  return mallctl(name, static_cast<void*>(&found), &size, nullptr, 0) == 0 ? found : nullptr;
}

void open_account() {
  if (account.allocated != nullptr) {
    return;
  }
  const uint64_t* allocated = counts_itself() ? counter("thread.allocatedp") : nullptr;
  const uint64_t* deallocated = counts_itself() ? counter("thread.deallocatedp") : nullptr;
  const bool usable = allocated != nullptr && deallocated != nullptr;
  CW_CHECK(usable || !counts_itself());  // Otherwise no limit would hold.
  account.deallocated = usable ? deallocated : &account.own_deallocated;
  account.allocated = usable ? allocated : &account.own_allocated;
}

int64_t held_now() { return static_cast<int64_t>(*account.allocated - *account.deallocated); }

// Reports whether the limit of this thread allows `bytes` more.
bool fits(size_t bytes) {
  if (account.end == kNoEnd) {
    account.credit = counts_itself() ? kNoEnd : 0;
    return true;
  }
  const int64_t left = account.end - held_now();
  if (left < 0 || bytes > static_cast<uint64_t>(left)) {
    return false;
  }
  account.credit =
      counts_itself() ? std::min(kCreditBytes, static_cast<uint64_t>(left) - bytes) : 0;
  return true;
}

}  // namespace

MemoryLimit::MemoryLimit(size_t bytes_max) : before_(0) {
  bytes_max = std::min<size_t>(bytes_max, kNoEnd / 2);
  open_account();
  before_ = held_now();
  outer_end_ = account.end;
  outer_max_ = account.bytes_max;
  const int64_t end = before_ + static_cast<int64_t>(bytes_max);
  if (end < outer_end_) {
    account.set_limit(end, bytes_max);
  }
}

MemoryLimit::~MemoryLimit() { account.set_limit(outer_end_, outer_max_); }

size_t MemoryLimit::left() {
  if (account.end == kNoEnd) {
    return kNoEnd;
  }
  return static_cast<size_t>(std::max<int64_t>(0, account.end - held_now()));
}

bool MemoryLimit::allows(size_t bytes) {
  const bool allowed = fits(bytes);
  account.refusals += allowed ? 0 : 1;
  return allowed;
}

size_t MemoryLimit::held() const {
  return static_cast<size_t>(std::max<int64_t>(0, held_now() - before_));
}

size_t MemoryLimit::bytes_in_force() { return account.bytes_max; }

uint64_t MemoryLimit::refusals() { return account.refusals; }

MemoryLimitLifted::MemoryLimitLifted() : end_(account.end) {
  account.set_limit(kNoEnd, account.bytes_max);
}

MemoryLimitLifted::~MemoryLimitLifted() { account.set_limit(end_, account.bytes_max); }

Error memory_error(const std::bad_alloc& cause) {
  const auto* reached = dynamic_cast<const MemoryLimitReached*>(&cause);
  return Error(ErrorCode::kBudget,
               reached == nullptr
                   ? "out of memory"
                   : "more than " + std::to_string(reached->bytes_max()) + " bytes of memory");
}

namespace {

// Throws if the limit of this thread does not allow `bytes` more. Small allocations use the credit.
void pay(size_t bytes) {
  if (bytes <= account.credit) {
    account.credit -= bytes;
  } else if (!MemoryLimit::allows(bytes)) {
    throw MemoryLimitReached(account.bytes_max);
  }
}

void* counted(void* memory) {
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  if (!counts_itself()) {
    account.own_allocated += malloc_usable_size(memory);
  }
  return memory;
}

[[gnu::noinline, gnu::cold]] void* take_slowly(size_t bytes) {
  pay(bytes);
  return counted(std::malloc(bytes));
}

// Runs for every string and node, so it does almost nothing while there is credit. There is none if
// operator new counts.
void* take(size_t bytes) {
  if (bytes <= account.credit) [[likely]] {
    account.credit -= bytes;
    if (void* const memory = std::malloc(bytes)) [[likely]] {
      return memory;
    }
  }
  return take_slowly(bytes);
}

void* take_aligned(size_t bytes, std::align_val_t alignment) {
  const auto step = static_cast<size_t>(alignment);
  const size_t whole = (bytes + step - 1) / step * step;  // As aligned_alloc requires.
  pay(whole);
  return counted(whole < bytes ? nullptr : std::aligned_alloc(step, whole == 0 ? step : whole));
}

// Returns null instead of throwing, for the nothrow forms.
template <typename Take>
void* or_null(Take take_some) noexcept {
  try {
    return take_some();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void give_back(void* memory) {
  if (!counts_itself()) {
    account.own_deallocated += malloc_usable_size(memory);
  }
  std::free(memory);
}

// With the size given, jemalloc need not look it up.
void give_back(void* memory, size_t bytes) {
  if (counts_itself() && memory != nullptr) [[likely]] {
    sdallocx(memory, bytes, 0);
  } else {
    give_back(memory);
  }
}

}  // namespace
}  // namespace chartwright::base

// Replaces all forms, although the library's other forms call these: jemalloc's archive defines
// them all in one object file, which the linker takes as soon as one is missing.
using chartwright::base::give_back;
using chartwright::base::or_null;
using chartwright::base::take;
using chartwright::base::take_aligned;

// Not inlined, like the library's: they are called from everywhere.
[[gnu::noinline]] void* operator new(size_t bytes) { return take(bytes); }
void* operator new[](size_t bytes) { return take(bytes); }
void* operator new(size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return or_null([bytes] { return take(bytes); });
}
void* operator new[](size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return or_null([bytes] { return take(bytes); });
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return take_aligned(bytes, alignment);
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return take_aligned(bytes, alignment);
}
void* operator new(size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t& /*tag*/) noexcept {
  return or_null([=] { return take_aligned(bytes, alignment); });
}
void* operator new[](size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t& /*tag*/) noexcept {
  return or_null([=] { return take_aligned(bytes, alignment); });
}

void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t bytes) noexcept {
  give_back(memory, bytes);
}
void operator delete[](void* memory, size_t bytes) noexcept { give_back(memory, bytes); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept { give_back(memory); }
void operator delete(void* memory, size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/,
                     const std::nothrow_t& /*tag*/) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/,
                       const std::nothrow_t& /*tag*/) noexcept {
  give_back(memory);
}
