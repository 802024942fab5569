// SPDX-License-Identifier: Apache-2.0
#include "runtime/asio_session.h"

#include <poll.h>

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "runtime/asio_stream.h"

namespace chartwright::runtime {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

/// The bounds of a client's requests.
struct ClientLimits {
  uint32_t header_bytes;
  base::Duration request;  ///< From its first byte, or from the connection, to its end.
  base::Duration idle;     ///< From a reply to the next request.
  base::Duration write;    ///< For a reply, or a part of a stream.
};
constexpr ClientLimits kStranger = {
    .header_bytes = 8 << 10,
    .request = std::chrono::seconds(2),
    .idle = std::chrono::seconds(10),
    .write = std::chrono::seconds(10),
};
constexpr ClientLimits kKnown = {
    .header_bytes = 64 << 10,  // The aggregator adds all groups of the user.
    .request = std::chrono::seconds(150),
    // Longer than Go's clients keep idle connections (90 s), so that no request meets a closing
    // one.
    .idle = std::chrono::seconds(150),
    .write = std::chrono::seconds(30),
};
// A stranger may only read the metrics, or ask whether the server is alive.
constexpr size_t kStrangerBodyBytesMax = 4 << 10;
constexpr auto kHandshakeTimeout = std::chrono::seconds(5);
constexpr auto kLookAtClient = std::chrono::milliseconds(200);
// For a client that is still sending when it is refused.
constexpr auto kLingerTimeout = std::chrono::seconds(5);
constexpr size_t kLingerBytes = 16 << 10;
constexpr size_t kFirstBytes = 1024;
constexpr int kCommonNameBytesMax = 256;
constexpr unsigned kHttp11 = 11;

/// Returns the name in the client's certificate, which the handshake has verified.
std::optional<std::string> name_of_client(ClientStream::Tls& stream) {
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

class Session final : public HttpSession, public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, HttpShared& shared, ConnectionTable::Id id)
      : shared_(shared), id_(id), tls_(shared.tls), stream_(std::move(socket), tls_.get()) {}
  ~Session() override;

  void start() override;
  void wake() override { pump(); }
  void abandon() override { drop(); }

 private:
  // Requests.
  void greet();
  void await();
  void read();
  void read_ended(beast::error_code ec);
  void refuse(HttpReply answer);
  HttpRequest take_request();
  void dispatch();
  void delegate(HttpRequest request);
  void look_at_client();

  // Replies.
  void reply(HttpReply answer);
  template <typename Message>
  void set_head(Message& message, unsigned version);
  void after_reply();
  void linger();
  void close();

  // Streamed replies.
  void begin_stream();
  void watch_for_end_of_client();
  void end_after(base::Duration time);
  bool may_end_early() const { return reply_.stream_max > base::Duration::zero(); }
  void pump();
  void written(beast::error_code ec);
  void leave_stream();
  void drop();

  const ClientLimits& limits() const { return client_name_ ? kKnown : kStranger; }
  void give(base::Duration time) { stream_.tcp().expires_after(time); }

  HttpShared& shared_;
  const ConnectionTable::Id id_;
  const std::shared_ptr<asio::ssl::context> tls_;  ///< Null: the connection is plain.
  ClientStream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<std::string> client_name_;
  std::stop_source gone_;  ///< The stop of the request that is being answered.
  asio::steady_timer look_timer_{shared_.context};
  bool keep_ = false;
  bool has_unread_ = false;  ///< The client may still be sending the request.
  HttpReply reply_;
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

Session::~Session() {
  shared_.table.leave(id_);
  shared_.sessions.erase(id_);
  leave_stream();
}

void Session::start() {
  if (stream_.tls() == nullptr) {
    greet();
    return;
  }
  give(kHandshakeTimeout);
  stream_.tls()->async_handshake(asio::ssl::stream_base::server,
                                 [self = shared_from_this()](beast::error_code ec) {
                                   if (!ec) {
                                     self->client_name_ = name_of_client(*self->stream_.tls());
                                     self->greet();
                                   }
                                 });
}

/// Reads the first request of the client, who is known by now, or is not.
void Session::greet() {
  if (client_name_) {
    shared_.table.know(id_);
  }
  buffer_.max_size(size_t{2} * limits().header_bytes);
  read();
}

/// Waits for the next request. One byte of it ends the wait, and starts the time for the rest.
void Session::await() {
  shared_.table.set_waiting(id_);
  if (buffer_.size() > 0) {
    read();
    return;
  }
  give(limits().idle);
  stream_.async_read_some(buffer_.prepare(kFirstBytes),
                          [self = shared_from_this()](beast::error_code ec, size_t bytes) {
                            if (!ec) {
                              self->buffer_.commit(bytes);
                              self->read();
                            }
                          });
}

void Session::read() {
  parser_.emplace();
  parser_->header_limit(limits().header_bytes);
  parser_->body_limit(client_name_ ? shared_.options.body_bytes_max : kStrangerBodyBytesMax);
  give(limits().request);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) {
                     self->read_ended(ec);
                   });
}

