// SPDX-License-Identifier: Apache-2.0
#include "observe/caches.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "model/memory_server.h"
#include "observe/triggers.h"
#include "test/value/json_text.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::observe {
namespace {

using base::Error;
using base::ErrorCode;

using value::Value;
using value::testing::json;

const kube::Gvk kWidget{"example.com", "v1", "Widget"};
const kube::Gvk kMap{"", "v1", "ConfigMap"};

kube::ObjectRef widget(const std::string& ns = "shop") { return {kWidget, ns, "w"}; }
kube::ObjectRef map(const std::string& name, const std::string& ns = "shop") {
  return {kMap, ns, name};
}

const kube::LabelValue kWidgetChart = CW_MUST(kube::LabelValue::parse("widget"));
const kube::LabelValue kOtherChart = CW_MUST(kube::LabelValue::parse("other"));

/// Caches over a server in memory.
struct Pool {
  model::MemoryServer api;
  base::SystemClock clock;
  runtime::InformerSet informers{api, clock,
                                 base::Logger({}, clock, [](std::string_view /*line*/) {})};
  base::Mutex mutex;
  std::set<kube::ObjectRef> triggered;
  std::optional<Urgency> urgency;  ///< Of the last trigger.
  Caches caches;

  explicit Pool(CacheOptions options = {{}, {kWidgetChart, kOtherChart}, {"widget"}})
      : caches(informers, std::move(options), [this](const kube::ObjectRef& cr, Urgency how) {
          base::MutexLock lock(mutex);
          triggered.insert(cr);
          urgency = how;
        }) {}
  ~Pool() { informers.stop(); }

  void sync() {
    CW_MUST(informers.wait_synced(std::stop_token(), std::chrono::seconds(10)));
    api.settle();
  }
  void put_map(const std::string& name, const std::string& metadata, const std::string& k = "1",
               const std::string& ns = "shop") {
    api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                 R"(","namespace":")" + ns + "\"" + metadata + R"(},"data":{"k":")" + k +
                 R"("}})"));
    api.settle();
  }
  std::set<kube::ObjectRef> take() {
    base::MutexLock lock(mutex);
    return std::exchange(triggered, {});
  }
  std::vector<Value> related(const bundle::RelatedQuery& query, const std::string& ns,
                             std::string_view selector) {
    return bodies_of(
        CW_MUST(caches.related(query, {widget(), "maps"}, ns,
                               CW_MUST(kube::LabelSelector::parse(selector)), std::stop_token())));
  }
  /// The urgency of the last trigger; there must have been one.
  Urgency take_urgency() {
    base::MutexLock lock(mutex);
    return std::exchange(urgency, std::nullopt).value();
  }
};

const std::string kOwned =
    R"(,"labels":{"helm.sdk.operatorframework.io/chart":"widget"},"ownerReferences":[{"apiVersion":)"
    R"("example.com/v1","kind":"Widget","name":"w","uid":"uid-w","controller":true}])";

TEST_CASE("A cache covers what it looks at, while its watch works") {
  Pool pool({{"shop", "mall"}, {kWidgetChart}, {}});
  CHECK_FALSE(pool.caches.covers(map("m")));  // Not watched yet.
  CW_MUST(pool.caches.watch_children(widget(), {map("m"), map("m", "mall")}, {}));
  CHECK(pool.caches.covers(map("m")));
  CHECK(pool.caches.covers(map("m", "mall")));
  CHECK(pool.caches.covers(map("m", "")));
  CHECK_FALSE(pool.caches.covers(map("m", "street")));
  CHECK_FALSE(pool.caches.covers(widget()));
}

TEST_CASE("A watch of children ends when no custom resource needs it") {
  Pool pool;
  const kube::ObjectRef other{kWidget, "shop", "other"};
  CW_MUST(pool.caches.watch_children(widget(), {map("m"), widget()}, {}));
  CW_MUST(pool.caches.watch_children(other, {map("m")}, {}));
  pool.caches.keep_children(widget(), {kWidget});
  CHECK(pool.caches.covers(map("m")));
  CHECK(pool.caches.covers(widget()));
  pool.caches.forget(other);
  CHECK_FALSE(pool.caches.covers(map("m")));
  CHECK(pool.caches.covers(widget()));
  // A child that comes while nothing watches is seen as soon as something does.
  pool.put_map("a", kOwned);
  CHECK_FALSE(pool.caches.live(map("a")));
  CW_MUST(pool.caches.watch_children(other, {map("m")}, {}));
  CHECK(pool.caches.live(map("a")));
  CHECK(pool.take() == std::set{widget()});
}

