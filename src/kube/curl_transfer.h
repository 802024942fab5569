// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/config.h"
#include "kube/curl_library.h"
#include "kube/exchange.h"
#include "kube/transport.h"

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

/// What all transfers to one API server have in common. Thread-safe: nothing changes.
class CurlServer {
 public:
  /// Error: kInternal when libcurl cannot be loaded.
  static base::Result<std::unique_ptr<CurlServer>> make(Config config, TransportOptions options);
  /// Sets the handle up to reach the server as an exchange of that mode does (docs/design/004);
  /// `tls` must live for as long as the handle's use.
  void set_connection(CURL* easy, BodyMode mode, const TlsMaterial& tls) const;
  /// As configured, for people.
  const std::string& url() const { return config_.server; }
  /// Where curl finds a target (path and query).
  std::string url_of(const std::string& target) const { return url_base_ + target; }
  /// The Host header to send where the URL names another host; else empty.
  const std::string& host_header() const { return host_port_; }
  /// Counts a request that has ended with that status (0: no response).
  void count(Method method, int status) const;

 private:
  CurlServer(Config config, TransportOptions options);
  void set_tls(CURL* easy, const TlsMaterial& tls) const;

  const Config config_;
  const TransportOptions options_;
  std::string host_port_;  ///< Of the server, for the Host header when the URL names another.
  std::string url_base_;
  CurlList connect_to_;  ///< curl's redirection when the certificate is for another name.
};

/// One exchange on one easy handle, whose callbacks fill the exchange in. Its address must not
/// change while the handle is in use, for that points to it. Not thread-safe.
class CurlTransfer {
 public:
  /// Sets up a handle that is fresh or reset; there is one.
  CurlTransfer(const CurlServer& server, ExchangePtr exchange, CurlEasy easy);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;
  /// Whose handle that is.
  static CurlTransfer& of(CURL* easy);

  CURL* easy() const { return easy_.get(); }
  const ExchangePtr& exchange() const { return exchange_; }
  /// Finishes the exchange with what the transfer came to; the handle must be in no multi any more.
  /// Returns the handle, reset, for the next transfer.
  CurlEasy finish(CURLcode result);

 private:
  static size_t on_body(char* data, size_t size, size_t count, void* user);
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
  size_t header_bytes_ = 0;
  bool header_too_large_ = false;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

}  // namespace chartwright::kube
