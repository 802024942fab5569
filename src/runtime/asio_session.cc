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
#include <charconv>
#include <chrono>
#include <optional>
#include <sstream>
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
    // Go's clients keep idle connections for 90 s: no request of theirs meets a closing one.
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

/// Returns a head as it is sent.
std::string text_of(const http::response<http::empty_body>& head) {
  std::ostringstream text;
  text << head.base();
  return text.str();
}

/// Returns a part of a stream as it is sent; without content, its end.
std::string chunk(std::string_view content) {
  std::array<char, 2 * sizeof(size_t)> digits{};
  char* const end =
      std::to_chars(digits.data(), digits.data() + digits.size(), content.size(), 16).ptr;
  return std::string(digits.data(), end).append("\r\n").append(content).append("\r\n");
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
  using Head = http::response<http::empty_body>;
  using Step = void (Session::*)(beast::error_code ec, size_t bytes);

  // Requests.
  void greet();
  void await();
  void awaited(beast::error_code ec, size_t bytes);
  void read();
  void was_read(beast::error_code ec, size_t bytes);
  void refuse(HttpReply answer);
  HttpRequest take_request();
  void dispatch();
  void delegate(HttpRequest request);
  void look_at_client();

  // Replies.
  void reply(HttpReply answer);
  Head make_head(unsigned version) const;
  void write(std::string text, Step step);
  void replied(beast::error_code ec, size_t bytes);
  void linger(beast::error_code ec, size_t bytes);
  void close();

  // Streamed replies.
  void begin_stream();
  void watch_for_end_of_client();
  void heard(beast::error_code ec, size_t bytes);
  bool may_end_early() const { return reply_.stream_max > base::Duration::zero(); }
  void pump();
  void written(beast::error_code ec, size_t bytes);
  void finished(beast::error_code ec, size_t bytes);
  void leave_stream();
  void drop();

  /// Returns the callback of an operation, which goes on with `step`. All have the same type: for
  /// each other one the compiler would generate the operations of Asio and Beast anew.
  auto then(Step step) {
    return [self = shared_from_this(), step](beast::error_code ec, size_t bytes) {
      (self.get()->*step)(ec, bytes);
    };
  }
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
  std::string out_;  ///< The text that is being written.
  // The state of a streamed reply:
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
  stream_.async_read_some(buffer_.prepare(kFirstBytes), then(&Session::awaited));
}

void Session::awaited(beast::error_code ec, size_t bytes) {
  if (!ec) {
    buffer_.commit(bytes);
    read();
  }
}

void Session::read() {
  parser_.emplace();
  parser_->header_limit(limits().header_bytes);
  parser_->body_limit(client_name_ ? shared_.options.body_bytes_max : kStrangerBodyBytesMax);
  give(limits().request);
  http::async_read(stream_, buffer_, *parser_, then(&Session::was_read));
}

void Session::was_read(beast::error_code ec, size_t /*bytes*/) {
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
  if (reply_.stream != nullptr) {
    begin_stream();
    return;
  }
  Head head = make_head(parser_->get().version());
  head.content_length(reply_.body.size());
  const std::string body = std::exchange(reply_.body, {});
  // After a HEAD, a client would take a body for the next reply.
  write(text_of(head) + (parser_->get().method() == http::verb::head ? "" : body),
        &Session::replied);
}

Session::Head Session::make_head(unsigned version) const {
  Head head;
  head.version(version);
  head.keep_alive(keep_);
  head.result(static_cast<unsigned>(reply_.status));
  for (const auto& [name, text] : reply_.headers) {
    head.set(name, text);
  }
  head.set("X-Content-Type-Options", "nosniff");
  return head;
}

void Session::write(std::string text, Step step) {
  out_ = std::move(text);
  give(limits().write);
  asio::async_write(stream_, asio::const_buffer(out_.data(), out_.size()), then(step));
}

void Session::replied(beast::error_code ec, size_t /*bytes*/) {
  if (ec) {
    return;
  }
  if (keep_) {
    await();
  } else if (has_unread_) {
    give(kLingerTimeout);
    linger({}, 0);
  } else {
    close();
  }
}

/// Reads to the end of what the client sends: to close before would reset the connection, and the
/// client might lose the reply.
void Session::linger(beast::error_code ec, size_t /*bytes*/) {
  if (!ec) {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kLingerBytes), then(&Session::linger));
  }
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
  Head head = make_head(kHttp11);
  head.chunked(true);
  writing_ = true;
  write(text_of(head), &Session::written);
}

/// A client that watches sends nothing: what arrives here is the end of the connection. The read
/// keeps the session, to which nothing else refers while it waits for events. Also when the stream
/// has ended: the read then comes back once more, and uses the stream.
void Session::watch_for_end_of_client() {
  stream_.async_read_some(asio::mutable_buffer(unread_.data(), unread_.size()),
                          then(&Session::heard));
}

void Session::heard(beast::error_code ec, size_t /*bytes*/) {
  if (dropped_) {
    return;
  }
  if (ec) {
    drop();
  } else {
    watch_for_end_of_client();
  }
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
  if (part) {
    write(chunk(*part), &Session::written);
  } else {
    write(chunk(""), &Session::finished);
  }
}

void Session::written(beast::error_code ec, size_t /*bytes*/) {
  writing_ = false;
  if (ec) {
    drop();
  } else {
    pump();
  }
}

void Session::finished(beast::error_code /*ec*/, size_t /*bytes*/) { drop(); }

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
