// SPDX-License-Identifier: Apache-2.0
#include "runtime/exposition.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::runtime {
namespace {

Stored stored(std::string_view json) {
  return std::make_shared<const value::Value>(value::testing::json(json));
}

TEST_CASE("The process reports its memory, processor time and files") {
  base::Metrics metrics;
  const base::SystemClock clock;
  ProcessMetrics process(metrics, clock);
  process.update();
  const std::string text = metrics.expose();
  for (const char* name : {"process_cpu_seconds_total ", "process_resident_memory_bytes ",
                           "process_open_fds ", "process_start_time_seconds "}) {
    INFO(name);
    const size_t at = text.find(std::string("\n") + name);
    REQUIRE(at != std::string::npos);
    const size_t from = at + 1 + std::string_view(name).size();
    const auto number = base::parse_double(text.substr(from, text.find('\n', from) - from));
    CHECK(number.value_or(0) > 0);
  }
}

TEST_CASE("Creation times are per object, and text in labels is escaped") {
  const std::string text = created_at_samples(
      {stored(R"({"apiVersion":"g.io/v1","kind":"K","metadata":{"name":"a\"b\\c",
                 "namespace":"n","creationTimestamp":"2026-01-02T03:04:05Z"}})"),
       stored(R"({"apiVersion":"g.io/v1","kind":"K","metadata":{"name":"no-time"}})")});
  CHECK(text.find(R"(resource_created_at_seconds{group="g.io",kind="K",name="a\"b\\c",)"
                  R"(namespace="n",version="v1"} 1767323045)") != std::string::npos);
  CHECK(text.find("no-time") == std::string::npos);
}

TEST_CASE("The value of a label is escaped, and cut to its limit") {
  CHECK(label("a", "x\"\\\n\xff") == "a=\"x\\\"\\\\\\n\xEF\xBF\xBD\"");
  CHECK(label("a", std::string(300, 'x')) == "a=\"" + std::string(253, 'x') + "...\"");
  CHECK(label("a", std::string(256, 'x')) == "a=\"" + std::string(256, 'x') + "\"");
}

}  // namespace
}  // namespace chartwright::runtime
