// SPDX-License-Identifier: Apache-2.0
#include "kube/transport.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/strings.h"
#include "base/thread.h"
#include "kube/credentials.h"

namespace chartwright::kube {
namespace {

using base::CondVar;
using base::Error;
using base::ErrorCode;
using base::MonotonicTime;
using base::Mutex;
using base::MutexLock;
using base::Result;

constexpr size_t kMaxHeaderBytes = size_t{64} << 10;
constexpr size_t kMaxErrorBodyBytes = size_t{1} << 20;
constexpr size_t kPooledHandles = 16;
// A peer that is gone without a word is noticed within about this time, idle or not.
constexpr int kKeepIdleSeconds = 15;
constexpr int kKeepIntervalSeconds = 10;
constexpr unsigned kUserTimeoutMs = 30'000;

enum class BodyMode : uint8_t {
  kWhole,   ///< The caller waits for the whole body.
  kStream,  ///< The caller takes pieces as they arrive.
};

/// One request on its way: written by the loop's thread, read by the thread that waits.
struct Exchange {
  // Set before the exchange is handed to the loop and not changed after.
  Request request;
  BodyMode mode = BodyMode::kWhole;
  std::string token;
  std::shared_ptr<const TlsMaterial> tls;

  // The loop's alone.
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  size_t header_bytes = 0;
  std::array<char, CURL_ERROR_SIZE> curl_error{};

  Mutex mutex;
  CondVar changed;
  std::string body CW_GUARDED_BY(mutex);  ///< What has arrived and was not taken yet.
  int status CW_GUARDED_BY(mutex) = 0;    ///< 0 until the response's header is complete.
  int retry_after_s CW_GUARDED_BY(mutex) = 0;
  bool finished CW_GUARDED_BY(mutex) = false;
  bool too_large CW_GUARDED_BY(mutex) = false;
  bool abandoned CW_GUARDED_BY(mutex) = false;
  std::optional<Error> failure CW_GUARDED_BY(mutex);
};
using ExchangePtr = std::shared_ptr<Exchange>;

/// How much of a body may wait for its caller. A stream's bound is on what is not yet taken.
size_t body_limit(const Exchange& exchange, int status) {
  const bool is_error = status < 200 || status > 299;
  return is_error ? std::min(kMaxErrorBodyBytes, exchange.request.max_response_bytes)
                  : exchange.request.max_response_bytes;
}

size_t on_body(char* data, size_t size, size_t count, void* user) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  const size_t bytes = size * count;
  MutexLock lock(exchange.mutex);
  if (exchange.abandoned) {
    return 0;
  }
  if (exchange.body.size() + bytes > body_limit(exchange, exchange.status)) {
    exchange.too_large = true;
    return 0;
  }
  exchange.body.append(data, bytes);
  if (exchange.mode == BodyMode::kStream) {
    exchange.changed.notify_all();
  }
  return bytes;
}

std::optional<std::string_view> header_value(std::string_view line, std::string_view name) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || base::to_lower_ascii(line.substr(0, colon)) != name) {
    return std::nullopt;
  }
  return base::trim(line.substr(colon + 1));
}

size_t on_header(char* data, size_t size, size_t count, void* user) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  const std::string_view line(data, size * count);
  exchange.header_bytes += line.size();
  if (exchange.header_bytes > kMaxHeaderBytes) {
    return 0;
  }
  if (const auto value = header_value(line, "retry-after")) {
    MutexLock lock(exchange.mutex);
    exchange.retry_after_s =
        static_cast<int>(std::clamp<int64_t>(base::parse_int(*value).value_or(0), 0, 3600));
  }
  if (line != "\r\n") {
    return line.size();
  }
  long status = 0;
  curl_easy_getinfo(exchange.easy, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200) {  // Not an interim response such as 100 Continue.
    MutexLock lock(exchange.mutex);
    exchange.status = static_cast<int>(status);
    exchange.changed.notify_all();
  }
  return line.size();
}

int on_socket(void* /*user*/, curl_socket_t socket, curlsocktype /*purpose*/) {
  // Bytes that nobody acknowledges end the connection, instead of 15 minutes of retransmission.
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof(kUserTimeoutMs));
  return CURL_SOCKOPT_OK;
}

ErrorCode code_of(CURLcode result) {
  switch (result) {
    case CURLE_OPERATION_TIMEDOUT:
      return ErrorCode::kTimeout;
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_URL_MALFORMAT:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kUnavailable;
  }
}

