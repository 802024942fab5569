// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/check.h"

// jemalloc's, where it is linked.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value,
                       size_t new_size) __attribute__((weak));

namespace chartwright::base {
namespace {

// Half of what there is, so that sums with it do not overflow.
constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max() / 2;

/// The account of a thread. Over jemalloc the allocator's own counters are read, which costs
/// nothing where memory is taken; else operator new and delete count.
struct Account {
  uint64_t own_allocated = 0;
  uint64_t own_deallocated = 0;
  const uint64_t* allocated = nullptr;  // null before the first limit.
  const uint64_t* deallocated = nullptr;
  int64_t end = kNoEnd;  // What held() must not pass.
  size_t bytes_max = 0;  // Of the limit that set it.
  uint64_t refusals = 0;
};
thread_local constinit Account account;

// By its address: the symbol is there or not, for the whole process.
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
  CW_CHECK(usable || !counts_itself());  // Else nobody would count, and no limit hold.
  account.deallocated = usable ? deallocated : &account.own_deallocated;
  account.allocated = usable ? allocated : &account.own_allocated;
}

int64_t held_now() { return static_cast<int64_t>(*account.allocated - *account.deallocated); }

// Whether the limit of this thread lets it take so many bytes.
bool fits(size_t bytes) {
  if (account.end == kNoEnd) [[likely]] {
    return true;
  }
  const int64_t left = account.end - held_now();
  return left >= 0 && bytes <= static_cast<uint64_t>(left);
}

}  // namespace

MemoryLimit::MemoryLimit(size_t bytes_max)
    : bytes_max_(std::min<size_t>(bytes_max, kNoEnd / 2)), before_(0) {
  open_account();
  before_ = held_now();
  outer_end_ = account.end;
  outer_max_ = account.bytes_max;
  const int64_t end = before_ + static_cast<int64_t>(bytes_max_);
  if (end < outer_end_) {
    account.end = end;
    account.bytes_max = bytes_max_;
  }
}

MemoryLimit::~MemoryLimit() {
  account.end = outer_end_;
  account.bytes_max = outer_max_;
}

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

uint64_t MemoryLimit::refusals() { return account.refusals; }

MemoryLimitLifted::MemoryLimitLifted() : end_(account.end) { account.end = kNoEnd; }

MemoryLimitLifted::~MemoryLimitLifted() { account.end = end_; }

Error memory_error(const std::bad_alloc& cause) {
  const auto* reached = dynamic_cast<const MemoryLimitReached*>(&cause);
  return Error(ErrorCode::kBudget,
               reached == nullptr
                   ? "out of memory"
                   : "more than " + std::to_string(reached->bytes_max()) + " bytes of memory");
}

namespace {

void* take(size_t bytes) {
  if (!MemoryLimit::allows(bytes)) [[unlikely]] {
    throw MemoryLimitReached(account.bytes_max);
  }
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) [[unlikely]] {
    throw std::bad_alloc();
  }
  if (!counts_itself()) {
    account.own_allocated += malloc_usable_size(memory);
  }
  return memory;
}

void* take_aligned(size_t bytes, std::align_val_t alignment) {
  const auto step = static_cast<size_t>(alignment);
  const size_t whole = (bytes + step - 1) / step * step;  // As aligned_alloc asks for.
  if (!MemoryLimit::allows(whole)) [[unlikely]] {
    throw MemoryLimitReached(account.bytes_max);
  }
  void* memory = whole < bytes ? nullptr : std::aligned_alloc(step, whole == 0 ? step : whole);
  if (memory == nullptr) [[unlikely]] {
    throw std::bad_alloc();
  }
  if (!counts_itself()) {
    account.own_allocated += malloc_usable_size(memory);
  }
  return memory;
}

// What the forms without exceptions return.
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

}  // namespace
}  // namespace chartwright::base

// All forms, though the library's other ones call these: jemalloc's archive brings them all in one
// file, which the linker takes as soon as one is missing.
using chartwright::base::give_back;
using chartwright::base::or_null;
using chartwright::base::take;
using chartwright::base::take_aligned;

void* operator new(size_t bytes) { return take(bytes); }
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
void operator delete(void* memory, size_t /*bytes*/) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t /*bytes*/) noexcept { give_back(memory); }
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
