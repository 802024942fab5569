// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"
#include "runtime/asio_listen.h"
#include "runtime/connection_table.h"

namespace chartwright::runtime {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using base::Error;
using base::ErrorCode;
using base::Result;

// Who reads the metrics, and the kubelet, need a few each.
constexpr ConnectionTable::Limits kConnections = {.total_max = 64, .strangers_per_peer_max = 8};
constexpr uint32_t kMaxHeaderBytes = 8192;
constexpr size_t kFirstBytes = 1024;
constexpr auto kAcceptRetry = std::chrono::milliseconds(200);
// From the connection, or a request's first byte, to the end of its header.
constexpr auto kHeaderTimeout = std::chrono::seconds(2);
constexpr auto kIdleTimeout = std::chrono::seconds(10);
constexpr auto kWriteTimeout = std::chrono::seconds(10);

using Routes = std::map<std::string, HttpHandler>;

using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

/// A connection, to those who end it.
class Ending {
 public:
  virtual ~Ending() = default;
  /// Ends the connection: its pending callbacks fail.
  virtual void end() = 0;
};

/// The connections of a server. For its thread only.
struct Connections {
  ConnectionTable table{kConnections};
  std::map<ConnectionTable::Id, std::weak_ptr<Ending>> open;
};

/// One connection. It is kept alive by its pending callbacks.
template <typename Stream>
class Session final : public Ending, public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(Stream stream, const Routes& routes, Connections& connections, ConnectionTable::Id id)
      : stream_(std::move(stream)), routes_(routes), connections_(connections), id_(id) {}
  ~Session() override {
    connections_.table.leave(id_);
    connections_.open.erase(id_);
  }

  void start() {
    give(kHeaderTimeout);
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](beast::error_code ec) {
                                if (!ec) {
                                  self->read();
                                }
                              });
    } else {
      read();
    }
  }
  void end() override { beast::get_lowest_layer(stream_).close(); }

 private:
  void give(base::Duration time) { beast::get_lowest_layer(stream_).expires_after(time); }

  /// Waits for the next request. One byte of it ends the wait, and starts the time for its header.
  void await() {
    connections_.table.set_waiting(id_);
    if (buffer_.size() > 0) {
      give(kHeaderTimeout);
      read();
      return;
    }
    give(kIdleTimeout);
    stream_.async_read_some(buffer_.prepare(kFirstBytes),
                            [self = this->shared_from_this()](beast::error_code ec, size_t bytes) {
                              if (!ec) {
                                self->buffer_.commit(bytes);
                                self->give(kHeaderTimeout);
                                self->read();
                              }
                            });
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(kMaxHeaderBytes);
    parser_->body_limit(uint64_t{0});
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](beast::error_code ec, size_t /*bytes*/) {
                       if (!ec) {
                         self->answer();
                       }
                     });
  }

  void answer() {
    connections_.table.set_busy(id_);
    const auto& request = parser_->get();
    response_ = {};
    response_.version(request.version());
    response_.keep_alive(request.keep_alive() && connections_.table.may_stay(id_));
    const HttpReply reply = reply_to(request);
    response_.result(static_cast<unsigned>(reply.status));
    response_.set(http::field::content_type, reply.content_type);
    response_.set("X-Content-Type-Options", "nosniff");
    response_.content_length(reply.body.size());
    if (request.method() != http::verb::head) {
      response_.body() = reply.body;
    }
    give(kWriteTimeout);
    http::async_write(stream_, response_,
                      [self = this->shared_from_this()](beast::error_code ec, size_t /*bytes*/) {
                        if (!ec) {
                          self->after_answer();
                        }
                      });
  }

  void after_answer() {
    if (response_.keep_alive()) {
      await();
      return;
    }
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      // Lets the client distinguish the end from a broken connection.
      give(kHeaderTimeout);
      stream_.async_shutdown([self = this->shared_from_this()](beast::error_code /*ec*/) {});
    }
  }

  HttpReply reply_to(const http::request<http::string_body>& request) const {
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return {405, "text/plain; charset=utf-8", "method not allowed\n"};
    }
    const std::string target(request.target());
    const std::string path = target.substr(0, target.find('?'));
    const auto route = routes_.find(path);
    if (route == routes_.end()) {
      return {404, "text/plain; charset=utf-8", "404 page not found\n"};
    }
    return contained(route->second, {std::string(request.method_string()), path,
                                     std::string(request[http::field::authorization])});
  }

  // A safety net: there may be no memory for a reply, which must not end the process.
  static HttpReply contained(const HttpHandler& handler, const HttpRequest& request) {
    try {
      return handler(request);
    } catch (const std::exception&) {
      return {500, "text/plain; charset=utf-8", "internal error\n"};
    }
  }

  Stream stream_;
  beast::flat_buffer buffer_{std::size_t{kMaxHeaderBytes} * 2};
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  const Routes& routes_;
  Connections& connections_;
  const ConnectionTable::Id id_;
};

