// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "runtime/http_message.h"

namespace chartwright::runtime {

/// When a request is answered, where several wait.
struct HttpTurn {
  /// Clients take turns. One has at most all workers but one, and a quarter of the waiting
  /// requests.
  std::string client;
  /// The answer is quick, and must not wait for the work of others: it has a worker of its own.
  bool prompt = false;
};

struct HttpServerOptions {
  std::string address;  ///< "host:port", ":port" or "[::1]:0"; port 0 picks a free one.
  /// Serve TLS 1.2 or later. Connections are refused until HttpServer::identify is called.
  bool tls = false;
  std::string thread_name = "http";  ///< The network thread's; workers are called NAME:0 and so on.
  /// Requests that are answered at the same time, beside a prompt one. 0: the handler runs on the
  /// network thread, and the limits and turns of those that wait mean nothing.
  int workers = 0;
  size_t waiting_max = 64;  ///< More requests are refused; of prompt ones, the same again.
  size_t worker_stack_bytes = size_t{1} << 20;
  size_t connections_max = 1000;
  size_t strangers_per_peer_max = 250;  ///< See ConnectionTable.
  size_t streams_max = 500;
  size_t body_bytes_max = size_t{3} << 20;  ///< A stranger has less.
  /// Returns the turn of a request. Called on the network thread: must not block.
  std::function<HttpTurn(const HttpRequest& request)> turn = [](const HttpRequest& /*request*/) {
    return HttpTurn();
  };
  std::function<HttpReply(HttpRefusal why)> refusal = plain_refusal;
};

}  // namespace chartwright::runtime
