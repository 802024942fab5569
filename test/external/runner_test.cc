// SPDX-License-Identifier: Apache-2.0
// Externals against a server in memory, cut off at every step.
#include "external/runner.h"

#include <catch2/catch.hpp>

#include "base/mutex.h"
#include "host/host.h"
#include "test/base/manual_clock.h"
#include "test/external/files.h"
#include "test/fakeapi/fake_server.h"
#include "value/json.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

/// The fault of a step.
enum class Cut : uint8_t {
  kBefore,  ///< The step does not take place.
  kAfter,   ///< It does, and nobody hears of it.
};

/// Counts the steps of a scenario, and cuts one of them.
struct Scissors {
  int steps = 0;
  int at = -1;
  Cut cut = Cut::kBefore;
  bool next() { return steps++ == at; }
};

/// A server of items in memory.
class Shelf {
 public:
  explicit Shelf(Scissors& scissors) : scissors_(scissors) {}

  std::string url() const { return server_.url(); }
  std::map<std::string, std::string> items() {
    base::MutexLock lock(mutex_);
    return items_;
  }
  void put(const std::string& id, const std::string& name) {
    base::MutexLock lock(mutex_);
    items_[id] = name;
  }
  void clear() {
    base::MutexLock lock(mutex_);
    items_.clear();
  }
  size_t count(const std::string& method) const {
    size_t found = 0;
    for (const auto& request : server_.requests()) {
      found += request.method == method ? 1 : 0;
    }
    return found;
  }

 private:
  void handle(const fakeapi::SeenRequest& request, fakeapi::Reply& reply) {
    base::MutexLock lock(mutex_);
    const bool cut = scissors_.next();
    if (cut && scissors_.cut == Cut::kBefore) {
      reply.cut();
      return;
    }
    const std::string body = act(request);
    if (cut) {
      reply.cut();
      return;
    }
    reply.send(200, body);
  }
  std::string act(const fakeapi::SeenRequest& request) CW_REQUIRES(mutex_) {
    const std::string id = request.target.substr(request.target.rfind('/') + 1);
    const auto name = [&request] {
      return std::string(
          CW_MUST(value::parse_json(request.body, value::Numbers::kInt64)).string_at({"name"}));
    };
    if (request.method == "POST") {
      const std::string made = "id-" + std::to_string(++made_);
      items_[made] = name();
      return R"({"id":")" + made + "\"}";
    }
    if (request.method == "PUT") {
      items_[id] = name();
    } else if (request.method == "DELETE") {
      items_.erase(id);
    }
    std::string all;
    for (const auto& [key, text] : items_) {
      all +=
          std::string(all.empty() ? "" : ",") + R"({"id":")" + key + R"(","name":")" + text + "\"}";
    }
    return R"({"items":[)" + all + "]}";
  }

  Scissors& scissors_;
  base::Mutex mutex_;
  std::map<std::string, std::string> items_ CW_GUARDED_BY(mutex_);
  int made_ CW_GUARDED_BY(mutex_) = 0;
  fakeapi::FakeServer server_{[this](const fakeapi::SeenRequest& request, fakeapi::Reply& reply) {
    handle(request, reply);
  }};
};

/// A custom resource with one external, and a process that keeps it.
class Desk final : public Surroundings {
 public:
  std::string name = "thor";
  Records stored;  ///< In the status.
  bool held = false;
  std::map<std::string, std::string> decided;
  std::set<std::string> others;
  Scissors scissors;
  Shelf shelf{scissors};
  base::ManualClock clock;
  bool saved_before_hold = false;

  Desk() : externals_(CW_MUST(testing::load({{"a.yaml", testing::file("item", shelf.url())}}))) {}

  base::Status run(Goal goal = Goal::kPresent) {
    Runner runner(externals_, records, memory_, *this, {connections_, clock, log_, call_, "uid"});
    return goal == Goal::kPresent ? runner.bring_about() : runner.remove();
  }
  /// The process ends; another one reads the status.
  void restart() {
    records = stored;
    memory_ = {};
  }
  /// Runs until one succeeds.
  void converge(Goal goal = Goal::kPresent) {
    for (int i = 0; i < 20; ++i) {
      if (run(goal).ok()) {
        stored = records;  // As the last write of a reconcile does.
        return;
      }
      clock.advance(std::chrono::seconds(1));
    }
    FAIL("no end");
  }
  std::string id() const { return records.at("item").id; }

  base::Result<Value> scope() override {
    return Value::dict({{"Values", Value::dict({{"name", Value::string(name)}})}});
  }
  base::Status in_turn(const Work& work) override {
    return work(helm::RenderContext{.host = host_, .clock = clock});
  }
  base::Result<Value> secret(const std::string& secret) override {
    return Error(ErrorCode::kNotFound, "no Secret " + secret);
  }
  base::Status hold() override {
    return step([this] { held = true; });
  }
  base::Status save() override {
    saved_before_hold = saved_before_hold || !held;
    return step([this] { stored = records; });
  }
  std::set<std::string> ids_of_others(const std::string& /*external*/) override { return others; }
  std::optional<std::string> decided_id(const std::string& external) override {
    const auto found = decided.find(external);
    return found == decided.end() ? std::nullopt : std::optional<std::string>(found->second);
  }

  Records records;

