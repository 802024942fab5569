// SPDX-License-Identifier: Apache-2.0
#include "observe/child_watches.h"

#include <catch2/catch.hpp>

#include "model/memory_server.h"
#include "test/value/json_text.h"

namespace chartwright::observe {
namespace {

using Strings = std::vector<std::string>;

const kube::ObjectRef kElder{{"example.com", "v1", "Widget"}, "shop", "one"};
const kube::ObjectRef kYounger{{"example.com", "v1", "Widget"}, "shop", "two"};
const kube::Gvk kVersion1{"autoscaling", "v1", "HorizontalPodAutoscaler"};
const kube::Gvk kVersion2{"autoscaling", "v2", "HorizontalPodAutoscaler"};

/// Watches of children in two namespaces of a server in memory.
struct Nursery {
  model::MemoryServer api;
  base::SystemClock clock;
  runtime::InformerSet informers{api, clock,
                                 base::Logger({}, clock, [](std::string_view /*line*/) {})};
  base::Mutex mutex;
  std::vector<kube::ObjectRef> changed;
  ChildWatches watches{
      informers, {{"shop", "mall"}, "chart=c", nullptr}, [this](const runtime::Change& change) {
        base::MutexLock lock(mutex);
        changed.push_back(change.ref);
      }};

  ~Nursery() { informers.stop(); }

  void follow(const kube::ObjectRef& cr, const std::vector<kube::Gvk>& kinds) {
    watches.follow(cr, kinds);
    CW_MUST(informers.wait_synced(std::stop_token(), std::chrono::seconds(10)));
  }
  /// Returns the versions and namespaces in which a child like that is looked at.
  std::vector<std::string> versions(const kube::Gvk& gvk, const std::string& ns) const {
    std::vector<std::string> found;
    for (const auto& informer : watches.looking_at({gvk, ns, "a"})) {
      found.push_back(informer->gvk().version);
    }
    return found;
  }
};

TEST_CASE("A child is read in its own version, and in another one where that is not watched") {
  Nursery nursery;
  CHECK(nursery.versions(kVersion2, "shop").empty());
  nursery.follow(kElder, {kVersion1});
  CHECK(nursery.versions(kVersion2, "shop") == Strings{"v1"});
  nursery.follow(kYounger, {kVersion2});
  CHECK(nursery.versions(kVersion2, "shop") == Strings{"v2"});
  CHECK(nursery.versions(kVersion1, "mall") == Strings{"v1"});
  CHECK(nursery.versions(kVersion1, "street").empty());
  CHECK(nursery.versions(kVersion1, "") == Strings{"v1", "v1"});  // Cluster-scoped: each has it.
}

TEST_CASE("Watches end with the last custom resource that needs them") {
  Nursery nursery;
  nursery.follow(kElder, {kVersion1, kVersion2});
  nursery.follow(kYounger, {kVersion1});
  nursery.watches.keep(kElder, {kVersion2});
  CHECK(nursery.versions(kVersion1, "shop") == Strings{"v1"});
  nursery.watches.keep(kYounger, {kVersion1});  // Nothing new.
  CHECK(nursery.versions(kVersion1, "shop") == Strings{"v1"});
  nursery.watches.keep(kYounger, {});
  CHECK(nursery.versions(kVersion1, "shop") == Strings{"v2"});
  nursery.watches.keep(kElder, {});
  CHECK(nursery.versions(kVersion1, "shop").empty());
  nursery.watches.keep(kElder, {});  // It is not known any more.
}

TEST_CASE("Children of an owner are found in every version that is watched") {
  Nursery nursery;
  nursery.follow(kElder, {kVersion1});
  nursery.api.put(value::testing::json(R"({"apiVersion":"autoscaling/v1",
    "kind":"HorizontalPodAutoscaler","metadata":{"name":"a","namespace":"shop",
    "labels":{"chart":"c"},"ownerReferences":[{"uid":"u"}]}})"));
  nursery.api.settle();
  CHECK(nursery.watches.owned("u").size() == 1);
  CHECK(nursery.watches.owned("other").empty());
  nursery.follow(kYounger, {kVersion2});
  CHECK(nursery.watches.owned("u").size() == 2);
  nursery.watches.keep(kElder, {});
  CHECK(nursery.watches.owned("u").size() == 1);
  base::MutexLock lock(nursery.mutex);
  CHECK(nursery.changed.size() == 2);
}

}  // namespace
}  // namespace chartwright::observe
