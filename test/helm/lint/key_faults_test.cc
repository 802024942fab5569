// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/key_faults.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace chartwright::helm::lint {
namespace {

using Files = ChartSource::Files;
using Lines = std::vector<std::string>;

const std::string kChart = "apiVersion: v2\nname: app\nversion: 1.0.0\n";

/// Returns the findings about keys, as printed.
Lines key_findings(Files files, const std::vector<value::Value>& others = {}) {
  files.emplace("Chart.yaml", kChart);
  const ChartSource source = ChartSource::from_files("app", std::move(files));
  const auto loaded = source.load();
  REQUIRE(loaded.ok());
  Lines lines;
  for (const Message& message : find_key_faults(source, **loaded, others)) {
    lines.push_back(message.to_string());
  }
  return lines;
}

/// Returns the findings for a chart with one template.
Lines findings_of(const std::string& text, const std::string& values) {
  return key_findings({{"templates/x.yaml", text}, {"values.yaml", values}});
}

}  // namespace

TEST_CASE("A key that nothing defines is named with the nearest one") {
  CHECK(findings_of("a: b\nc: {{ .Values.image.tga }}{{ .Values.image.tag }}\n",
                    "image: {tag: x}\n") ==
        Lines{"[WARNING] templates/x.yaml:2:7: .Values.image.tga is used, but nothing defines "
              "\"image.tga\"; did you mean \"tag\"?"});
  CHECK(findings_of("{{ .Values.imgae.tag.x }}", "image: {tag: x}\n") ==
        Lines{"[WARNING] templates/x.yaml:1:4: .Values.imgae is used, but nothing defines "
              "\"imgae\"; did you mean \"image\"?",
              "[INFO] values.yaml:1:1: image is defined, but no template uses it"});
}

TEST_CASE("Values that templates make too large to be followed are not followed") {
  std::string merged = "{{ $x := .Values }}";
  for (int i = 0; i < 200; ++i) {
    merged += "{{ $x = merge $x $x }}";
  }
  std::string deep = "{{ .Values";
  for (int i = 0; i < 20'000; ++i) {
    deep += ".a";
  }
  const std::string itself = "{{ $d := dict \"a\" .Values.b }}{{ $_ := set $d \"d\" $d }}";
  std::string many = "{{ $d := dict }}";
  for (int i = 0; i < 20; ++i) {
    many += "{{ $_ := set $d \"k" + std::to_string(i) + "\" $d }}";
  }
  for (const std::string& text :
       {merged + "{{ $x.c }}", deep + " }}", itself + "{{ toYaml $d }}",
        itself + "{{ tpl \"\" $d }}",
        "{{ define \"a\" }}{{ end }}" + many + "{{ include \"a\" $d }}"}) {
    INFO(text.substr(0, 80));
    CHECK(findings_of(text, "c: 1\n") == Lines{});
  }
}

TEST_CASE("A key that may be missing is not missed") {
  for (const char* text :
       {"{{ if .Values.b }}{{ .Values.b.c }}{{ end }}", "{{ .Values.b | default 1 }}",
        "{{ with .Values.b }}{{ .c }}{{ end }}", "{{ range .Values.b }}{{ .c }}{{ end }}",
        "{{ required \"b!\" .Values.b }}", "{{ if hasKey .Values \"b\" }}{{ .Values.b }}{{ end }}",
        "{{ dig \"b\" \"c\" 1 .Values }}", "{{ (.Values.b).c }}", "{{ coalesce .Values.b 1 }}",
        "{{ if not (empty .Values.b) }}{{ .Values.b }}{{ end }}",
        "{{ $_ := set .Values \"b\" 1 }}{{ .Values.b }}",
        "{{ range .Values.list }}{{ .name }}{{ end }}", "{{ index .Values.list 0 }}"}) {
    INFO(text);
    CHECK(findings_of(std::string(text) + "{{ .Values.a }}{{ .Values.list }}",
                      "a: 1\nlist: [{x: 1}]\n") == Lines{});
  }
}

TEST_CASE("Tables that users fill, and comments that speak of keys, define what they may hold") {
  CHECK(findings_of("{{ .Values.a.x }}{{ .Values.b.x }}{{ .Values.c.x }}",
                    "a: {}\nb:\nc: text\n") == Lines{});
  CHECK(findings_of("{{ .Values.a.x }}", "a:\n  b: 1\n  # x: 5\n")[0].starts_with("[INFO]"));
}

