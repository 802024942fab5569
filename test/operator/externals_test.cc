// SPDX-License-Identifier: Apache-2.0
#include "operator/externals.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "operator/reconcile.h"
#include "subject/external_copy.h"
#include "test/fakeapi/fake_server.h"
#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::json;
using testing::World;
using value::Value;

constexpr std::string_view kType = "chartwright.io/externals.v1";

/// A server that stores names, and knows them by ids.
class Store {
 public:
  std::string url() const { return server_.url(); }
  size_t count(const std::string& method) const {
    size_t found = 0;
    for (const auto& request : server_.requests()) {
      found += request.method == method ? 1 : 0;
    }
    return found;
  }
  /// Returns the body of the last update.
  std::string last_put() const {
    std::string body;
    for (const auto& request : server_.requests()) {
      body = request.method == "PUT" ? request.body : body;
    }
    return body;
  }

 private:
  void handle(const fakeapi::SeenRequest& request, fakeapi::Reply& reply) {
    base::MutexLock lock(mutex_);
    if (request.method == "POST") {
      ids_.insert("id-" + std::to_string(++made_));
      reply.send(200, R"({"id":"id-)" + std::to_string(made_) + "\"}");
      return;
    }
    if (request.method == "DELETE") {
      ids_.erase(request.target.substr(request.target.rfind('/') + 1));
    }
    std::string all;
    for (const std::string& id : ids_) {
      all += std::string(all.empty() ? "" : ",") + R"({"id":")" + id + R"(","name":"w"})";
    }
    reply.send(200, R"({"items":[)" + all + "]}");
  }

  base::Mutex mutex_;
  int made_ CW_GUARDED_BY(mutex_) = 0;
  std::set<std::string> ids_ CW_GUARDED_BY(mutex_);
  fakeapi::FakeServer server_{[this](const fakeapi::SeenRequest& request, fakeapi::Reply& reply) {
    handle(request, reply);
  }};
};

enum class Finds : uint8_t { kYes, kNo };

std::string file(const std::string& url, Finds finds) {
  const std::string adopt =
      finds == Finds::kYes ? "  adopt: '{{ eq .item.name .sent.name }}'\n" : "";
  return "name: item\ndriver: {http: {baseURL: '" + url + R"('}}
observe: {call: GET /items, items: items, select: '{{ eq .item.id .id }}'}
create:
  call: POST /items
  body: 'name: {{ .Release.Name }}'
  capture: '{{ .response.id }}'
)" + adopt +
         "delete: {call: 'DELETE /items/{{ .id }}'}\ntimeout: 1s\n";
}

struct StoreFirst {
  Store store;
};

/// A custom resource with one external.
struct Keeping : StoreFirst, World {
  explicit Keeping(Finds finds = Finds::kYes, const std::string& more = "")
      : World(testing::with(testing::widget_chart(),
                            {{"operator/externals/item.yaml", file(store.url(), finds) + more}})) {}

  /// The user creates the custom resource at that time.
  void create(const std::string& at) {
    Value object = cr();
    object.mutable_dict().set("spec", Value::dict());
    object.find("metadata")->mutable_dict().set("creationTimestamp", Value::string(at));
    api.put(object);
  }
  void create_now() { create(base::format_rfc3339(clock.wall())); }
  void create_earlier() { create(base::format_rfc3339(clock.wall() - std::chrono::minutes(5))); }
  kube::ObjectRef copy() const {
    return {{"", "v1", "Secret"}, "shop", external::copy_name(ref())};
  }
  std::string id() const { return std::string(status().string_at({"externals", "item", "id"})); }
  std::string held() const {
    return std::string(status().string_at({"externals", "item", "held"}));
  }
  void lose_status() {
    Value object = cr();
    object.mutable_dict().erase("status");
    api.put(object);
  }
  void lose_finalizers() {
    Value object = cr();
    object.find("metadata")->mutable_dict().erase("finalizers");
    api.put(object);
  }
  /// Reconciles for as long as a lost create is searched for, and longer.
  void settle() {
    for (int i = 0; i < 6; ++i) {
      reconcile();
      clock.advance(std::chrono::seconds(1));
    }
    converge();
  }
};

TEST_CASE("A new custom resource is created outside after three writes, and not searched for") {
  Keeping world;
  world.create_now();
  world.converge();
  CHECK(world.id() == "id-1");
  CHECK(world.store.count("GET") == 0);
  const auto calls = world.calls();
  REQUIRE(calls.size() >= 3);
  CHECK(calls[0] == "create Secret " + world.copy().ns + "/" + world.copy().name);
  CHECK(calls[1] == "patch Widget.example.com shop/w");
  CHECK(calls[2] == "apply-status Widget.example.com shop/w");
  const Value secret = *world.api.find(world.copy());
  CHECK(secret.string_at({"type"}) == kType);
  CHECK(kube::is_owned_by(secret, kube::uid_of(world.cr())));
  const auto copy = CW_MUST(external::read_copy(secret, nullptr));
  CHECK(copy.records.at("item").id == "id-1");
  CHECK_FALSE(copy.is_vouched_for);
  world.converge();
  CHECK(world.calls().empty());
  world.restart();
  world.converge();
  const auto again = world.calls();
  CHECK(std::ranges::count(again, "get Secret shop/" + world.copy().name) == 1);
  CHECK(std::ranges::none_of(again, [](const std::string& call) {
    return call.starts_with("create") || call.starts_with("patch") || call.starts_with("apply");
  }));
}

