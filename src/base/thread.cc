// SPDX-License-Identifier: Apache-2.0
#include "base/thread.h"

#include <system_error>
#include <utility>

#include "base/check.h"

namespace chartwright::base {
namespace {

struct Start {
  std::string name;
  std::function<void()> body;
  Schedule* schedule = nullptr;  ///< The one of the starting thread, or null.
  Schedule::Member* member = nullptr;
};

void* run_thread(void* arg) {
  std::unique_ptr<Start> start(static_cast<Start*>(arg));
  pthread_setname_np(pthread_self(), start->name.substr(0, 15).c_str());
  if (start->schedule != nullptr) {
    start->schedule->run(*start->member, start->body);
  } else {
    start->body();
  }
  return nullptr;
}

}  // namespace

Result<Thread> Thread::start(std::string name, size_t stack_bytes, std::function<void()> body) {
  auto handed = std::make_unique<Start>(Start{std::move(name), std::move(body)});
  Thread thread;
  if (Schedule* schedule = Schedule::current()) {
    handed->schedule = schedule;
    handed->member = thread.member_ = &schedule->announce(handed->name);
  }
  pthread_attr_t attr;
  CW_CHECK(pthread_attr_init(&attr) == 0);
  CW_CHECK(pthread_attr_setstacksize(&attr, stack_bytes) == 0);
  const int failed = pthread_create(&thread.handle_, &attr, run_thread, handed.get());
  pthread_attr_destroy(&attr);
  if (failed != 0) {
    if (handed->schedule != nullptr) {
      handed->schedule->withdraw(*handed->member);
    }
    return Error(ErrorCode::kUnavailable, "cannot start the thread " + handed->name + ": " +
                                              std::generic_category().message(failed));
  }
  static_cast<void>(handed.release());  // Owned by run_thread now.
  thread.joinable_ = true;
  return thread;
}

Thread::Thread(std::string name, size_t stack_bytes, std::function<void()> body)
    : Thread(CW_MUST(start(std::move(name), stack_bytes, std::move(body)))) {}

Thread::~Thread() { join(); }

Thread::Thread(Thread&& other) noexcept
    : joinable_(std::exchange(other.joinable_, false)),
      handle_(other.handle_),
      member_(other.member_) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    join();
    joinable_ = std::exchange(other.joinable_, false);
    handle_ = other.handle_;
    member_ = other.member_;
  }
  return *this;
}

void Thread::join() {
  if (std::exchange(joinable_, false)) {
    if (Schedule* schedule = Schedule::current(); schedule != nullptr && member_ != nullptr) {
      schedule->await_end(*member_);
    }
    pthread_join(handle_, nullptr);
  }
}

}  // namespace chartwright::base
