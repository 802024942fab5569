// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "runtime/tls_identity.h"

namespace chartwright::runtime {

struct ApiRequest {
  std::string method;
  std::string target;  ///< Path and query, still escaped.
  /// In the order in which they were sent. Names are in lower case.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  /// The common name of the client's certificate, which an authority of the server has signed;
  /// nullopt if the client has shown none.
  std::optional<std::string> client_name;
  /// Requested when the client has gone: nobody waits for the reply.
  std::stop_token stop;

  /// Returns the first value of a header (its name in lower case), or "".
  std::string_view header(std::string_view name) const;
};

/// A response that is produced while it is sent. Used by the server's network thread only.
class ApiStream {
 public:
  virtual ~ApiStream() = default;
  /// Returns the next bytes; "" if there are none at present; nullopt at the end. Must not block.
  virtual std::optional<std::string> next() = 0;
  /// Has `wake` called, from any thread, when next() may have more.
  virtual void on_more(std::function<void()> wake) = 0;
};

struct ApiReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::unique_ptr<ApiStream> stream;  ///< Instead of a body.
  /// The stream ends after this time, or when the server drains. 0: only at its own end; if it is
  /// cut off, so is the connection, because a part would pass for the whole.
  base::Duration stream_max{};
};

/// Answers requests, on the server's workers. Blocks; thread-safe.
using ApiHandler = std::function<ApiReply(const ApiRequest& request)>;

/// When a request is answered, where several wait.
struct ApiTurn {
  /// Clients take turns. One has at most all workers but one, and a quarter of the waiting
  /// requests.
  std::string client;
  /// The answer is quick, and must not wait for the work of others: it has a worker of its own.
  bool prompt = false;
};

struct ApiServerOptions {
  std::string address;      ///< The same form as for HttpServer.
  int workers = 4;          ///< Requests that are answered at the same time.
  size_t waiting_max = 64;  ///< More requests are refused; of prompt ones, the same again.
  size_t streams_max = 500;
  size_t connections_max = 1000;
  size_t body_bytes_max = size_t{3} << 20;
  size_t worker_stack_bytes = size_t{1} << 20;
  /// Returns the turn of a request. Called on the network thread: must not block.
  std::function<ApiTurn(const ApiRequest& request)> turn = [](const ApiRequest& /*request*/) {
    return ApiTurn();
  };
  /// The reply to a request that there is no capacity for, and to a body that is too large.
  std::function<ApiReply()> too_many;
  std::function<ApiReply()> too_large;
  std::function<ApiReply()> ending;  ///< The reply to requests while the server drains.
  std::function<ApiReply()> failed;  ///< The reply where the handler throws.
};

/// An HTTPS server for an API: HTTP/1.1, with client certificates, request bodies and streamed
/// responses. One thread serves the network; workers answer. Every resource that a client can use
/// is bounded: connections, waiting requests, streams, sizes and times.
class ApiServer {
 public:
  /// Listens and answers with `handler` until destroyed. Connections are refused until `identify`
  /// is called. Errors: those of HttpServer::start.
  static base::Result<std::unique_ptr<ApiServer>> start(const ApiServerOptions& options,
                                                        const ApiHandler& handler);
  virtual ~ApiServer() = default;
  /// Shows `identity` to new connections, and trusts client certificates of `authorities` (PEM).
  /// Older connections end after their current request. Thread-safe. Error: kInvalidArgument.
  virtual base::Status identify(const TlsIdentity& identity, const std::string& authorities) = 0;
  virtual uint16_t port() const = 0;
  /// Accepts no more connections, ends all streams, and waits for running requests, at most for
  /// `grace`.
  virtual void drain(base::Duration grace) = 0;
};

}  // namespace chartwright::runtime
