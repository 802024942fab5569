// SPDX-License-Identifier: Apache-2.0
#include "subject/event_recorder.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "model/memory_server.h"
#include "test/base/lines.h"
#include "test/base/manual_clock.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

Notice warning(const std::string& message, const std::string& name = "w") {
  return {{{"example.com", "v1", "Widget"}, "shop", name},
          "uid-" + name,
          "7",
          "widget-controller",
          NoticeType::kWarning,
          "OverrideValuesInUse",
          message};
}

/// The name of the Event about "w" that is created so many nanoseconds after the clock's start.
std::string event(int64_t nanoseconds) {
  const base::ManualClock clock;
  std::ostringstream name;
  name << "Event shop/w." << std::hex << clock.wall().time_since_epoch().count() + nanoseconds;
  return name.str();
}

/// A recorder over a server in memory. Its Events can be read once it has ended.
struct Newsroom {
  model::MemoryServer api;
  base::ManualClock clock;
  base::testing::Lines lines;
  base::Metrics metrics;
  base::Gauge& waiting = metrics.gauge({"waiting", ""});
  std::optional<EventRecorder> recorder;

  void open() {
    recorder.emplace(api, clock, waiting,
                     base::Logger({}, clock, [this](std::string_view line) { lines.add(line); }));
  }
  Newsroom() { open(); }
  /// The only Event.
  Value only() {
    const auto page = CW_MUST(api.list({"", "v1", "Event"}, kube::ListOptions{}, kube::Call{}));
    REQUIRE(page.items.size() == 1);
    return page.items.front();
  }
};

TEST_CASE("A warning becomes an Event about the custom resource") {
  Newsroom press;
  press.recorder->tell(warning("Chart value \"a\" overridden"));
  press.recorder->stop();
  const Value event = press.only();
  CHECK(event.string_at({"apiVersion"}) == "v1");
  CHECK(kube::namespace_of(event) == "shop");
  CHECK(kube::name_of(event).starts_with("w."));
  CHECK(CW_MUST(value::to_json(*event.find("involvedObject"))) ==
        R"({"apiVersion":"example.com/v1","kind":"Widget","name":"w","namespace":"shop",)"
        R"("resourceVersion":"7","uid":"uid-w"})");
  CHECK(event.string_at({"type"}) == "Warning");
  CHECK(event.string_at({"reason"}) == "OverrideValuesInUse");
  CHECK(event.string_at({"message"}) == "Chart value \"a\" overridden");
  CHECK(event.string_at({"source", "component"}) == "widget-controller");
  CHECK(event.find("count")->as_int() == 1);
  CHECK(event.string_at({"firstTimestamp"}) == base::format_rfc3339(press.clock.wall()));
  CHECK(event.string_at({"lastTimestamp"}) == event.string_at({"firstTimestamp"}));
}

TEST_CASE("An Event about a cluster-scoped object is in the namespace default") {
  Newsroom press;
  Notice about = warning("x");
  about.about.ns.clear();
  press.recorder->tell(about);
  press.recorder->stop();
  const Value event = press.only();
  CHECK(kube::namespace_of(event) == "default");
  CHECK(event.find_path({"involvedObject", "namespace"}) == nullptr);
}

TEST_CASE("A repeated warning raises the count of its Event") {
  Newsroom press;
  press.recorder->tell(warning("x"));
  Notice later = warning("x");
  later.resource_version = "8";
  press.recorder->tell(later);
  press.recorder->tell(later);
  press.recorder->stop();
  CHECK(press.only().find("count")->as_int() == 3);
}

TEST_CASE("Another text, or another custom resource, makes another Event") {
  Newsroom press;
  press.recorder->tell(warning("x"));
  press.recorder->tell(warning("y"));
  press.recorder->tell(warning("x", "v"));
  press.recorder->stop();
  CHECK(press.api.count("Event") == 3);
}

TEST_CASE("An Event that has expired is followed by a new one") {
  Newsroom press;
  press.api.fail_once("patch " + event(0), Error(ErrorCode::kNotFound, "expired"));
  press.recorder->tell(warning("x"));
  press.recorder->tell(warning("x"));
  press.recorder->tell(warning("x"));
  press.recorder->stop();
  CHECK(press.api.whats() == std::vector{"create " + event(0), "patch " + event(0),
                                         "create " + event(1), "patch " + event(1)});
}

TEST_CASE("One custom resource gets a burst of Events, and then few") {
  Newsroom press;
  for (int i = 0; i < 40; ++i) {
    press.recorder->tell(warning("same"));
  }
  press.recorder->tell(warning("same", "other"));
  press.recorder->stop();
  size_t written = 0;
  for (const std::string& call : press.api.whats()) {
    written += call.find("Event shop/w.") != std::string::npos ? 1U : 0U;
  }
  CHECK(written == 25);
}

TEST_CASE("A long message is cut between characters") {
  Newsroom press;
  std::string message(1020, 'x');
  for (int i = 0; i < 10; ++i) {
    message += "\xc3\xa4";
  }
  press.recorder->tell(warning(message));
  press.recorder->stop();
  CHECK(press.only().string_at({"message"}) == std::string(1020, 'x') + "...");
}

TEST_CASE("An Event for the longest name has a name that an object can have") {
  Newsroom press;
  press.recorder->tell(warning("x", std::string(230, 'a') + "." + std::string(22, 'b')));
  press.recorder->stop();
  const std::string name(kube::name_of(press.only()));
  CHECK(name.size() <= 253);
  CHECK(name.find("..") == std::string::npos);
}

TEST_CASE("An Event that cannot be written is logged, and the next one is tried") {
  Newsroom press;
  press.api.fail_once("create " + event(0), Error(ErrorCode::kForbidden, "no"));
  press.api.fail_once("patch " + event(1), Error(ErrorCode::kUnavailable, "later"));
  for (int i = 0; i < 4; ++i) {
    press.recorder->tell(warning("x"));
  }
  press.recorder->stop();
  CHECK(press.lines.mention("Event could not be written"));
  CHECK(press.lines.mention("Event could not be updated"));
  CHECK(press.api.whats() == std::vector{"create " + event(0), "create " + event(1),
                                         "patch " + event(1), "create " + event(2)});
}

TEST_CASE("A notice counts as waiting until its Event is written") {
  Newsroom press;
  std::string seen;
  press.api.once("create " + event(0), [&] {
    seen = press.metrics.expose();
    return std::nullopt;
  });
  press.recorder->tell(warning("x"));
  press.recorder->stop();
  CHECK(seen.find("\nwaiting 1\n") != std::string::npos);
  CHECK(press.metrics.expose().find("\nwaiting 0\n") != std::string::npos);
}

TEST_CASE("A stop that is cut short writes nothing more") {
  Newsroom press;
  std::stop_source cut;
  cut.request_stop();
  press.recorder->stop(cut.get_token());
  press.recorder->tell(warning("x"));  // After the end: logged.
  CHECK(press.api.whats().empty());
  CHECK(press.lines.mention("Event is dropped"));
}

}  // namespace
}  // namespace chartwright::op
