// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/tls_identity.h"

// Shared by the servers of this room.
namespace chartwright::runtime {

/// Returns the endpoints to try, in order. Error: kInvalidArgument.
base::Result<std::vector<boost::asio::ip::tcp::endpoint>> parse_listen_address(
    const std::string& address);

/// Binds `acceptor` and listens. Error: kUnavailable.
base::Status listen_at(boost::asio::ip::tcp::acceptor& acceptor,
                       const boost::asio::ip::tcp::endpoint& endpoint);

/// Returns the peer of a connection, as ConnectionTable counts them.
std::string peer_of(const boost::asio::ip::tcp::socket& socket);

/// Sets up a server's side of TLS 1.2 or later. OpenSSL's messages are not passed on, as they may
/// quote the key. Error: kInvalidArgument.
base::Status use_identity(boost::asio::ssl::context& tls, const TlsIdentity& identity);

}  // namespace chartwright::runtime
