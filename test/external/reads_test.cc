// SPDX-License-Identifier: Apache-2.0
#include "external/reads.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "test/external/files.h"

namespace chartwright::external {
namespace {

using testing::file;
using testing::with_call;

constexpr std::string_view kHelpers =
    "{{ define \"zone\" }}{{ .External.zone.id }}{{ end }}"
    "{{ define \"of\" }}{{ .ctx.External.zone.id }}{{ end }}"
    "{{ define \"twice\" }}{{ include \"zone\" . }}{{ end }}"
    "{{ define \"lost\" }}{{ .External.zome.id }}{{ end }}"
    "{{ define \"each\" }}{{ range .External }}{{ .id }}{{ end }}{{ end }}";

base::Result<std::vector<External>> load_files(const std::map<std::string, std::string>& externals,
                                               const std::string& values = "") {
  const auto chart = CW_MUST(helm::RenderableChart::from_files(
      {helm::File{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n"},
       helm::File{"templates/_helpers.tpl", std::string(kHelpers)}}));
  OperatorFiles files;
  for (const auto& [name, text] : externals) {
    files["externals/" + name] = text;
  }
  if (!values.empty()) {
    files["values.yaml"] = values;
  }
  return load_externals(chart, files, "shop/operator/");
}

// The external "record", which is read before "zone", with a text in the path of a call.
std::string record(const std::string& text) { return with_call("record", text); }

base::Result<std::vector<External>> load_beside_zone(const std::string& text) {
  return load_files({{"a.yaml", record(text)}, {"b.yaml", file("zone")}});
}

TEST_CASE("Captures count that a template reads by any name") {
  for (const std::string text : {
           "{{ .External.zone.id }}",
           "{{ $.External.zone.id }}",
           "{{ (index .External \"zone\").id }}",
           "{{ index .External \"zone\" \"id\" }}",
           "{{ (get .External \"zone\").id }}",
           "{{ $e := .External }}{{ $e.zone.id }}",
           "{{ $n := \"zone\" }}{{ (index .External $n).id }}",
           "{{ with .External }}{{ .zone.id }}{{ end }}",
           "{{ with .External.zone }}{{ .id }}{{ end }}",
           "{{ if .External.zone.id }}x{{ end }}",
           "{{ include \"zone\" . }}",
           "{{ template \"zone\" . }}",
           "{{ include \"twice\" . }}",
           "{{ include \"of\" (dict \"ctx\" .) }}",
           "{{ with .Release }}{{ include \"zone\" $ }}{{ end }}",
       }) {
    INFO(text);
    const auto loaded = load_beside_zone(text);
    REQUIRE(loaded.ok());
    CHECK(loaded->front().name == "zone");
    CHECK(loaded->back().uses == std::set<std::string>{"zone"});
  }
}

TEST_CASE("Only reads of captures count") {
  for (const std::string text : {
           "{{/* .External.zone.id */}}",
           "{{ \".External.zone.id\" }}",
           "{{ if .External }}x{{ end }}",
           "{{ .Values.External.zone.id }}",
       }) {
    INFO(text);
    const auto loaded = load_beside_zone(text);
    REQUIRE(loaded.ok());
    CHECK(loaded->front().name == "record");
  }
}

TEST_CASE("Names that cannot be told are refused") {
  for (const std::string text : {
           "{{ (index .External .Values.zone).id }}",
           "{{ range .External }}{{ .id }}{{ end }}",
           "{{ range $name, $e := .External }}{{ $e.id }}{{ end }}",
           "{{ include \"each\" . }}",
           "{{ .External | toJson }}",
           "{{ values .External | first }}",
       }) {
    INFO(text);
    const auto loaded = load_beside_zone(text);
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().to_string() ==
          "shop/operator/externals/a.yaml:5:9: create.call: depends on externals that cannot be "
          "told: write .External.NAME");
  }
}

TEST_CASE("A helper may close a circle, and name an external that is not there") {
  const auto circle =
      load_files({{"a.yaml", record("{{ include \"zone\" . }}")},
                  {"b.yaml", with_call("zone", "{{ with .External }}{{ .record.id }}{{ end }}")}});
  REQUIRE_FALSE(circle.ok());
  CHECK(circle.error().to_string() ==
        "shop/operator/externals/b.yaml:5:9: create.call: the externals depend on each other in a "
        "circle: record -> zone -> record; one of them has to come first");
  const auto own = load_files({{"b.yaml", with_call("zone", "{{ include \"zone\" . }}")}});
  REQUIRE_FALSE(own.ok());
  CHECK(own.error().to_string() ==
        "shop/operator/externals/b.yaml:5:9: create.call: the external reads its own capture; in "
        "its own templates that is .id");
  const auto lost =
      load_files({{"a.yaml", record("{{ include \"lost\" . }}")}, {"b.yaml", file("zone")}});
  REQUIRE_FALSE(lost.ok());
  CHECK(lost.error().to_string() ==
        "shop/operator/externals/a.yaml:5:9: create.call: there is no external \"zome\", did you "
        "mean \"zone\"?");
}

TEST_CASE("Values that operator/values.yaml makes of captures count") {
  const std::string values =
      "name: x\ndns:\n  ttl: 5\n  # The zone.\n  zone: {{ .External.zone.id | quote }}\n";
  const auto all =
      load_files({{"a.yaml", record("{{ .Values.dns.zone }}")}, {"b.yaml", file("zone")}}, values);
  REQUIRE(all.ok());
  CHECK(all->back().uses == std::set<std::string>{"zone"});

  const auto others =
      load_files({{"a.yaml", record("{{ .Values.dns.ttl }}")}, {"b.yaml", file("zone")}}, values);
  REQUIRE(others.ok());
  CHECK(others->front().name == "record");

  const std::string both = values + "record: {{ .External.record.id }}\n";
  const auto circle = load_files({{"a.yaml", record("{{ .Values.dns.zone }}")},
                                  {"b.yaml", with_call("zone", "{{ .Values.record }}")}},
                                 both);
  REQUIRE_FALSE(circle.ok());
  CHECK(circle.error().to_string() ==
        "shop/operator/externals/b.yaml:5:9: create.call: the externals depend on each other in a "
        "circle: record -> zone -> record (operator/values.yaml makes .Values.record of "
        ".External.record); one of them has to come first");
  CHECK(load_files({{"b.yaml", with_call("zone", "{{ .Values.dns.zone }}")}}, values).ok());
}

TEST_CASE("The keys around a place are told by the indentation") {
  const auto keys = [](const std::string& text) { return keys_around(text, text.find('@')); };
  using helm::analysis::Steps;
  CHECK(keys("a: @") == Steps{"a"});
  CHECK(keys("a:\n  b:\n    x: 1\n  c: {{ @") == Steps{"a", "c"});
  CHECK(keys("\na:\n- b: @") == Steps{"a"});
  CHECK(keys("a:\n  - b\n  - 'c': 1\n    d: @") == Steps{"a"});
  CHECK(keys("\"a\":\n{{- if .x }}\n  b: @") == Steps{"a", "b"});
  CHECK(keys("a: [1, {{ @").size() == 1);
  CHECK(keys("a: {b: {{ @").empty());
  CHECK(keys("a: 1\n{{ @").empty());
  CHECK(keys("@").empty());
  CHECK(keys("\n@").empty());
}

}  // namespace
}  // namespace chartwright::external
