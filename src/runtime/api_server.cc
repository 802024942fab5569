// SPDX-License-Identifier: Apache-2.0
#include "runtime/api_server.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <map>
#include <utility>

#include "base/mutex.h"
#include "base/strings.h"
#include "base/thread.h"
#include "runtime/asio_listen.h"
#include "runtime/connection_table.h"
#include "runtime/worker_pool.h"

namespace chartwright::runtime {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using base::Error;
using base::ErrorCode;

constexpr size_t kHeaderBytesMax = 64 << 10;  // The aggregator adds all groups of the user.
constexpr auto kTlsAcceptRetry = std::chrono::milliseconds(200);
constexpr auto kHandshakeTimeout = std::chrono::seconds(5);
// The time that a stranger has from a request's first byte to its end, and from one request to the
// next.
constexpr auto kStrangerTimeout = std::chrono::seconds(2);
constexpr auto kStrangerIdleTimeout = std::chrono::seconds(10);
// Each of the aggregator's connections is a stranger's until the end of its handshake.
constexpr size_t kStrangersPart = 4;
// One client has at most this part of the requests that wait.
constexpr size_t kWaitingPart = 4;
constexpr size_t kFirstBytes = 1024;
// Longer than Go's clients keep idle connections (90 s), so that no request meets a closing one.
constexpr auto kIdleTimeout = std::chrono::seconds(150);
constexpr auto kLookAtClient = std::chrono::milliseconds(200);
constexpr auto kWriteTimeout = std::chrono::seconds(30);
// For a client that is still sending when it is refused.
constexpr auto kLingerTimeout = std::chrono::seconds(5);
constexpr size_t kLingerBytes = 16 << 10;
constexpr int kCommonNameBytesMax = 256;
// The largest body of a client without a certificate, which may only ask whether the server is
// alive.
constexpr size_t kStrangerBodyBytesMax = 4 << 10;

using Stream = beast::ssl_stream<beast::tcp_stream>;

/// Identity and trusted authorities, as of one call of `identify`.
using TlsContext = std::shared_ptr<asio::ssl::context>;

/// Counts requests. Thread-safe.
class Pending {
 public:
  void add() CW_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    ++count_;
  }
  void remove() CW_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    --count_;
    changed_.notify_all();
  }
  /// Waits until there is none, or `deadline`.
  void wait(base::Clock& clock, base::MonotonicTime deadline) CW_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    while (count_ > 0 && clock.monotonic() < deadline) {
      clock.wait_until(changed_, mutex_, deadline);
    }
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  int count_ CW_GUARDED_BY(mutex_) = 0;
};

class ApiSession;

/// The state that all sessions share. Used by the network thread, except where noted.
struct Shared {
  Shared(ApiServerOptions o, ApiHandler h)
      : options(std::move(o)),
        handler(std::move(h)),
        table({options.connections_max,
               std::max<size_t>(1, options.connections_max / kStrangersPart)}) {}
  /// Answers a request, on a worker. A safety net: there may be no memory for a reply, which must
  /// not end the process.
  ApiReply answer(const ApiRequest& request) const {
    try {
      return handler(request);
    } catch (const std::exception&) {
      return options.failed();
    }
  }

  /// Returns false if too much is waiting.
  bool submit(const ApiTurn& turn, FairQueue::Task task) const {
    return (turn.prompt ? prompt_pool : pool)->submit(turn.client, std::move(task));
  }

  const ApiServerOptions options;
  const ApiHandler handler;
  TlsContext tls;
  std::unique_ptr<WorkerPool> pool;
  std::unique_ptr<WorkerPool> prompt_pool;
  ConnectionTable table;
  std::map<ConnectionTable::Id, std::weak_ptr<ApiSession>> sessions;
  size_t streams = 0;
  Pending pending;  ///< Requests that have no reply yet.
  bool draining = false;
  asio::io_context context{1};  ///< Last: its destructor ends the sessions, which use the others.
};

