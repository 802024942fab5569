// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/mutex.h"
#include "external/runner.h"
#include "host/host.h"
#include "test/base/manual_clock.h"
#include "test/external/files.h"
#include "test/fakeapi/fake_server.h"
#include "value/json.h"

namespace chartwright::external::testing {

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
  /// From now on, calls are refused without this bearer token.
  void want_token(const std::string& token) {
    base::MutexLock lock(mutex_);
    token_ = token;
  }
  /// The next creates are answered with these statuses, or cut off (0); with `acts`, after they
  /// took effect.
  void answer_creates(std::vector<int> statuses, Cut acts = Cut::kBefore) {
    base::MutexLock lock(mutex_);
    statuses_ = {statuses.begin(), statuses.end()};
    acts_ = acts;
  }
  /// From now on, creates go on after they are cut off, until they finish. Meanwhile, those with
  /// the same key get this status, and after it the reply of the first.
  void work_slowly(int status) {
    base::MutexLock lock(mutex_);
    meanwhile_ = status;
  }
  void finish() {
    base::MutexLock lock(mutex_);
    meanwhile_ = 0;
    for (auto& [key, create] : creates_) {
      create.reply = create.reply.empty() ? act(create.request) : create.reply;
    }
  }
  std::atomic<bool> in_turn{false};   ///< Something is rendered.
  std::atomic<int> calls_in_turn{0};  ///< That came meanwhile.

  size_t count(const std::string& method) const {
    size_t found = 0;
    for (const auto& request : server_.requests()) {
      found += request.method == method ? 1 : 0;
    }
    return found;
  }

