// SPDX-License-Identifier: Apache-2.0
#include "kube/curl_transfer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "base/mutex.h"
#include "base/strings.h"
#include "kubeconfig/proxy.h"
#include "kubeconfig/server_url.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
using base::MutexLock;
using base::Result;

constexpr size_t kMaxHeaderBytes = size_t{64} << 10;
// libcurl's limit on a line, which it buffers until complete: CURL_MAX_HTTP_HEADER in
// lib/urldata.h.
constexpr size_t kCurlHeaderLineBytes = size_t{100} << 10;
// libcurl's DYN_H1_TRAILER (lib/dynbuf.h), and its message for a longer line.
constexpr size_t kCurlTrailerLineBytes = 4096;
constexpr std::string_view kCurlTrailerFull = "Out of memory in chunked-encoding";
constexpr size_t kMaxErrorBodyBytes = size_t{1} << 20;
// A peer that vanishes silently is detected within about this time, whether idle or not.
constexpr int kKeepIdleSeconds = 15;
constexpr int kKeepIntervalSeconds = 10;
constexpr unsigned kUserTimeoutMs = 30'000;

/// Returns how much of a body may wait for its caller. For a stream, data already taken does not
/// count.
size_t body_limit(const Exchange& exchange, int status) {
  const bool is_error = status < 200 || status > 299;
  return is_error ? std::min(kMaxErrorBodyBytes, exchange.request.max_response_bytes)
                  : exchange.request.max_response_bytes;
}

std::optional<std::string_view> header_value(std::string_view line, std::string_view name) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || base::to_lower_ascii(line.substr(0, colon)) != name) {
    return std::nullopt;
  }
  return base::trim(line.substr(colon + 1));
}

/// Keeps exceptions out of libcurl, which is C: without memory the transfer ends.
template <typename Take>
size_t contained(Take take) {
  try {
    return take();
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

int on_socket(void* /*user*/, curl_socket_t socket, curlsocktype /*purpose*/) {
  // Ends a connection whose data is not acknowledged, instead of retransmitting for 15 minutes.
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

/// libcurl says how long a connection took to fail. A condition must not change with that.
std::string without_duration(std::string text) {
  constexpr std::string_view kAfter = " after ";
  const size_t begin = text.find(kAfter);
  const size_t end = begin == std::string::npos ? begin : text.find(" ms", begin);
  if (end != std::string::npos) {
    const auto digits =
        std::string_view(text).substr(begin + kAfter.size(), end - begin - kAfter.size());
    if (base::parse_int(digits)) {
      text.erase(begin, end + 3 - begin);
    }
  }
  return text;
}

/// Reports whether the transfer failed before there was a connection to send the request on.
bool is_unsent(CURLcode result) {
  return result == CURLE_COULDNT_RESOLVE_HOST || result == CURLE_COULDNT_RESOLVE_PROXY ||
         result == CURLE_COULDNT_CONNECT || result == CURLE_SSL_CONNECT_ERROR ||
         result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CERTPROBLEM;
}

// As Go's client: a server could demand handshake after handshake, each of which costs CPU time.
CURLcode refuse_renegotiation(CURL* /*easy*/, void* context, void* /*user*/) {
  SSL_CTX_set_options(static_cast<SSL_CTX*>(context), SSL_OP_NO_RENEGOTIATION);
  return CURLE_OK;
}

}  // namespace

Result<std::unique_ptr<CurlServer>> CurlServer::make(Config config, TransportOptions options) {
  CW_TRY_VOID(load_curl());
  std::string proxy = config.proxy_url;
  if (proxy.empty()) {
    CW_TRY(proxy, proxy_for(config.server, ProxyVariables::from_process()));
  }
  return std::unique_ptr<CurlServer>(new CurlServer(std::move(config), std::move(options), proxy));
}

CurlServer::CurlServer(Config config, TransportOptions options, const std::string& proxy)
    : config_(std::move(config)),
      options_(std::move(options)),
      url_base_(config_.server),
      proxy_(proxy_for_curl(proxy)) {
  if (!config_.tls_server_name.empty()) {
    // curl takes the name to verify from the URL only, so the URL has that name, and CONNECT_TO has
    // the real host.
    const ServerUrl server = split_server_url(config_.server);
    host_port_ = server.host_port();
    url_base_ = server.scheme + "://" + config_.tls_server_name + ":" + server.port + server.prefix;
    connect_to_.reset(curl().slist_append(nullptr, ("::" + host_port_).c_str()));
  }
}

void CurlServer::set_connection(CURL* easy, BodyMode mode, const TlsMaterial& tls) const {
  const bool is_tls = url_base_.starts_with("https://");
  const bool is_shared = is_tls && mode == BodyMode::kStream;
  curl().easy_setopt(easy, CURLOPT_PROTOCOLS_STR, is_tls ? "https" : "http");
  curl().easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     is_shared ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  // Wait for a connection that is being set up instead of making one per stream.
  curl().easy_setopt(easy, CURLOPT_PIPEWAIT, is_shared ? 1L : 0L);
  curl().easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl().easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl().easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, long{kKeepIdleSeconds});
  curl().easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, long{kKeepIntervalSeconds});
  curl().easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &on_socket);
  const auto connect_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.connect_timeout).count();
  curl().easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_ms));
  // Said even if there is none, lest libcurl read the environment in its own way.
  curl().easy_setopt(easy, CURLOPT_PROXY, proxy_.c_str());
  curl().easy_setopt(easy, CURLOPT_NOPROXY, "");
  if (connect_to_ != nullptr) {
    curl().easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_.get());
  }
  if (is_tls) {
    set_tls(easy, tls);
  }
}

