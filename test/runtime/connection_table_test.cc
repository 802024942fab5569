// SPDX-License-Identifier: Apache-2.0
#include "runtime/connection_table.h"

#include <catch2/catch.hpp>
#include <vector>

namespace chartwright::runtime {
namespace {

using Id = ConnectionTable::Id;

constexpr ConnectionTable::Limits kLimits = {.total_max = 6, .strangers_per_peer_max = 4};

Id add(ConnectionTable& table, const std::string& peer) {
  const auto admitted = table.admit(peer);
  REQUIRE(admitted);
  CHECK_FALSE(admitted->ends);
  return admitted->id;
}

/// Adds a connection, and returns the one that ends for it.
std::optional<Id> ends_for(ConnectionTable& table, const std::string& peer) {
  const auto admitted = table.admit(peer);
  REQUIRE(admitted);
  return admitted->ends;
}

}  // namespace

TEST_CASE("A peer beyond its share loses its own oldest connection") {
  ConnectionTable table(kLimits);
  add(table, "kubelet");
  std::vector<Id> own;
  for (size_t i = 0; i < kLimits.strangers_per_peer_max; ++i) {
    own.push_back(add(table, "greedy"));
  }
  CHECK(ends_for(table, "greedy") == own[0]);
  CHECK(ends_for(table, "greedy") == own[1]);
  CHECK(table.size() == 5);
}

TEST_CASE("A full server takes from the peer with the most connections") {
  ConnectionTable table(kLimits);
  const Id first = add(table, "a");
  add(table, "b");
  add(table, "b");
  add(table, "c");
  add(table, "c");
  const Id greedy = 2;
  add(table, "c");
  CHECK(ends_for(table, "kubelet") == Id{4});   // c had three.
  CHECK(ends_for(table, "kubelet") == greedy);  // b had two, as had c: the oldest.
  CHECK(table.size() == 6);
  CHECK(first == 1);
}

TEST_CASE("A full server of peers with one connection each takes the oldest") {
  ConnectionTable table(kLimits);
  for (const char* peer : {"a", "b", "c", "d", "e", "f"}) {
    add(table, peer);
  }
  CHECK(ends_for(table, "kubelet") == Id{1});
  CHECK(ends_for(table, "g") == Id{2});
}

TEST_CASE("A connection with a request is of more use than one that waits") {
  ConnectionTable table(kLimits);
  std::vector<Id> own;
  for (size_t i = 0; i < kLimits.strangers_per_peer_max; ++i) {
    own.push_back(add(table, "greedy"));
  }
  table.set_busy(own[0]);
  table.set_busy(own[1]);
  CHECK(ends_for(table, "greedy") == own[2]);
  table.set_waiting(own[1]);  // To ask now and then does not make it younger.
  CHECK(ends_for(table, "greedy") == own[1]);
  for (const Id id : {own[3], Id{5}, Id{6}}) {
    table.set_busy(id);
  }
  CHECK(ends_for(table, "greedy") == own[0]);  // If all have one, the oldest.
}

TEST_CASE("A known client keeps its connection") {
  ConnectionTable table(kLimits);
  for (int i = 0; i < 5; ++i) {
    table.know(add(table, "aggregator"));  // Beyond a stranger's share.
  }
  const Id stranger = add(table, "aggregator");
  CHECK(ends_for(table, "a") == stranger);
  table.know(7);
  CHECK(table.may_stay(1));
  CHECK_FALSE(table.admit("b"));  // There is none to take from.
  table.leave(1);
  CHECK(table.admit("b"));
}

TEST_CASE("A stranger may stay while there are places enough") {
  ConnectionTable table(kLimits);
  const Id first = add(table, "a");
  const Id second = add(table, "a");
  CHECK(table.may_stay(first));
  const Id third = add(table, "a");
  CHECK_FALSE(table.may_stay(first));  // Beyond half of its share.
  table.leave(third);
  CHECK(table.may_stay(first));
  const Id other = add(table, "b");
  CHECK(table.may_stay(second));
  add(table, "c");
  CHECK_FALSE(table.may_stay(other));  // Beyond half of all.
  table.know(other);
  CHECK(table.may_stay(other));
}

TEST_CASE("A connection that had to end is unknown when it has ended") {
  ConnectionTable table({.total_max = 1, .strangers_per_peer_max = 1});
  const Id first = add(table, "a");
  CHECK(ends_for(table, "a") == first);
  table.set_busy(first);
  table.set_waiting(first);
  table.know(first);
  CHECK_FALSE(table.may_stay(first));
  table.leave(first);
  CHECK(table.size() == 1);
  CHECK(ends_for(table, "a") == Id{2});
}

TEST_CASE("An IPv6 network is one peer, and so is an IPv4 address in both forms") {
  const auto bytes = [](std::initializer_list<int> all) {
    return std::string(all.begin(), all.end());
  };
  const std::string v4 = bytes({10, 0, 0, 1});
  CHECK(peer_of(v4) == v4);
  CHECK(peer_of(bytes({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1})) == v4);
  const auto v6 = [&](int network, int host) {
    return peer_of(bytes({0x20, 1, 0xd, 0xb8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host}));
  };
  CHECK(v6(1, 1) == v6(1, 2));
  CHECK(v6(1, 1) != v6(2, 1));
  CHECK(peer_of("").empty());
}

}  // namespace chartwright::runtime