class BeastServer final : public HttpServer {
 public:
  explicit BeastServer(Routes routes) : routes_(std::move(routes)) {}
  ~BeastServer() override {
    context_.stop();
    thread_.join();
  }

  /// Enables TLS. Call before `listen`.
  base::Status use(const TlsIdentity& identity) {
    tls_.emplace(asio::ssl::context::tls_server);
    return use_identity(*tls_, identity);
  }

  base::Status listen(const tcp::endpoint& endpoint) {
    CW_TRY_VOID(listen_at(acceptor_, endpoint));
    beast::error_code ec;
    port_ = acceptor_.local_endpoint(ec).port();
    accept();
    thread_ = base::Thread("http", base::kDefaultStackBytes, [this] { context_.run(); });
    return {};
  }

  uint16_t port() const override { return port_; }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code ec, tcp::socket socket) {
      if (!ec) {
        serve(std::move(socket));
        accept();
        return;
      }
      // Usually out of descriptors: an immediate retry would spin.
      retry_.expires_after(kAcceptRetry);
      retry_.async_wait([this](beast::error_code /*timer*/) { accept(); });
    });
  }

  void serve(tcp::socket socket) {
    const auto admitted = connections_.table.admit(peer_of(socket));
    if (!admitted) {
      return;  // The connection is closed with its socket.
    }
    if (admitted->ends) {
      if (const auto ending = connections_.open[*admitted->ends].lock()) {
        ending->end();
      }
    }
    if (tls_) {
      start(std::make_shared<Session<TlsStream>>(TlsStream(std::move(socket), *tls_), routes_,
                                                 connections_, admitted->id),
            admitted->id);
    } else {
      start(std::make_shared<Session<PlainStream>>(PlainStream(std::move(socket)), routes_,
                                                   connections_, admitted->id),
            admitted->id);
    }
  }

  template <typename OneSession>
  void start(std::shared_ptr<OneSession> session, ConnectionTable::Id id) {
    connections_.open.emplace(id, session);
    session->start();
  }

  const Routes routes_;
  Connections connections_;  ///< Outlives the sessions in context_.
  std::optional<asio::ssl::context> tls_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer retry_{context_};
  uint16_t port_ = 0;
  base::Thread thread_;
};

/// Listens on the first available endpoint. The io_context's constructor throws when the process is
/// out of descriptors.
Result<std::unique_ptr<HttpServer>> listen_on(const std::vector<tcp::endpoint>& endpoints,
                                              const Routes& routes,
                                              const TlsIdentity* identity) try {
  base::Status last;
  for (const tcp::endpoint& endpoint : endpoints) {
    auto server = std::make_unique<BeastServer>(routes);
    if (identity != nullptr) {
      CW_TRY_VOID(server->use(*identity));
    }
    last = server->listen(endpoint);
    if (last.ok()) {
      return std::unique_ptr<HttpServer>(std::move(server));
    }
  }
  return std::move(last).error();
} catch (const boost::system::system_error& e) {
  return Error(ErrorCode::kUnavailable, e.code().message());
}

Result<std::unique_ptr<HttpServer>> start_server(const std::string& address, const Routes& routes,
                                                 const TlsIdentity* identity) {
  CW_TRY(const auto endpoints, parse_listen_address(address));
  auto server = listen_on(endpoints, routes, identity);
  if (!server.ok()) {
    return std::move(server).error().wrap("listen on " + address);
  }
  return server;
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(const std::string& address,
                                                      const Routes& routes) {
  return start_server(address, routes, nullptr);
}

Result<std::unique_ptr<HttpServer>> HttpServer::start_tls(const std::string& address,
                                                          const Routes& routes,
                                                          const TlsIdentity& identity) {
  return start_server(address, routes, &identity);
}

}  // namespace chartwright::runtime