void CurlServer::set_tls(CURL* easy, const TlsMaterial& tls) const {
  const auto set_blob = [easy](CURLoption option, const std::string& pem) {
    curl_blob blob{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
    curl().easy_setopt(easy, option, &blob);
  };
  if (!tls.ca.empty()) {
    // With a CA of its own, the system's bundle is neither trusted nor read.
    curl().easy_setopt(easy, CURLOPT_CAINFO, nullptr);
    curl().easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    set_blob(CURLOPT_CAINFO_BLOB, tls.ca);
  }
  if (!tls.cert.empty()) {
    set_blob(CURLOPT_SSLCERT_BLOB, tls.cert);
    set_blob(CURLOPT_SSLKEY_BLOB, tls.key);
  }
  curl().easy_setopt(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  curl().easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, &refuse_renegotiation);
  if (config_.verify == TlsVerify::kSkip) {
    curl().easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl().easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void CurlServer::count(Method method, int status) const {
  if (options_.on_finished) {
    options_.on_finished(method, status);
  }
}

CurlTransfer::CurlTransfer(const CurlServer& server, ExchangePtr exchange, CurlEasy easy)
    : server_(server), exchange_(std::move(exchange)), easy_(std::move(easy)) {
  set_request();
  set_headers();
  server_.set_connection(easy_.get(), exchange_->mode, *exchange_->tls);  // Kept by the exchange.
}

CurlTransfer& CurlTransfer::of(CURL* easy) {
  CurlTransfer* transfer = nullptr;
  curl().easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
  return *transfer;
}

void CurlTransfer::set_request() {
  CURL* easy = easy_.get();
  const Request& request = exchange_->request;
  curl().easy_setopt(easy, CURLOPT_URL, server_.url_of(request.target).c_str());
  curl().easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  if (!request.body.empty()) {
    curl().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(request.body.size()));
    curl().easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  }
  curl().easy_setopt(easy, CURLOPT_FRESH_CONNECT, request.only_once ? 1L : 0L);
  curl().easy_setopt(easy, CURLOPT_CUSTOMREQUEST, std::string(to_string(request.method)).c_str());
  curl().easy_setopt(easy, CURLOPT_PREREQFUNCTION, &on_request);
  curl().easy_setopt(easy, CURLOPT_PREREQDATA, this);
  curl().easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
  curl().easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl().easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
  curl().easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl().easy_setopt(easy, CURLOPT_ERRORBUFFER, error_.data());
  curl().easy_setopt(easy, CURLOPT_PRIVATE, this);
}

void CurlTransfer::set_headers() {
  const auto add = [this](const std::string& line) {
    headers_.reset(curl().slist_append(headers_.release(), line.c_str()));
  };
  add("Accept: " + exchange_->request.accept);
  if (!exchange_->request.body.empty()) {
    add("Content-Type: " + exchange_->request.content_type);
    add("Expect:");  // Saves the round trip of "Expect: 100-continue".
  }
  bool has_authorization = false;
  for (const std::string& line : exchange_->request.headers) {
    has_authorization = has_authorization || line.starts_with("Authorization:");
    add(line);
  }
  if (!exchange_->token.empty() && !has_authorization) {
    add("Authorization: Bearer " + exchange_->token);
  }
  if (!server_.host_header().empty()) {
    add("Host: " + server_.host_header());
  }
  curl().easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, headers_.get());
  curl().easy_setopt(easy_.get(), CURLOPT_USERAGENT, "chartwright/" CW_VERSION);
}

void CurlTransfer::send_before(base::MonotonicTime deadline, const base::Clock& clock) {
  clock_ = &clock;
  deadline_ = deadline;
}

bool CurlTransfer::is_sent() const {
  curl_off_t uploaded = 0;
  curl().easy_getinfo(easy_.get(), CURLINFO_SIZE_UPLOAD_T, &uploaded);
  return begun_ && static_cast<size_t>(uploaded) >= exchange_->request.body.size();
}

int CurlTransfer::on_request(void* user, char* /*peer_ip*/, char* /*own_ip*/, int /*peer_port*/,
                             int /*own_port*/) {
  auto& transfer = *static_cast<CurlTransfer*>(user);
  if (transfer.clock_ != nullptr && transfer.clock_->monotonic() >= transfer.deadline_) {
    return CURL_PREREQFUNC_ABORT;
  }
  transfer.begun_ = true;
  return CURL_PREREQFUNC_OK;
}

size_t CurlTransfer::on_body(char* data, size_t size, size_t count, void* user) {
  return contained([&] {
    return static_cast<CurlTransfer*>(user)->take_body({data, size * count});
  });
}

/// Returns how many bytes were accepted; fewer than given end the transfer. A paused one gets the
/// same bytes again.
size_t CurlTransfer::take_body(std::string_view data) {
  Exchange& exchange = *exchange_;
  MutexLock lock(exchange.mutex);
  if (exchange.abandoned) {
    return 0;
  }
  if (exchange.body.size() + data.size() > body_limit(exchange, exchange.status)) {
    const bool can_wait = exchange.mode == BodyMode::kStream && exchange.status == 200;
    if (!can_wait) {
      exchange.too_large = true;
      return 0;
    }
    if (!exchange.body.empty()) {
      exchange.paused = true;
      return CURL_WRITEFUNC_PAUSE;
    }
  }
  exchange.body.append(data);
  if (exchange.mode == BodyMode::kStream) {
    exchange.changed.notify_all();
  }
  return data.size();
}

size_t CurlTransfer::on_header(char* data, size_t size, size_t count, void* user) {
  return contained([&] {
    return static_cast<CurlTransfer*>(user)->take_header({data, size * count});
  });
}

/// Returns how many bytes were accepted; fewer than given end the transfer.
size_t CurlTransfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kMaxHeaderBytes) {
    header_too_large_ = true;
    return 0;
  }
  if (const auto value = header_value(line, "retry-after")) {
    MutexLock lock(exchange_->mutex);
    exchange_->retry_after_s =
        static_cast<int>(std::clamp<int64_t>(base::parse_int(*value).value_or(0), 0, 3600));
  }
  if (const auto value = header_value(line, "location")) {
    MutexLock lock(exchange_->mutex);
    exchange_->location = *value;
  }
  if (line != "\r\n") {
    return line.size();
  }
  long status = 0;
  curl().easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200) {  // Not an interim response such as 100 Continue.
    MutexLock lock(exchange_->mutex);
    exchange_->status = static_cast<int>(status);
    exchange_->changed.notify_all();
  }
  return line.size();
}

