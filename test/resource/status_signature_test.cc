// SPDX-License-Identifier: Apache-2.0
#include "resource/status_signature.h"

#include <catch2/catch.hpp>

#include "resource/cr_state.h"
#include "resource/cr_status.h"
#include "test/value/json_text.h"

namespace chartwright::op {
namespace {

using value::Value;
using value::testing::json;

base::Signer signer(char master = 'm') {
  return CW_MUST(base::Signer::make(std::string(64, master), "uid-1"));
}

const std::string_view kStatus = R"({
  "revision": 1,
  "resources": [
    {"version":"v1","kind":"ConfigMap","namespace":"shop","name":"a","desired":"d","state":"Ready"},
    {"group":"rbac","version":"v1","kind":"ClusterRole","name":"r","desired":"e"},
    {"version":"v1","kind":"ConfigMap","namespace":"other","name":"t","partial":true}],
  "externals": {"pet": {"id": "7"}}})";

Value signed_sample() { return CW_MUST(signed_status(json(kStatus), signer())); }

Value cr_with(const Value& status) {
  return Value::dict(
      {{"metadata", json(R"({"name":"w","namespace":"shop","uid":"uid-1"})")}, {"status", status}});
}

TEST_CASE("A status that was signed verifies, whatever its digests and states say") {
  CHECK(CW_MUST(is_signed(signed_sample(), signer())));
  const Value status = signed_sample();
  status.find("resources")->as_list().items[0].mutable_dict().set("state", Value::string("Failed"));
  status.find("resources")->as_list().items[0].mutable_dict().set("desired", Value::string("x"));
  CHECK(CW_MUST(is_signed(status, signer())));
  CHECK_FALSE(CW_MUST(is_signed(status, signer('n'))));
  CHECK_FALSE(CW_MUST(is_signed(json(kStatus), signer())));
  CHECK_FALSE(CW_MUST(is_signed(Value(), signer())));
}

TEST_CASE("A status in which somebody says that an object has ended does not verify") {
  const Value status = signed_sample();
  const Value& item = status.find("resources")->as_list().items[0];
  item.mutable_dict().set("ended", Value::string("Complete 2030-01-31T12:00:00Z"));
  CHECK_FALSE(CW_MUST(is_signed(status, signer())));
  const Value ended = CW_MUST(signed_status(status, signer()));
  CHECK(CW_MUST(is_signed(ended, signer())));
  ended.find("resources")->as_list().items[0].mutable_dict().set("desired", Value::string("x"));
  CHECK_FALSE(CW_MUST(is_signed(ended, signer())));
}

TEST_CASE("A status in which somebody has drift ignored does not verify, nor count") {
  const Value status = signed_sample();
  const Value& item = status.find("resources")->as_list().items[0];
  item.mutable_dict().set("driftIgnored", Value::string("rule"));
  CHECK_FALSE(CW_MUST(is_signed(status, signer())));
  const base::Signer ours = signer();
  const CrState state = state_from_status(cr_with(status), &ours);
  REQUIRE(state.inventory.size() == 2);
  CHECK_FALSE(state.inventory.begin()->second.drift.stays());
  const Value ignored = CW_MUST(signed_status(status, signer()));
  CHECK(CW_MUST(is_signed(ignored, signer())));
  ignored.find("resources")
      ->as_list()
      .items[0]
      .mutable_dict()
      .set("driftIgnored", Value::string("annotation"));
  CHECK_FALSE(CW_MUST(is_signed(ignored, signer())));
}

TEST_CASE("A status in which somebody names other objects does not verify") {
  const auto [member, text] = GENERATE(table<std::string, std::string>({
      {"name", "b"},
      {"namespace", "other"},
      {"kind", "Secret"},
      {"group", "apps"},
      {"version", "v2"},
  }));
  const Value status = signed_sample();
  status.find("resources")->as_list().items[0].mutable_dict().set(member, Value::string(text));
  CHECK_FALSE(CW_MUST(is_signed(status, signer())));
}

TEST_CASE("A status in which somebody changes the role of an object, or an id, does not verify") {
  const Value role = signed_sample();
  role.find("resources")->as_list().items[0].mutable_dict().set("partial", Value::boolean(true));
  CHECK_FALSE(CW_MUST(is_signed(role, signer())));
  const Value id = signed_sample();
  id.find_path({"externals", "pet"})->mutable_dict().set("id", Value::string("8"));
  CHECK_FALSE(CW_MUST(is_signed(id, signer())));
}

TEST_CASE("Without a signature, children elsewhere are unconfirmed and externals unknown") {
  const base::Signer known = signer();
  const CrState ours = state_from_status(cr_with(signed_sample()), &known);
  CHECK(ours.is_signed);
  CHECK(ours.inventory.size() == 3);
  CHECK(ours.externals.size() == 1);
  const CrState theirs = state_from_status(cr_with(json(kStatus)), &known);
  CHECK_FALSE(theirs.is_signed);
  CHECK(theirs.externals.empty());
  REQUIRE(theirs.unconfirmed.size() == 1);
  CHECK(theirs.unconfirmed.begin()->first.gvk.kind == "ClusterRole");
  CHECK(theirs.inventory.size() == 2);  // A patch gives up nothing but what its own manager owns.
}

TEST_CASE("An entry that is unconfirmed stays so in a status that is signed later") {
  const base::Signer known = signer();
  CrState state = state_from_status(cr_with(json(kStatus)), &known);
  StatusInput input;
  input.release = "w";
  const Value later = CW_MUST(signed_status(build_status(state, input), known));
  state = state_from_status(cr_with(later), &known);
  CHECK(state.is_signed);
  REQUIRE(state.unconfirmed.size() == 1);
  CHECK(state.unconfirmed.begin()->first.gvk.kind == "ClusterRole");
  for (const auto& [ref, entry] : state.inventory) {
    CAPTURE(ref.to_string());
    CHECK(entry.unverified == (entry.role == release::Role::kChild));
  }
  for (const Value& item : later.find("resources")->as_list().items) {
    Value(item).mutable_dict().erase("unverified");
  }
  CHECK_FALSE(CW_MUST(is_signed(later, known)));
}

TEST_CASE("The records that were trusted are remembered") {
  Value status = json(
      R"({"conditions":[{"type":"Unverified","status":"True",
          "message":"x; trusted without a signature: revisions 2, 1"}]})");
  CHECK(state_from_status(cr_with(status)).trusted_records == "2, 1");
}

}  // namespace
}  // namespace chartwright::op
