// SPDX-License-Identifier: Apache-2.0
#include "base/thread.h"

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

Thread::Thread(std::string name, size_t stack_bytes, std::function<void()> body) {
  auto start = std::make_unique<Start>(Start{std::move(name), std::move(body)});
  pthread_attr_t attr;
  CW_CHECK(pthread_attr_init(&attr) == 0);
  CW_CHECK(pthread_attr_setstacksize(&attr, stack_bytes) == 0);
  CW_CHECK(pthread_create(&handle_, &attr, run_thread, start.get()) == 0);
  static_cast<void>(start.release());  // Owned by run_thread now.
  pthread_attr_destroy(&attr);
  joinable_ = true;
}

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