TEST_CASE("A change that reaches only an external is a revision, and a rollback leads back") {
  Keeping world(Finds::kYes,
                "update: {call: 'PUT /items/{{ .id }}', body: 'name: {{ .Values.nick }}'}\n");
  world.create_now();
  const auto lines = [&world] {
    std::vector<std::string> found;
    const Value status = world.status();
    for (const Value& line : status.items_at({"history"})) {
      found.emplace_back(std::string(line.string_at({"description"})) + " " +
                         std::string(line.string_at({"status"})));
    }
    return found;
  };
  size_t revisions = 0;
  for (const std::string nick : {"A", "B", "C"}) {
    world.spec(R"({"nick":")" + nick + "\"}");
    world.converge();
    CHECK(lines().size() == ++revisions);
  }
  CHECK(world.store.last_put() == R"({"name":"C"})");
  CHECK(lines() == std::vector<std::string>{"Upgrade complete deployed",
                                            "Upgrade complete superseded",
                                            "Install complete superseded"});
  // The same values are the same revision.
  world.annotate("chartwright.io/reconcile-requested-at", "1");
  world.restart();
  world.converge();
  world.converge();
  CHECK(world.revision() == 3);
  world.annotate("chartwright.io/rollback-to", "previous");
  world.converge();
  CHECK(world.store.last_put() == R"({"name":"B"})");
  CHECK(lines().front() == "Rollback to 2 deployed");
  world.annotate("chartwright.io/rollback-to", std::nullopt);
  world.converge();
  CHECK(world.store.last_put() == R"({"name":"C"})");
  CHECK(world.revision() == 5);
  world.annotate("chartwright.io/rollback-to", "1");
  world.converge();
  CHECK(world.store.last_put() == R"({"name":"A"})");
  world.spec(R"({"nick":"D"})");
  world.converge();
  CHECK(world.store.last_put() == R"({"name":"D"})");
  CHECK(world.revision() == 7);
}

TEST_CASE("A lost status leads to a search, and to no second object") {
  Keeping world;
  world.create_now();
  world.converge();
  world.lose_status();
  SECTION("the finalizer is a sign") {}
  SECTION("the copy is a sign") { world.lose_finalizers(); }
  SECTION("an age is a sign, of a backup that is older than the create") {
    world.lose_finalizers();
    world.api.erase(world.copy());
    world.create_earlier();
  }
  world.restart();
  world.settle();
  CHECK(world.id() == "id-1");
  CHECK(world.store.count("POST") == 1);
  CHECK(kube::finalizers_of(world.cr()).size() == 1);
}

TEST_CASE("A lost status without a way to search, and a lost key, are left to a person") {
  Keeping world(Finds::kNo);
  world.create_now();
  world.converge();
  world.lose_status();
  SECTION("the finalizer is a sign") {}
  SECTION("the copy is a sign") { world.lose_finalizers(); }
  SECTION("a reconcile that gets no further does not cover the traces") {
    world.spec(R"({"color": 5})");
    world.lose_status();
  }
  world.master_key = std::string(64, 'b');  // Otherwise the copy is as good as the status.
  world.restart();
  world.fail();
  world.restart();
  world.fail();
  CHECK_THAT(world.condition("AmbiguousCreate"),
             Catch::Matchers::Contains("an object may have been created before"));
  CHECK(world.store.count("POST") == 1);
  world.annotate("chartwright.io/external-id.item", "id-1");
  world.fail();  // The author may have chosen another's object.
  CHECK(world.id().empty());
  world.watch.adoption = bundle::AdoptionPolicy::kAuthor;
  world.restart();
  world.settle();
  CHECK(world.id() == "id-1");
  CHECK(world.condition("AmbiguousCreate") == "absent");
  CHECK(world.store.count("POST") == 1);
}

TEST_CASE("A custom resource that was created while the operator was away is created outside") {
  for (const Finds finds : {Finds::kYes, Finds::kNo}) {
    Keeping world(finds);
    world.create_earlier();
    world.settle();
    CHECK(world.id() == "id-1");
    CHECK(world.store.count("POST") == 1);
  }
}

