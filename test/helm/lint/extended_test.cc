// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/extended.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "test/helm/funcs/fixed_host.h"

namespace chartwright::helm::lint {
namespace {

using Lines = std::vector<std::string>;

Lines findings(ChartSource::Files files, const LintInputs& inputs = {}) {
  files.emplace("Chart.yaml", "apiVersion: v2\nname: app\nversion: 1.0.0\n");
  const ChartSource source = ChartSource::from_files("app", std::move(files));
  const auto loaded = source.load();
  REQUIRE(loaded.ok());
  const base::SystemClock clock;
  funcs::FixedHost host;
  std::vector<std::string> log;
  Lines lines;
  for (const Message& message : lint_extended(source, **loaded, inputs, {host, clock, log})) {
    lines.push_back(message.to_string());
  }
  return lines;
}

const std::string kSchema = R"({"properties": {"port": {"type": "integer"},
  "list": {"items": {"type": "string"}}, "name": {"type": "string"}}, "required": ["port"]})";
const std::string kAll = "{{ toYaml .Values | quote }}\n";

}  // namespace

TEST_CASE("Values that do not meet the schema are told where they stand") {
  CHECK(findings({{"values.yaml", "port: x\nlist:\n- a\n- 5\n"},
                  {"values.schema.json", kSchema},
                  {"templates/x.yaml", kAll}}) ==
        Lines{"[ERROR] values.yaml:4:3: list.1: got number, want string",
              "[ERROR] values.yaml:1:1: port: got string, want integer"});
}

TEST_CASE("A document that the operator refuses is an error at the line that writes it") {
  LintInputs inputs;
  inputs.check_document = [](const value::Value& document) {
    return document.find("bad") == nullptr
               ? base::Status()
               : base::Status(base::Error(base::ErrorCode::kInvalidArgument, "it is bad"));
  };
  const std::string good = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
  CHECK(findings({{"templates/a.yaml", good + "---\n# A comment\n---\nbad: true\n"}}, inputs) ==
        Lines{"[ERROR] templates/a.yaml:7:1: it is bad"});
  CHECK(findings({{"templates/a.yaml", "bad: {{ required \"a name\" .Values.name }}\n"}}, inputs)
            .empty());
  CHECK(findings({{"templates/a.yaml", "bad: true\n"}}).empty());
}

TEST_CASE("An object that two templates render is an error, unless it is a hook") {
  const auto map = [](std::string_view head) {
    return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}" +
           std::string(head) + "\n";
  };
  const auto of = [](std::string_view event) {
    return "\n  annotations: {helm.sh/hook: " + std::string(event) + "}";
  };
  CHECK(
      findings({{"templates/a.yaml", map("")},
                {"templates/b.yaml", map("")},
                {"templates/c.yaml", map("\n  namespace: elsewhere")},
                {"templates/d.yaml", map(of("pre-install"))},
                {"templates/e.yaml", map(of("post-install"))}}) ==
      Lines{"[ERROR] templates/b.yaml: ConfigMap/test-release: templates/a.yaml renders it, too"});
  CHECK(findings({{"templates/a.yaml",
                   "{{ if .Values.both }}\n" + map("") + "---\n{{ end }}\n" + map("")},
                  {"values.yaml", "both: false\n"},
                  {"ci/both-values.yaml", "both: true\n"}}) ==
        Lines{"[ERROR] templates/a.yaml: ConfigMap/test-release: this template renders it twice "
              "(with ci/both-values.yaml)"});
  CHECK(findings({{"templates/a.yaml",
                   "apiVersion: v1\nkind: List\nitems:\n"
                   "- {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}\n"
                   "- {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}\n"}}) ==
        Lines{"[ERROR] templates/a.yaml: ConfigMap/x: this template renders it twice"});
}

