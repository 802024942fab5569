// SPDX-License-Identifier: Apache-2.0
#include "bundle/status_fields.h"

#include <catch2/catch.hpp>

#include "bundle/bundle.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::bundle {
namespace {

using testing::Folder;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "replicas": {"type": "integer"},
    "ratio": {"type": "number"},
    "whole": {"type": "boolean"},
    "web": {"$ref": "#/definitions/part"},
    "free": {"type": "object"},
    "open": {"type": "object", "properties": {"a": {}}, "additionalProperties": true},
    "byName": {"type": "object", "additionalProperties": {"$ref": "#/definitions/part"}},
    "either": {"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "string"}]},
    "claims": {"type": "array", "items": {"type": "object",
      "properties": {"name": {"type": "string"}, "size": {"type": ["string", "null"]}}}}
  },
  "definitions": {"part": {"type": "object", "properties": {"ready": {"type": "integer"}}}}
})";

testing::Files with_status(const std::string& status, std::string_view schema) {
  return testing::with(
      testing::widget_chart(),
      {{"operator/status.yaml", status}, {"operator/status.schema.json", std::string(schema)}});
}

TEST_CASE("A status that its schema knows is accepted on every branch") {
  const std::string status = GENERATE(
      as<std::string>(),  //
      "", "# nothing\n", "---\nname: a\n", "name: {{ .CR.metadata.name }}\nreplicas: 3\nratio: 2\n",
      "name: \"{{ 1 }}\"\nwhole: {{ not 1 }}\n",
      "replicas: {{ len .Live }}\nratio: {{ len .Live }}\n",
      "\"name\": 'x'\nfree:\n  any: {thing: 1}\n", "name: null\nreplicas:\nwhole: ~\n",
      "name: |\n  replicas: not a field\n  zzz: neither\n", "open:\n  b: 1\neither: 5\n",
      "byName:\n  {{ .Release.Name }}:\n    ready: 1\n", "byName:\n  shop:\n    ready: 1\n",
      "web: {{ dict \"zzz\" 1 | toJson }}\n",
      "{{ define \"x\" }}a: 1{{ end }}{{ include \"x\" . }}\n",
      "replicas: {{ if .Live }}3{{ else }}none{{ end }}\n",
      "web: {ready: {{ len .Live }}}\nfree: {a: {b: [1]}}\nopen: {b: 1}\n",
      "claims: [{name: a, size: {{ .CR.kind }}}, {name: \"{{ 1 }}\", size: x{{ 1 }}}]\n",
      "claims:\n- {name: a}\n- {name: {{ .CR.kind | quote }}, size: null}\n- null\n",
      "web: {{ printf \"{zzz: 1}\" }}\nbyName: { {{ .CR.kind | quote }}: {ready: 1}}\n",
      "web: {ready:\n  1}\n", "{name: a, web: {ready: 2}}\n",
      "conditions: [{type: A, status: \"True\"}]\n",
      "conditions:\n- {type: {{ .CR.kind }}, status: \"True\"}\n",
      "conditions:\n- {{- toYaml .Live | nindent 2 }}\n",
      "conditions:\n{{ range .Live }}\n- type: A\n  {{ include \"x\" . }}\n{{ end }}"
      "{{ define \"x\" }}status: \"True\"{{ end }}\n",
      "conditions: {{ list | toJson }}\n",
      R"(claims:
{{- range .Live }}
- name: {{ .metadata.name }}
  {{- with .spec }}
  size: {{ . }}
  {{- end }}
{{- else }} []
{{- end }}
web:
{{- if .Live }}
  ready: 1
{{- else }}
  ready: 0
{{- end }}
)",
      R"(conditions:
- type: Full
{{- if .Live }}
  status: "True"
  reason: Live
{{- else }}
  status: "False"
  message: {{ .CR.kind }}
{{- end }}
)");
  const Folder folder(with_status(status, kSchema));
  const auto bundle = load_bundle(folder.path());
  CHECK((bundle.ok() ? "" : bundle.error().to_string()) == "");
}