TEST_CASE("A cache that may not be filled covers nothing") {
  Pool pool;
  const Error refusal(ErrorCode::kForbidden, "may not");
  pool.api.refuse_watches("ConfigMap", refusal);
  pool.api.fail_always("list ConfigMap  helm.sdk.operatorframework.io/chart in (widget,other)",
                       refusal);
  CHECK(pool.caches.watch_children(widget(), {map("m")}, {}).error().code() ==
        ErrorCode::kForbidden);
  CHECK_FALSE(pool.caches.covers(map("m")));
}

TEST_CASE("A namespace that may not be read concerns only those who have children there") {
  Pool pool({{"shop", "mall"}, {kWidgetChart}, {}});
  const Error refusal(ErrorCode::kForbidden, "may not");
  pool.api.fail_always("list ConfigMap mall helm.sdk.operatorframework.io/chart=widget", refusal);
  pool.api.refuse_watches("ConfigMap", refusal);  // So that each is read by a list.
  CHECK(pool.caches.watch_children(widget(), {map("m")}, {}).ok());
  const auto there = pool.caches.watch_children(widget(), {map("m"), map("m", "mall")}, {});
  REQUIRE_FALSE(there.ok());
  CHECK(there.error().code() == ErrorCode::kForbidden);
}

TEST_CASE("Custom resources are found by name, and their changes reach the listener") {
  Pool pool;
  std::atomic<int> changes{0};
  pool.caches.watch_custom_resources(kWidget, "tier=a",
                                     [&changes](const runtime::Change&) { ++changes; });
  pool.api.put(json(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w",
    "namespace":"shop","labels":{"tier":"a"},"managedFields":[{"manager":"x"},
      {"manager":"kubectl-edit","time":"2026-11-28T09:00:00Z","fieldsV1":{"f:spec":{"f:a":{}}}}]},
    "spec":{"a":1},"status":{"b":2}})"));
  pool.api.put(json(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"v",
    "namespace":"shop","labels":{"tier":"b"}}})"));
  pool.sync();
  const runtime::Stored found = pool.caches.custom_resource(widget());
  REQUIRE(found != nullptr);
  const Value whole = unpack_custom_resource(*found);
  CHECK(whole.find_path({"spec", "a"})->as_int() == 1);
  CHECK(whole.find_path({"status", "b"})->as_int() == 2);
  CHECK(found->find_path({"metadata", "managedFields"}) == nullptr);
  CHECK(spec_change_of(*found).manager == "kubectl-edit");
  CHECK(spec_change_of(*found).time == "2026-11-28T09:00:00Z");
  CHECK(spec_change_of(whole).manager.empty());
  CHECK(whole.as_dict().size() == 5);  // Nothing that no custom resource has.
  CHECK(pool.caches.custom_resource({kWidget, "shop", "v"}) == nullptr);  // Another tier.
  CHECK(pool.caches.custom_resource({{"x", "v1", "Y"}, "shop", "w"}) == nullptr);
  CHECK(pool.caches.custom_resources(kWidget).size() == 1);
  CHECK(pool.caches.custom_resources({"x", "v1", "Y"}).empty());
  CHECK(changes == 1);
}

