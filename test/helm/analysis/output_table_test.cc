// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/output_table.h"

#include <catch2/catch.hpp>

namespace chartwright::helm::analysis {
namespace {

OutputPtr sample(const std::string& text, size_t indent) {
  return Output::sequence({Output::hole({"a", "b"}, nullptr, 3),
                           Output::indented(Output::of_text(text), indent), Output::empty()});
}

}  // namespace

TEST_CASE("Equal outputs have one node") {
  OutputTable table;
  const OutputPtr first = table.unique(sample("x", 2));
  CHECK(table.unique(sample("x", 2)) == first);
  CHECK(table.unique(first) == first);
  CHECK(table.unique(Output::repeated(sample("x", 2)))->parts[0] == first);
  CHECK(table.unique(sample("y", 2)) != first);
  CHECK(table.unique(sample("x", 4)) != first);
  CHECK(table.unique(Output::hole({"a"}, nullptr, 3)) != first->parts[0]);
  CHECK(table.unique(Output::hole({"a", "b"}, nullptr, 4)) != first->parts[0]);
  CHECK(table.unique(Output::hole({"a", "b"}, nullptr, 3)) == first->parts[0]);
}

TEST_CASE("An output that is nested too deeply is left as it is") {
  OutputTable table;
  OutputPtr deep = Output::of_text("x");
  for (int i = 0; i < 1'000; ++i) {
    deep = Output::repeated(deep);
  }
  CHECK(table.unique(deep)->parts.size() == 1);
}

}  // namespace chartwright::helm::analysis
