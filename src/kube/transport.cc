// SPDX-License-Identifier: Apache-2.0
#include "kube/transport.h"

#include <array>
#include <optional>
#include <utility>

#include "base/mutex.h"
#include "kube/credentials.h"
#include "kube/curl_loop.h"
#include "kube/exchange.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
using base::MonotonicTime;
using base::Mutex;
using base::MutexLock;
using base::Result;

/// A deadline that no addition overflows.
MonotonicTime after(MonotonicTime now, base::Duration delay) {
  const auto room = MonotonicTime::max() - now;
  return delay < room ? now + delay : MonotonicTime::max();
}

class CurlTransport final : public Transport {
 public:
  CurlTransport(const Config& config, base::Clock& clock, TransportOptions options,
                std::unique_ptr<Credentials> credentials)
      : config_(config),
        clock_(clock),
        options_(std::move(options)),
        credentials_(std::move(credentials)) {}

  Result<Response> perform(Request request, const Call& call) override;
  Result<Response> stream(Request request, const StreamLimits& limits, std::stop_token stop,
                          const ChunkSink& sink) override;

 private:
  enum class Arrival : uint8_t { kChunk, kEnd };
  /// The loop of that lane, made when first needed.
  Result<CurlLoop*> loop(Lane lane) CW_EXCLUDES(mutex_);
  Result<ExchangePtr> send(Request request, BodyMode mode);
  void abandon(const ExchangePtr& exchange);
  Result<Response> await(const ExchangePtr& exchange, const Call& call);
  Result<Response> pump(const ExchangePtr& exchange, const StreamLimits& limits,
                        const std::stop_token& stop, const ChunkSink& sink);
  Result<Arrival> next_chunk(Exchange& exchange, const StreamLimits& limits,
                             const std::stop_token& stop, std::string& chunk)
      CW_EXCLUDES(exchange.mutex);
  Error blame(const Exchange& exchange, Error error) const;

  const Config config_;
  base::Clock& clock_;
  const TransportOptions options_;
  const std::unique_ptr<Credentials> credentials_;
  Mutex mutex_;
  std::array<std::unique_ptr<CurlLoop>, 2> loops_ CW_GUARDED_BY(mutex_);  ///< By lane.
};

Result<CurlLoop*> CurlTransport::loop(Lane lane) {
  MutexLock lock(mutex_);
  std::unique_ptr<CurlLoop>& slot = loops_.at(static_cast<size_t>(lane));
  if (slot == nullptr) {
    const char* name = lane == Lane::kLease ? "kube-lease-io" : "kube-io";
    CW_TRY(slot, CurlLoop::make(config_, options_, name));
  }
  return slot.get();
}

Result<ExchangePtr> CurlTransport::send(Request request, BodyMode mode) {
  auto exchange = std::make_shared<Exchange>();
  exchange->request = std::move(request);
  exchange->mode = mode;
  exchange->token = credentials_->token();
  exchange->tls = credentials_->tls();
  CW_TRY(CurlLoop* const carrier, loop(exchange->request.lane));
  carrier->start(exchange);
  return exchange;
}

void CurlTransport::abandon(const ExchangePtr& exchange) {
  CW_MUST(loop(exchange->request.lane))->abandon(exchange);  // It was there to start it.
}

/// Names the request in the error, without its query.
Error CurlTransport::blame(const Exchange& exchange, Error error) const {
  const std::string& target = exchange.request.target;
  return std::move(error).wrap(std::string(to_string(exchange.request.method)) + " " +
                               config_.server + target.substr(0, target.find('?')));
}

/// Wakes the thread that waits on an exchange when its stop is requested.
auto wake_on_stop(const ExchangePtr& exchange) {
  return [exchange] {
    MutexLock lock(exchange->mutex);
    exchange->changed.notify_all();
  };
}

Result<Response> CurlTransport::await(const ExchangePtr& exchange, const Call& call) {
  const MonotonicTime deadline = after(clock_.monotonic(), call.timeout);
  const std::stop_callback wake(call.stop, wake_on_stop(exchange));
  std::optional<Error> given_up;
  {
    MutexLock lock(exchange->mutex);
    while (!exchange->finished && !given_up) {
      if (call.stop.stop_requested()) {
        given_up = Error(ErrorCode::kCancelled, "stopped");
      } else if (clock_.monotonic() >= deadline) {
        given_up = Error(ErrorCode::kTimeout,
                         "no answer within " + base::format_go_duration(call.timeout));
      } else {
        clock_.wait_until(exchange->changed, exchange->mutex, deadline);
      }
    }
    if (exchange->finished) {
      if (exchange->failure) {
        return blame(*exchange, *exchange->failure);
      }
      return Response{exchange->status, exchange->retry_after_s, std::move(exchange->body)};
    }
  }
  abandon(exchange);
  return blame(*exchange, *std::move(given_up));
}