TEST_CASE("Of annotations that no template reads those remain that ask for something") {
  const std::string large(250'000, 'x');
  const auto put = [&](Pool& pool, const std::string& note) {
    pool.api.put(
        json(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w",
      "namespace":"shop","annotations":{"chartwright.io/adopt":"true",
      "helm.sdk.operatorframework.io/reconcile-period":"1h","note":")" +
             note + R"(","chartwright.io/paused":")" + large + R"(","chartwright.io/other.1":")" +
             large + R"(","chartwright.io/other.2":")" + large + R"(","chartwright.io/other.3":")" +
             large + R"(","chartwright.io/other.4":")" + large + R"("}}})"));
    pool.api.settle();
  };
  const auto annotations = [](Pool& pool) {
    return *unpack_custom_resource(*pool.caches.custom_resource(widget()))
                .find_path({"metadata", "annotations"});
  };
  Pool pool;
  std::atomic<int> changes{0};
  pool.caches.watch_custom_resources(kWidget, "", [&changes](const runtime::Change& change) {
    changes += concerns_reconcile(change) ? 1 : 0;
  });
  put(pool, "a" + large);
  pool.sync();
  const Value kept = annotations(pool);
  CHECK(kept.string_at({"chartwright.io/adopt"}) == "true");
  CHECK(kept.string_at({"helm.sdk.operatorframework.io/reconcile-period"}) == "1h");
  CHECK(kept.find("note") == nullptr);
  CHECK(value::to_json(kept)->size() < 20'000);
  put(pool, "b" + large);
  pool.sync();
  CHECK_FALSE(value::json_equal(annotations(pool), kept));
  CHECK(changes == 2);  // Of the others, too: somebody may have meant it.

  Pool reading({{}, {kWidgetChart}, {}, {kWidget.group_kind()}});
  reading.caches.watch_custom_resources(kWidget, "", [](const runtime::Change&) {});
  put(reading, "hello");
  reading.sync();
  CHECK(annotations(reading).string_at({"note"}) == "hello");
  CHECK(annotations(reading).string_at({"chartwright.io/paused"}) == large);
}

TEST_CASE("Only the watched namespaces are looked at") {
  Pool pool({{"shop", "mall"}, {kWidgetChart}, {}});
  pool.caches.watch_custom_resources(kWidget, "", [](const runtime::Change&) {});
  for (const std::string ns : {"shop", "mall", "elsewhere"}) {
    pool.api.put(json(R"({"apiVersion":"example.com/v1","kind":"Widget",
                          "metadata":{"name":"w","namespace":")" +
                      ns + R"("}})"));
  }
  pool.sync();
  CHECK(pool.caches.custom_resource(widget("shop")) != nullptr);
  CHECK(pool.caches.custom_resource(widget("mall")) != nullptr);
  CHECK(pool.caches.custom_resource(widget("elsewhere")) == nullptr);
  CHECK(pool.caches.custom_resources(kWidget).size() == 2);

  CHECK(pool.caches.watch_children(widget(), {map("m"), map("m", "mall")}, {}).ok());
  pool.put_map("a", kOwned, "1", "mall");
  pool.put_map("a", kOwned, "1", "elsewhere");
  CHECK(pool.caches.live(map("a", "mall")));
  CHECK_FALSE(pool.caches.live(map("a", "elsewhere")));
  CHECK_FALSE(pool.caches.seen_version(map("a", "mall")).empty());
  CHECK(pool.caches.seen_version(map("a", "elsewhere")).empty());
}

TEST_CASE("Children are those with a chart's label; their kinds are followed from when asked for") {
  Pool pool;
  pool.put_map("mine", kOwned);
  pool.put_map("plain", "");
  CHECK_FALSE(pool.caches.live(map("mine")));
  CHECK(pool.caches.seen_version(map("mine")).empty());
  CHECK(pool.caches.watch_children(widget(), {map("m"), map("m")}, std::stop_token()).ok());
  CHECK(pool.caches.live(map("mine")));
  CHECK_FALSE(pool.caches.live(map("plain")));
  CHECK_FALSE(pool.caches.seen_version(map("mine")).empty());
  CHECK(pool.caches.watch_children(widget(), {map("m")}, std::stop_token()).ok());
  CHECK(pool.caches.watch_children(widget(), {}, std::stop_token()).ok());
}

TEST_CASE("Changes of children trigger their owner, and churn does not") {
  Pool pool({{}, {kWidgetChart}, {}});
  CHECK(pool.caches.watch_children(widget(), {map("m")}, std::stop_token()).ok());
  pool.put_map("a", kOwned);
  CHECK(pool.take() == std::set{widget()});
  // No field of ours, no readiness, no ownership.
  pool.put_map("a", kOwned, "2");
  CHECK(pool.take().empty());
  SECTION("one that loses its reference still wakes who it had") {
    pool.put_map("a", R"(,"labels":{"helm.sdk.operatorframework.io/chart":"widget"})");
    CHECK(pool.take() == std::set{widget()});
  }
  SECTION("one that loses its label counts as gone") {
    pool.put_map("a", "");
    CHECK(pool.take() == std::set{widget()});
    CHECK_FALSE(pool.caches.live(map("a")));
  }
  SECTION("one that goes wakes its owner") {
    pool.api.erase(map("a"));
    pool.api.settle();
    CHECK(pool.take() == std::set{widget()});
  }
  SECTION("one without an owner triggers nothing") {
    pool.put_map("b", R"(,"labels":{"helm.sdk.operatorframework.io/chart":"widget"})");
    CHECK(pool.take().empty());
  }
}

TEST_CASE("Drift is urgent, and a change that only shows can wait for more of them") {
  Pool pool;  // Bodies are stored: any change may show.
  CHECK(pool.caches.watch_children(widget(), {map("m")}, std::stop_token()).ok());
  pool.put_map("a", kOwned);
  CHECK(pool.take_urgency() == Urgency::kSoon);
  pool.put_map("a", kOwned, "2");
  CHECK(pool.take_urgency() == Urgency::kSoon);
  pool.put_map("a", R"(,"labels":{"helm.sdk.operatorframework.io/chart":"widget"})");
  CHECK(pool.take_urgency() == Urgency::kNow);
  pool.put_map("a", kOwned);
  pool.api.erase(map("a"));
  pool.api.settle();
  CHECK(pool.take_urgency() == Urgency::kNow);
}

TEST_CASE("A count in the words of a child that has failed can wait for long") {
  Pool pool({{}, {kWidgetChart}, {}});
  CHECK(pool.caches.watch_children(widget(), {map("m")}, std::stop_token()).ok());
  const auto put_stalled = [&pool](const std::string& message) {
    pool.api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",)"
                      R"("namespace":"shop")" +
                      std::string(kOwned) +
                      R"(},"status":{"conditions":[{"type":"Stalled","status":"True",)"
                      R"("message":")" +
                      message + R"("}]}})"));
    pool.api.settle();
  };
  put_stalled("failed 9 times");
  CHECK(pool.take_urgency() == Urgency::kSoon);
  put_stalled("failed 10 times");
  CHECK(pool.take_urgency() == Urgency::kLate);
  put_stalled("failed for good");
  CHECK(pool.take_urgency() == Urgency::kSoon);
}

