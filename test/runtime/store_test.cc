// SPDX-License-Identifier: Apache-2.0
#include "runtime/store.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "value/json.h"

namespace chartwright::runtime {
namespace {

using Type = WatchEvent::Type;
using value::Value;

Value pod(const std::string& name, const std::string& version, const std::string& owner = "",
          const std::string& uid = "u") {
  const std::string owners = owner.empty() ? "[]" : R"([{"uid":")" + owner + R"("}])";
  return CW_MUST(value::parse_json(R"({"apiVersion":"v1","kind":"Pod","data":"x","metadata":{
      "namespace":"n","name":")" + name +
                                       R"(","uid":")" + uid + name + R"(","resourceVersion":")" +
                                       version + R"(","ownerReferences":)" + owners + "}}",
                                   value::Numbers::kInt64));
}

void relist(Store& store, const std::vector<Value>& objects, const std::string& version) {
  store.apply({Type::kInit, {}, {}});
  for (const Value& object : objects) {
    store.apply({Type::kInitApply, object, {}});
  }
  store.apply({Type::kInitDone, {}, version});
}

/// Records what a store reports to its listeners: "+a", "~a", "-a".
struct Journal {
  std::vector<std::string> lines;
  ChangeListener listener = [this](const Change& change) {
    const char* kept = change.after == nullptr ? "-" : "~";
    lines.push_back((change.before == nullptr ? "+" : kept) + change.ref.name);
  };
};

std::vector<std::string> names(const std::vector<Stored>& objects) {
  std::vector<std::string> all;
  for (const Stored& object : objects) {
    all.emplace_back(kube::name_of(*object));
  }
  return all;
}

using Lines = std::vector<std::string>;

TEST_CASE("The first list is not visible before it is complete") {
  Store store;
  store.apply({Type::kInit, {}, {}});
  store.apply({Type::kInitApply, pod("a", "1"), {}});
  CHECK_FALSE(store.has_synced());
  CHECK(store.size() == 0);
  CHECK(store.get("n", "a") == nullptr);
  store.apply({Type::kInitDone, {}, "5"});
  CHECK(store.has_synced());
  CHECK(store.size() == 1);
  CHECK(store.resource_version() == "5");
  CHECK(kube::resource_version_of(*store.get("n", "a")) == "1");
  CHECK(store.get("m", "a") == nullptr);
}

TEST_CASE("An empty list syncs too") {
  Store store;
  relist(store, {}, "1");
  CHECK(store.has_synced());
  CHECK(store.size() == 0);
}

TEST_CASE("A list that is older than what was seen makes everything new, also equal versions") {
  Store store;
  Journal journal;
  store.add_listener(journal.listener);
  relist(store, {pod("a", "3"), pod("b", "4")}, "9");
  CHECK(store.setbacks() == 0);
  journal.lines.clear();
  relist(store, {pod("a", "3"), pod("c", "5")}, "8");
  CHECK(store.setbacks() == 1);
  CHECK(journal.lines == Lines{"-a", "-b", "+a", "+c"});
  relist(store, {pod("a", "3"), pod("c", "5")}, "8");
  CHECK(store.setbacks() == 1);
}

TEST_CASE("A list with an object that is older than the known one is a setback, too") {
  Store store;
  relist(store, {pod("a", "3"), pod("b", "7")}, "9");
  relist(store, {pod("a", "3"), pod("b", "5")}, "20");
  CHECK(store.setbacks() == 1);
  CHECK(store.proven_setbacks() == 1);
  relist(store, {pod("a", "3"), pod("b", "5")}, "20");
  CHECK(store.setbacks() == 1);
}

TEST_CASE("After a restore, whatever is listed is new, though nothing in it proves that") {
  Store store;
  Journal journal;
  store.add_listener(journal.listener);
  relist(store, {pod("a", "3")}, "9");
  journal.lines.clear();
  store.expect_list(Outdated::kRestored);
  CHECK_FALSE(store.has_synced());
  relist(store, {pod("a", "3")}, "9");
  CHECK(store.has_synced());
  CHECK(journal.lines == Lines{"-a", "+a"});
  CHECK(store.setbacks() == 1);
  CHECK(store.proven_setbacks() == 0);
}

TEST_CASE("A list that had begun before another one was expected does not count") {
  Store store;
  relist(store, {pod("a", "3")}, "9");
  store.apply({Type::kInit, {}, {}});
  store.expect_list(Outdated::kBehind);
  store.apply({Type::kInitApply, pod("a", "4"), {}});
  store.apply({Type::kInitDone, {}, "10"});
  CHECK_FALSE(store.has_synced());
  CHECK(kube::resource_version_of(*store.get("n", "a")) == "3");
  relist(store, {pod("a", "5")}, "11");
  CHECK(store.has_synced());
  CHECK(kube::resource_version_of(*store.get("n", "a")) == "5");
}

TEST_CASE("A list whose version cannot be compared does not count as a setback") {
  Store store;
  relist(store, {}, "9");
  relist(store, {}, "");
  relist(store, {}, "x");
  relist(store, {}, "9");
  CHECK(store.setbacks() == 0);
}