TEST_CASE("A tested key is a slip of the pen where one much like it is unused") {
  CHECK(findings_of("{{ if .Values.enabeld }}{{ end }}", "enabled: true\n") ==
        Lines{"[WARNING] templates/x.yaml:1:7: .Values.enabeld is used, but nothing defines "
              "\"enabeld\"; did you mean \"enabled\"?",
              "[INFO] values.yaml:1:1: enabled is defined, but no template uses it"});
}

TEST_CASE("Keys that nothing uses are found at any depth") {
  CHECK(findings_of("{{ .Values.a.b }}{{ with .Values.d }}{{ .e.f }}{{ end }}",
                    "a:\n  b: 1\n  c: 2\nd:\n  e: {f: 1, g: 2}\nh: [1]\n") ==
        Lines{"[INFO] values.yaml:3:3: a.c is defined, but no template uses it",
              "[INFO] values.yaml:5:13: d.e.g is defined, but no template uses it",
              "[INFO] values.yaml:6:1: h is defined, but no template uses it"});
}

TEST_CASE("A value that goes out of sight counts as used") {
  for (const char* text :
       {"{{ toYaml .Values.a }}", "{{ .Values.a | toJson }}", "{{ toYaml .Values }}",
        "{{ $x := .Values }}{{ $x.a }}", "{{ range $k, $v := .Values.a }}{{ $k }}{{ end }}",
        "{{ index .Values \"a\" \"b\" }}", "{{ get .Values (print \"a\") }}",
        "{{ with .Values.a }}yes{{ end }}", "{{ tpl \"{{ .x.b }}\" (dict \"x\" .Values.a) }}",
        "{{ range list .Values.a }}{{ .b }}{{ end }}", "{{ (merge (dict) .Values.a).b }}",
        "{{ $d := dict \"v\" .Values.a }}{{ $d.v.b }}",
        "{{ include (print \"t\") . }}{{ define \"t\" }}{{ .Values.a.b }}{{ end }}",
        "{{ include \"t\" (list . 1) }}{{ define \"t\" }}{{ (index . 0).Values.a.b }}{{ end }}",
        "{{ template \"t\" dict \"c\" $ }}{{ define \"t\" }}{{ .c.Values.a.b }}{{ end }}",
        "{{ $x := 1 }}{{ $x = .Values.a }}{{ $x.b }}", "{{ keys .Values.a }}",
        "{{ (ternary .Values.a 1 true).b }}", "{{ pick .Values \"a\" | toYaml }}"}) {
    INFO(text);
    CHECK(findings_of(text, "a: {b: 1}\n") == Lines{});
  }
}

TEST_CASE("Values that are templates use what they name") {
  CHECK(findings_of("{{ tpl .Values.text . }}", "text: \"{{ .Values.a.b }}\"\na: {b: 1}\n") ==
        Lines{});
}

TEST_CASE("A value is used that only operator/ reads, through a named template") {
  const auto findings = [](const std::string& file, const std::string& helpers) {
    return key_findings({{"values.yaml", "tags: []\nspare: 1\n"},
                         {"templates/_helpers.tpl", helpers},
                         {"operator/externals/zone.yaml", file}});
  };
  const Lines spare{"[INFO] values.yaml:2:1: spare is defined, but no template uses it"};
  const std::string wire = "{{ define \"d.wire\" }}{{ .Values.tags | toJson }}{{ end }}";
  const std::string other = "{{ define \"other\" }}{{ .Values.spare }}{{ end }}";
  for (const char* file :
       {"body: '{{ include \"d.wire\" . }}'", "body: \"{{ include \\\"d.wire\\\" . }}\"",
        "body: '{{ include `d.wire` . }}'", "body: '{{ template \"d.wire\" $ }}'",
        "body: '{{ \"\" | include \"d.outer\" }}'", "body: '{{ include \"d.dict\" . }}'"}) {
    INFO(file);
    CHECK(findings(file, wire + other +
                             "{{ define \"d.outer\" }}{{ include \"d.wire\" $ }}{{ end }}"
                             "{{ define \"d.dict\" }}{{ with dict \"c\" . }}"
                             "{{ template \"d.wire\" .c }}{{ end }}{{ end }}") == spare);
  }
  CHECK(findings("body: '{{ include (print \"d.\" .item) . }}'", wire + other) == Lines{});
  CHECK(findings("body: none", wire + other).size() == 2);
}

TEST_CASE("Nodes with an anchor are used by their aliases") {
  CHECK(findings_of("{{ .Values.b }}", "a: &x {c: 1}\nb: *x\n") == Lines{});
}

