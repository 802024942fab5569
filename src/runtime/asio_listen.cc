// SPDX-License-Identifier: Apache-2.0
#include "runtime/asio_listen.h"

#include <boost/asio/ip/v6_only.hpp>

#include "base/strings.h"
#include "runtime/connection_table.h"

namespace chartwright::runtime {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using base::Error;
using base::ErrorCode;

Error bad_address(const std::string& address) {
  return Error(
      ErrorCode::kInvalidArgument,
      "address \"" + address + "\": expected host:port or :port, the host as an IP address");
}

}  // namespace

base::Result<std::vector<tcp::endpoint>> parse_listen_address(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) {
    return bad_address(address);
  }
  std::string host = address.substr(0, colon);
  const auto port = base::parse_int(address.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) {
    return bad_address(address);
  }
  const auto number = static_cast<uint16_t>(*port);
  if (host.empty()) {
    // An IPv6 socket also accepts IPv4; the second endpoint is for kernels without IPv6.
    return std::vector<tcp::endpoint>{{tcp::v6(), number}, {tcp::v4(), number}};
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  if (host == "localhost") {
    host = "127.0.0.1";
  }
  boost::system::error_code ec;
  const auto ip = asio::ip::make_address(host, ec);
  if (ec) {
    return bad_address(address);
  }
  return std::vector<tcp::endpoint>{{ip, number}};
}

base::Status listen_at(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  boost::system::error_code ec;
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) {
    acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  }
  if (!ec && endpoint.protocol() == tcp::v6()) {
    // As in Go, ":8081" means every address.
    acceptor.set_option(asio::ip::v6_only(false), ec);
  }
  if (!ec) {
    acceptor.bind(endpoint, ec);
  }
  if (!ec) {
    acceptor.listen(asio::socket_base::max_listen_connections, ec);
  }
  if (ec) {
    return Error(ErrorCode::kUnavailable, ec.message());
  }
  return {};
}

std::string peer_of(const tcp::socket& socket) {
  boost::system::error_code ec;
  const asio::ip::address address = socket.remote_endpoint(ec).address();
  const auto text = [](const auto& bytes) { return std::string(bytes.begin(), bytes.end()); };
  return peer_of(address.is_v4() ? text(address.to_v4().to_bytes())
                                 : text(address.to_v6().to_bytes()));
}

base::Status use_identity(asio::ssl::context& tls, const TlsIdentity& identity) {
  using asio::ssl::context;
  boost::system::error_code ec;
  tls.set_options(context::no_sslv2 | context::no_sslv3 | context::no_tlsv1 | context::no_tlsv1_1 |
                  context::no_compression);
  tls.use_certificate_chain(asio::buffer(identity.certificate), ec);
  if (ec) {
    return Error(ErrorCode::kInvalidArgument, "the certificate cannot be used");
  }
  tls.use_private_key(asio::buffer(identity.key), context::pem, ec);
  if (ec) {
    return Error(ErrorCode::kInvalidArgument,
                 "the private key cannot be used, or is not the "
                 "certificate's");
  }
  return {};
}

}  // namespace chartwright::runtime