TEST_CASE("Children are selected by the names of all charts") {
  Pool pool;
  CHECK(pool.caches.watch_children(widget(), {map("m")}, std::stop_token()).ok());
  pool.put_map("a", R"(,"labels":{"helm.sdk.operatorframework.io/chart":"other"})");
  pool.put_map("b", R"(,"labels":{"helm.sdk.operatorframework.io/chart":"third"})");
  CHECK(pool.caches.live(map("a")));
  CHECK_FALSE(pool.caches.live(map("b")));
}

TEST_CASE("Bodies are kept for charts that read them, and found by owner") {
  Pool pool;  // "widget" reads .Live, "other" does not.
  CHECK(pool.caches.watch_children(widget(), {map("m")}, std::stop_token()).ok());
  pool.put_map("b", kOwned, "2");
  pool.put_map("a", kOwned, "1");
  std::string others = kOwned;
  others.replace(others.find("\"widget\""), 8, "\"other\"");
  pool.put_map("c", others);
  const std::vector<Value> bodies = bodies_of(pool.caches.owned("uid-w"));
  REQUIRE(bodies.size() == 2);
  CHECK(bodies[0].string_at({"data", "k"}) == "1");
  CHECK(bodies[1].string_at({"data", "k"}) == "2");
  CHECK(pool.caches.owned("uid-none").empty());
}

TEST_CASE("Related objects are read by label, and trigger their readers") {
  Pool pool;
  const bundle::RelatedQuery query{kMap, "", "app=db,instance", {"instance"}};
  CW_MUST(pool.caches.watch_related(query));
  CW_MUST(pool.caches.watch_related(query));  // Idempotent.
  pool.sync();
  pool.put_map("a", R"(,"labels":{"app":"db","instance":"w"})");
  pool.put_map("b", R"(,"labels":{"app":"web","instance":"w"})");
  const auto bodies = pool.related(query, "shop", "app=db,instance=w");
  REQUIRE(bodies.size() == 1);
  CHECK(bodies[0].string_at({"metadata", "name"}) == "a");
  CHECK(pool.caches.live(map("a")));

  pool.put_map("a", R"(,"labels":{"app":"db","instance":"w"})", "2");
  CHECK(pool.take() == std::set{widget()});
  pool.caches.forget(widget());
  pool.put_map("a", R"(,"labels":{"app":"db","instance":"w"})", "3");
  CHECK(pool.take().empty());
}

