// SPDX-License-Identifier: Apache-2.0
#include "external/connections.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "runtime/pause.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;
using base::MutexLock;

constexpr int kAttemptsMax = 3;
constexpr base::Duration kFirstPause = std::chrono::milliseconds(50);
// A server is spared only once it has failed this often in a row.
constexpr int kFailuresBeforeSparing = 5;
constexpr base::Duration kFirstSparing = std::chrono::milliseconds(100);
constexpr base::Duration kLongestSparing = std::chrono::seconds(5);
constexpr base::Duration kLongestRetryAfter = std::chrono::minutes(10);
constexpr base::Duration kIdle = std::chrono::minutes(10);
constexpr size_t kConnectionsMax = 64;

std::string key_of(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += std::to_string(part.size()) + ":" + part;
  }
  return base::sha256_hex(text);
}

/// Sends only what changes nothing.
class ReadingDriver final : public Driver {
 public:
  ReadingDriver(std::unique_ptr<Driver> driver, Connections::Withheld withheld)
      : driver_(std::move(driver)), withheld_(std::move(withheld)) {}

  base::Result<Reply> call(const Request& request, const kube::Call& limits) override {
    if (request.repeat == Repeat::kRead) {
      return driver_->call(request, limits);
    }
    withheld_(request.call);
    return Error(ErrorCode::kCancelled, "the call " + request.call + " is withheld")
        .with_http(0, std::string(kube::kNotSent));
  }

 private:
  const std::unique_ptr<Driver> driver_;
  const Connections::Withheld withheld_;
};

/// Changes nothing once its fence has ended: another process may go on with the object.
class FencedDriver final : public Driver {
 public:
  FencedDriver(std::unique_ptr<Driver> driver, const runtime::Fence& fence,
               const base::Clock& clock)
      : driver_(std::move(driver)), fence_(fence), clock_(clock) {}

  base::Result<Reply> call(const Request& request, const kube::Call& limits) override {
    if (request.repeat == Repeat::kRead) {
      return driver_->call(request, limits);
    }
    CW_TRY(const kube::Call bounded, fence_.bounded(limits, clock_));
    return driver_->call(request, bounded);
  }

 private:
  const std::unique_ptr<Driver> driver_;
  const runtime::Fence& fence_;
  const base::Clock& clock_;
};

}  // namespace

Connection::Connection(std::unique_ptr<Driver> driver, base::Clock& clock, CallCounter* counter)
    : driver_(std::move(driver)), clock_(clock), counter_(counter), random_(base::random_seed()) {}

std::optional<Error> Connection::refusal() {
  MutexLock lock(mutex_);
  const base::Duration rest = not_before_ - clock_.monotonic();
  if (!last_ || (rest <= base::Duration::zero() && !is_tried_)) {
    // One caller finds out whether the server is back, so that at most one waits for its timeout.
    is_tried_ = failures_ >= kFailuresBeforeSparing;
    return std::nullopt;
  }
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(rest).count();
  return Error(last_->code(), last_->message())
      .with_http(last_->http_status(), std::string(kube::kNotSent))
      .with_retry_after(static_cast<int>(std::max<decltype(seconds)>(seconds, 1)));
}

void Connection::remember(const base::Result<Reply>& reply) {
  MutexLock lock(mutex_);
  is_tried_ = false;
  if (reply.ok() || !may_pass(reply.error())) {
    failures_ = 0;
    last_.reset();
    return;
  }
  const Error& error = reply.error();
  ++failures_;
  last_ = error;
  base::Duration spare =
      std::min<base::Duration>(std::chrono::seconds(error.retry_after_s()), kLongestRetryAfter);
  if (failures_ >= kFailuresBeforeSparing) {
    const int doublings = std::min(failures_ - kFailuresBeforeSparing, 10);
    spare = std::max(spare, std::min(kFirstSparing * (1 << doublings), kLongestSparing));
  }
  not_before_ = base::after(clock_.monotonic(), spare);
}

