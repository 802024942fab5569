// SPDX-License-Identifier: Apache-2.0
#include "kube/http_transport.h"

#include <utility>

#include "base/mutex.h"
#include "kube/curl_calls.h"
#include "kube/curl_loop.h"
#include "kube/exchange.h"
#include "kubeconfig/credentials.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
using base::MonotonicTime;
using base::Mutex;
using base::MutexLock;
using base::Result;

// API servers reject a header of more than 1 MiB, and it exceeds libcurl's buffer.
constexpr size_t kMaxRequestHeadBytes = size_t{512} << 10;

/// The receiver of a stream's pieces, and how long it waits for them.
struct ChunkReader {
  const StreamLimits& limits;
  const std::stop_token& stop;
  const ChunkSink& sink;
  MonotonicTime began;    ///< The wait for the status line counts from here, even after a repeat.
  bool accepted = false;  ///< It knows that the response is a 200.
};

class CurlTransport final : public Transport {
 public:
  CurlTransport(std::unique_ptr<CurlServer> server, std::unique_ptr<Credentials> credentials,
                base::Clock& clock)
      : clock_(clock),
        server_(std::move(server)),
        credentials_(std::move(credentials)),
        calls_(*server_, clock) {}

  Result<Response> perform(Request request, const Call& call) override;
  Result<Response> stream(Request request, const StreamLimits& limits, std::stop_token stop,
                          const ChunkSink& sink) override;

 private:
  enum class Arrival : uint8_t { kChunk, kEnd };
  /// Returns the loop that runs streams, made on first use.
  Result<CurlLoop*> loop() CW_EXCLUDES(mutex_);
  Result<ExchangePtr> exchange(Request request, BodyMode mode, const std::stop_token& stop) const;
  Result<bool> refresh(const Exchange& rejected, const std::stop_token& stop) const;
  Result<Response> perform_once(const ExchangePtr& exchange, const Call& call);
  Result<Response> pump(const ExchangePtr& exchange, ChunkReader& reader);
  Result<Arrival> next_chunk(Exchange& exchange, ChunkReader& reader, std::string& chunk)
      CW_EXCLUDES(exchange.mutex);
  Error blame(const Exchange& exchange, Error error) const;

  base::Clock& clock_;
  const std::unique_ptr<CurlServer> server_;
  const std::unique_ptr<Credentials> credentials_;
  CurlCalls calls_;
  Mutex mutex_;
  std::unique_ptr<CurlLoop> loop_ CW_GUARDED_BY(mutex_);
};

Result<CurlLoop*> CurlTransport::loop() {
  MutexLock lock(mutex_);
  if (loop_ == nullptr) {
    CW_TRY(loop_, CurlLoop::make(*server_, "kube-watch-io"));
  }
  return loop_.get();
}

/// Returns whether there is another identity than the one that the server rejected.
Result<bool> CurlTransport::refresh(const Exchange& rejected, const std::stop_token& stop) const {
  return credentials_->refresh({rejected.token, rejected.tls}, stop);
}

/// Errors: kInvalidArgument if the request's header would be too large; those of
/// Credentials::identity.
Result<ExchangePtr> CurlTransport::exchange(Request request, BodyMode mode,
                                            const std::stop_token& stop) const {
  CW_TRY(Identity identity, credentials_->identity(stop));
  ExchangePtr exchange = std::make_shared<Exchange>();
  exchange->request = std::move(request);
  exchange->mode = mode;
  exchange->token = std::move(identity.token);
  exchange->tls = std::move(identity.tls);
  const size_t bytes = exchange->request.target.size() + exchange->token.size();
  if (bytes > kMaxRequestHeadBytes) {
    return Error(ErrorCode::kInvalidArgument,
                 std::string(to_string(exchange->request.method)) + " " + server_->url() +
                     ": path, query and token are " + std::to_string(bytes) +
                     " bytes long, more than " + std::to_string(kMaxRequestHeadBytes));
  }
  return exchange;
}

/// Adds the request, without its query, to the error.
Error CurlTransport::blame(const Exchange& exchange, Error error) const {
  const std::string& target = exchange.request.target;
  return std::move(error).wrap(std::string(to_string(exchange.request.method)) + " " +
                               server_->url() + target.substr(0, target.find('?')));
}

/// Wakes the thread that waits for an exchange when its stop is requested.
auto wake_on_stop(const ExchangePtr& exchange) {
  return [exchange] {
    MutexLock lock(exchange->mutex);
    exchange->changed.notify_all();
  };
}

bool was_paused(Exchange& exchange) {
  MutexLock lock(exchange.mutex);
  return std::exchange(exchange.paused, false);
}