TEST_CASE("A selection that is not watched yet is complete when it is read") {
  Pool pool;
  pool.put_map("a", R"(,"labels":{"app":"db"})");
  const bundle::RelatedQuery query{kMap, "", "app", {"app"}};
  CHECK(pool.related(query, "shop", "app=db").size() == 1);
  pool.take();
  pool.put_map("a", R"(,"labels":{"app":"db"})", "2");
  CHECK(pool.take() == std::set{widget()});
}

TEST_CASE("A selection that cannot be watched is an error, not an empty list") {
  Pool pool;
  pool.api.refuse_watches("ConfigMap", Error(ErrorCode::kUnauthorized, "who are you?"));
  const auto read =
      pool.caches.related({kMap, "", "app", {"app"}}, {widget(), "maps"}, "shop",
                          CW_MUST(kube::LabelSelector::parse("app=db")), std::stop_token());
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code() == ErrorCode::kUnauthorized);
}

TEST_CASE("Related objects in a namespace that is not watched have a watch of their own") {
  Pool pool({{"shop"}, {kWidgetChart}, {}});
  pool.put_map("a", R"(,"labels":{"app":"db"})", "1", "shared");
  pool.put_map("a", R"(,"labels":{"app":"db"})", "1", "elsewhere");
  const bundle::RelatedQuery query{kMap, "", "app", {"app"}};
  CHECK(pool.related(query, "shop", "app=db").empty());
  CHECK(pool.related(query, "shared", "app=db").size() == 1);
  CHECK(pool.caches.live(map("a", "shared")));
  CHECK_FALSE(pool.caches.live(map("a", "elsewhere")));
}

TEST_CASE("Selections of related objects are limited by kind") {
  Pool pool;
  const auto watch = [&pool](const kube::Gvk& gvk, size_t i) {
    const std::string key = "key" + std::to_string(i);
    return pool.caches.watch_related({gvk, "", key, {key}});
  };
  for (size_t i = 0; i < kSelectionsMax; ++i) {
    CW_MUST(watch(kMap, i));
  }
  const base::Status one_more = watch(kMap, kSelectionsMax);
  REQUIRE_FALSE(one_more.ok());
  CHECK(one_more.error().code() == ErrorCode::kBudget);
  CHECK(one_more.error().reason() == runtime::kTooManyWatches);
  CHECK(one_more.error().message() ==
        "more than 100 selections of related objects of the kind ConfigMap are watched");
  CHECK(watch(kMap, 7).ok());
  CHECK(watch(kWidget, 0).ok());
}

TEST_CASE("An object that is read by name triggers its reader, also when it comes into being") {
  Pool pool;
  const auto named = [&pool](const std::string& name) {
    return CW_MUST(pool.caches.named({widget(), "settings"}, map(name), std::stop_token()));
  };
  CHECK(named("a") == nullptr);
  pool.put_map("b", "");
  CHECK(pool.take().empty());
  pool.put_map("a", "");
  CHECK(pool.take() == std::set{widget()});
  CHECK(named("a") != nullptr);
  SECTION("until it reads another one") {
    CHECK(named("b") != nullptr);
    pool.take();
    pool.put_map("a", "", "2");
    CHECK(pool.take().empty());
  }
  SECTION("until it reads none") {
    CHECK(named("") == nullptr);
    pool.put_map("a", "", "2");
    CHECK(pool.take().empty());
  }
  SECTION("also if the custom resource patches it") {
    CW_MUST(pool.caches.watch_targets(widget(), {map("a")}, std::stop_token()));
    CHECK(named("b") != nullptr);
    pool.take();
    pool.put_map("a", "", "2");
    CHECK(pool.take() == std::set{widget()});
  }
  pool.caches.forget(widget());
  pool.take();
  pool.put_map("a", "", "3");
  pool.put_map("b", "", "3");
  CHECK(pool.take().empty());
}

