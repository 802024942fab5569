// SPDX-License-Identifier: Apache-2.0
#include "release/inventory.h"

#include <catch2/catch.hpp>

#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using testing::json;

TEST_CASE("An entry survives the way through the status") {
  const kube::ObjectRef ref{{"apps", "v1", "Deployment"}, "shop", "web"};
  InventoryEntry entry;
  entry.role = Role::kPartial;
  entry.desired = "d1";
  entry.observed = "o1";
  entry.held = "spec.size stays 3Gi, 2Gi asked";
  entry.frozen = "spec.template";
  entry.slot = "web";
  entry.ending = health::Ending{true, base::WallTime(std::chrono::seconds(1'767'323'045))};
  entry.motion = GENERATE(Motion::kNone, Motion::kHeld, Motion::kComing, Motion::kGoing);
  entry.serial = 7;
  entry.resource_version = "55";
  const Inventory back = inventory_from_status(value::Value::list({to_status(ref, entry)}));
  REQUIRE(back.size() == 1);
  CHECK(back.begin()->first == ref);
  CHECK(back.begin()->first.gvk.version == "v1");
  const InventoryEntry& read = back.begin()->second;
  CHECK(read.role == Role::kPartial);
  CHECK(read.desired == "d1");
  CHECK(read.observed == "o1");
  CHECK(read.held == entry.held);
  CHECK(read.frozen == entry.frozen);
  CHECK(read.slot == "web");
  CHECK(read.ending == entry.ending);
  CHECK(read.motion == entry.motion);
  CHECK(read.serial == 7);
  CHECK(read.resource_version.empty());  // Kept in memory only: after a restart the caches are new.
}

TEST_CASE("An object is over if it was applied, has ended, and had to be removed by now") {
  const base::WallTime end(std::chrono::seconds(1'767'323'045));
  InventoryEntry entry;
  entry.desired = "d1";
  CHECK_FALSE(is_over(entry, end));
  entry.ending = health::Ending{false, end};
  CHECK(is_over(entry, end));
  CHECK_FALSE(is_over(entry, end - std::chrono::hours(1)));
  entry.unverified = true;
  CHECK_FALSE(is_over(entry, end));
  entry.unverified = false;
  entry.desired.clear();
  CHECK_FALSE(is_over(entry, end));
}

TEST_CASE("Empty fields are not written") {
  const value::Value item = to_status(testing::config_map("a"), {});
  CHECK(CW_MUST(value::to_json(item)) ==
        R"({"kind":"ConfigMap","name":"a","namespace":"shop","version":"v1"})");
  const value::Value cluster = to_status({{"", "v1", "Namespace"}, "", "n"}, {});
  CHECK(cluster.find("namespace") == nullptr);
}

TEST_CASE("Digests of Secrets without a key never reach the status: content could be guessed") {
  const kube::ObjectRef secret{{"", "v1", "Secret"}, "shop", "s"};
  InventoryEntry entry;
  entry.desired = "d1";
  entry.observed = "o1";
  const value::Value item = to_status(secret, entry);
  CHECK(item.find("desired") == nullptr);
  CHECK(item.find("observed") == nullptr);
  entry.desired = "hmac-sha256:d1";
  entry.observed = "hmac-sha256:o1";
  const value::Value keyed = to_status(secret, entry);
  CHECK(keyed.string_at({"desired"}) == "hmac-sha256:d1");
  CHECK(keyed.string_at({"observed"}) == "hmac-sha256:o1");
  const Inventory back = inventory_from_status(value::Value::list({keyed}));
  CHECK(back.at(secret).desired == "hmac-sha256:d1");
  CHECK(back.at(secret).observed == "hmac-sha256:o1");
}

TEST_CASE("A guess at a Secret in a status is not compared with the Secret") {
  const Inventory inventory = inventory_from_status(
      json(R"([{"version":"v1","kind":"Secret","namespace":"shop","name":"s","desired":"guess",
                "observed":"guess"}])"));
  REQUIRE(inventory.size() == 1);
  CHECK(inventory.begin()->second.desired.empty());
  CHECK(inventory.begin()->second.observed.empty());
}

TEST_CASE("Digests of Secrets that nobody can verify are forgotten, and no others") {
  Inventory inventory;
  InventoryEntry entry;
  entry.desired = "hmac-sha256:d1";
  entry.observed = "hmac-sha256:o1";
  inventory[{{"", "v1", "Secret"}, "shop", "s"}] = entry;
  inventory[testing::config_map("a")] = entry;
  forget_digests_of_secrets(inventory);
  CHECK(inventory.at({{"", "v1", "Secret"}, "shop", "s"}).desired.empty());
  CHECK(inventory.at({{"", "v1", "Secret"}, "shop", "s"}).observed.empty());
  CHECK(inventory.at(testing::config_map("a")).desired == "hmac-sha256:d1");
  CHECK(inventory.at(testing::config_map("a")).observed == "hmac-sha256:o1");
}

TEST_CASE("A damaged list is read as far as it can be believed") {
  CHECK(inventory_from_status(json("{}")).empty());
  CHECK(inventory_from_status(json("null")).empty());
  const Inventory inventory = inventory_from_status(json(R"([
    null, 5, [], {},
    {"kind": "ConfigMap", "name": "no-version"},
    {"version": "v1", "name": "no-kind"},
    {"version": "v1", "kind": "ConfigMap"},
    {"version": "v1", "kind": "ConfigMap", "name": "../x"},
    {"version": "v1", "kind": "ConfigMap", "name": "a", "namespace": 7, "partial": "true",
     "desired": 1, "observed": []},
    {"version": "v1", "kind": "ConfigMap", "name": "a", "desired": "second"}])"));
  REQUIRE(inventory.size() == 1);
  const auto& [ref, entry] = *inventory.begin();
  CHECK(ref.name == "a");
  CHECK(ref.ns.empty());
  CHECK(entry.role == Role::kChild);
  CHECK(entry.desired.empty());
}

}  // namespace
}  // namespace chartwright::release
