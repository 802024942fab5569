// SPDX-License-Identifier: Apache-2.0
#include "release/secret_digest.h"

#include <catch2/catch.hpp>

#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using testing::json;
using value::Value;

const kube::Gvk kSecretKind{"", "v1", "Secret"};

Owner signing_owner(const std::string& master = std::string(64, 'm'), std::string uid = "uid-cr") {
  Owner owner = testing::book_owner();
  owner.uid = std::move(uid);
  owner.signer = CW_MUST(base::Signer::make(master, owner.uid));
  return owner;
}

// As the server has it once the owner has applied it.
Value live_secret(const std::string& name, const std::string& k, const Owner& owner) {
  Value live = testing::live_config_map(name, k, field_manager_of(owner));
  live.mutable_dict().set("kind", Value::string("Secret"));
  return live;
}

std::string plain_digest(const Value& live, const Owner& owner) {
  return fields::projection_digest(live, field_manager_of(owner)).value();
}

TEST_CASE("The digests of a Secret have a key") {
  const Owner owner = signing_owner();
  const Value live = live_secret("s", "1", owner);
  const std::string observed = recorded_observed(live, owner);
  CHECK(observed.starts_with(kKeyedPrefix));
  CHECK(observed.find(plain_digest(live, owner)) == std::string::npos);
  CHECK(is_observed(observed, testing::observed(live), owner));
  const std::string desired = CW_MUST(recorded_desired(kSecretKind, owner, "d"));
  CHECK(desired.starts_with(kKeyedPrefix));
  CHECK(desired == CW_MUST(recorded_desired(kSecretKind, owner, "d")));
  CHECK(desired != CW_MUST(recorded_desired(kSecretKind, owner, "e")));
}

TEST_CASE("A digest of a Secret is that of its content, its name, its owner and its key alone") {
  const Owner owner = signing_owner();
  const std::string observed = recorded_observed(live_secret("s", "1", owner), owner);
  const auto is_of = [&](const Value& live, const Owner& by) {
    return is_observed(observed, testing::observed(live), by);
  };
  CHECK_FALSE(is_of(live_secret("s", "2", owner), owner));
  CHECK_FALSE(is_of(live_secret("t", "1", owner), owner));
  CHECK_FALSE(is_of(live_secret("s", "1", owner), signing_owner(std::string(64, 'n'))));
  const Owner other = signing_owner(std::string(64, 'm'), "uid-other");
  CHECK_FALSE(is_of(live_secret("s", "1", other), other));
  CHECK_FALSE(is_of(live_secret("s", "1", owner), testing::book_owner()));
  // Nor is the one digest taken for the other.
  const std::string plain = plain_digest(live_secret("s", "1", owner), owner);
  const std::string desired = CW_MUST(recorded_desired(kSecretKind, owner, "shop/s " + plain));
  CHECK_FALSE(is_observed(desired, testing::observed(live_secret("s", "1", owner)), owner));
}

TEST_CASE("A Secret of which nothing was applied has no digest") {
  const Owner owner = signing_owner();
  const Value live = json(R"({"apiVersion":"v1","kind":"Secret",
                              "metadata":{"namespace":"shop","name":"s","uid":"u"}})");
  CHECK(recorded_observed(live, owner).empty());
  CHECK(is_observed("", testing::observed(live), owner));
  const std::string observed = recorded_observed(live_secret("s", "1", owner), owner);
  CHECK_FALSE(is_observed(observed, testing::observed(live), owner));
  CHECK_FALSE(is_observed("", testing::observed(live_secret("s", "1", owner)), owner));
}

TEST_CASE("Other objects have plain digests, and so have Secrets where nobody can sign") {
  const Owner owner = signing_owner();
  const Value map = testing::live_config_map("m", "1");
  CHECK(recorded_observed(map, owner) == plain_digest(map, owner));
  CHECK(is_observed(plain_digest(map, owner), testing::observed(map), owner));
  CHECK(CW_MUST(recorded_desired({"", "v1", "ConfigMap"}, owner, "d")) == "d");
  const Owner mute = testing::book_owner();
  const Value secret = live_secret("s", "1", mute);
  CHECK(recorded_observed(secret, mute) == plain_digest(secret, mute));
  CHECK(is_observed(recorded_observed(secret, mute), testing::observed(secret), mute));
  CHECK(CW_MUST(recorded_desired(kSecretKind, mute, "d")) == "d");
}

TEST_CASE("A status shows no digest of a Secret without a key") {
  CHECK(may_be_shown({"", "v1", "ConfigMap"}, "d"));
  CHECK(may_be_shown(kSecretKind, "hmac-sha256:d"));
  CHECK_FALSE(may_be_shown(kSecretKind, "d"));
  CHECK_FALSE(may_be_shown(kSecretKind, ""));
}

}  // namespace
}  // namespace chartwright::release
