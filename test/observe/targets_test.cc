// SPDX-License-Identifier: Apache-2.0
#include "observe/targets.h"

#include <catch2/catch.hpp>

#include "model/memory_server.h"
#include "value/json.h"

namespace chartwright::observe {
namespace {

const kube::ObjectRef kFirst{{"example.com", "v1", "Widget"}, "shop", "one"};
const kube::ObjectRef kSecond{{"example.com", "v1", "Widget"}, "shop", "two"};
const kube::Gvk kAccount{"", "v1", "ServiceAccount"};

kube::ObjectRef account(const std::string& name) { return {kAccount, "shop", name}; }

/// Targets over a server in memory. It collects the readers that are triggered.
struct Range {
  model::MemoryServer api;
  base::SystemClock clock;
  runtime::InformerSet informers{api, clock,
                                 base::Logger({}, clock, [](std::string_view /*line*/) {})};
  base::Mutex mutex;
  std::set<kube::ObjectRef> triggered;
  Targets targets{informers, [this](const kube::ObjectRef& reader, Urgency /*urgency*/) {
                    base::MutexLock lock(mutex);
                    triggered.insert(reader);
                  }};

  ~Range() { informers.stop(); }

  void put(const std::string& name, const std::string& label = "a") {
    api.put(CW_MUST(value::parse_json(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":)"
                                      R"({"name":")" +
                                          name + R"(","namespace":"shop","labels":{"l":")" + label +
                                          R"("}}})",
                                      value::Numbers::kInt64)));
    api.settle();
  }
  base::Status set(const kube::ObjectRef& reader, const std::set<kube::ObjectRef>& refs) {
    return targets.set({reader, ""}, refs, std::stop_token());
  }
  std::set<kube::ObjectRef> take() {
    base::MutexLock lock(mutex);
    return std::exchange(triggered, {});
  }
};

TEST_CASE("A target is seen by its name, and triggers those who patch it") {
  Range range;
  range.put("other");
  REQUIRE(range.set(kFirst, {account("sa")}).ok());
  REQUIRE(range.set(kSecond, {account("sa"), account("other")}).ok());
  range.take();
  CHECK_FALSE(range.targets.find(account("sa")));
  CHECK(range.targets.find(account("other")));
  CHECK_FALSE(range.targets.find(account("never asked for")));

  range.put("sa");
  CHECK(range.take() == std::set{kFirst, kSecond});
  CHECK(range.targets.find(account("sa")));
  range.put("other", "b");
  CHECK(range.take() == std::set{kSecond});
  range.api.erase(account("sa"));
  range.api.settle();
  CHECK(range.take() == std::set{kFirst, kSecond});
}

TEST_CASE("A watch ends with its last reader") {
  Range range;
  range.put("sa");
  REQUIRE(range.set(kFirst, {account("sa")}).ok());
  REQUIRE(range.set(kSecond, {account("sa")}).ok());
  range.targets.forget(kFirst);
  range.take();
  range.put("sa", "b");
  CHECK(range.take() == std::set{kSecond});
  SECTION("it is forgotten") { range.targets.forget(kSecond); }
  SECTION("it has other targets") { REQUIRE(range.set(kSecond, {account("x")}).ok()); }
  CHECK_FALSE(range.targets.find(account("sa")));
  CHECK(range.targets.seen_version(account("sa")).empty());
  range.take();
  range.put("sa", "c");
  CHECK(range.take().empty());
}

TEST_CASE("A target is watched in the version that each reader asks for") {
  Range range;
  range.put("sa");
  const kube::ObjectRef newer{{"", "v2", "ServiceAccount"}, "shop", "sa"};
  REQUIRE(range.set(kFirst, {account("sa")}).ok());
  REQUIRE(range.set(kSecond, {newer}).ok());
  CHECK(range.targets.find(account("sa")));
  CHECK(range.targets.find(newer));
  REQUIRE(range.set(kFirst, {newer}).ok());
  CHECK_FALSE(range.targets.find(account("sa")));
  range.targets.forget(kSecond);
  CHECK(range.targets.find(newer));
}

TEST_CASE("A target that cannot be watched is an error that names its kind") {
  Range range;
  range.api.refuse_watches("ServiceAccount",
                           base::Error(base::ErrorCode::kUnavailable, "no connection"));
  const base::Status status = range.set(kFirst, {account("sa")});
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code() == base::ErrorCode::kUnavailable);
  CHECK(status.error().to_string().find("ServiceAccount") != std::string::npos);
}

TEST_CASE("Watches of targets are limited by kind") {
  Range range;
  std::set<kube::ObjectRef> many;
  for (size_t i = 0; i < kTargetsMax; ++i) {
    many.insert(account("sa" + std::to_string(i)));
  }
  REQUIRE(range.set(kFirst, many).ok());
  const base::Status status = range.set(kSecond, {account("one more")});
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code() == base::ErrorCode::kBudget);
  CHECK(status.error().reason() == runtime::kTooManyWatches);
  CHECK(status.error().message() ==
        "more than 100 objects of the kind ServiceAccount are watched by name; select them by "
        "label in `related` of operator/operator.yaml");
  CHECK(range.set(kSecond, {account("sa7")}).ok());  // It has a watch already.
  range.targets.forget(kFirst);
  CHECK(range.set(kSecond, {account("one more")}).ok());
}

TEST_CASE("Those that were refused a watch are triggered as soon as others end theirs") {
  Range range;
  std::set<kube::ObjectRef> many;
  for (size_t i = 0; i < kTargetsMax; ++i) {
    many.insert(account("sa" + std::to_string(i)));
  }
  REQUIRE(range.set(kFirst, many).ok());
  const kube::ObjectRef third{kFirst.gvk, "shop", "three"};
  REQUIRE_FALSE(range.set(kSecond, {account("a")}).ok());
  REQUIRE_FALSE(range.set(third, {account("b")}).ok());
  range.take();
  SECTION("as many as there is room for") {
    many.erase(account("sa0"));
    REQUIRE(range.set(kFirst, many).ok());
    CHECK(range.take() == std::set{third});  // The first by name.
    many.erase(account("sa1"));
    REQUIRE(range.set(kFirst, many).ok());
    CHECK(range.take() == std::set{kSecond});
    REQUIRE(range.set(kFirst, {}).ok());
    CHECK(range.take().empty());
  }
  SECTION("all of them") {
    range.targets.forget(kFirst);
    CHECK(range.take() == std::set{kSecond, third});
  }
  SECTION("but not one that is gone, or needs no watch any more") {
    range.targets.forget(kSecond);
    REQUIRE(range.set(third, {}).ok());
    range.targets.forget(kFirst);
    CHECK(range.take().empty());
  }
}

}  // namespace
}  // namespace chartwright::observe