 private:
  template <typename Effect>
  base::Status step(Effect effect) {
    const bool cut = scissors.next();
    if (!cut || scissors.cut == Cut::kAfter) {
      effect();
    }
    return cut ? base::Status(Error(ErrorCode::kCancelled, "cut")) : base::Status();
  }

  host::SystemHost host_{clock};
  base::Logger log_{{}, clock, [](std::string_view /*line*/) {}};
  kube::Call call_;
  base::SystemClock system_;  ///< Pauses between repeated calls take real time.
  Connections connections_{system_};
  Memory memory_;
  const std::vector<External> externals_;
};

TEST_CASE("An object is created after finalizer and intent are stored") {
  Desk desk;
  desk.converge();
  CHECK(desk.held);
  CHECK_FALSE(desk.saved_before_hold);
  CHECK(desk.id() == "id-1");
  CHECK(desk.stored == desk.records);
  CHECK(desk.shelf.items() == std::map<std::string, std::string>{{"id-1", "thor"}});
  CHECK(desk.shelf.count("GET") == 0);
  desk.converge();
  CHECK(desk.shelf.count("GET") == 1);
  CHECK(desk.shelf.count("PUT") == 0);
}

TEST_CASE("A renamed object keeps its id") {
  Desk desk;
  desk.converge();
  desk.name = "thorbert";
  desk.converge();
  CHECK(desk.id() == "id-1");
  CHECK(desk.shelf.items() == std::map<std::string, std::string>{{"id-1", "thorbert"}});
}

TEST_CASE("An object that is gone is made again") {
  Desk desk;
  desk.converge();
  desk.shelf.clear();
  desk.converge();
  CHECK(desk.id() == "id-2");
  CHECK(desk.shelf.items().size() == 1);
}

// Cuts step `at` of create, rename and delete, with the process going on or replaced, and with
// another name after the cut. Returns the number of steps.
int steps_of(int at, Cut cut, bool restarted, const std::string& name_after) {
  Desk desk;
  desk.scissors.at = at;
  desk.scissors.cut = cut;
  INFO("step " << at << (cut == Cut::kAfter ? " took place" : " did not take place")
               << (restarted ? ", restart" : "") << ", then " << name_after);
  const bool first = desk.run().ok();
  if (first) {
    desk.stored = desk.records;
    desk.name = "thorbert";
    const bool second = desk.run().ok();
    if (second) {
      desk.stored = desk.records;
    }
  }
  if (restarted) {
    desk.restart();
  }
  desk.name = name_after;
  desk.converge();
  CHECK(desk.shelf.items() == std::map<std::string, std::string>{{desk.id(), name_after}});
  desk.converge(Goal::kAbsent);
  CHECK(desk.shelf.items().empty());
  CHECK(to_status(desk.records).is_nil());
  return desk.scissors.steps;
}

TEST_CASE("Cut off at any step there is one object in the end, with the right id") {
  const int steps = steps_of(-1, Cut::kBefore, false, "thor");
  CHECK(steps >= 10);
  for (int at = 0; at < steps; ++at) {
    for (const Cut cut : {Cut::kBefore, Cut::kAfter}) {
      for (const bool restarted : {false, true}) {
        for (const std::string name : {"thor", "thorbert", "loki"}) {
          steps_of(at, cut, restarted, name);
        }
      }
    }
  }
}

TEST_CASE("A deletion that is cut off at any step goes on") {
  for (int at = 4; at < 9; ++at) {
    for (const Cut cut : {Cut::kBefore, Cut::kAfter}) {
      Desk desk;
      desk.converge();
      desk.scissors.at = at;
      desk.scissors.cut = cut;
      if (!desk.run(Goal::kAbsent).ok()) {
        desk.restart();
        desk.converge(Goal::kAbsent);
      }
      CHECK(desk.shelf.items().empty());
    }
  }
}

TEST_CASE("Objects of others are not taken, and doubtful ones are left to a person") {
  Desk desk;
  desk.scissors.at = 2;  // The create.
  desk.scissors.cut = Cut::kAfter;
  desk.shelf.put("foreign", "thor");
  CHECK_FALSE(desk.run().ok());
  desk.restart();

  SECTION("known to be another's") {
    desk.others = {"foreign"};
    desk.converge();
    CHECK(desk.id() == "id-1");
  }
  SECTION("not known to be anybody's") {
    const auto held = desk.run();
    REQUIRE_FALSE(held.ok());
    CHECK(held.error().code() == ErrorCode::kOwnership);
    CHECK(desk.records.at("item").held.find("2 objects may be the one: foreign, id-1") !=
          std::string::npos);
    CHECK(desk.shelf.count("POST") == 1);
    desk.decided["item"] = "id-1";
    desk.converge();
    CHECK(desk.id() == "id-1");
    CHECK(desk.records.at("item").held.empty());
  }
  SECTION("and a person may know that nothing was made") {
    desk.decided["item"] = "none";
    CHECK(desk.run().ok());
    CHECK(desk.id() == "id-2");
  }
}

TEST_CASE("The annotated id names no object") {
  Desk desk;
  desk.scissors.at = 2;
  desk.shelf.put("a", "thor");
  desk.shelf.put("b", "thor");
  CHECK_FALSE(desk.run().ok());
  desk.decided["item"] = "gone";
  desk.converge();
  CHECK(desk.id() == "id-1");
}

}  // namespace
}  // namespace chartwright::external