Result<Response> CurlTransport::perform_once(const ExchangePtr& exchange, const Call& call) {
  auto response = calls_.perform(exchange, call);
  if (!response.ok()) {
    return blame(*exchange, std::move(response).error());
  }
  return response;
}

Result<Response> CurlTransport::perform(Request request, const Call& call) {
  const MonotonicTime began = clock_.monotonic();
  CW_TRY(const ExchangePtr first, exchange(std::move(request), BodyMode::kWhole, call.stop));
  auto response = perform_once(first, rest_of(call, began, clock_));
  if (!response.ok() || response->status != 401) {
    return response;
  }
  CW_TRY(const bool renewed, refresh(*first, call.stop));
  if (!renewed) {
    return response;
  }
  CW_TRY(const ExchangePtr second,
         exchange(std::move(first->request), BodyMode::kWhole, call.stop));
  return perform_once(second, rest_of(call, began, clock_));
}

Result<Response> CurlTransport::stream(Request request, const StreamLimits& limits,
                                       std::stop_token stop, const ChunkSink& sink) {
  ChunkReader reader{limits, stop, sink, clock_.monotonic()};
  CW_TRY(const ExchangePtr first, exchange(std::move(request), BodyMode::kStream, stop));
  auto response = pump(first, reader);
  if (!response.ok() || response->status != 401) {
    return response;
  }
  CW_TRY(const bool renewed, refresh(*first, stop));
  if (!renewed) {
    return response;
  }
  // The loop no longer uses a finished exchange, so its request can be moved and sent again.
  CW_TRY(const ExchangePtr second, exchange(std::move(first->request), BodyMode::kStream, stop));
  return pump(second, reader);
}

/// Passes pieces of a body from the loop's thread to the sink on this thread.
Result<Response> CurlTransport::pump(const ExchangePtr& exchange, ChunkReader& reader) {
  CW_TRY(CurlLoop* const loop, this->loop());
  loop->start(exchange);
  const std::stop_callback wake(reader.stop, wake_on_stop(exchange));
  std::string chunk;
  while (true) {
    chunk.clear();
    auto arrived = next_chunk(*exchange, reader, chunk);
    if (!arrived.ok()) {
      loop->abandon(exchange);
      return blame(*exchange, std::move(arrived).error());
    }
    if (*arrived == Arrival::kEnd) {
      break;
    }
    if (was_paused(*exchange)) {
      loop->resume(exchange);
    }
    if (auto accepted = reader.sink(chunk); !accepted.ok()) {
      loop->abandon(exchange);
      return std::move(accepted).error();
    }
  }
  MutexLock lock(exchange->mutex);
  return Response{exchange->status, exchange->retry_after_s, std::move(exchange->body)};
}

/// Waits for the next piece of a 200 response and swaps it into `chunk`, which must be empty.
Result<CurlTransport::Arrival> CurlTransport::next_chunk(Exchange& exchange, ChunkReader& reader,
                                                         std::string& chunk) {
  const MonotonicTime asked = clock_.monotonic();
  MutexLock lock(exchange.mutex);
  while (true) {
    if (exchange.status == 200 && (!reader.accepted || !exchange.body.empty())) {
      reader.accepted = true;
      chunk.swap(exchange.body);
      return Arrival::kChunk;
    }
    if (exchange.finished) {
      if (exchange.failure) {
        return *exchange.failure;
      }
      return Arrival::kEnd;
    }
    if (reader.stop.stop_requested()) {
      return Error(ErrorCode::kCancelled, "stopped");
    }
    const bool is_unanswered = exchange.status == 0;
    const base::Duration patience = is_unanswered ? reader.limits.response : reader.limits.idle;
    const MonotonicTime deadline = base::after(is_unanswered ? reader.began : asked, patience);
    if (clock_.monotonic() >= deadline) {
      return Error(ErrorCode::kTimeout,
                   is_unanswered
                       ? "no answer within " + base::format_go_duration(patience)
                       : "the stream was silent for " + base::format_go_duration(patience));
    }
    clock_.wait_until(exchange.changed, exchange.mutex, deadline);
  }
}

}  // namespace

Result<std::unique_ptr<Transport>> make_transport(const Config& config, base::Clock& clock,
                                                  TransportOptions options) {
  CW_TRY(auto credentials, Credentials::load(config, clock));
  CW_TRY(auto server, CurlServer::make(config, std::move(options)));
  return std::unique_ptr<Transport>(
      std::make_unique<CurlTransport>(std::move(server), std::move(credentials), clock));
}

}  // namespace chartwright::kube
