// SPDX-License-Identifier: Apache-2.0
#include "observe/related_objects.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "model/memory_server.h"
#include "release/observed.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::observe {
namespace {

using value::Value;
using value::testing::json;

const kube::ObjectRef kOne{{"example.com", "v1", "Widget"}, "shop", "one"};
const kube::ObjectRef kTwo{{"example.com", "v1", "Widget"}, "shop", "two"};
const kube::Gvk kClaim{"", "v1", "PersistentVolumeClaim"};

/// A source over a server in memory. It collects the readers that are triggered.
struct Library {
  model::MemoryServer api;
  base::SystemClock clock;
  runtime::InformerSet informers{api, clock,
                                 base::Logger({}, clock, [](std::string_view /*line*/) {})};
  base::Mutex mutex;
  std::set<kube::ObjectRef> triggered;
  RelatedSource source;

  explicit Library(std::vector<std::string> index_labels)
      : source(std::move(index_labels), [this](const kube::ObjectRef& reader, Urgency /*urgency*/) {
          base::MutexLock lock(mutex);
          triggered.insert(reader);
        }) {
    source.follow(*informers.get({kClaim, {}}, [](const Value& object) {
      return release::condense(object, release::KeepBody::kYes);
    }));
    CW_MUST(informers.wait_synced(std::stop_token(), std::chrono::seconds(10)));
  }
  ~Library() { informers.stop(); }

  void put(const std::string& name, const std::string& labels, const std::string& ns = "shop") {
    api.put(json(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":")" +
                 name + R"(","namespace":")" + ns + R"(","labels":)" + labels + "}}"));
    api.settle();
  }
  void erase(const std::string& name) {
    api.erase({kClaim, "shop", name});
    api.settle();
  }
  std::vector<std::string> read(const kube::ObjectRef& reader, std::string_view selector,
                                const std::string& entry = "claims") {
    std::vector<std::string> names;
    for (const runtime::Stored& stored :
         source.read({reader, entry}, reader.ns, CW_MUST(kube::LabelSelector::parse(selector)))) {
      names.emplace_back(kube::name_of(*stored));
    }
    return names;
  }
  std::set<kube::ObjectRef> take() {
    base::MutexLock lock(mutex);
    return std::exchange(triggered, {});
  }
};

using Names = std::vector<std::string>;
using Refs = std::set<kube::ObjectRef>;

TEST_CASE("A reader finds the objects with all its labels, by name, in its namespace") {
  Library library({"app", "instance"});
  library.put("b", R"({"instance":"one","app":"db"})");
  library.put("a", R"({"instance":"one","app":"db"})");
  library.put("web", R"({"instance":"one","app":"web"})");
  library.put("c", R"({"instance":"two","app":"db"})");
  library.put("far", R"({"instance":"one","app":"db"})", "elsewhere");
  CHECK(library.read(kOne, "app=db,instance=one") == Names{"a", "b"});
  CHECK(library.read(kTwo, "app=db,instance=two") == Names{"c"});
  CHECK(library.read(kOne, "app=db,instance=none").empty());
}

TEST_CASE("Only the readers that a change concerns are triggered") {
  Library library({"instance"});
  library.read(kOne, "instance=one");
  library.read(kTwo, "instance=two");
  library.put("a", R"({"instance":"one"})");
  CHECK(library.take() == Refs{kOne});
  library.put("a", R"({"instance":"one","more":"x"})");
  CHECK(library.take() == Refs{kOne});
  SECTION("both sides of a move hear of it") {
    library.put("a", R"({"instance":"two"})");
    CHECK(library.take() == Refs{kOne, kTwo});
    CHECK(library.read(kOne, "instance=one").empty());
    CHECK(library.read(kTwo, "instance=two") == Names{"a"});
  }
  SECTION("a deletion triggers as a creation does") {
    library.erase("a");
    CHECK(library.take() == Refs{kOne});
    CHECK(library.read(kOne, "instance=one").empty());
  }
  SECTION("a change that concerns no reader triggers none") {
    library.put("x", R"({"instance":"three"})");
    library.put("y", "{}");
    library.put("a2", R"({"instance":"one"})", "elsewhere");
    CHECK(library.take().empty());
  }
}

TEST_CASE("A reader that selects other objects is no longer triggered by the old ones") {
  Library library({"instance"});
  library.read(kOne, "instance=one");
  library.read(kOne, "instance=two");
  library.put("a", R"({"instance":"one"})");
  CHECK(library.take().empty());
  library.put("b", R"({"instance":"two"})");
  CHECK(library.take() == Refs{kOne});
}

TEST_CASE("A reader that is forgotten is not triggered; others are") {
  Library library({"instance"});
  library.read(kOne, "instance=one");
  library.read(kTwo, "instance=one");
  library.source.forget(kOne);
  library.source.forget(kOne);
  library.put("a", R"({"instance":"one"})");
  CHECK(library.take() == Refs{kTwo});
  library.source.forget(kTwo);
  library.put("b", R"({"instance":"one"})");
  CHECK(library.take().empty());
}

TEST_CASE("Two entries of one custom resource are both read, and both trigger it") {
  Library library({"instance"});
  library.read(kOne, "instance=one", "mine");
  library.read(kOne, "instance=two", "theirs");
  library.put("a", R"({"instance":"one"})");
  CHECK(library.take() == Refs{kOne});
  library.put("b", R"({"instance":"two"})");
  CHECK(library.take() == Refs{kOne});
  library.source.forget(kOne);
  library.put("a", "{}");
  library.put("b", "{}");
  CHECK(library.take().empty());
}

TEST_CASE("Without index labels the objects of a namespace are one group") {
  Library library({});
  library.put("a", R"({"app":"db"})");
  library.put("b", "{}");
  CHECK(library.read(kOne, "") == Names{"a", "b"});
  library.take();
  library.put("c", "{}");
  CHECK(library.take() == Refs{kOne});
}

TEST_CASE("Drift is repaired at once, and a status follows what changes often more slowly") {
  CHECK(delay_of(Urgency::kNow) == base::Duration::zero());
  CHECK(delay_of(Urgency::kSoon) > base::Duration::zero());
  CHECK(delay_of(Urgency::kSoon) <= std::chrono::seconds(1));
  CHECK(delay_of(Urgency::kLate) == std::chrono::seconds(30));
}

}  // namespace
}  // namespace chartwright::observe
