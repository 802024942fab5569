// SPDX-License-Identifier: Apache-2.0
#include "host/render_memory.h"

#include <catch2/catch.hpp>
#include <vector>

namespace chartwright::host {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST_CASE("Memory is divided among renders") {
  struct Row {
    size_t usable_mib;
    int workers;
    size_t share_mib;
    int at_once;
  };
  const std::vector<Row> rows = {
      {64, 1, 24, 1},     {64, 2, 24, 1},     {64, 4, 24, 1},     {64, 16, 24, 1},
      {128, 1, 74, 1},    {128, 2, 30, 2},    {128, 4, 30, 2},    {128, 16, 27, 2},
      {256, 1, 162, 1},   {256, 2, 74, 2},    {256, 4, 74, 2},    {256, 16, 71, 2},
      {1024, 1, 512, 1},  {1024, 2, 338, 2},  {1024, 4, 162, 4},  {1024, 16, 64, 9},
      {24576, 1, 512, 1}, {24576, 2, 512, 2}, {24576, 4, 512, 4}, {24576, 16, 512, 16},
      {0, 1, 24, 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.usable_mib, row.workers);
    const RenderMemory plan = plan_render_memory(row.usable_mib * kMiB, row.workers, std::nullopt);
    CHECK(plan.bytes == row.share_mib * kMiB);
    CHECK(plan.at_once == row.at_once);
    CHECK(fits(plan) == (row.usable_mib >= 128));
  }
}

TEST_CASE("A size that somebody chose decides how many renders fit") {
  const auto at_once = [](size_t mib) {
    const RenderMemory plan = plan_render_memory(1024 * kMiB, 8, mib * kMiB);
    CHECK(plan.bytes == mib * kMiB);
    return plan.at_once;
  };
  CHECK(at_once(16) == 8);
  CHECK(at_once(200) == 3);
  CHECK(at_once(4096) == 1);
  CHECK_FALSE(fits(plan_render_memory(1024 * kMiB, 8, 4096 * kMiB)));
}

TEST_CASE("An amount of memory is a Kubernetes quantity within reason") {
  const auto read = [](std::string_view text) {
    const auto bytes = parse_render_memory(text);
    return bytes.ok() ? memory_text(*bytes) : bytes.error().message();
  };
  CHECK(read("64Mi") == "64Mi");
  CHECK(read("1Gi") == "1024Mi");
  CHECK(read("64Gi") == "65536Mi");
  CHECK(read("1Mi") == "1Mi");
  CHECK(read("100M") == "95Mi");
  CHECK(read("1.5Mi") == "1Mi");
  for (const std::string wrong :
       {"", "0", "-1Gi", "64MB", "lots", "1Ki", "65Gi", "1e99", "64 Mi"}) {
    CHECK(read(wrong) == "\"" + wrong +
                             "\" is not an amount of memory between 1Mi and 64Gi, such as "
                             "\"64Mi\"");
  }
  CHECK(memory_text(1000) == "1000");
}

TEST_CASE("An explanation says where the limit comes from and how to raise it") {
  const RenderMemory plan = plan_render_memory(128 * kMiB, 4, std::nullopt);
  CHECK(plan.explanation(plan.bytes) ==
        "One render may hold 30Mi of memory: the operator may use 128Mi (its container's limit, or "
        "the machine's memory). To raise it: resources.limits.memory of the operator's container, "
        "its flag --render-memory, or renderMemory of this kind in watches.yaml.");
  CHECK(plan.explanation(8 * kMiB).find("hold 8Mi of memory, which watches.yaml says.") !=
        std::string::npos);
}

}  // namespace
}  // namespace chartwright::host