/// Why the transfer failed; nullopt when it did not.
std::optional<Error> failure_of(Exchange& exchange, CURLcode result) CW_REQUIRES(exchange.mutex) {
  if (exchange.too_large) {
    return Error(ErrorCode::kBudget, "the response is larger than " +
                                         std::to_string(body_limit(exchange, exchange.status)) +
                                         " bytes");
  }
  if (result == CURLE_ABORTED_BY_CALLBACK) {
    return Error(ErrorCode::kCancelled, "the request was cancelled");
  }
  if (result == CURLE_OK) {
    return std::nullopt;
  }
  const bool has_detail = exchange.curl_error[0] != '\0';
  return Error(code_of(result),
               has_detail ? exchange.curl_error.data() : curl_easy_strerror(result));
}

/// Runs curl's multi interface on one thread. Thread-safe.
class Loop {
 public:
  Loop(const Config& config, const TransportOptions& options, std::string thread_name);
  ~Loop();
  void start(ExchangePtr exchange) CW_EXCLUDES(mutex_);
  /// The caller has stopped waiting: ends the transfer.
  void abandon(const ExchangePtr& exchange) CW_EXCLUDES(mutex_);

 private:
  void run();
  bool take_commands() CW_EXCLUDES(mutex_);
  void begin(const ExchangePtr& exchange);
  void reap();
  void finish(const ExchangePtr& exchange, CURLcode result);
  void detach(Exchange& exchange);
  CURL* take_handle();
  void set_request(Exchange& exchange);
  void set_connection(Exchange& exchange);
  void set_tls(CURL* easy, const TlsMaterial& tls);
  void set_headers(Exchange& exchange);

  const Config& config_;
  const TransportOptions& options_;
  std::string host_port_;   ///< Of the server, for the Host header when the URL names another.
  std::string connect_to_;  ///< curl's redirection when the certificate is for another name.
  std::string url_base_;
  curl_slist* connect_to_list_ = nullptr;
  CURLM* multi_;
  // The loop's thread alone uses these.
  std::unordered_map<CURL*, ExchangePtr> active_;
  std::vector<CURL*> idle_;

  Mutex mutex_;
  std::vector<ExchangePtr> starting_ CW_GUARDED_BY(mutex_);
  std::vector<ExchangePtr> abandoned_ CW_GUARDED_BY(mutex_);
  bool stopping_ CW_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

struct ServerParts {
  std::string scheme;
  std::string host;
  std::string port;
  std::string prefix;
};

ServerParts split_server(const std::string& server) {
  ServerParts parts;
  const size_t scheme_end = server.find("://");
  const size_t authority = scheme_end == std::string::npos ? 0 : scheme_end + 3;
  parts.scheme = scheme_end == std::string::npos ? "https" : server.substr(0, scheme_end);
  const size_t slash = std::min(server.find('/', authority), server.size());
  const std::string host_port = server.substr(authority, slash - authority);
  parts.prefix = server.substr(slash);
  const size_t colon = host_port.rfind(':');
  const size_t bracket = host_port.rfind(']');
  const bool has_port =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  parts.host = has_port ? host_port.substr(0, colon) : host_port;
  parts.port = has_port ? host_port.substr(colon + 1) : (parts.scheme == "http" ? "80" : "443");
  return parts;
}

Loop::Loop(const Config& config, const TransportOptions& options, std::string thread_name)
    : config_(config), options_(options), url_base_(config.server), multi_(curl_multi_init()) {
  CW_CHECK(multi_ != nullptr);
  if (!config.tls_server_name.empty()) {
    // curl takes the name to verify from the URL only: name that, and connect to the real place.
    const ServerParts parts = split_server(config.server);
    host_port_ = parts.host + ":" + parts.port;
    url_base_ = parts.scheme + "://" + config.tls_server_name + ":" + parts.port + parts.prefix;
    connect_to_ = "::" + host_port_;
    connect_to_list_ = curl_slist_append(nullptr, connect_to_.c_str());
  }
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  thread_ = base::Thread(std::move(thread_name), base::kDefaultStackBytes, [this] { run(); });
}

Loop::~Loop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_);
  thread_.join();
  for (CURL* easy : idle_) {
    curl_easy_cleanup(easy);
  }
  curl_multi_cleanup(multi_);
  curl_slist_free_all(connect_to_list_);
}

void Loop::start(ExchangePtr exchange) {
  {
    MutexLock lock(mutex_);
    starting_.push_back(std::move(exchange));
  }
  curl_multi_wakeup(multi_);
}

