// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace chartwright::runtime {

/// The connections of a server, and the decision which of them end when there are too many. Not
/// thread-safe: for the server's network thread.
///
/// Anybody who reaches the port can open connections, and the one that matters most, a probe of the
/// kubelet, looks like any other until its request has arrived. So a new connection of a stranger
/// is always taken, and the least useful one ends for it. A probe is short: it has to be among the
/// newest ones only for as long as it takes. Those that stay for long, idle or with a request now
/// and then, come first to the end, and lose nothing: their clients can connect again.
class ConnectionTable {
 public:
  struct Limits {
    size_t total_max;
    size_t strangers_per_peer_max;  ///< At least 1.
  };
  /// Increasing: an older connection has a smaller one.
  using Id = uint64_t;
  struct Admission {
    Id id;
    std::optional<Id> ends;  ///< The connection that has to end for it. It is no longer counted.
  };

  explicit ConnectionTable(const Limits& limits) : limits_(limits) {}

  /// Adds a connection, as one of a stranger, who waits. A peer that has its share loses the least
  /// useful one of its own. If all places are taken, the peer with the most strangers loses one: a
  /// waiting one before one that is being answered, and of several the oldest. Returns nullopt if
  /// none is left but those of known clients.
  std::optional<Admission> admit(const std::string& peer);
  /// The client has shown who it is: the connection stays until it ends by itself.
  void know(Id id);
  /// A request of the connection has arrived and is being answered; or is no longer.
  void set_busy(Id id);
  void set_waiting(Id id);
  /// Reports whether the connection may go on after a reply: if its places are getting scarce, a
  /// stranger is told to connect again, which a client notices better than a connection that ends.
  bool may_stay(Id id) const;
  /// The connection has ended. One that had to end may be unknown.
  void leave(Id id);
  size_t size() const { return connections_.size(); }

 private:
  struct Connection {
    std::string peer;
    bool is_stranger = true;
    bool is_busy = false;
  };
  struct Place;

  size_t strangers_of(const std::string& peer) const;
  void forget_stranger(const std::string& peer);
  std::optional<Id> least_useful(const std::string& peer) const;
  std::string greediest() const;

  const Limits limits_;
  std::map<Id, Connection> connections_;
  std::map<std::string, size_t> strangers_;  ///< The number for each peer; never 0.
  Id next_ = 1;
};

/// Returns the peer that an address counts for: an IPv4 address (also mapped into IPv6) alone, of
/// IPv6 the network of 64 bits, whose addresses one machine may use all. `bytes` are the 4 or 16 of
/// the address.
std::string peer_of(std::string_view bytes);

}  // namespace chartwright::runtime