/// Returns the error of a bundle with that status, from the line on.
std::string refusal_of(const std::string& status, std::string_view schema = kSchema) {
  const Folder folder(with_status(status, schema));
  const auto failed = load_bundle(folder.path());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code() == base::ErrorCode::kInvalidArgument);
  const std::string file = folder.path() + "/operator/status.yaml:";
  const std::string text = failed.error().to_string();
  REQUIRE(text.starts_with(file));
  return text.substr(file.size());
}

TEST_CASE("A field that a status does not have, or of another type, is refused with its place") {
  const auto [status, message] = GENERATE(table<std::string, std::string>({
      {"name: a\nreplcas: 1\n",
       R"(2:1: status.schema.json has no field "replcas", did you mean "replicas"?)"},
      {"zzzzz: 1\n", R"(1:1: status.schema.json has no field "zzzzz")"},
      {"{{ if .Live }}\nname: a\n{{ else }}\nnaem: a\n{{ end }}",
       R"(4:1: status.schema.json has no field "naem", did you mean "name"?)"},
      {"web:\n  readyy: 1\n",
       R"(2:3: status.schema.json has no field "readyy" in "web", did you mean "ready"?)"},
      {"claims:\n{{- range .Live }}\n- name: a\n  {{- with .spec }}\n  sizze: 1\n  {{- end }}\n"
       "{{- end }}\n",
       R"(5:3: status.schema.json has no field "sizze" in "claims[]", did you mean "size"?)"},
      {"byName:\n  {{ .Release.Name }}: {}\n  x:\n    reday: 1\n",
       R"(4:5: status.schema.json has no field "reday" in "byName.x", did you mean "ready"?)"},
      {"revision: 1\n",
       R"(1:1: "revision" is a field of the operator itself: choose another name)"},
      {"conditions:\n- type: A\n  lastTransitionTime: now\n",
       R"(3:3: a condition has no field "lastTransitionTime")"},
      {"conditions:\n- type: A\n  status: true\n",
       R"(3:11: "conditions[].status" is of type boolean here, and of type string in )"
       "status.schema.json"},
      {"replicas: three\n",
       R"(1:11: "replicas" is of type string here, and of type integer in status.schema.json)"},
      {"replicas: {{ len .Live | quote }}\n",
       R"(1:14: "replicas" is of type string here, and of type integer in status.schema.json)"},
      {"name: {{ len .Live }}\n",
       R"(1:10: "name" is of type integer here, and of type string in status.schema.json)"},
      {"whole: {{ len .Live }}\n",
       R"(1:11: "whole" is of type integer here, and of type boolean in status.schema.json)"},
      {"name:\n  first: a\n",
       R"(2:3: "name" is of type object here, and of type string in status.schema.json)"},
      {"web:\n- ready: 1\n",
       R"(2:1: "web" is of type array here, and of type object in status.schema.json)"},
      {"claims: {a: 1}\n",
       R"(1:9: "claims" is of type object here, and of type array in status.schema.json)"},
      {"web: {readyy: 1}\n",
       R"(1:7: status.schema.json has no field "readyy" in "web", did you mean "ready"?)"},
      {"name: a\nweb: {ready: one}\n",
       R"(2:14: "web.ready" is of type string here, and of type integer in status.schema.json)"},
      {"web: {ready: {{ len .Live | quote }}}\n",
       R"(1:17: "web.ready" is of type string here, and of type integer in status.schema.json)"},
      {"claims: [{name: a}, {naem: b}]\n",
       R"(1:22: status.schema.json has no field "naem" in "claims[]", did you mean "name"?)"},
      {"claims:\n- {name: a, sizes: 1}\n",
       R"(2:13: status.schema.json has no field "sizes" in "claims[]", did you mean "size"?)"},
      {"claims:\n- a\n",
       R"(2:3: "claims[]" is of type string here, and of type object in status.schema.json)"},
      {"claims:\n- name: {a: 1}\n",
       R"(2:9: "claims[].name" is of type object here, and of type string in status.schema.json)"},
      {"{name: a, webb: {}}\n",
       R"(1:11: status.schema.json has no field "webb", did you mean "web"?)"},
      {"- a\n", "1:1: the status is of type array here, and of type object in status.schema.json"},
  }));
  CHECK(refusal_of(status) == message);
}

