// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "kube/curl_library.h"
#include "kube/exchange.h"
#include "kube/transport.h"
#include "kubeconfig/config.h"

namespace chartwright::kube {

struct CurlListDeleter {
  void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListDeleter>;

struct CurlEasyDeleter {
  void operator()(CURL* easy) const { curl().easy_cleanup(easy); }
};
using CurlEasy = std::unique_ptr<CURL, CurlEasyDeleter>;

struct CurlMultiDeleter {
  void operator()(CURLM* multi) const { curl().multi_cleanup(multi); }
};
using CurlMulti = std::unique_ptr<CURLM, CurlMultiDeleter>;

/// The settings shared by all transfers to one API server. Immutable, hence thread-safe.
class CurlServer {
 public:
  /// Errors: kInternal when libcurl cannot be loaded; those of proxy_for.
  static base::Result<std::unique_ptr<CurlServer>> make(Config config, TransportOptions options);
  /// Configures `easy` to reach the server for an exchange of `mode` (docs/design/004). `tls` must
  /// outlive the use of the handle.
  void set_connection(CURL* easy, BodyMode mode, const TlsMaterial& tls) const;
  /// The server's URL as configured, for messages.
  const std::string& url() const { return config_.server; }
  /// The URL that curl requests for `target` (path and query).
  std::string url_of(const std::string& target) const { return url_base_ + target; }
  /// The Host header to send if the URL names a different host; otherwise empty.
  const std::string& host_header() const { return host_port_; }
  /// Counts a finished request by its status (0: no response).
  void count(Method method, int status) const;

 private:
  CurlServer(Config config, TransportOptions options, const std::string& proxy);
  void set_tls(CURL* easy, const TlsMaterial& tls) const;

  const Config config_;
  const TransportOptions options_;
  std::string host_port_;  ///< The server's, if the URL names a different host; otherwise empty.
  std::string url_base_;
  std::string proxy_;    ///< The proxy of every request; empty: none.
  CurlList connect_to_;  ///< For CURLOPT_CONNECT_TO, if the certificate names a different host.
};

/// One exchange on one easy handle, whose callbacks fill in the exchange. It must not move while
/// the handle is in use, because the handle points to it. Not thread-safe.
class CurlTransfer {
 public:
  /// Sets up `easy`, which must be non-null and either new or reset.
  CurlTransfer(const CurlServer& server, ExchangePtr exchange, CurlEasy easy);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;
  /// Returns the transfer that `easy` belongs to.
  static CurlTransfer& of(CURL* easy);

  /// Lets no byte of the request out at `deadline` or later, however the transfer comes to it:
  /// after a slow handshake, on another connection, or after the process was suspended. `clock`
  /// must outlive the transfer.
  void send_before(base::MonotonicTime deadline, const base::Clock& clock);
  /// Reports whether the whole request has been handed to the system.
  bool is_sent() const;
  /// Reports whether a part of the request may have been handed to the system.
  bool has_begun() const { return begun_; }

  CURL* easy() const { return easy_.get(); }
  const ExchangePtr& exchange() const { return exchange_; }
  /// Finishes the exchange with the result of the transfer. The handle must have been removed from
  /// its multi handle. Returns the handle, reset, for the next transfer.
  CurlEasy finish(CURLcode result);

 private:
  static size_t on_body(char* data, size_t size, size_t count, void* user);
  static int on_request(void* user, char* peer_ip, char* own_ip, int peer_port, int own_port);
  static size_t on_header(char* data, size_t size, size_t count, void* user);
  size_t take_body(std::string_view data);
  size_t take_header(std::string_view line);
  std::optional<base::Error> limit_failure(CURLcode result) const CW_REQUIRES(exchange_->mutex);
  void set_request();
  void set_headers();
  std::optional<base::Error> failure_of(CURLcode result) const CW_REQUIRES(exchange_->mutex);

  const CurlServer& server_;
  const ExchangePtr exchange_;
  CurlEasy easy_;
  CurlList headers_;
  const base::Clock* clock_ = nullptr;  ///< Null: the request may be sent at any time.
  base::MonotonicTime deadline_{};
  bool begun_ = false;  ///< A connection was there, and the request went out on it.
  size_t header_bytes_ = 0;
  bool header_too_large_ = false;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

}  // namespace chartwright::kube