/// Returns the error if a limit, ours or libcurl's, ended the transfer; otherwise nullopt.
std::optional<Error> CurlTransfer::limit_failure(CURLcode result) const {
  const auto than = [](size_t bytes) { return "larger than " + std::to_string(bytes) + " bytes"; };
  const int status = exchange_->status;
  if (exchange_->too_large) {
    return Error(ErrorCode::kBudget, "the response (HTTP status " + std::to_string(status) +
                                         ") is " + than(body_limit(*exchange_, status)));
  }
  if (header_too_large_) {
    return Error(ErrorCode::kUnavailable, "the response's header is " + than(kMaxHeaderBytes));
  }
  // libcurl has no error code for a line that exceeds its buffer.
  if (result == CURLE_OUT_OF_MEMORY && status == 0) {
    return Error(ErrorCode::kUnavailable,
                 "a line of the response's header is " + than(kCurlHeaderLineBytes));
  }
  if (result == CURLE_RECV_ERROR && std::string_view(error_.data()) == kCurlTrailerFull) {
    return Error(ErrorCode::kUnavailable,
                 "a line of the response's trailer is " + than(kCurlTrailerLineBytes));
  }
  return std::nullopt;
}

/// Returns why the transfer failed; nullopt if it did not.
std::optional<Error> CurlTransfer::failure_of(CURLcode result) const {
  if (auto failure = limit_failure(result)) {
    return failure;
  }
  if (result == CURLE_ABORTED_BY_CALLBACK) {
    return Error(ErrorCode::kCancelled, "the request was cancelled");
  }
  if (result == CURLE_OK) {
    return std::nullopt;
  }
  const bool has_detail = error_[0] != '\0';
  Error error(code_of(result),
              has_detail ? without_duration(error_.data()) : curl().easy_strerror(result));
  return is_unsent(result) ? std::move(error).with_http(0, std::string(kNotSent)) : error;
}

CurlEasy CurlTransfer::finish(CURLcode result) {
  curl().easy_reset(easy_.get());
  int status = 0;
  {
    MutexLock lock(exchange_->mutex);
    status = exchange_->status;
  }
  server_.count(exchange_->request.method, status);
  MutexLock lock(exchange_->mutex);
  exchange_->failure = failure_of(result);
  exchange_->finished = true;
  exchange_->changed.notify_all();
  return std::move(easy_);
}

}  // namespace chartwright::kube