TEST_CASE("Values that an alias or a merge key brings are told where that is used") {
  const std::string values =
      "good: &g {port: 1}\nbad: &b {port: x}\nmerged:\n  name: n\n  <<: *b\nalias: *b\n"
      "mended:\n  <<: *b\n  port: 2\n";
  const std::string schema = R"({"properties": {"bad": true}, "additionalProperties": )"
                             R"({"properties": {"port": {"type": "integer"}}}})";
  CHECK(
      findings(
          {{"values.yaml", values}, {"values.schema.json", schema}, {"templates/x.yaml", kAll}}) ==
      Lines{"[ERROR] values.yaml:6:1: alias.port: got string, want integer",
            "[ERROR] values.yaml:5:3: merged.port: got string, want integer"});
}

TEST_CASE(
    "Of equal keys the last is told, and of a member that no file has the nearest around it") {
  CHECK(findings({{"values.yaml", "port: 1\nport: x\nlist: [a]\n"},
                  {"values.schema.json", kSchema},
                  {"templates/x.yaml", kAll}}) ==
        Lines{"[ERROR] values.yaml:2:1: port: got string, want integer"});
}

TEST_CASE("A hundred faults of the values have a place, and the rest are counted") {
  std::string values = "port: 1\nlist:\n";
  for (int i = 0; i < 130; ++i) {
    values += "- 5\n";
  }
  const Lines lines = findings(
      {{"values.yaml", values}, {"values.schema.json", kSchema}, {"templates/x.yaml", kAll}});
  REQUIRE(lines.size() == 101);
  CHECK(lines[99] == "[ERROR] values.yaml:102:3: list.99: got number, want string");
  CHECK(lines[100] == "[ERROR] values.schema.json: 30 more faults of the values");
}

TEST_CASE("Files of ci are checked and rendered on top of the defaults") {
  const ChartSource::Files files{
      {"values.yaml", "port: 1\nmode: a\n"},
      {"values.schema.json", kSchema},
      {"ci/a-values.yaml", "name:\n  first: 1\n"},
      {"ci/b-values.yaml", "mode: b\n"},
      {"ci/c-values.yaml", "mode: [\n"},
      {"ci/d-values.yaml", "mode: d\n"},
      {"ci/e-values.yaml", "mode: e\n"},
      {"ci/other.yaml", "mode: d\n"},
      {"templates/x.yaml",
       "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n{{ if eq .Values.mode \"b\" "
       "}}dta: {}{{ end }}{{ if eq .Values.mode \"d\" }}{{ fail \"no d\" }}{{ end }}\n"
       "{{ if eq .Values.mode \"e\" }}a: b: c{{ end }}\n# {{ .Values.port }}{{ .Values.name }}"}};
  CHECK(
      findings(files) ==
      Lines{
          "[ERROR] ci/c-values.yaml:2:1: error converting YAML to JSON: yaml: line 1: did not find "
          "expected node content",
          "[ERROR] ci/a-values.yaml:1:1: name: got object, want string",
          "[ERROR] templates/x.yaml:4:29: ConfigMap/x: dta: unknown field; did you mean \"data\"? "
          "(with ci/b-values.yaml)",
          "[ERROR] ci/d-values.yaml: execution error at (app/templates/x.yaml:4:75): no d",
          "[ERROR] templates/x.yaml: unable to parse YAML: error converting YAML to JSON: yaml: "
          "line 5: mapping values are not allowed in this context (with ci/e-values.yaml)"});
}

