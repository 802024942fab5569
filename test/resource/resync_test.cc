// SPDX-License-Identifier: Apache-2.0
#include "resource/resync.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "test/value/json_text.h"

namespace chartwright::op {
namespace {

TEST_CASE(
    "The period of resyncs is that of the custom resource, of its watch, or of the command line") {
  bundle::Watch watch;
  const value::Value plain = value::testing::json(R"({"metadata":{"name":"w"}})");
  CHECK(CW_MUST(resync_period(plain, watch, std::chrono::seconds(5))) == std::chrono::seconds(5));
  watch.reconcile_period = std::chrono::seconds(7);
  CHECK(CW_MUST(resync_period(plain, watch, std::chrono::seconds(5))) == std::chrono::seconds(7));
  const value::Value annotated = value::testing::json(R"({"metadata":{"annotations":{
    "helm.sdk.operatorframework.io/reconcile-period":"1h"}}})");
  CHECK(CW_MUST(resync_period(annotated, watch, {})) == std::chrono::hours(1));
}

TEST_CASE("Resyncs of custom resources that were reconciled together do not stay together") {
  const base::Duration period = std::chrono::minutes(1);
  constexpr size_t kMany = 100;
  std::set<base::Duration> periods;
  for (size_t i = 0; i < kMany; ++i) {
    const base::Duration one = spread_period(period, "uid-" + std::to_string(i));
    CHECK(one <= period);
    CHECK(one >= period - period / 10);
    CHECK(one == spread_period(period, "uid-" + std::to_string(i)));
    periods.insert(one);
  }
  CHECK(periods.size() > kMany * 9 / 10);
  CHECK(*periods.rbegin() - *periods.begin() > std::chrono::seconds(5));
}

}  // namespace
}  // namespace chartwright::op