TEST_CASE("A relist is swapped in as a whole, and listeners get the difference") {
  Store store;
  Journal journal;
  store.add_listener(journal.listener);
  relist(store, {pod("same", "1"), pod("old", "2"), pod("changed", "3")}, "3");
  CHECK(journal.lines == Lines{"+changed", "+old", "+same"});
  journal.lines.clear();
  const Stored same = store.get("n", "same");

  store.apply({Type::kInit, {}, {}});
  store.apply({Type::kInitApply, pod("new", "7"), {}});
  store.apply({Type::kInitApply, pod("same", "1"), {}});
  CHECK(names(store.list()) == Lines{"changed", "old", "same"});
  CHECK(journal.lines.empty());
  store.apply({Type::kInitApply, pod("changed", "8"), {}});
  store.apply({Type::kInitDone, {}, "9"});
  CHECK(names(store.list()) == Lines{"changed", "new", "same"});
  CHECK(journal.lines == Lines{"-old", "~changed", "+new"});
  CHECK(store.get("n", "same") == same);
}

TEST_CASE("A list that starts over discards the unfinished one") {
  Store store;
  store.apply({Type::kInit, {}, {}});
  store.apply({Type::kInitApply, pod("ghost", "1"), {}});
  relist(store, {pod("real", "2")}, "2");
  CHECK(names(store.list()) == Lines{"real"});
}

TEST_CASE("An object deleted while its list is streamed does not appear") {
  Store store;
  store.apply({Type::kInit, {}, {}});
  store.apply({Type::kInitApply, pod("a", "1"), {}});
  store.apply({Type::kInitApply, pod("b", "1"), {}});
  store.apply({Type::kDelete, pod("a", "2"), {}});
  store.apply({Type::kInitDone, {}, "2"});
  CHECK(names(store.list()) == Lines{"b"});
}

TEST_CASE("Changes are applied and reported one by one") {
  Store store;
  relist(store, {pod("a", "1")}, "1");
  Journal journal;
  store.add_listener(journal.listener);
  CHECK(journal.lines == Lines{"+a"});
  store.apply({Type::kApply, pod("b", "2"), {}});
  CHECK(store.resource_version() == "2");
  store.apply({Type::kApply, pod("a", "3"), {}});
  store.apply({Type::kDelete, pod("b", "4"), {}});
  store.apply({Type::kDelete, pod("unknown", "5"), {}});
  CHECK(journal.lines == Lines{"+a", "+b", "~a", "-b"});
  CHECK(store.resource_version() == "5");
  store.apply({Type::kProgress, {}, "90"});
  CHECK(store.resource_version() == "90");
  CHECK(journal.lines.size() == 4);
}

TEST_CASE("The same version twice is one change") {
  Store store;
  relist(store, {pod("a", "1")}, "1");
  Journal journal;
  store.add_listener(journal.listener);
  store.apply({Type::kApply, pod("a", "1"), {}});
  CHECK(journal.lines == Lines{"+a"});
}

TEST_CASE("An object recreated between two lists is reported as deleted and added") {
  Store store;
  relist(store, {pod("a", "1", "", "first")}, "1");
  Journal journal;
  store.add_listener(journal.listener);
  relist(store, {pod("a", "5", "", "second")}, "5");
  CHECK(journal.lines == Lines{"+a", "-a", "+a"});
}

TEST_CASE("Listeners see the store as it is after the change") {
  Store store;
  relist(store, {}, "1");
  std::vector<bool> visible;
  store.add_listener([&](const Change& change) {
    visible.push_back((store.get("n", change.ref.name) != nullptr) == (change.after != nullptr));
  });
  store.apply({Type::kApply, pod("a", "2"), {}});
  store.apply({Type::kDelete, pod("a", "3"), {}});
  CHECK(visible == std::vector<bool>{true, true});
}

TEST_CASE("Children are found by their owner's uid, as ownership changes") {
  Store store;
  relist(store, {pod("b", "1", "o1"), pod("a", "1", "o1"), pod("c", "1", "o2"), pod("d", "1")},
         "1");
  CHECK(names(store.by_owner("o1")) == Lines{"a", "b"});
  CHECK(names(store.by_owner("o2")) == Lines{"c"});
  CHECK(store.by_owner("none").empty());
  store.apply({Type::kApply, pod("a", "2", "o2"), {}});
  CHECK(names(store.by_owner("o1")) == Lines{"b"});
  CHECK(names(store.by_owner("o2")) == Lines{"a", "c"});
  store.apply({Type::kApply, pod("b", "3"), {}});
  CHECK(store.by_owner("o1").empty());
  store.apply({Type::kDelete, pod("c", "4"), {}});
  CHECK(names(store.by_owner("o2")) == Lines{"a"});
  relist(store, {pod("z", "9", "o1")}, "9");
  CHECK(store.by_owner("o2").empty());
  CHECK(names(store.by_owner("o1")) == Lines{"z"});
}

TEST_CASE("Listeners and the store get only what the transform keeps") {
  Store store([](Value object) {
    const Value kept = value::deep_copy(object);
    kept.mutable_dict().erase("data");
    return kept;
  });
  bool told_data = false;
  store.add_listener([&](const Change& change) {
    told_data = told_data || (change.after != nullptr && change.after->find("data") != nullptr);
  });
  relist(store, {pod("a", "1")}, "1");
  store.apply({Type::kApply, pod("b", "2"), {}});
  CHECK(store.get("n", "a")->find("data") == nullptr);
  CHECK(store.get("n", "b")->find("data") == nullptr);
  CHECK_FALSE(told_data);
}

}  // namespace
}  // namespace chartwright::runtime
