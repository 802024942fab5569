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
};

void* run_thread(void* arg) {
  std::unique_ptr<Start> start(static_cast<Start*>(arg));
  pthread_setname_np(pthread_self(), start->name.substr(0, 15).c_str());
  start->body();
  return nullptr;
}

}  // namespace

Result<Thread> Thread::start(std::string name, size_t stack_bytes, std::function<void()> body) {
  auto handed = std::make_unique<Start>(Start{std::move(name), std::move(body)});
  Thread thread;
  pthread_attr_t attr;
  CW_CHECK(pthread_attr_init(&attr) == 0);
  CW_CHECK(pthread_attr_setstacksize(&attr, stack_bytes) == 0);
  const int failed = pthread_create(&thread.handle_, &attr, run_thread, handed.get());
  pthread_attr_destroy(&attr);
  if (failed != 0) {
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
    : joinable_(std::exchange(other.joinable_, false)), handle_(other.handle_) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    join();
    joinable_ = std::exchange(other.joinable_, false);
    handle_ = other.handle_;
  }
  return *this;
}

void Thread::join() {
  if (std::exchange(joinable_, false)) {
    pthread_join(handle_, nullptr);
  }
}

}  // namespace chartwright::base