TEST_CASE("Related objects with the selection of custom resources leave these whole") {
  Pool pool;
  CW_MUST(pool.caches.watch_related({kWidget, "", "", {}}));
  pool.caches.watch_custom_resources(kWidget, "", [](const runtime::Change& /*change*/) {});
  pool.api.put(json(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w",
                        "namespace":"shop"},"spec":{"color":"red"}})"));
  pool.sync();
  const Value cr = unpack_custom_resource(*pool.caches.custom_resource(widget()));
  CHECK(cr.string_at({"spec", "color"}) == "red");
}

TEST_CASE("A child triggers the custom resource that exists: in its namespace, or cluster-scoped") {
  Pool pool;
  pool.caches.watch_custom_resources(kWidget, "", [](const runtime::Change&) {});
  CW_MUST(pool.caches.watch_children(widget(), {map("m")}, std::stop_token()));
  pool.sync();
  pool.put_map("a", kOwned);
  CHECK(pool.take() == std::set{widget()});  // Neither is known: the next event decides.
  pool.api.put(json(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})"));
  pool.api.settle();
  pool.put_map("b", kOwned);
  CHECK(pool.take() == std::set{widget("")});
  pool.api.put(json(R"({"apiVersion":"example.com/v1","kind":"Widget",
                        "metadata":{"name":"w","namespace":"shop"}})"));
  pool.api.settle();
  pool.put_map("c", kOwned);
  CHECK(pool.take() == std::set{widget()});
}

TEST_CASE("A cluster-scoped child is seen also if namespaces are configured") {
  Pool pool({{"shop", "lab"}, {kWidgetChart}, {}});
  const kube::Gvk role{"rbac.authorization.k8s.io", "v1", "ClusterRole"};
  CW_MUST(pool.caches.watch_children(widget(), {{role, "", "r"}}, std::stop_token()));
  pool.api.put(json(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
    "metadata":{"name":"r","labels":{"helm.sdk.operatorframework.io/chart":"widget"}}})"));
  pool.sync();
  CHECK(pool.caches.live({role, "", "r"}));
  CHECK_FALSE(pool.caches.live({role, "", "other"}));
}

TEST_CASE("A Secret among related objects shows nothing of its content") {
  Pool pool;
  const bundle::RelatedQuery query{{"", "v1", "Secret"}, "", "app=db", {}};
  CW_MUST(pool.caches.watch_related(query));
  pool.sync();
  pool.api.put(json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s",
    "namespace":"shop","labels":{"app":"db"}},"data":{"k":"czNjcjN0"}})"));
  pool.api.settle();
  for (const Value& body : pool.related(query, "shop", "app=db")) {
    CHECK(CW_MUST(value::to_json(body)).find("czNjcjN0") == std::string::npos);
  }
}

TEST_CASE("A kind that cannot be watched is reported at once, with the server's error") {
  Pool pool;
  pool.api.refuse_watches("ConfigMap", Error(ErrorCode::kUnavailable, "no connection"));
  const auto status = pool.caches.watch_children(widget(), {map("m")}, std::stop_token());
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code() == ErrorCode::kUnavailable);
  CHECK_THAT(status.error().message(), Catch::Matchers::Contains("Kind=ConfigMap") &&
                                           Catch::Matchers::Contains("no connection"));
}

TEST_CASE("A child names its owner by reference or by annotations") {
  const auto owner = [](const std::string& metadata) {
    return owner_of(map("a"), json(R"({"metadata":)" + metadata + "}"));
  };
  CHECK(owner(R"({"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Widget","name":"w",
                 "uid":"u","controller":true}]})") == widget());
  CHECK_FALSE(owner(R"({"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Widget",
                       "name":"w","uid":"u"}]})"));
  CHECK(owner(R"({"annotations":{"operator-sdk/primary-resource":"far/w",
                 "operator-sdk/primary-resource-type":"Widget.example.com"}})") == widget("far"));
  CHECK(owner(R"({"annotations":{"operator-sdk/primary-resource":"/n",
                 "operator-sdk/primary-resource-type":"Namespace"}})") ==
        kube::ObjectRef{{"", "v1", "Namespace"}, "", "n"});
  CHECK_FALSE(owner(R"({"annotations":{"operator-sdk/primary-resource":"w",
                       "operator-sdk/primary-resource-type":"Widget.example.com"}})"));
  CHECK_FALSE(owner(R"({"annotations":{"operator-sdk/primary-resource":"far/w"}})"));
  CHECK_FALSE(owner("{}"));
}

}  // namespace
}  // namespace chartwright::observe
