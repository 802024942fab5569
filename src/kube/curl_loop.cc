// SPDX-License-Identifier: Apache-2.0
#include "kube/curl_loop.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "base/strings.h"
#include "base/thread.h"
#include "kube/server_url.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
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

/// curl's side of an exchange; the loop's thread alone uses it.
struct Transfer {
  ExchangePtr exchange;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  size_t header_bytes = 0;
  std::array<char, CURL_ERROR_SIZE> error{};
};

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
  Transfer& transfer = *static_cast<Transfer*>(user);
  Exchange& exchange = *transfer.exchange;
  const std::string_view line(data, size * count);
  transfer.header_bytes += line.size();
  if (transfer.header_bytes > kMaxHeaderBytes) {
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
  curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
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
std::optional<Error> failure_of(const Exchange& exchange, const Transfer& transfer, CURLcode result)
    CW_REQUIRES(exchange.mutex) {
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
  const bool has_detail = transfer.error[0] != '\0';
  return Error(code_of(result), has_detail ? transfer.error.data() : curl_easy_strerror(result));
}

/// Runs curl's multi interface on one thread. Thread-safe.
class Loop final : public CurlLoop {
 public:
  Loop(const Config& config, const TransportOptions& options, std::string thread_name);
  ~Loop() override;
  void start(ExchangePtr exchange) override CW_EXCLUDES(mutex_);
  void abandon(const ExchangePtr& exchange) override CW_EXCLUDES(mutex_);

 private:
  void run();
  bool take_commands() CW_EXCLUDES(mutex_);
  void begin(ExchangePtr exchange);
  void reap();
  void finish(const Exchange* key, CURLcode result);
  void detach(Transfer& transfer);
  CURL* take_handle();
  void set_request(Transfer& transfer);
  void set_connection(const Transfer& transfer);
  void set_tls(CURL* easy, const TlsMaterial& tls);
  void set_headers(Transfer& transfer);

  const Config& config_;
  const TransportOptions& options_;
  std::string host_port_;   ///< Of the server, for the Host header when the URL names another.
  std::string connect_to_;  ///< curl's redirection when the certificate is for another name.
  std::string url_base_;
  curl_slist* connect_to_list_ = nullptr;
  CURLM* multi_;
  // The loop's thread alone uses these.
  std::unordered_map<const Exchange*, std::unique_ptr<Transfer>> active_;
  std::vector<CURL*> idle_;

  Mutex mutex_;
  std::vector<ExchangePtr> starting_ CW_GUARDED_BY(mutex_);
  std::vector<ExchangePtr> abandoned_ CW_GUARDED_BY(mutex_);
  bool stopping_ CW_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

Loop::Loop(const Config& config, const TransportOptions& options, std::string thread_name)
    : config_(config), options_(options), url_base_(config.server), multi_(curl_multi_init()) {
  CW_CHECK(multi_ != nullptr);
  if (!config.tls_server_name.empty()) {
    // curl takes the name to verify from the URL only: name that, and connect to the real place.
    const ServerUrl server = split_server_url(config.server);
    host_port_ = server.host_port();
    url_base_ = server.scheme + "://" + config.tls_server_name + ":" + server.port + server.prefix;
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

/// OpenSSL writes to sockets without MSG_NOSIGNAL: on this thread a connection that the peer has
/// closed must be an error, not the end of the process.
void block_sigpipe() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void Loop::run() {
  block_sigpipe();
  constexpr int kPollMs = 1000;  // curl shortens it to its own timers.
  while (take_commands()) {
    int running = 0;
    curl_multi_perform(multi_, &running);
    reap();
    curl_multi_poll(multi_, nullptr, 0, kPollMs, nullptr);
  }
  while (!active_.empty()) {
    finish(active_.begin()->first, CURLE_ABORTED_BY_CALLBACK);
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
  for (ExchangePtr& exchange : starting) {
    begin(std::move(exchange));
  }
  for (const ExchangePtr& exchange : abandoned) {
    if (active_.contains(exchange.get())) {
      finish(exchange.get(), CURLE_ABORTED_BY_CALLBACK);
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

void Loop::begin(ExchangePtr exchange) {
  auto owned = std::make_unique<Transfer>();
  Transfer& transfer = *owned;
  transfer.exchange = std::move(exchange);
  transfer.easy = take_handle();
  active_.emplace(transfer.exchange.get(), std::move(owned));
  set_request(transfer);
  set_connection(transfer);
  set_headers(transfer);
  if (curl_multi_add_handle(multi_, transfer.easy) != CURLM_OK) {
    finish(transfer.exchange.get(), CURLE_FAILED_INIT);
  }
}

void Loop::set_request(Transfer& transfer) {
  CURL* easy = transfer.easy;
  const Request& request = transfer.exchange->request;
  curl_easy_setopt(easy, CURLOPT_URL, (url_base_ + request.target).c_str());
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  if (!request.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, std::string(to_string(request.method)).c_str());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer.exchange.get());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error.data());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
}

void Loop::set_connection(const Transfer& transfer) {
  CURL* easy = transfer.easy;
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
    set_tls(easy, *transfer.exchange->tls);
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

void Loop::set_headers(Transfer& transfer) {
  const Exchange& exchange = *transfer.exchange;
  const auto add = [&transfer](const std::string& line) {
    transfer.headers = curl_slist_append(transfer.headers, line.c_str());
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
  curl_easy_setopt(transfer.easy, CURLOPT_HTTPHEADER, transfer.headers);
  curl_easy_setopt(transfer.easy, CURLOPT_USERAGENT, "chartwright/" CW_VERSION);
}

void Loop::reap() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) {
      continue;
    }
    const CURLcode result = message->data.result;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    finish(transfer->exchange.get(), result);
  }
}

void Loop::detach(Transfer& transfer) {
  curl_multi_remove_handle(multi_, transfer.easy);
  curl_slist_free_all(std::exchange(transfer.headers, nullptr));
  CURL* easy = std::exchange(transfer.easy, nullptr);
  if (idle_.size() < kPooledHandles) {
    curl_easy_reset(easy);
    idle_.push_back(easy);
  } else {
    curl_easy_cleanup(easy);
  }
}

void Loop::finish(const Exchange* key, CURLcode result) {
  const std::unique_ptr<Transfer> transfer = std::move(active_.at(key));
  active_.erase(key);
  detach(*transfer);
  Exchange& exchange = *transfer->exchange;
  int status = 0;
  {
    MutexLock lock(exchange.mutex);
    status = exchange.status;
  }
  if (options_.on_finished) {
    options_.on_finished(exchange.request.method, status);
  }
  MutexLock lock(exchange.mutex);
  exchange.failure = failure_of(exchange, *transfer, result);
  exchange.finished = true;
  exchange.changed.notify_all();
}

}  // namespace

Result<std::unique_ptr<CurlLoop>> CurlLoop::make(const Config& config,
                                                 const TransportOptions& options,
                                                 std::string thread_name) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) {
    return Error(ErrorCode::kInternal, "libcurl could not be initialised");
  }
  return std::unique_ptr<CurlLoop>(std::make_unique<Loop>(config, options, std::move(thread_name)));
}

}  // namespace chartwright::kube