TEST_CASE("An external is looked after beside an attempt that failed for good") {
  Keeping world(Finds::kYes, "resync: 5m\n");
  world.create_now();
  world.converge();
  world.spec(R"({"broken":true})");
  const runtime::Failed failed = world.fail();
  CHECK(failed.retry == runtime::Retry::kNever);
  CHECK(failed.later > std::chrono::minutes(4));
  CHECK(failed.later <= std::chrono::minutes(5));
  const size_t looks = world.store.count("GET");
  world.clock.advance(failed.later);
  world.converge();
  CHECK(world.store.count("GET") > looks);
}

TEST_CASE("A failure before the externals that are due is not repeated in a hurry") {
  Keeping world;
  world.create_now();
  world.annotate("helm.sdk.operatorframework.io/reconcile-period", "soon");
  for (int i = 0; i < 3; ++i) {
    const runtime::Failed failed = world.fail();
    CHECK(failed.retry == runtime::Retry::kNever);
    CHECK(failed.later == std::chrono::minutes(1));
    world.clock.advance(failed.later);
  }
}

TEST_CASE("A new custom resource that finds the copy of a predecessor is not new") {
  for (const Finds finds : {Finds::kYes, Finds::kNo}) {
    Keeping world(finds);
    world.create_now();
    world.converge();
    const auto uid = std::string(kube::uid_of(world.cr()));
    world.api.erase(world.ref());
    world.create_now();
    REQUIRE(kube::uid_of(world.cr()) != uid);
    world.restart();
    for (int i = 0; i < 6; ++i) {
      world.reconcile();
      world.clock.advance(std::chrono::seconds(1));
    }
    CHECK(world.store.count("POST") == 1);
    CHECK(world.id() == (finds == Finds::kYes ? "id-1" : ""));
    CHECK(world.held().empty() == (finds == Finds::kYes));
  }
}

TEST_CASE("A process that sees the storage go back keeps the ids that it knows") {
  Keeping world(Finds::kNo);
  world.create_now();
  world.cached();
  const auto backup = world.api.back_up();
  world.converge();
  for (const char* color : {"blue", "green"}) {
    world.spec(std::string(R"({"color":")") + color + R"("})");
    world.converge();
  }
  world.api.restore(backup);
  world.relist();
  world.reconcile();
  world.await_caches();  // One that proves the restore has all filled once more.
  world.settle();
  CHECK(world.id() == "id-1");
  CHECK(world.store.count("POST") == 1);
}

TEST_CASE("A deletion finds what the status has lost, and takes the copy along") {
  Keeping world;
  world.create_now();
  world.converge();
  world.lose_status();
  world.restart();
  world.api.begin_deletion(world.ref());
  for (int i = 0; i < 6 && world.api.find(world.ref()); ++i) {
    world.reconcile();
  }
  CHECK_FALSE(world.api.find(world.ref()));
  CHECK_FALSE(world.api.find(world.copy()));
  CHECK(world.store.count("POST") == 1);
  CHECK(world.store.count("DELETE") == 1);
}

TEST_CASE("A Secret in the place of the copy makes careful, and names nothing that is touched") {
  Keeping world(Finds::kNo);
  world.create_now();
  Value secret = json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"shop"}})");
  secret.find("metadata")->mutable_dict().set("name", Value::string(world.copy().name));
  SECTION("with an id of another's object") {
    const external::Records forged = {{"item", {"id-of-another", "", "", ""}}};
    secret.mutable_dict().set("data", CW_MUST(external::copy_data(forged, nullptr)));
  }
  SECTION("that makes no sense") {}
  world.api.put(secret);
  world.fail();
  CHECK_THAT(world.condition("AmbiguousCreate"), Catch::Matchers::StartsWith("True"));
  CHECK(world.store.count("POST") + world.store.count("PUT") + world.store.count("DELETE") == 0);
  world.annotate("chartwright.io/external-id.item", "none");
  world.settle();
  CHECK(world.id() == "id-1");
}

TEST_CASE("A signed copy is as good as the status, for the same custom resource alone") {
  const auto signer = CW_MUST(base::Signer::make(std::string(64, 'a'), "uid"));
  const auto other = CW_MUST(base::Signer::make(std::string(64, 'a'), "other"));
  const external::Records records = {{"item", {"7", "", "", ""}}};
  const Value secret = Value::dict({{"data", CW_MUST(external::copy_data(records, &signer))}});
  CHECK(CW_MUST(external::read_copy(secret, &signer)).is_vouched_for);
  CHECK_FALSE(CW_MUST(external::read_copy(secret, &other)).is_vouched_for);
  CHECK_FALSE(CW_MUST(external::read_copy(secret, nullptr)).is_vouched_for);
  CHECK(CW_MUST(external::read_copy(secret, &other)).records == records);
  CHECK_FALSE(CW_MUST(external::read_copy(Value::dict(), &signer)).is_readable);
}

}  // namespace
}  // namespace chartwright::op