 private:
  void handle(const fakeapi::SeenRequest& request, fakeapi::Reply& reply) {
    calls_in_turn += in_turn ? 1 : 0;
    base::MutexLock lock(mutex_);
    const bool cut = scissors_.next();
    if (cut && scissors_.cut == Cut::kBefore) {
      reply.cut();
      return;
    }
    const auto shown = request.headers.find("authorization");
    if (!token_.empty() &&
        (shown == request.headers.end() || shown->second != "Bearer " + token_)) {
      answer(reply, 401, "{}");
      return;
    }
    if (is_create(request) && !statuses_.empty()) {
      const int status = statuses_.front();
      statuses_.pop_front();
      if (acts_ == Cut::kAfter) {
        act(request);
      }
      answer(reply, status, "{}");
      return;
    }
    if (is_create(request) && (meanwhile_ != 0 || !creates_.empty())) {
      create_once(request, reply);
      return;
    }
    const std::string body = act(request);
    answer(reply, cut ? 0 : 200, body);
  }
  static bool is_create(const fakeapi::SeenRequest& request) {
    return request.method == "POST" || (request.method == "PUT" && request.target == "/items/new");
  }
  static void answer(fakeapi::Reply& reply, int status, const std::string& body) {
    if (status == 0) {
      reply.cut();
    } else {
      reply.send(status, body);
    }
  }
  // Source: draft-ietf-httpapi-idempotency-key-header, section 2.6.
  void create_once(const fakeapi::SeenRequest& request, fakeapi::Reply& reply) CW_REQUIRES(mutex_) {
    const auto [known, is_new] = creates_.try_emplace(request.headers.at("idempotency-key"));
    if (is_new) {
      known->second.request = request;
      known->second.reply = meanwhile_ == 0 ? act(request) : "";
      answer(reply, meanwhile_ == 0 ? 200 : 0, known->second.reply);
    } else if (known->second.request.body != request.body) {
      answer(reply, 422, "{}");
    } else if (known->second.reply.empty()) {
      answer(reply, meanwhile_, "{}");
    } else {
      answer(reply, 200, known->second.reply);
    }
  }
  std::string act(const fakeapi::SeenRequest& request) CW_REQUIRES(mutex_) {
    const std::string id = request.target.substr(request.target.rfind('/') + 1);
    const auto name = [&request] {
      return std::string(
          CW_MUST(value::parse_json(request.body, value::Numbers::kInt64)).string_at({"name"}));
    };
    if (is_create(request)) {
      const std::string made = id == "new" ? id : "id-" + std::to_string(++made_);
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
  std::deque<int> statuses_ CW_GUARDED_BY(mutex_);
  Cut acts_ CW_GUARDED_BY(mutex_) = Cut::kBefore;
  int meanwhile_ CW_GUARDED_BY(mutex_) = 0;
  std::string token_ CW_GUARDED_BY(mutex_);
  struct Create {
    fakeapi::SeenRequest request;
    std::string reply;  ///< Empty: it has not finished.
  };
  std::map<std::string, Create> creates_ CW_GUARDED_BY(mutex_);  ///< By their keys.
  fakeapi::FakeServer server_{[this](const fakeapi::SeenRequest& request, fakeapi::Reply& reply) {
    handle(request, reply);
  }};
};

/// A custom resource with one external, and a process that keeps it.
class Desk final : public Surroundings {
 public:
  std::string name = "thor";
  Records stored;  ///< In the status.
  Records copied;  ///< Beside it.
  bool is_signed = false;
  bool held = false;
  std::map<std::string, std::string> decided;
  std::map<std::string, std::string> secrets;  ///< Their tokens.
  bool is_author_trusted = false;
  std::set<std::string> others;
  Scissors scissors;
  Shelf shelf{scissors};
  base::ManualClock clock;
  bool saved_before_hold = false;

  Desk() : externals_(CW_MUST(load({{"a.yaml", file("item", shelf.url())}}))) {}
  /// Changes the file of the external.
  void replace(const std::string& old, const std::string& with) {
    std::string text = file("item", shelf.url());
    text.replace(text.find(old), old.size(), with);
    externals_ = CW_MUST(load({{"a.yaml", text}}));
  }

  base::Status run(Goal goal = Goal::kPresent) {
    Runner runner(externals_, records, memory_, *this, {connections_, clock, log_, call_, "uid"});
    base::Status done = goal == Goal::kPresent ? runner.bring_about() : runner.remove();
    CHECK(shelf.calls_in_turn == 0);  // Nobody renders while a server is waited for.
    return done;
  }
  /// The process ends; another one reads the status.
  void restart() {
    records = stored;
    memory_ = {};
    ours.clear();
  }
  /// Another process finds a status without records, and a sign that it had some.
  void lose_status() {
    stored.clear();
    restart();
    records["item"] = presumed_record(clock.wall());
  }
  /// Runs again and again for as long as a lost create is searched for, and longer. Returns the
  /// last error.
  std::string run_on() {
    std::string said;
    for (int i = 0; i < 6; ++i) {
      const auto done = run();
      said = done.ok() ? "" : done.error().message();
      clock.advance(std::chrono::seconds(1));
    }
    return said;
  }
  /// Runs until one succeeds.
  void converge(Goal goal = Goal::kPresent) {
    for (int i = 0; i < 20; ++i) {
      if (run(goal).ok()) {
        stored = records;  // As the last writes of a reconcile do.
        copied = records;
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
    shelf.in_turn = true;
    base::Status done = work(helm::RenderContext{.host = host_, .clock = clock});
    shelf.in_turn = false;
    return done;
  }
  base::Result<Value> secret(const std::string& secret) override {
    const auto found = secrets.find(secret);
    if (found == secrets.end()) {
      return Error(ErrorCode::kNotFound, "no Secret " + secret);
    }
    return Value::dict(
        {{"data", Value::dict({{"token", Value::string(base::base64_encode(found->second))}})}});
  }
  base::Status hold() override {
    return step([this] { held = true; });
  }
  base::Status save() override {
    saved_before_hold = saved_before_hold || !held;
    return step([this] { stored = records; });
  }
  base::Result<Copied> copy(const std::string& external, Surprise surprise) override {
    const bool knows = copied.contains(external) && !copied.at(external).empty();
    if (knows && surprise == Surprise::kPossible && !ours.contains(external)) {
      return Copied::kKnowsMore;
    }
    CW_TRY_VOID(step([this, &external] {
      copied = records;
      ours.insert(external);
    }));
    return Copied::kYes;
  }
  base::Result<std::optional<Record>> vouched(const std::string& external) override {
    const bool knows = is_signed && copied.contains(external);
    return knows ? std::optional<Record>(copied.at(external)) : std::nullopt;
  }
  std::set<std::string> ids_of_others(const std::string& /*external*/) override { return others; }
  std::optional<std::string> decided_id(const std::string& external) override {
    const auto found = decided.find(external);
    return found == decided.end() ? std::nullopt : std::optional<std::string>(found->second);
  }
  bool trusts_author() const override { return is_author_trusted; }

  Records records;
  std::set<std::string> ours;  ///< Externals whose copy this process has written.

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
  std::vector<External> externals_;
};

}  // namespace chartwright::external::testing