/// Returns the name in the client's certificate, which the handshake has verified.
std::optional<std::string> client_name(Stream& stream) {
  X509* certificate = SSL_get1_peer_certificate(stream.native_handle());
  if (certificate == nullptr || SSL_get_verify_result(stream.native_handle()) != X509_V_OK) {
    X509_free(certificate);
    return std::nullopt;
  }
  std::array<char, kCommonNameBytesMax> name{};
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                             name.data(), kCommonNameBytesMax);
  X509_free(certificate);
  return std::string(name.data(), size > 0 ? static_cast<size_t>(size) : 0);
}

/// The reply to a request whose header is too large, as of Go's net/http.
ApiReply header_too_large() {
  ApiReply reply;
  reply.status = 431;
  reply.headers = {{"Content-Type", "text/plain; charset=utf-8"}};
  reply.body = "431 Request Header Fields Too Large";
  return reply;
}

/// One connection. It is kept alive by its pending callbacks.
class ApiSession : public std::enable_shared_from_this<ApiSession> {
 public:
  ApiSession(tcp::socket socket, Shared& shared, ConnectionTable::Id id)
      : shared_(shared), id_(id), tls_(shared.tls), stream_(std::move(socket), *tls_) {}
  ~ApiSession() {
    shared_.table.leave(id_);
    shared_.sessions.erase(id_);
    leave_stream();
  }

