// SPDX-License-Identifier: Apache-2.0
#include "bundle/recorded_chart.h"

#include <catch2/catch.hpp>

#include "record/gzip.h"

namespace chartwright::bundle {
namespace {

TEST_CASE("The files of a chart are packed once, as Helm records them") {
  const RecordedChart chart(CW_MUST(helm::RenderableChart::from_files(
      {{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"},
       {"values.yaml", "a: 1\n"},
       {"Chart.lock",
        "digest: d\ndependencies: [{name: sub}]\ngenerated: 2026-03-16T12:13:14.50+01:00\n"},
       {"values.schema.json", "{}"},
       {"README.md", "read me"},
       {"crds/b.yaml", "kind: B\n"},
       {"templates/a.yaml", "a: {{ .Values.a }}"},
       {"templates/NOTES.txt", "note"},
       {"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"},
       {"charts/sub/templates/c.yaml", "c: 1"}})));
  const auto packed = CW_MUST(chart.packed());
  REQUIRE(packed->choices.size() == 2);
  const std::string text = CW_MUST(record::gunzip(packed->choices[0], 1 << 20));
  for (const std::string_view name :
       {"\"README.md\"", "\"crds/b.yaml\"", "\"templates/a.yaml\"", "\"templates/NOTES.txt\""}) {
    INFO(name);
    CHECK(text.find(name) != std::string::npos);
  }
  for (const std::string_view name : {"Chart.yaml", "values.yaml", "charts/", "c.yaml"}) {
    INFO(name);
    CHECK(text.find(name) == std::string::npos);
  }
  CHECK(text.find(R"("schema":"e30=")") != std::string::npos);
  // As real Helm records it: test/e2e/test_records.py.
  CHECK(text.find(R"("lock":{"dependencies":[{"name":"sub","repository":""}],"digest":"d",)"
                  R"("generated":"2026-03-16T12:13:14.5+01:00"})") != std::string::npos);
  CHECK(CW_MUST(chart.packed()) == packed);
}

}  // namespace
}  // namespace chartwright::bundle