void Session::read_ended(beast::error_code ec) {
  if (!ec) {
    dispatch();
    return;
  }
  if (!client_name_) {
    return;  // A stranger is not told why: it might go on sending for as long as it is heard.
  }
  if (ec == http::error::body_limit) {
    refuse(shared_.options.refusal(HttpRefusal::kBodyTooLarge));
  } else if (ec == http::error::header_limit) {
    refuse(text_reply(431, "431 Request Header Fields Too Large"));  // As Go's net/http.
  }
}

/// Replies before the request has been read.
void Session::refuse(HttpReply answer) {
  keep_ = false;
  has_unread_ = true;
  reply(std::move(answer));
}

HttpRequest Session::take_request() {
  auto& message = parser_->get();
  HttpRequest request;
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

void Session::dispatch() {
  shared_.table.set_busy(id_);
  keep_ = parser_->get().keep_alive();
  if (shared_.draining) {
    reply(shared_.options.refusal(HttpRefusal::kEnding));
    return;
  }
  gone_ = std::stop_source();
  HttpRequest request = take_request();
  if (shared_.workers == nullptr) {
    reply(shared_.answer(request));
  } else {
    delegate(std::move(request));
  }
}

/// Has a worker answer.
void Session::delegate(HttpRequest request) {
  stream_.tcp().expires_never();  // The handler has limits of its own.
  const HttpTurn turn = shared_.options.turn(request);
  auto task = [self = shared_from_this(), request = std::move(request)]() mutable {
    auto answer = std::make_shared<HttpReply>(
        request.stop.stop_requested() ? HttpReply() : self->shared_.answer(request));
    asio::io_context& context = self->shared_.context;
    asio::post(context, [self = std::move(self), answer] {
      self->shared_.pending.remove();
      self->look_timer_.cancel();
      self->reply(std::move(*answer));
    });
  };
  shared_.pending.add();
  if (!(turn.prompt ? shared_.prompt_worker : shared_.workers)
           ->submit(turn.client, std::move(task))) {
    shared_.pending.remove();
    reply(shared_.options.refusal(HttpRefusal::kTooManyRequests));
    return;
  }
  look_at_client();
}

/// Looks now and then whether the client still waits for its reply. To read would take what it has
/// sent after the request.
void Session::look_at_client() {
  look_timer_.expires_after(kLookAtClient);
  look_timer_.async_wait([weak = weak_from_this()](beast::error_code ec) {
    const auto self = weak.lock();
    if (!self || ec) {
      return;
    }
    pollfd client{self->stream_.tcp().socket().native_handle(), POLLRDHUP, 0};
    if (poll(&client, 1, 0) > 0) {
      self->gone_.request_stop();
    } else {
      self->look_at_client();
    }
  });
}

void Session::reply(HttpReply answer) {
  if (answer.stream != nullptr && shared_.streams >= shared_.options.streams_max) {
    answer = shared_.options.refusal(HttpRefusal::kTooManyRequests);
  }
  reply_ = std::move(answer);
  // A connection that was made with an older identity ends here.
  keep_ = keep_ && tls_ == shared_.tls && !shared_.draining && reply_.stream == nullptr &&
          shared_.table.may_stay(id_);
  give(limits().write);
  if (reply_.stream != nullptr) {
    begin_stream();
    return;
  }
  response_ = {};
  set_head(response_, parser_->get().version());
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
void Session::set_head(Message& message, unsigned version) {
  message.version(version);
  message.keep_alive(keep_);
  message.result(static_cast<unsigned>(reply_.status));
  for (const auto& [name, text] : reply_.headers) {
    message.set(name, text);
  }
  message.set("X-Content-Type-Options", "nosniff");
}

void Session::after_reply() {
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
void Session::linger() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kLingerBytes),
                          [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) {
                            if (!ec) {
                              self->linger();
                            }
                          });
}

