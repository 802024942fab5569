// SPDX-License-Identifier: Apache-2.0
#include "kube/curl_calls.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
using base::MonotonicTime;
using base::MutexLock;
using base::Result;

// Lines kept open between calls. Only a burst needs more.
constexpr size_t kIdleLines = 8;

/// Returns how long curl may wait for its socket, in milliseconds, rounded up so as never to wake
/// too early.
int poll_ms(base::Duration left) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<int64_t>(ms, 0, std::numeric_limits<int>::max()));
}

/// Returns the result of the only transfer of `multi`; nullopt while that is running.
std::optional<CURLcode> result_of(CURLM* multi) {
  int left = 0;
  while (const CURLMsg* message = curl().multi_info_read(multi, &left)) {
    if (message->msg == CURLMSG_DONE) {
      return message->data.result;
    }
  }
  return std::nullopt;
}

Error no_answer(const CurlTransfer& transfer, const Call& call) {
  Error error(ErrorCode::kTimeout, "no answer within " + base::format_go_duration(call.timeout));
  return transfer.has_begun() ? error : std::move(error).with_http(0, std::string(kNotSent));
}

/// Runs `transfer`, the only one of `multi`, to its end. Nothing is sent after the deadline, but a
/// response that has arrived by then is accepted. Errors: kCancelled, kTimeout.
Result<CURLcode> run(CURLM* multi, CurlTransfer& transfer, const Call& call, base::Clock& clock) {
  const MonotonicTime deadline = deadline_of(call, clock);
  transfer.send_before(deadline, clock);
  const std::stop_callback wake(call.stop, [multi] { curl().multi_wakeup(multi); });
  while (!call.stop.stop_requested()) {
    const MonotonicTime now = clock.monotonic();
    int running = 0;
    if (now < deadline || transfer.is_sent()) {
      curl().multi_perform(multi, &running);
    }
    const auto result = result_of(multi);
    if (result && *result != CURLE_ABORTED_BY_CALLBACK) {
      return *result;
    }
    if (result || now >= deadline) {
      return no_answer(transfer, call);
    }
    curl().multi_poll(multi, nullptr, 0, poll_ms(deadline - now), nullptr);
  }
  return Error(ErrorCode::kCancelled, "stopped");
}

}  // namespace

Result<CurlCalls::Line> CurlCalls::take() {
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      Line line = std::move(idle_.back());
      idle_.pop_back();
      return line;
    }
  }
  Line line{CurlMulti(curl().multi_init()), CurlEasy(curl().easy_init())};
  if (line.multi == nullptr || line.easy == nullptr) {
    return Error(ErrorCode::kInternal, "libcurl has no memory for a connection");
  }
  return line;
}

void CurlCalls::put_back(Line line) {
  MutexLock lock(mutex_);
  if (idle_.size() < kIdleLines) {
    idle_.push_back(std::move(line));
  }
}

Result<Response> CurlCalls::perform(const ExchangePtr& exchange, const Call& call) {
  CW_TRY(Line line, take());
  CurlTransfer transfer(server_, exchange, std::move(line.easy));
  CURL* const easy = transfer.easy();
  Result<CURLcode> result = CURLE_FAILED_INIT;
  if (curl().multi_add_handle(line.multi.get(), easy) == CURLM_OK) {
    result = run(line.multi.get(), transfer, call, clock_);
    curl().multi_remove_handle(line.multi.get(), easy);
  }
  line.easy = transfer.finish(result.ok() ? *result : CURLE_ABORTED_BY_CALLBACK);
  put_back(std::move(line));
  if (!result.ok()) {
    return std::move(result).error();
  }
  MutexLock lock(exchange->mutex);
  if (exchange->failure) {
    return *exchange->failure;
  }
  return Response{exchange->status, exchange->retry_after_s, std::move(exchange->body),
                  std::move(exchange->location)};
}

}  // namespace chartwright::kube
