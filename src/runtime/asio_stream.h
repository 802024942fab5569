// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <utility>
#include <variant>

namespace chartwright::runtime {

/// The bytes of a connection, over TLS or plain. It is one type for both, so that what reads and
/// writes HTTP is compiled once. Meets Asio's requirements of AsyncReadStream and AsyncWriteStream.
class ClientStream {
 public:
  using Plain = boost::beast::tcp_stream;
  using Tls = boost::beast::ssl_stream<Plain>;
  using executor_type = Plain::executor_type;  // NOLINT(readability-identifier-naming): Asio's.

  /// Serves TLS if `tls` is not null, which must then outlive the stream.
  ClientStream(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls)
      : stream_(tls == nullptr ? Either(std::in_place_type<Plain>, std::move(socket))
                               : Either(std::in_place_type<Tls>, std::move(socket), *tls)) {}

  /// Returns the connection itself, which has the socket and the timeout.
  Plain& tcp() {
    return std::visit([](auto& one) -> Plain& { return boost::beast::get_lowest_layer(one); },
                      stream_);
  }
  /// Returns null for a plain connection.
  Tls* tls() { return std::get_if<Tls>(&stream_); }

  executor_type get_executor() { return tcp().get_executor(); }
  template <typename Buffers, typename Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    std::visit([&](auto& one) { one.async_read_some(buffers, std::forward<Handler>(handler)); },
               stream_);
  }
  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    std::visit([&](auto& one) { one.async_write_some(buffers, std::forward<Handler>(handler)); },
               stream_);
  }

 private:
  using Either = std::variant<Plain, Tls>;
  Either stream_;
};

}  // namespace chartwright::runtime