/// Lets the client distinguish the end from a broken connection.
void Session::close() {
  if (stream_.tls() != nullptr) {
    give(limits().write);
    stream_.tls()->async_shutdown([self = shared_from_this()](beast::error_code /*ec*/) {});
  }
}

void Session::begin_stream() {
  ++shared_.streams;
  in_stream_ = true;
  stream_.tcp().expires_never();  // For the read; each write has a time of its own.
  watch_for_end_of_client();
  if (may_end_early()) {
    end_after(reply_.stream_max);
  }
  reply_.stream->on_more([weak = weak_from_this(), &context = shared_.context] {
    asio::post(context, [weak] {
      if (const auto self = weak.lock()) {
        self->pump();
      }
    });
  });
  head_ = {};
  set_head(head_, kHttp11);
  head_.chunked(true);
  serializer_.emplace(head_);
  writing_ = true;
  give(limits().write);
  http::async_write_header(
      stream_, *serializer_,
      [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) { self->written(ec); });
}

/// A client that watches sends nothing: what arrives here is the end of the connection. The read
/// keeps the session, to which nothing else refers while it waits for events. Also when the stream
/// has ended: the read then comes back once more, and uses the stream.
void Session::watch_for_end_of_client() {
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

void Session::end_after(base::Duration time) {
  end_timer_.expires_after(time);
  end_timer_.async_wait([weak = weak_from_this()](beast::error_code ec) {
    if (const auto self = weak.lock(); self && !ec) {
      self->ended_ = true;
      self->pump();
    }
  });
}

/// Writes what the stream has, if nothing else is being written.
void Session::pump() {
  if (writing_ || dropped_ || !in_stream_) {
    return;
  }
  const bool ends = ended_ || (shared_.draining && may_end_early());
  const auto part = ends ? std::nullopt : reply_.stream->next();
  if (part && part->empty()) {
    return;  // Woken by on_more.
  }
  writing_ = true;
  give(limits().write);
  if (!part) {
    asio::async_write(
        stream_, http::make_chunk_last(),
        [self = shared_from_this()](beast::error_code /*ec*/, size_t /*bytes*/) { self->drop(); });
    return;
  }
  chunk_ = *part;
  asio::async_write(
      stream_, http::make_chunk(asio::buffer(chunk_)),
      [self = shared_from_this()](beast::error_code ec, size_t /*bytes*/) { self->written(ec); });
}

void Session::written(beast::error_code ec) {
  writing_ = false;
  if (ec) {
    drop();
  } else {
    pump();
  }
}

void Session::leave_stream() {
  if (in_stream_) {
    --shared_.streams;
    in_stream_ = false;
    reply_.stream.reset();
  }
}

void Session::drop() {
  dropped_ = true;
  gone_.request_stop();
  look_timer_.cancel();
  leave_stream();
  end_timer_.cancel();
  stream_.tcp().close();
}

}  // namespace

void PendingRequests::add() {
  const base::MutexLock lock(mutex_);
  ++count_;
}

void PendingRequests::remove() {
  const base::MutexLock lock(mutex_);
  --count_;
  changed_.notify_all();
}

void PendingRequests::wait(base::Clock& clock, base::MonotonicTime deadline) {
  const base::MutexLock lock(mutex_);
  while (count_ > 0 && clock.monotonic() < deadline) {
    clock.wait_until(changed_, mutex_, deadline);
  }
}

HttpShared::HttpShared(const HttpServerOptions& o, const HttpHandler& h)
    : options(o), handler(h), table({o.connections_max, o.strangers_per_peer_max}) {}

// A safety net: there may be no memory for a reply, which must not end the process.
HttpReply HttpShared::answer(const HttpRequest& request) const {
  try {
    return handler(request);
  } catch (const std::exception&) {
    return options.refusal(HttpRefusal::kFailed);
  }
}

std::shared_ptr<HttpSession> make_session(tcp::socket socket, HttpShared& shared,
                                          ConnectionTable::Id id) {
  return std::make_shared<Session>(std::move(socket), shared, id);
}

}  // namespace chartwright::runtime