TEST_CASE("A fault that the defaults show is reported once") {
  CHECK(findings({{"values.yaml", "a: 1\n"},
                  {"ci/a-values.yaml", "a: 2\n"},
                  {"templates/x.yaml",
                   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, name: x}\ndata: {a: {{ "
                   ".Values.a }}}\n"}}) ==
        Lines{"[WARNING] templates/x.yaml:3:21: ConfigMap/x: metadata.name: this key occurs more "
              "than once",
              "[ERROR] templates/x.yaml:4:8: ConfigMap/x: data.a: expected a string, got an "
              "integer"});
}

TEST_CASE("Parts of an object that server-side apply does not take are errors at their template") {
  CHECK(
      findings({{"templates/x.yaml",
                 "apiVersion: v1\nkind: Secret\nmetadata: {name: x, finalizers: [a.b/c, a.b/c]}\n"
                 "data: {a: '!'}\n"},
                {"templates/z.yaml",
                 "apiVersion: v1\nkind: Service\nmetadata: {name: z}\n"
                 "spec: {ports: [{port: 4294967376}]}\n"}}) ==
      Lines{"[ERROR] templates/x.yaml:4:8: Secret/x: data.a: expected base64: illegal base64 data "
            "at input byte 0",
            "[ERROR] templates/x.yaml:3:41: Secret/x: metadata.finalizers[1]: the same item as "
            "finalizers[0]; the last one stays",
            "[ERROR] templates/z.yaml:4:17: Service/z: spec.ports[0].port: the number does not fit "
            "into 32 bits"});
}

TEST_CASE("A fault is at the line that writes it, in a partial, an action or a later document") {
  CHECK(
      findings({{"values.yaml", "pod:\n  image: a\n  zz: 1\n"},
                {"templates/_p.tpl", "{{- define \"p\" -}}\nimage: b\nyy: 1\n{{- end }}\n"},
                {"templates/x.yaml",
                 "# {{ .Values.pod.image }}\n---\napiVersion: v1\nkind: List\nitems:\n"
                 "- apiVersion: v1\n  kind: Pod\n  metadata: {name: x}\n  spec:\n    containers:\n"
                 "    - name: a\n      {{- toYaml .Values.pod | nindent 6 }}\n"
                 "    - name: b\n      {{- include \"p\" . | nindent 6 }}\n"}}) ==
      Lines{"[ERROR] templates/x.yaml:12:11: List/: items[0].spec.containers[0].zz: unknown field",
            "[ERROR] templates/_p.tpl:3:1: List/: items[0].spec.containers[1].yy: unknown field"});
}

TEST_CASE("A fault of a document that differs in each render is at its template") {
  CHECK(findings({{"templates/x.yaml",
                   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndta: 1\n"
                   "data: {a: {{ randAlphaNum 9 | quote }}}\n"}}) ==
        Lines{"[ERROR] templates/x.yaml: ConfigMap/x: dta: unknown field; did you mean "
              "\"data\"?"});
}

TEST_CASE("A value that required leaves out of the defaults is not missed") {
  CHECK(findings({{"values.yaml", "b: 1\n"},
                  {"templates/x.yaml",
                   "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec:\n  template: "
                   "{}\n  selector: {{ required \"a\" .Values.a }}\n# {{ .Values.b }}\n"}}) ==
        Lines{});
}

TEST_CASE("Kinds of the chart's own CRDs are known, and those of a cluster are all there are") {
  const std::string crd =
      "kind: CustomResourceDefinition\nspec: {group: e.org, names: {kind: Shop}, versions: [{name: "
      "v1, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: "
      "{size: {type: integer}}}}}}}]}\n";
  const ChartSource::Files files{
      {"crds/shop.yaml", crd},
      {"templates/x.yaml",
       "apiVersion: e.org/v1\nkind: Shop\nmetadata: {name: x}\nspec: {sizze: 1}\n"},
      {"templates/y.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: z}\n"}};
  CHECK(findings(files) == Lines{"[ERROR] templates/x.yaml:4:8: Shop/x: spec.sizze: unknown field; "
                                 "did you mean \"size\"?"});
  const ObjectTypes none;
  LintInputs inputs;
  inputs.cluster_types = &none;
  CHECK(findings(files, inputs) ==
        Lines{"[ERROR] templates/x.yaml:4:8: Shop/x: spec.sizze: unknown field; did you mean "
              "\"size\"?",
              "[WARNING] templates/y.yaml:2:1: ConfigMap/z: the cluster does not know v1 "
              "ConfigMap"});
}

}  // namespace chartwright::helm::lint
