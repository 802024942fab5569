// SPDX-License-Identifier: Apache-2.0
#include "suite/clues.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/memory_limit.h"

namespace chartwright::suite {
namespace {

TEST_CASE("A trace that takes too much memory leaves out what it would have told") {
  constexpr size_t kLimit = size_t{64} << 20;
  Job job;
  job.assertions.resize(1);
  job.assertions.front().path = "a";
  Clues clues;
  const std::vector<value::Value> documents{value::Value::dict({{"a", value::Value::integer(1)}})};
  clues.note(job.assertions.front(), "c/templates/a.yaml", documents, {.places = {{0, 0}}});
  std::vector<AssertionResult> results(1);
  bool is_traced = false;
  const base::MemoryLimit limit(kLimit);
  clues.add_to(job, results, [&](const FileVisit&) -> base::Status {
    is_traced = true;
    return std::string(kLimit / 2 + kLimit / 4, 'x').empty()
               ? base::Error(base::ErrorCode::kInternal, "")
               : base::Status();
  });
  CHECK(is_traced);
  CHECK(results.front().hints.size() == 1);
}

}  // namespace
}  // namespace chartwright::suite