Result<Response> CurlTransport::perform(Request request, const Call& call) {
  request.lane = call.lane;
  CW_TRY(const ExchangePtr exchange, send(std::move(request), BodyMode::kWhole));
  auto response = await(exchange, call);
  if (!response.ok() || response->status != 401 || !credentials_->refresh_token(exchange->token)) {
    return response;
  }
  // The loop is done with the finished exchange, so that its request can be sent once more.
  CW_TRY(const ExchangePtr again, send(std::move(exchange->request), BodyMode::kWhole));
  return await(again, call);
}

Result<Response> CurlTransport::stream(Request request, const StreamLimits& limits,
                                       std::stop_token stop, const ChunkSink& sink) {
  CW_TRY(const ExchangePtr exchange, send(std::move(request), BodyMode::kStream));
  auto response = pump(exchange, limits, stop, sink);
  if (!response.ok() || response->status != 401 || !credentials_->refresh_token(exchange->token)) {
    return response;
  }
  CW_TRY(const ExchangePtr again, send(std::move(exchange->request), BodyMode::kStream));
  return pump(again, limits, stop, sink);
}

/// Moves pieces of a body from the loop's thread to the sink on this one.
Result<Response> CurlTransport::pump(const ExchangePtr& exchange, const StreamLimits& limits,
                                     const std::stop_token& stop, const ChunkSink& sink) {
  const std::stop_callback wake(stop, wake_on_stop(exchange));
  std::string chunk;
  while (true) {
    chunk.clear();
    auto arrived = next_chunk(*exchange, limits, stop, chunk);
    if (!arrived.ok()) {
      abandon(exchange);
      return blame(*exchange, std::move(arrived).error());
    }
    if (*arrived == Arrival::kEnd) {
      break;
    }
    if (auto accepted = sink(chunk); !accepted.ok()) {
      abandon(exchange);
      return std::move(accepted).error();
    }
  }
  MutexLock lock(exchange->mutex);
  return Response{exchange->status, exchange->retry_after_s, std::move(exchange->body)};
}

/// Waits for the next piece of a 200 response and swaps it into `chunk` (which is empty).
Result<CurlTransport::Arrival> CurlTransport::next_chunk(Exchange& exchange,
                                                         const StreamLimits& limits,
                                                         const std::stop_token& stop,
                                                         std::string& chunk) {
  const MonotonicTime asked = clock_.monotonic();
  MutexLock lock(exchange.mutex);
  while (true) {
    if (exchange.status == 200 && !exchange.body.empty()) {
      chunk.swap(exchange.body);
      return Arrival::kChunk;
    }
    if (exchange.finished) {
      if (exchange.failure) {
        return *exchange.failure;
      }
      return Arrival::kEnd;
    }
    if (stop.stop_requested()) {
      return Error(ErrorCode::kCancelled, "stopped");
    }
    const base::Duration patience = exchange.status == 0 ? limits.response : limits.idle;
    const MonotonicTime deadline = after(asked, patience);
    if (clock_.monotonic() >= deadline) {
      return Error(ErrorCode::kTimeout,
                   exchange.status == 0
                       ? "no answer within " + base::format_go_duration(patience)
                       : "the stream was silent for " + base::format_go_duration(patience));
    }
    clock_.wait_until(exchange.changed, exchange.mutex, deadline);
  }
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kPatch:
      return "PATCH";
    case Method::kDelete:
      return "DELETE";
  }
  return "GET";
}

Result<std::unique_ptr<Transport>> make_transport(const Config& config, base::Clock& clock,
                                                  TransportOptions options) {
  CW_TRY(auto credentials, Credentials::load(config, clock));
  return std::unique_ptr<Transport>(
      std::make_unique<CurlTransport>(config, clock, std::move(options), std::move(credentials)));
}

}  // namespace chartwright::kube