  void start() {
    give(kHandshakeTimeout);
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [self = shared_from_this()](beast::error_code ec) {
                              if (!ec) {
                                self->client_name_ = client_name(self->stream_);
                                if (self->client_name_) {
                                  self->shared_.table.know(self->id_);
                                }
                                self->read();
                              }
                            });
  }

 private:
  void give(base::Duration time) { beast::get_lowest_layer(stream_).expires_after(time); }

  /// Waits for the next request. A stranger's first byte ends the wait, and starts the time for the
  /// rest.
  void await() {
    shared_.table.set_waiting(id_);
    if (client_name_ || buffer_.size() > 0) {
      read();
      return;
    }
    give(kStrangerIdleTimeout);
    stream_.async_read_some(buffer_.prepare(kFirstBytes),
                            [self = shared_from_this()](beast::error_code ec, size_t bytes) {
                              if (!ec) {
                                self->buffer_.commit(bytes);
                                self->read();
                              }
                            });
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(kHeaderBytesMax));
    parser_->body_limit(client_name_ ? shared_.options.body_bytes_max : kStrangerBodyBytesMax);
    give(client_name_ ? base::Duration(kIdleTimeout) : base::Duration(kStrangerTimeout));
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) {
                       if (ec == http::error::body_limit && self->client_name_) {
                         self->refuse(self->shared_.options.too_large());
                       } else if (ec == http::error::header_limit && self->client_name_) {
                         self->refuse(header_too_large());
                       } else if (!ec) {
                         self->dispatch();
                       }
                     });
  }

  /// Replies before the request has been read.
  void refuse(ApiReply answer) {
    keep_ = false;
    has_unread_ = true;
    reply(std::move(answer));
  }

  ApiRequest take_request() {
    auto& message = parser_->get();
    ApiRequest request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    for (const auto& field : message.base()) {
      request.headers.emplace_back(base::to_lower_ascii(std::string(field.name_string())),
                                   std::string(field.value()));
    }
    request.body = std::move(message.body());
    request.client_name = client_name_;
    request.stop = gone_.get_token();
    return request;
  }

  void dispatch() {
    shared_.table.set_busy(id_);
    keep_ = parser_->get().keep_alive();
    if (shared_.draining) {
      reply(shared_.options.ending());
      return;
    }
    beast::get_lowest_layer(stream_).expires_never();  // The handler has limits of its own.
    shared_.pending.add();
    gone_ = std::stop_source();
    ApiRequest request = take_request();
    const ApiTurn turn = shared_.options.turn(request);
    auto task = [self = shared_from_this(), request = std::move(request)]() mutable {
      auto answer = std::make_shared<ApiReply>(
          request.stop.stop_requested() ? ApiReply() : self->shared_.answer(request));
      asio::io_context& context = self->shared_.context;
      asio::post(context, [self = std::move(self), answer] { self->answered(*answer); });
    };
    if (!shared_.submit(turn, std::move(task))) {
      shared_.pending.remove();
      reply(shared_.options.too_many());
      return;
    }
    look_at_client();
  }

  /// Looks now and then whether the client still waits for its reply. To read would take what it
  /// has sent after the request.
  void look_at_client() {
    look_timer_.expires_after(kLookAtClient);
    look_timer_.async_wait([weak = weak_from_this()](beast::error_code ec) {
      const auto self = weak.lock();
      if (!self || ec) {
        return;
      }
      pollfd client{beast::get_lowest_layer(self->stream_).socket().native_handle(), POLLRDHUP, 0};
      if (poll(&client, 1, 0) > 0) {
        self->gone_.request_stop();
      } else {
        self->look_at_client();
      }
    });
  }

  void answered(ApiReply& answer) {
    shared_.pending.remove();
    look_timer_.cancel();
    reply(std::move(answer));
  }

  void reply(ApiReply answer) {
    if (answer.stream != nullptr && shared_.streams >= shared_.options.streams_max) {
      answer = shared_.options.too_many();
    }
    reply_ = std::move(answer);
    // A connection that was made with an older identity ends here.
    keep_ = keep_ && tls_ == shared_.tls && !shared_.draining && reply_.stream == nullptr &&
            shared_.table.may_stay(id_);
    give(kWriteTimeout);
    if (reply_.stream != nullptr) {
      begin_stream();
      return;
    }
    response_ = {};
    set_head(response_);
    response_.content_length(reply_.body.size());
    // After a HEAD, a client would take a body for the next reply.
    if (parser_->get().method() != http::verb::head) {
      response_.body() = std::move(reply_.body);
    }
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) {
                        if (!ec) {
                          self->after_reply();
                        }
                      });
  }

  template <typename Message>
  void set_head(Message& message) {
    message.version(11);
    message.keep_alive(keep_);
    message.result(static_cast<unsigned>(reply_.status));
    for (const auto& [name, text] : reply_.headers) {
      message.set(name, text);
    }
    message.set("X-Content-Type-Options", "nosniff");
  }

  void after_reply() {
    if (keep_) {
      await();
    } else if (has_unread_) {
      give(kLingerTimeout);
      linger();
    } else {
      close();
    }
  }

  /// Reads to the end of what the client sends: to close before would reset the connection, and the
  /// client might lose the reply.
  void linger() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kLingerBytes),
                            [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) {
                              if (!ec) {
                                self->linger();
                              }
                            });
  }

  void close() {
    give(kWriteTimeout);
    stream_.async_shutdown([self = shared_from_this()](beast::error_code /*ec*/) {});
  }

  void begin_stream() {
    ++shared_.streams;
    in_stream_ = true;
    beast::get_lowest_layer(stream_).expires_never();
    watch_for_end_of_client();
    if (may_end_early()) {
      end_timer_.expires_after(reply_.stream_max);
      end_timer_.async_wait([weak = weak_from_this()](beast::error_code ec) {
        if (const auto self = weak.lock(); self && !ec) {
          self->ended_ = true;
          self->pump();
        }
      });
    }
    reply_.stream->on_more([weak = weak_from_this(), &context = shared_.context] {
      asio::post(context, [weak] {
        if (const auto self = weak.lock()) {
          self->pump();
        }
      });
    });
    head_ = {};
    set_head(head_);
    head_.chunked(true);
    serializer_.emplace(head_);
    writing_ = true;
    give(kWriteTimeout);
    http::async_write_header(
        stream_, *serializer_,
        [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) { self->written(ec); });
  }

  /// A client that watches sends nothing: what arrives here is the end of the connection. The read
  /// keeps the session, to which nothing else refers while it waits for events. Also when the
  /// stream has ended: the read then comes back once more, and uses the stream.
  void watch_for_end_of_client() {
    stream_.async_read_some(asio::buffer(unread_),
                            [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) {
                              if (self->dropped_) {
                                return;
                              }
                              if (ec) {
                                self->drop();
                              } else {
                                self->watch_for_end_of_client();
                              }
                            });
  }

  void drop() {
    dropped_ = true;
    gone_.request_stop();
    look_timer_.cancel();
    leave_stream();
    end_timer_.cancel();
    beast::get_lowest_layer(stream_).close();
  }

  void leave_stream() {
    if (in_stream_) {
      --shared_.streams;
      in_stream_ = false;
      reply_.stream.reset();
    }
  }

  void written(beast::error_code ec) {
    writing_ = false;
    if (ec) {
      drop();
    } else {
      pump();
    }
  }

  bool may_end_early() const { return reply_.stream_max > base::Duration::zero(); }

  void pump() {
    if (writing_ || dropped_ || !in_stream_) {
      return;
    }
    const bool ends = ended_ || (shared_.draining && may_end_early());
    const auto part = ends ? std::nullopt : reply_.stream->next();
    if (part && part->empty()) {
      return;  // Woken by on_more.
    }
    writing_ = true;
    give(kWriteTimeout);
    if (!part) {
      finish_stream();
      return;
    }
    chunk_ = *part;
    asio::async_write(
        stream_, http::make_chunk(asio::buffer(chunk_)),
        [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) { self->written(ec); });
  }

  void finish_stream() {
    asio::async_write(
        stream_, http::make_chunk_last(),
        [self = shared_from_this()](beast::error_code /*ec*/, size_t /*bytes*/) { self->drop(); });
  }

 public:
  /// Ends a stream, if this is one.
  void wake() { pump(); }
  /// Ends the connection.
  void abandon() { drop(); }

 private:
  Shared& shared_;
  const ConnectionTable::Id id_;
  TlsContext tls_;
  Stream stream_;
  beast::flat_buffer buffer_{kHeaderBytesMax * 2};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<std::string> client_name_;
  std::stop_source gone_;  ///< The stop of the request that is being answered.
  asio::steady_timer look_timer_{shared_.context};
  bool keep_ = false;
  bool has_unread_ = false;  ///< The client may still be sending the request.
  ApiReply reply_;
  http::response<http::string_body> response_;
  // The state of a streamed response:
  http::response<http::empty_body> head_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  std::string chunk_;
  std::array<char, 512> unread_{};
  asio::steady_timer end_timer_{shared_.context};
  bool in_stream_ = false;
  bool writing_ = false;
  bool ended_ = false;
  bool dropped_ = false;
};

