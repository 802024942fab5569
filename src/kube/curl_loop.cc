// SPDX-License-Identifier: Apache-2.0
#include "kube/curl_loop.h"

#include <utility>

namespace chartwright::kube {

using base::MutexLock;

namespace {

base::Error no_memory() {
  return base::Error(base::ErrorCode::kInternal, "libcurl has no memory for a stream");
}

}  // namespace

base::Result<std::unique_ptr<CurlLoop>> CurlLoop::make(const CurlServer& server,
                                                       std::string thread_name) {
  CurlMulti multi(curl().multi_init());
  if (multi == nullptr) {
    return no_memory();
  }
  return std::unique_ptr<CurlLoop>(new CurlLoop(server, std::move(multi), std::move(thread_name)));
}

CurlLoop::CurlLoop(const CurlServer& server, CurlMulti multi, std::string thread_name)
    : server_(server), multi_(std::move(multi)) {
  curl().multi_setopt(multi_.get(), CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  thread_ = base::Thread(std::move(thread_name), base::kDefaultStackBytes, [this] { run(); });
}

CurlLoop::~CurlLoop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  curl().multi_wakeup(multi_.get());
  thread_.join();
}

void CurlLoop::start(ExchangePtr exchange) {
  {
    MutexLock lock(mutex_);
    starting_.push_back(std::move(exchange));
  }
  curl().multi_wakeup(multi_.get());
}

void CurlLoop::abandon(const ExchangePtr& exchange) {
  {
    MutexLock lock(exchange->mutex);
    exchange->abandoned = true;
  }
  {
    MutexLock lock(mutex_);
    abandoned_.push_back(exchange);
  }
  curl().multi_wakeup(multi_.get());
}

void CurlLoop::resume(ExchangePtr exchange) {
  {
    MutexLock lock(mutex_);
    resuming_.push_back(std::move(exchange));
  }
  curl().multi_wakeup(multi_.get());
}

void CurlLoop::run() {
  constexpr int kPollMs = 1000;  // curl waits for less if it has a timer that ends earlier.
  while (take_commands()) {
    int running = 0;
    curl().multi_perform(multi_.get(), &running);
    reap();
    curl().multi_poll(multi_.get(), nullptr, 0, kPollMs, nullptr);
  }
  while (!active_.empty()) {
    finish(active_.begin()->first, CURLE_ABORTED_BY_CALLBACK);
  }
}

bool CurlLoop::take_commands() {
  std::vector<ExchangePtr> starting;
  std::vector<ExchangePtr> abandoned;
  std::vector<ExchangePtr> resuming;
  bool stopping = false;
  {
    MutexLock lock(mutex_);
    starting.swap(starting_);
    abandoned.swap(abandoned_);
    resuming.swap(resuming_);
    stopping = stopping_;
  }
  for (ExchangePtr& exchange : starting) {
    begin(std::move(exchange));
  }
  for (const ExchangePtr& exchange : abandoned) {
    if (active_.contains(exchange.get())) {
      finish(exchange.get(), CURLE_ABORTED_BY_CALLBACK);
    }
  }
  for (const ExchangePtr& exchange : resuming) {
    if (const auto found = active_.find(exchange.get()); found != active_.end()) {
      curl().easy_pause(found->second->easy(), CURLPAUSE_CONT);
    }
  }
  return !stopping;
}

void CurlLoop::begin(ExchangePtr exchange) {
  const Exchange* const key = exchange.get();
  CurlEasy handle(curl().easy_init());
  if (handle == nullptr) {
    MutexLock lock(exchange->mutex);
    exchange->failure = no_memory();
    exchange->finished = true;
    exchange->changed.notify_all();
    return;
  }
  CURL* const easy = handle.get();
  auto transfer = std::make_unique<CurlTransfer>(server_, std::move(exchange), std::move(handle));
  active_.emplace(key, std::move(transfer));
  if (curl().multi_add_handle(multi_.get(), easy) != CURLM_OK) {
    finish(key, CURLE_FAILED_INIT);
  }
}

void CurlLoop::reap() {
  int left = 0;
  while (const CURLMsg* message = curl().multi_info_read(multi_.get(), &left)) {
    if (message->msg == CURLMSG_DONE) {
      const CURLcode result = message->data.result;
      finish(CurlTransfer::of(message->easy_handle).exchange().get(), result);
    }
  }
}

void CurlLoop::finish(const Exchange* key, CURLcode result) {
  const std::unique_ptr<CurlTransfer> transfer = std::move(active_.at(key));
  active_.erase(key);
  curl().multi_remove_handle(multi_.get(), transfer->easy());
  transfer->finish(result);
}

}  // namespace chartwright::kube
