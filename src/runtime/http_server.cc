// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "base/thread.h"
#include "runtime/asio_listen.h"
#include "runtime/asio_session.h"

namespace chartwright::runtime {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using base::Error;
using base::ErrorCode;

constexpr auto kAcceptRetry = std::chrono::milliseconds(200);
// One client has at most this part of the requests that wait.
constexpr size_t kWaitingPart = 4;

/// Has clients asked for a certificate, and trusts those of `authorities`. Error: kInvalidArgument.
base::Status trust(asio::ssl::context& tls, const std::string& authorities) {
  boost::system::error_code ec;
  tls.add_certificate_authority(asio::buffer(authorities), ec);
  if (ec) {
    return Error(ErrorCode::kInvalidArgument, "the clients' certificate authority is unusable");
  }
  // Without one, a client gets as far as an error in HTTP.
  tls.set_verify_mode(asio::ssl::verify_peer, ec);
  // A resumed session would skip the check against authorities that may have changed.
  SSL_CTX_set_session_cache_mode(tls.native_handle(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(tls.native_handle(), 0);
  SSL_CTX_set_options(tls.native_handle(), SSL_OP_NO_TICKET);
  return {};
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, const HttpHandler& handler)
      : shared_(options, handler) {}
  ~BeastServer() override;

  base::Status listen(const tcp::endpoint& endpoint);
  base::Status identify(const TlsIdentity& identity, const std::string& authorities) override;
  uint16_t port() const override { return port_; }
  void drain(base::Duration grace) override;

 private:
  void start_workers();
  void accept();
  bool may_serve() const { return !shared_.options.tls || shared_.tls != nullptr; }
  void serve(tcp::socket socket);
  void close_all();

  HttpShared shared_;
  tcp::acceptor acceptor_{shared_.context};
  asio::steady_timer retry_{shared_.context};
  uint16_t port_ = 0;
  base::Thread thread_;
};

BeastServer::~BeastServer() {
  // The network thread first: sessions that end with a worker's task are its own until then.
  // Workers may go on to post to it.
  shared_.context.stop();
  thread_.join();
  close_all();
  shared_.prompt_worker.reset();
  shared_.workers.reset();
}

base::Status BeastServer::listen(const tcp::endpoint& endpoint) {
  CW_TRY_VOID(listen_at(acceptor_, endpoint));
  boost::system::error_code ec;
  port_ = acceptor_.local_endpoint(ec).port();
  if (shared_.options.workers > 0) {
    start_workers();
  }
  accept();
  thread_ = base::Thread(shared_.options.thread_name, base::kDefaultStackBytes,
                         [this] { shared_.context.run(); });
  return {};
}

void BeastServer::start_workers() {
  const HttpServerOptions& options = shared_.options;
  const auto count = static_cast<size_t>(options.workers);
  const FairQueue::Limits limits = {
      .running_of_one = std::max<size_t>(1, count - 1),
      .waiting_of_one = std::max<size_t>(1, options.waiting_max / kWaitingPart),
      .waiting = options.waiting_max,
  };
  shared_.workers = std::make_unique<WorkerPool>(options.thread_name, options.workers, limits,
                                                 options.worker_stack_bytes);
  shared_.prompt_worker = std::make_unique<WorkerPool>(options.thread_name + "-prompt", 1, limits,
                                                       options.worker_stack_bytes);
}

base::Status BeastServer::identify(const TlsIdentity& identity, const std::string& authorities) {
  auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  CW_TRY_VOID(use_identity(*tls, identity));
  if (!authorities.empty()) {
    CW_TRY_VOID(trust(*tls, authorities));
  }
  asio::post(shared_.context, [this, tls = std::move(tls)] { shared_.tls = tls; });
  return {};
}

void BeastServer::drain(base::Duration grace) {
  asio::post(shared_.context, [this] {
    shared_.draining = true;
    boost::system::error_code ec;
    acceptor_.close(ec);
    for (const auto& [id, weak] : shared_.sessions) {
      if (const auto session = weak.lock()) {
        session->wake();
      }
    }
  });
  base::SystemClock clock;
  shared_.pending.wait(clock, base::after(clock.monotonic(), grace));
}

void BeastServer::accept() {
  acceptor_.async_accept([this](boost::system::error_code ec, tcp::socket socket) {
    if (!ec && may_serve()) {
      serve(std::move(socket));
    }
    if (!acceptor_.is_open()) {
      return;
    }
    if (!ec) {
      accept();
      return;
    }
    // Usually out of descriptors: an immediate retry would spin.
    retry_.expires_after(kAcceptRetry);
    retry_.async_wait([this](boost::system::error_code /*timer*/) { accept(); });
  });
}

void BeastServer::serve(tcp::socket socket) {
  const auto admitted = shared_.table.admit(peer_of(socket));
  if (!admitted) {
    return;  // The connection is closed with its socket.
  }
  if (admitted->ends) {
    if (const auto session = shared_.sessions[*admitted->ends].lock()) {
      session->abandon();
    }
  }
  boost::system::error_code ec;
  socket.set_option(tcp::no_delay(true), ec);
  const auto session = make_session(std::move(socket), shared_, admitted->id);
  shared_.sessions.emplace(admitted->id, session);
  session->start();
}

void BeastServer::close_all() {
  boost::system::error_code ec;
  acceptor_.close(ec);
  for (const auto& [id, weak] : std::exchange(shared_.sessions, {})) {
    if (const auto session = weak.lock()) {
      session->abandon();
    }
  }
}

/// Listens on the first available endpoint. The io_context's constructor throws when the process is
/// out of descriptors.
base::Result<std::unique_ptr<HttpServer>> listen_on(const std::vector<tcp::endpoint>& endpoints,
                                                    const HttpServerOptions& options,
                                                    const HttpHandler& handler) try {
  base::Status last;
  for (const tcp::endpoint& endpoint : endpoints) {
    auto server = std::make_unique<BeastServer>(options, handler);
    last = server->listen(endpoint);
    if (last.ok()) {
      return std::unique_ptr<HttpServer>(std::move(server));
    }
  }
  return std::move(last).error();
} catch (const boost::system::system_error& e) {
  return Error(ErrorCode::kUnavailable, e.code().message());
}

}  // namespace

base::Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpServerOptions& options,
                                                            const HttpHandler& handler) {
  CW_TRY(const auto endpoints, parse_listen_address(options.address));
  auto server = listen_on(endpoints, options, handler);
  if (!server.ok()) {
    return std::move(server).error().wrap("listen on " + options.address);
  }
  return server;
}

}  // namespace chartwright::runtime