class BeastApiServer final : public ApiServer {
 public:
  BeastApiServer(ApiServerOptions options, ApiHandler handler)
      : shared_(std::move(options), std::move(handler)) {}
  ~BeastApiServer() override {
    // The network thread first: sessions that end with a worker's task are its own until then.
    // Workers may go on to post to it.
    shared_.context.stop();
    thread_.join();
    close_all();
    shared_.prompt_pool.reset();
    shared_.pool.reset();
  }

  base::Status listen(const tcp::endpoint& endpoint) {
    CW_TRY_VOID(listen_at(acceptor_, endpoint));
    beast::error_code ec;
    port_ = acceptor_.local_endpoint(ec).port();
    start_workers();
    accept();
    thread_ = base::Thread("api", base::kDefaultStackBytes, [this] { shared_.context.run(); });
    return {};
  }

  base::Status identify(const TlsIdentity& identity, const std::string& authorities) override {
    auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    CW_TRY_VOID(use_identity(*tls, identity));
    beast::error_code ec;
    tls->add_certificate_authority(asio::buffer(authorities), ec);
    if (ec) {
      return Error(ErrorCode::kInvalidArgument, "the clients' certificate authority is unusable");
    }
    // Without one, a client gets as far as an error in HTTP.
    tls->set_verify_mode(asio::ssl::verify_peer, ec);
    // A resumed session would skip the check against authorities that may have changed.
    SSL_CTX_set_session_cache_mode(tls->native_handle(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(tls->native_handle(), 0);
    SSL_CTX_set_options(tls->native_handle(), SSL_OP_NO_TICKET);
    asio::post(shared_.context, [this, tls = std::move(tls)] { shared_.tls = tls; });
    return {};
  }

  uint16_t port() const override { return port_; }

  void drain(base::Duration grace) override {
    asio::post(shared_.context, [this] {
      shared_.draining = true;
      beast::error_code ec;
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

 private:
  void start_workers() {
    const ApiServerOptions& options = shared_.options;
    const auto count = static_cast<size_t>(options.workers);
    const FairQueue::Limits limits = {
        .running_of_one = std::max<size_t>(1, count - 1),
        .waiting_of_one = std::max<size_t>(1, options.waiting_max / kWaitingPart),
        .waiting = options.waiting_max,
    };
    shared_.pool =
        std::make_unique<WorkerPool>("api", options.workers, limits, options.worker_stack_bytes);
    shared_.prompt_pool =
        std::make_unique<WorkerPool>("api-prompt", 1, limits, options.worker_stack_bytes);
  }

  void accept() {
    acceptor_.async_accept([this](beast::error_code ec, tcp::socket socket) {
      if (!ec && shared_.tls != nullptr) {
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
      retry_.expires_after(kTlsAcceptRetry);
      retry_.async_wait([this](beast::error_code /*timer*/) { accept(); });
    });
  }

  void serve(tcp::socket socket) {
    const auto admitted = shared_.table.admit(peer_of(socket));
    if (!admitted) {
      return;  // The connection is closed with its socket.
    }
    if (admitted->ends) {
      if (const auto session = shared_.sessions[*admitted->ends].lock()) {
        session->abandon();
      }
    }
    beast::error_code ec;
    socket.set_option(tcp::no_delay(true), ec);
    auto session = std::make_shared<ApiSession>(std::move(socket), shared_, admitted->id);
    shared_.sessions.emplace(admitted->id, session);
    session->start();
  }

  void close_all() {
    beast::error_code ec;
    acceptor_.close(ec);
    for (const auto& [id, weak] : std::exchange(shared_.sessions, {})) {
      if (const auto session = weak.lock()) {
        session->abandon();
      }
    }
  }

  Shared shared_;
  tcp::acceptor acceptor_{shared_.context};
  asio::steady_timer retry_{shared_.context};
  uint16_t port_ = 0;
  base::Thread thread_;
};

/// Listens on the first available endpoint. The io_context's constructor throws when the process is
/// out of descriptors.
base::Result<std::unique_ptr<ApiServer>> listen_on(const std::vector<tcp::endpoint>& endpoints,
                                                   const ApiServerOptions& options,
                                                   const ApiHandler& handler) try {
  base::Status last;
  for (const tcp::endpoint& endpoint : endpoints) {
    auto server = std::make_unique<BeastApiServer>(options, handler);
    last = server->listen(endpoint);
    if (last.ok()) {
      return std::unique_ptr<ApiServer>(std::move(server));
    }
  }
  return std::move(last).error();
} catch (const boost::system::system_error& e) {
  return Error(ErrorCode::kUnavailable, e.code().message());
}

}  // namespace

std::string_view ApiRequest::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const auto& one) { return one.first == name; });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

base::Result<std::unique_ptr<ApiServer>> ApiServer::start(const ApiServerOptions& options,
                                                          const ApiHandler& handler) {
  CW_TRY(const auto endpoints, parse_listen_address(options.address));
  auto server = listen_on(endpoints, options, handler);
  if (!server.ok()) {
    return std::move(server).error().wrap("listen on " + options.address);
  }
  return server;
}

}  // namespace chartwright::runtime
