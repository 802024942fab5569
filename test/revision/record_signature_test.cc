// SPDX-License-Identifier: Apache-2.0
#include "revision/record_signature.h"

#include <catch2/catch.hpp>
#include <functional>

#include "model/memory_server.h"
#include "revision/keyed_digest.h"
#include "revision/revision.h"
#include "test/release/objects.h"
#include "test/value/json_text.h"

namespace chartwright::release {
namespace {

using value::Value;
using value::testing::json;

base::Signer signer_of(const Owner& owner, char master = 'm') {
  return CW_MUST(base::Signer::make(std::string(64, master), owner.uid));
}

Hook farewell() {
  Hook hook;
  hook.name = "bye";
  hook.kind = "Job";
  hook.text = "kind: Job\n";
  hook.events = {"pre-delete"};
  return hook;
}

Revision rendered() {
  Revision revision;
  revision.number = 2;
  revision.manifest = "kind: ConfigMap\n";
  revision.hooks = {farewell()};
  revision.notes = "Thank you.";
  // Such numbers change when Helm's libraries read them.
  revision.config = json(R"({"replicas":3,"id":9007199254740993,"ratio":0.5})");
  revision.chart_metadata = json(R"({"name":"bookstore","version":"0.1.0"})");
  revision.key = std::string(kKeyBytes, 'k');
  return revision;
}

std::optional<Reach> reach_of(const Revision& revision, char master = 'm') {
  return CW_MUST(verified_reach(revision, signer_of(testing::book_owner(), master)));
}

Revision stored(const Revision& revision) {
  const Owner owner = testing::book_owner();
  const base::Signer signer = signer_of(owner);
  return CW_MUST(decode_revision(CW_MUST(encode_revision(revision, owner, &signer))));
}

TEST_CASE("A record that was signed verifies after its way through a Secret") {
  CHECK(reach_of(stored(rendered())) == Reach::kEverything);
  CHECK(reach_of(rendered()) == std::nullopt);
}

TEST_CASE("Another master key, and another custom resource, have signed nothing") {
  CHECK(reach_of(stored(rendered()), 'n') == std::nullopt);
  Owner namesake = testing::book_owner();
  namesake.uid = "another";
  CHECK(CW_MUST(verified_reach(stored(rendered()), signer_of(namesake))) == std::nullopt);
}

TEST_CASE("Whatever would be done because of a record is signed") {
  const auto changes = GENERATE(values<std::function<void(Revision&)>>({
      [](Revision& r) { r.number = 3; },
      [](Revision& r) { r.manifest += " "; },
      [](Revision& r) { r.hooks.clear(); },
      [](Revision& r) { r.hooks.push_back(farewell()); },
      [](Revision& r) { r.hooks.front().text += "metadata: {}\n"; },
      [](Revision& r) { r.hooks.front().events = {"post-delete"}; },
      [](Revision& r) { r.config = json(R"({"replicas":4})"); },
      [](Revision& r) { r.notes.clear(); },
      [](Revision& r) { r.key = std::string(kKeyBytes, 'x'); },
      [](Revision& r) { r.signature.back() = r.signature.back() == '0' ? '1' : '0'; },
      [](Revision& r) { r.signature.clear(); },
  }));
  Revision revision = stored(rendered());
  changes(revision);
  CHECK(reach_of(revision) == std::nullopt);
}

TEST_CASE("The outcome of a record may change") {
  Revision revision = stored(rendered());
  revision.status = RevisionStatus::kSuperseded;
  revision.description = "Superseded";
  CHECK(reach_of(revision) == Reach::kEverything);
}

TEST_CASE("A record that is signed for its namespace does not vouch for hooks and values") {
  Revision revision = rendered();
  revision.reach = Reach::kOwnNamespace;
  revision = stored(revision);
  CHECK(reach_of(revision) == Reach::kOwnNamespace);
  revision.hooks.clear();
  revision.config = Value::dict();
  CHECK(reach_of(revision) == Reach::kOwnNamespace);
  revision.manifest += " ";
  CHECK(reach_of(revision) == std::nullopt);
}

struct SignedShelf {
  model::MemoryServer api;
  kube::Call call;
  Owner owner = testing::book_owner();
  base::Signer signer = signer_of(owner);
  RevisionStore store{api, call, owner, &signer};

  Revision read(int number) { return CW_MUST(store.load(number)); }
  std::optional<Reach> reach(int number) { return CW_MUST(verified_reach(read(number), signer)); }
};

TEST_CASE("A new record is signed, and stays so when it is superseded") {
  SignedShelf shelf;
  CHECK(CW_MUST(shelf.store.append(rendered())) == 2);
  CHECK(shelf.reach(2) == Reach::kEverything);
  CW_MUST(shelf.store.supersede(2));
  CHECK(shelf.read(2).status == RevisionStatus::kSuperseded);
  CHECK(shelf.reach(2) == Reach::kEverything);
}

TEST_CASE("A record that comes after those of others is signed with its own number") {
  SignedShelf shelf;
  Revision theirs = rendered();
  theirs.manifest = "kind: Secret\n";
  shelf.api.put(CW_MUST(encode_revision(theirs, shelf.owner)));
  CHECK(CW_MUST(shelf.store.append(rendered())) == 3);
  CHECK(shelf.reach(3) == Reach::kEverything);
}

TEST_CASE("A record of our content by somebody else gets all of ours") {
  SignedShelf shelf;
  Revision theirs = rendered();
  theirs.config = json(R"({"replicas":100})");
  shelf.api.put(CW_MUST(encode_revision(theirs, shelf.owner)));
  CHECK(CW_MUST(shelf.store.append(rendered())) == 2);
  CHECK(shelf.reach(2) == Reach::kEverything);
  CHECK(shelf.read(2).config.find("replicas")->as_float() == 3);
}

TEST_CASE("A pending record that is not signed is not gone on with") {
  SignedShelf shelf;
  Revision theirs = rendered();
  theirs.status = RevisionStatus::kPendingInstall;
  shelf.api.put(CW_MUST(encode_revision(theirs, shelf.owner)));
  CHECK(CW_MUST(shelf.store.pending_after(1)) == std::nullopt);
  shelf.api.put(CW_MUST(encode_revision(theirs, shelf.owner, &shelf.signer)));
  CHECK(CW_MUST(shelf.store.pending_after(1)) != std::nullopt);
}

TEST_CASE("A record that was confirmed is signed if it is still the same") {
  SignedShelf shelf;
  shelf.api.put(CW_MUST(encode_revision(rendered(), shelf.owner)));
  Revision known = rendered();
  known.reach = Reach::kOwnNamespace;
  CHECK(CW_MUST(shelf.store.sign(known)));
  CHECK(shelf.reach(2) == Reach::kOwnNamespace);
  known.manifest = "kind: Other\n";
  CHECK_FALSE(CW_MUST(shelf.store.sign(known)));
}

TEST_CASE("A record that a render confirms gets the values and notes of the render") {
  SignedShelf shelf;
  Revision theirs = rendered();
  theirs.config = json(R"({"replicas":100})");
  theirs.notes = "Call this number.";
  shelf.api.put(CW_MUST(encode_revision(theirs, shelf.owner)));
  CHECK(CW_MUST(shelf.store.sign(rendered())));
  CHECK(shelf.reach(2) == Reach::kEverything);
  CHECK(shelf.read(2).config.find("replicas")->as_float() == 3);
  CHECK(shelf.read(2).notes == "Thank you.");
}

}  // namespace
}  // namespace chartwright::release