void Loop::abandon(const ExchangePtr& exchange) {
  {
    MutexLock lock(exchange->mutex);
    exchange->abandoned = true;
  }
  {
    MutexLock lock(mutex_);
    abandoned_.push_back(exchange);
  }
  curl_multi_wakeup(multi_);
}

void Loop::run() {
  constexpr int kPollMs = 1000;  // curl shortens it to its own timers.
  while (take_commands()) {
    int running = 0;
    curl_multi_perform(multi_, &running);
    reap();
    curl_multi_poll(multi_, nullptr, 0, kPollMs, nullptr);
  }
  while (!active_.empty()) {
    finish(active_.begin()->second, CURLE_ABORTED_BY_CALLBACK);
  }
}

bool Loop::take_commands() {
  std::vector<ExchangePtr> starting;
  std::vector<ExchangePtr> abandoned;
  bool stopping = false;
  {
    MutexLock lock(mutex_);
    starting.swap(starting_);
    abandoned.swap(abandoned_);
    stopping = stopping_;
  }
  for (const ExchangePtr& exchange : starting) {
    begin(exchange);
  }
  for (const ExchangePtr& exchange : abandoned) {
    if (exchange->easy != nullptr) {
      finish(exchange, CURLE_ABORTED_BY_CALLBACK);
    }
  }
  return !stopping;
}

CURL* Loop::take_handle() {
  if (idle_.empty()) {
    CURL* easy = curl_easy_init();
    CW_CHECK(easy != nullptr);
    return easy;
  }
  CURL* easy = idle_.back();
  idle_.pop_back();
  return easy;
}

void Loop::begin(const ExchangePtr& exchange) {
  exchange->easy = take_handle();
  set_request(*exchange);
  set_connection(*exchange);
  set_headers(*exchange);
  active_.emplace(exchange->easy, exchange);
  if (curl_multi_add_handle(multi_, exchange->easy) != CURLM_OK) {
    finish(exchange, CURLE_FAILED_INIT);
  }
}

void Loop::set_request(Exchange& exchange) {
  CURL* easy = exchange.easy;
  const Request& request = exchange.request;
  curl_easy_setopt(easy, CURLOPT_URL, (url_base_ + request.target).c_str());
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  if (!request.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, std::string(to_string(request.method)).c_str());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange.curl_error.data());
}

void Loop::set_connection(Exchange& exchange) {
  CURL* easy = exchange.easy;
  const bool is_tls = url_base_.starts_with("https://");
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, is_tls ? "https" : "http");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   is_tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  // Wait for a connection that is being made rather than make one per call.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, is_tls ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, long{kKeepIdleSeconds});
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, long{kKeepIntervalSeconds});
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &on_socket);
  const auto connect_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.connect_timeout).count();
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_ms));
  if (!config_.proxy_url.empty()) {
    curl_easy_setopt(easy, CURLOPT_PROXY, config_.proxy_url.c_str());
  }
  if (connect_to_list_ != nullptr) {
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_list_);
  }
  if (is_tls) {
    set_tls(easy, *exchange.tls);
  }
}

void Loop::set_tls(CURL* easy, const TlsMaterial& tls) {
  const auto set_blob = [easy](CURLoption option, const std::string& pem) {
    // Not copied: the exchange keeps the material for as long as the handle uses it.
    curl_blob blob{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
    curl_easy_setopt(easy, option, &blob);
  };
  if (!tls.ca.empty()) {
    // With its own CA the system's bundle is neither trusted nor read.
    curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    set_blob(CURLOPT_CAINFO_BLOB, tls.ca);
  }
  if (!tls.cert.empty()) {
    set_blob(CURLOPT_SSLCERT_BLOB, tls.cert);
    set_blob(CURLOPT_SSLKEY_BLOB, tls.key);
  }
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  if (config_.verify == TlsVerify::kSkip) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void Loop::set_headers(Exchange& exchange) {
  const auto add = [&exchange](const std::string& line) {
    exchange.headers = curl_slist_append(exchange.headers, line.c_str());
  };
  add("Accept: " + exchange.request.accept);
  if (!exchange.request.body.empty()) {
    add("Content-Type: " + exchange.request.content_type);
    add("Expect:");  // No round trip to ask whether the body is welcome.
  }
  if (!exchange.token.empty()) {
    add("Authorization: Bearer " + exchange.token);
  }
  if (!host_port_.empty()) {
    add("Host: " + host_port_);
  }
  curl_easy_setopt(exchange.easy, CURLOPT_HTTPHEADER, exchange.headers);
  curl_easy_setopt(exchange.easy, CURLOPT_USERAGENT, "chartwright/" CW_VERSION);
}

void Loop::reap() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) {
      continue;
    }
    const CURLcode result = message->data.result;
    const auto found = active_.find(message->easy_handle);
    CW_CHECK(found != active_.end());
    finish(ExchangePtr(found->second), result);
  }
}

