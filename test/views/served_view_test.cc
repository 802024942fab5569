// SPDX-License-Identifier: Apache-2.0
#include "views/served_view.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "test/fakeapi/scripted_client.h"
#include "test/views/discovered_kinds.h"
#include "test/views/parts.h"

namespace chartwright::views {
namespace {

constexpr base::Duration kSeconds = std::chrono::seconds(10);
const kube::Gvk kConfigMap = {"", "v1", "ConfigMap"};

/// A view whose thread can follow its source.
struct Followed {
  /// Waits until the view has looked for its source in vain, and has it look again.
  void look_again() {
    clock.await_waiters(1);
    clock.advance(kSeconds);
  }

  const View view = paint_view();
  base::ManualClock clock;
  std::vector<std::string> lines;
  base::Logger log{{}, clock, [this](std::string_view line) { lines.emplace_back(line); }};
  DiscoveredKinds cluster{clock};
  fakeapi::ScriptedClient client;
  ServedView served{view, client, cluster.mapper, clock, log};
};

}  // namespace

TEST_CASE("A view waits for its source, and follows it when it comes") {
  Followed paints;
  REQUIRE(paints.served.start().ok());
  paints.look_again();
  paints.clock.await_waiters(1);
  CHECK(paints.served.has_no_objects());
  CHECK(paints.served.has_settled());
  CHECK(paints.served.usable().error().http_status() == 503);
  CHECK(paints.served.usable().error().message() ==
        "the source of paints.paint.example.com: source.kind: the API server does not serve v1, "
        "kind ConfigMap");
  CHECK(paints.client.asked().empty());
  // With the wrong scope it is as good as absent: no object of it is in a namespace.
  paints.cluster.add(kConfigMap, "Cluster");
  paints.look_again();
  paints.clock.await_waiters(1);
  CHECK(paints.served.has_no_objects());
  CHECK(paints.served.usable().error().http_status() == 503);
  paints.cluster.add(kConfigMap);
  paints.look_again();
  paints.client.await_end();
  CHECK(paints.served.usable().ok());
  CHECK_FALSE(paints.served.has_settled());
  // Each cause is logged once.
  CHECK(std::ranges::count_if(paints.lines, [](const std::string& line) {
          return line.find("A view waits for its source") != std::string::npos;
        }) == 2);
}

TEST_CASE("A discovery that fails does not say that a source is absent") {
  Followed paints;
  paints.cluster.answer_with(404);
  REQUIRE(paints.served.start().ok());
  paints.clock.await_waiters(1);
  CHECK(paints.served.usable().error().http_status() == 503);
  CHECK_FALSE(paints.served.has_no_objects());
}

TEST_CASE("A source that cannot be read keeps nobody waiting") {
  Followed paints;
  paints.cluster.add(kConfigMap);
  const auto forbidden = base::Error(base::ErrorCode::kForbidden, "no").with_http(403, "Forbidden");
  paints.client.on_watch(
      [=](const kube::WatchOptions&, const kube::WatchSink&) { return forbidden; });
  paints.client.on_list([=](const kube::ListOptions&) { return forbidden; });
  REQUIRE(paints.served.start().ok());
  paints.clock.await_waiters(1);
  CHECK(paints.served.has_settled());
  CHECK_FALSE(paints.served.feed().has_synced());
  CHECK_FALSE(paints.served.has_no_objects());
}

}  // namespace chartwright::views