TEST_CASE("Values of dependencies are used by them") {
  const std::string parent =
      kChart + "dependencies: [{name: sub, version: 1.x, condition: sub.enabled}]\n";
  Files files{{"Chart.yaml", parent},
              {"values.yaml", "global: {a: 1}\nsub: {enabled: true, c: 1, d: 2}\n"},
              {"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"},
              {"charts/sub/values.yaml", "c: 1\nonly: here\n"},
              {"charts/sub/templates/s.yaml", "{{ .Values.c }}{{ .Values.global.a }}"}};
  CHECK(key_findings(files) ==
        Lines{"[INFO] values.yaml:2:28: sub.d is defined, but no template uses it"});
  files.erase("charts/sub/Chart.yaml");
  files.erase("charts/sub/values.yaml");
  files.erase("charts/sub/templates/s.yaml");
  CHECK(key_findings(files) == Lines{});
}

TEST_CASE("Values of tests and of the command line define keys") {
  const Files files{{"templates/x.yaml", "{{ .Values.a }}{{ .Values.b }}"},
                    {"values.yaml", "a: 1"}};
  CHECK(key_findings(files).size() == 1);
  CHECK(key_findings(files, {value::Value::dict({{"b", value::Value::integer(1)}})}) == Lines{});
}

TEST_CASE("Templates that cannot be parsed, or that recurse, end quietly") {
  CHECK(findings_of("{{ .Values.a", "b: 1\n") == Lines{});
  CHECK(findings_of("{{ define \"t\" }}{{ include \"t\" (dict \"x\" .) }}{{ end }}"
                    "{{ include \"t\" .Values }}{{ .Values.a.b }}",
                    "a: {b: 1}\n") == Lines{});
}

namespace {

/// Returns the findings for `.Values.db.size` and a values file without it.
Lines findings_below(const std::string& schema) {
  return key_findings({{"templates/x.yaml", "a: {{ .Values.db.size }}{{ .Values.db.name }}\n"},
                       {"values.yaml", "db: {name: x}\n"},
                       {"values.schema.json", schema}});
}

}  // namespace

TEST_CASE("A key that a schema declares is defined, wherever the schema says so") {
  const std::string closed = R"("properties":{"name":{"type":"string"}})";
  const std::string size = R"({"properties":{"size":{"type":"integer"}}})";
  const std::string db = GENERATE_COPY(
      closed + R"(,"allOf":[)" + size + "]", closed + R"(,"allOf":[{"allOf":[)" + size + "]}]",
      closed + R"(,"anyOf":[)" + size + "]", closed + R"(,"oneOf":[{},)" + size + "]",
      closed + R"(,"if":)" + size, closed + R"(,"if":{},"then":)" + size,
      closed + R"(,"if":{},"else":{"$ref":"#/$defs/size"})",
      closed + R"(,"dependentSchemas":{"name":)" + size + "}", closed + R"(,"$ref":"#/$defs/size")",
      closed + R"(,"$ref":"#sized")", closed + R"(,"allOf":[{"$ref":"other.json"}])",
      closed + R"(,"patternProperties":{"^s":{}})",
      closed + R"(,"additionalProperties":{"type":"integer"})");
  CAPTURE(db);
  CHECK(findings_below(R"({"properties":{"db":{)" + db +
                       R"(}},"$defs":{"size":{"$anchor":"sized",)" + size.substr(1) + "}}")
            .empty());
}

TEST_CASE("A schema that a reference leads to says which keys there are") {
  const std::string undefined =
      "[WARNING] templates/x.yaml:1:7: .Values.db.size is used, but nothing defines \"db.size\"; "
      "did you mean \"side\"?";
  const std::string definitions =
      R"("definitions":{"d b":{"properties":{"side":{}}},"more":{"properties":{"size":{}}}})";
  CHECK(findings_below(R"({"properties":{"db":{"$ref":"#/definitions/d%20b"}},)" + definitions +
                       "}") == Lines{undefined});
  // Before draft 2019, nothing beside a reference counts.
  const std::string draft = R"("$schema":"http://json-schema.org/draft-07/schema#",)";
  const std::string beside =
      R"("properties":{"db":{"$ref":"#/definitions/d%20b","properties":{"size":{}}}},)";
  CHECK(findings_below("{" + draft + beside + definitions + "}") == Lines{undefined});
  CHECK(findings_below("{" + beside + definitions + "}").empty());
  // Endless ones end.
  CHECK(findings_below(R"({"properties":{"db":{"$ref":"#/properties/db"}}})").empty());
  CHECK(findings_below(R"({"properties":{"db":{"$ref":"#"},"b":{"$ref":"#"},"c":{"$ref":"#"}}})")
            .empty());
}

}  // namespace chartwright::helm::lint
