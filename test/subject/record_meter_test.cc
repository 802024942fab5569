// SPDX-License-Identifier: Apache-2.0
#include "subject/record_meter.h"

#include <catch2/catch.hpp>

namespace chartwright::op {
namespace {

using value::Value;

TEST_CASE("Records are counted by the size that a Secret holds") {
  base::Metrics metrics;
  RecordMeter meter(metrics);
  meter.begin("Widget");
  for (const size_t encoded : {size_t{4000}, size_t{1300000}}) {
    meter.measure(
        "Widget",
        Value::dict(
            {{"data", Value::dict({{"release", Value::string(std::string(encoded, 'x'))}})}}));
  }
  const std::string text = metrics.expose();
  for (const char* sample :
       {"_bucket{kind=\"Widget\",le=\"16384\"} 1\n", "_bucket{kind=\"Widget\",le=\"917504\"} 1\n",
        "_count{kind=\"Widget\"} 2\n", "_sum{kind=\"Widget\"} 978000\n"}) {
    CAPTURE(sample, text);
    CHECK(text.find("chartwright_record_bytes" + std::string(sample)) != std::string::npos);
  }
}

}  // namespace
}  // namespace chartwright::op