void Loop::detach(Exchange& exchange) {
  curl_multi_remove_handle(multi_, exchange.easy);
  curl_slist_free_all(std::exchange(exchange.headers, nullptr));
  CURL* easy = std::exchange(exchange.easy, nullptr);
  if (idle_.size() < kPooledHandles) {
    curl_easy_reset(easy);
    idle_.push_back(easy);
  } else {
    curl_easy_cleanup(easy);
  }
}

void Loop::finish(const ExchangePtr& exchange, CURLcode result) {
  const ExchangePtr keep = exchange;  // The map's entry may be what `exchange` refers to.
  active_.erase(keep->easy);
  detach(*keep);
  int status = 0;
  {
    MutexLock lock(keep->mutex);
    status = keep->status;
  }
  if (options_.on_finished) {
    options_.on_finished(keep->request.method, status);
  }
  MutexLock lock(keep->mutex);
  keep->failure = failure_of(*keep, result);
  keep->finished = true;
  keep->changed.notify_all();
}

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
        credentials_(std::move(credentials)),
        bulk_(config_, options_, "kube-io") {}

  Result<Response> perform(Request request, const Call& call) override;
  Result<Response> stream(Request request, const StreamLimits& limits, std::stop_token stop,
                          const ChunkSink& sink) override;

 private:
  enum class Arrival : uint8_t { kChunk, kEnd };
  Loop& loop(Lane lane) CW_EXCLUDES(lease_mutex_);
  ExchangePtr send(Request request, BodyMode mode);
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
  Loop bulk_;
  Mutex lease_mutex_;
  std::unique_ptr<Loop> lease_ CW_GUARDED_BY(lease_mutex_);  ///< Made when first needed.
};

Loop& CurlTransport::loop(Lane lane) {
  if (lane == Lane::kDefault) {
    return bulk_;
  }
  MutexLock lock(lease_mutex_);
  if (lease_ == nullptr) {
    lease_ = std::make_unique<Loop>(config_, options_, "kube-lease-io");
  }
  return *lease_;
}

ExchangePtr CurlTransport::send(Request request, BodyMode mode) {
  auto exchange = std::make_shared<Exchange>();
  exchange->request = std::move(request);
  exchange->mode = mode;
  exchange->token = credentials_->token();
  exchange->tls = credentials_->tls();
  loop(exchange->request.lane).start(exchange);
  return exchange;
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
  loop(exchange->request.lane).abandon(exchange);
  return blame(*exchange, *std::move(given_up));
}

Result<Response> CurlTransport::perform(Request request, const Call& call) {
  request.lane = call.lane;
  const ExchangePtr exchange = send(std::move(request), BodyMode::kWhole);
  auto response = await(exchange, call);
  if (!response.ok() || response->status != 401 || !credentials_->refresh_token(exchange->token)) {
    return response;
  }
  // The loop is done with the finished exchange, so that its request can be sent once more.
  return await(send(std::move(exchange->request), BodyMode::kWhole), call);
}

Result<Response> CurlTransport::stream(Request request, const StreamLimits& limits,
                                       std::stop_token stop, const ChunkSink& sink) {
  const ExchangePtr exchange = send(std::move(request), BodyMode::kStream);
  auto response = pump(exchange, limits, stop, sink);
  if (!response.ok() || response->status != 401 || !credentials_->refresh_token(exchange->token)) {
    return response;
  }
  return pump(send(std::move(exchange->request), BodyMode::kStream), limits, stop, sink);
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
      loop(exchange->request.lane).abandon(exchange);
      return blame(*exchange, std::move(arrived).error());
    }
    if (*arrived == Arrival::kEnd) {
      break;
    }
    if (auto accepted = sink(chunk); !accepted.ok()) {
      loop(exchange->request.lane).abandon(exchange);
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
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) {
    return Error(ErrorCode::kInternal, "libcurl could not be initialised");
  }
  CW_TRY(auto credentials, Credentials::load(config, clock));
  return std::unique_ptr<Transport>(
      std::make_unique<CurlTransport>(config, clock, std::move(options), std::move(credentials)));
}

}  // namespace chartwright::kube