TEST_CASE("A condition of a status that the operator could not write is refused with its place") {
  const auto [status, message] = GENERATE(table<std::string, std::string>({
      {"conditions:\n- status: \"True\"\n  reason: A\nname: a\n",
       R"(2:1: a condition without "type": it needs a type of its own, and the status True, False )"
       "or Unknown"},
      {"conditions:\n- type: A\n  status: \"True\"\n- type: B\n  reason: B\n",
       R"(4:1: a condition without "status": it needs a type of its own, and the status True, )"
       "False or Unknown"},
      {"conditions: [{status: \"True\"}]\n",
       R"(1:14: a condition without "type": it needs a type of its own, and the status True, )"
       "False or Unknown"},
      {"conditions:\n- {type: A}\n",
       R"(2:3: a condition without "status": it needs a type of its own, and the status True, )"
       "False or Unknown"},
      {"conditions:\n- type: Ready\n  status: \"True\"\n",
       "2:9: the operator itself writes the condition Ready, so this one would have no effect: "
       "choose another type"},
      {"conditions:\n- {type: Stalled, status: \"True\"}\n",
       "2:10: the operator itself writes the condition Stalled, so this one would have no effect: "
       "choose another type"},
  }));
  CHECK(refusal_of(status) == message);
}

TEST_CASE("A schema of a status that refers to itself, or leads nowhere, knows everything") {
  const std::string schema = GENERATE(as<std::string>(), R"({"$ref": "#"})",
                                      R"({"$ref": "https://elsewhere"})", R"({"$ref": "#/none"})",
                                      R"({"properties": {"a": {"$ref": "#/properties/a"}}, )"
                                      R"("additionalProperties": true})");
  const Folder folder(with_status("a:\n  b: 1\nc: 2\n", schema));
  const auto bundle = load_bundle(folder.path());
  CHECK((bundle.ok() ? "" : bundle.error().to_string()) == "");
}

TEST_CASE("A status has the fields of all schemas that are in force") {
  const std::string schema = R"({"$ref": "#/$defs/base", "properties": {"a": {"type": "string"}},
      "allOf": [{"properties": {"b": {"enum": ["x", null]}}}],
      "$defs": {"base": {"type": "object", "properties": {"count": {"type": ["integer", "string"]},
                                                          "d": {"type": ["string", "null"]}}}}})";
  const std::string accepted =
      GENERATE("a: x\nb: x\ncount: 1\nd: x\n", "b: null\ncount: true\nd: null\n");
  const Folder folder(with_status(accepted, schema));
  const auto bundle = load_bundle(folder.path());
  CHECK((bundle.ok() ? "" : bundle.error().to_string()) == "");
  CHECK(refusal_of("a: x\ncuont: 1\n", schema) ==
        R"(2:1: status.schema.json has no field "cuont", did you mean "count"?)");
  CHECK(refusal_of("b: 1\n", schema) ==
        R"(1:4: "b" is of type integer here, and of type string or null in status.schema.json)");
  CHECK(refusal_of("d: 1\n", schema) ==
        R"(1:4: "d" is of type integer here, and of type string or null in status.schema.json)");
}

TEST_CASE("A schema of a status that is not JSON is refused with its place") {
  const Folder folder(with_status("a: 1\n", "{\n  \"type: 1\n}"));
  const auto failed = load_bundle(folder.path());
  REQUIRE_FALSE(failed.ok());
  CHECK_THAT(failed.error().to_string(),
             Catch::Matchers::StartsWith(folder.path() + "/operator/status.schema.json:"));
}

TEST_CASE("Without a schema the fields of the operator itself are refused all the same") {
  const Folder folder(
      testing::with(testing::widget_chart(), {{"operator/status.yaml", "a: 1\nhistory: []\n"}}));
  const auto failed = load_bundle(folder.path());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().to_string() ==
        folder.path() +
            "/operator/status.yaml:2:1: \"history\" is a field of the operator itself: "
            "choose another name");
}

}  // namespace
}  // namespace chartwright::bundle
