// SPDX-License-Identifier: Apache-2.0
#include "runtime/connection_table.h"

#include <algorithm>
#include <utility>

namespace chartwright::runtime {
namespace {

constexpr std::string_view kMappedV4("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
constexpr size_t kNetworkBytes = 8;

}  // namespace

std::optional<ConnectionTable::Admission> ConnectionTable::admit(const std::string& peer) {
  std::optional<Id> ends;
  if (strangers_of(peer) >= limits_.strangers_per_peer_max) {
    ends = least_useful(peer);
  } else if (connections_.size() >= limits_.total_max) {
    if (strangers_.empty()) {
      return std::nullopt;
    }
    ends = least_useful(greediest());
  }
  if (ends) {
    leave(*ends);
  }
  const Id id = next_++;
  connections_.emplace(id, Connection{peer});
  ++strangers_[peer];
  return Admission{id, ends};
}

void ConnectionTable::know(Id id) {
  const auto found = connections_.find(id);
  if (found != connections_.end() && std::exchange(found->second.is_stranger, false)) {
    forget_stranger(found->second.peer);
  }
}

void ConnectionTable::set_busy(Id id) {
  if (const auto found = connections_.find(id); found != connections_.end()) {
    found->second.is_busy = true;
  }
}

void ConnectionTable::set_waiting(Id id) {
  if (const auto found = connections_.find(id); found != connections_.end()) {
    found->second.is_busy = false;
  }
}

bool ConnectionTable::may_stay(Id id) const {
  const auto found = connections_.find(id);
  if (found == connections_.end()) {
    return false;
  }
  const Connection& connection = found->second;
  return !connection.is_stranger ||
         (connections_.size() <= limits_.total_max / 2 &&
          strangers_of(connection.peer) <= std::max<size_t>(1, limits_.strangers_per_peer_max / 2));
}

void ConnectionTable::leave(Id id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) {
    return;
  }
  if (found->second.is_stranger) {
    forget_stranger(found->second.peer);
  }
  connections_.erase(found);
}

size_t ConnectionTable::strangers_of(const std::string& peer) const {
  const auto found = strangers_.find(peer);
  return found == strangers_.end() ? 0 : found->second;
}

void ConnectionTable::forget_stranger(const std::string& peer) {
  const auto found = strangers_.find(peer);
  if (--found->second == 0) {
    strangers_.erase(found);
  }
}

/// Returns a stranger's connection of a peer that has one.
std::optional<ConnectionTable::Id> ConnectionTable::least_useful(const std::string& peer) const {
  std::optional<Id> oldest;
  for (const auto& [id, connection] : connections_) {
    if (!connection.is_stranger || connection.peer != peer) {
      continue;
    }
    if (!connection.is_busy) {
      return id;
    }
    oldest = oldest.value_or(id);
  }
  return oldest;
}

/// Returns the peer with the most strangers; of several the one with the oldest connection.
std::string ConnectionTable::greediest() const {
  size_t most = 0;
  for (const auto& [peer, count] : strangers_) {
    most = std::max(most, count);
  }
  const auto found = std::ranges::find_if(connections_, [&](const auto& one) {
    return one.second.is_stranger && strangers_of(one.second.peer) == most;
  });
  return found->second.peer;
}

std::string peer_of(std::string_view bytes) {
  if (bytes.size() <= kNetworkBytes) {
    return std::string(bytes);
  }
  if (bytes.starts_with(kMappedV4)) {
    return std::string(bytes.substr(kMappedV4.size()));
  }
  return std::string(bytes.substr(0, kNetworkBytes));
}

}  // namespace chartwright::runtime