// From half to one and a half of a pause that doubles, so that callers who failed together do not
// come back together.
base::Duration Connection::pause_after(int attempt) {
  MutexLock lock(mutex_);
  std::uniform_real_distribution<double> spread(0.5, 1.5);
  return std::chrono::duration_cast<base::Duration>(kFirstPause * (1 << attempt) * spread(random_));
}

base::Result<Reply> Connection::call(const Request& request, const kube::Call& limits) {
  const base::MonotonicTime began = clock_.monotonic();
  std::optional<Error> doubt;  // About a create: an earlier attempt may have made the object.
  for (int attempt = 0;; ++attempt) {
    if (auto refused = refusal()) {
      return doubt ? *std::move(doubt) : *std::move(refused);
    }
    auto reply = driver_->call(request, kube::rest_of(limits, began, clock_));
    remember(reply);
    if (counter_ != nullptr) {
      counter_->count(reply);
    }
    if (!reply.ok() && !request.key.empty()) {
      if (!was_refused(reply.error())) {
        doubt = reply.error();
      } else if (doubt) {
        return *std::move(doubt);
      }
    }
    if (reply.ok() || !may_pass(reply.error()) || request.repeat == Repeat::kNever ||
        attempt + 1 == kAttemptsMax || limits.stop.stop_requested()) {
      return reply;
    }
    const base::Duration pause = std::max<base::Duration>(
        pause_after(attempt), std::chrono::seconds(reply.error().retry_after_s()));
    if (clock_.monotonic() - began + pause >= limits.timeout) {
      return reply;
    }
    runtime::pause(clock_, pause, limits.stop);
  }
}

std::shared_ptr<Connection> Connections::find(const std::string& key) {
  MutexLock lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&key](const Entry& entry) { return entry.key == key; });
  if (found == entries_.end()) {
    return nullptr;
  }
  found->used = clock_.monotonic();
  entries_.splice(entries_.begin(), entries_, found);
  return entries_.front().connection;
}

std::shared_ptr<Connection> Connections::add(const std::string& key,
                                             std::unique_ptr<Driver> driver) {
  if (withheld_) {
    driver = std::make_unique<ReadingDriver>(std::move(driver), withheld_);
  }
  if (fence_ != nullptr) {
    driver = std::make_unique<FencedDriver>(std::move(driver), *fence_, clock_);
  }
  std::vector<std::shared_ptr<Connection>> closed;  // Outside of the lock: closing takes time.
  MutexLock lock(mutex_);
  const base::MonotonicTime now = clock_.monotonic();
  entries_.push_front(
      {key, std::make_shared<Connection>(std::move(driver), clock_, counter_), now});
  while (entries_.size() > kConnectionsMax || now - entries_.back().used > kIdle) {
    closed.push_back(std::move(entries_.back().connection));
    entries_.pop_back();
  }
  return entries_.front().connection;
}

base::Result<std::shared_ptr<Connection>> Connections::grpc(const GrpcEndpoint& endpoint) {
  const std::string key =
      key_of({"grpc", endpoint.address, endpoint.authorization, endpoint.ca, endpoint.certificate,
              endpoint.key, endpoint.server_name, endpoint.descriptors,
              endpoint.plaintext ? "plaintext" : "tls", endpoint.shows_messages ? "messages" : ""});
  if (auto known = find(key)) {
    return known;
  }
  CW_TRY(auto driver, make_grpc_driver(endpoint));
  return add(key, std::move(driver));
}

base::Result<std::shared_ptr<Connection>> Connections::http(const HttpEndpoint& endpoint) {
  const std::string key =
      key_of({"http", endpoint.base_url, endpoint.authorization, endpoint.ca, endpoint.certificate,
              endpoint.key, endpoint.server_name, endpoint.plaintext ? "plaintext" : "",
              endpoint.error_field ? endpoint.error_field->to_string() : ""});
  if (auto known = find(key)) {
    return known;
  }
  CW_TRY(auto driver, make_http_driver(endpoint, clock_));
  return add(key, std::move(driver));
}

}  // namespace chartwright::external
