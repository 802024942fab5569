// SPDX-License-Identifier: Apache-2.0
#include "bundle/template_names.h"

#include <catch2/catch.hpp>

#include "bundle/bundle.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::bundle {
namespace {

using testing::Files;
using testing::Folder;

constexpr std::string_view kRelated =
    "related:\n  claims: {apiVersion: v1, kind: PersistentVolumeClaim, name: data}\n";
constexpr std::string_view kExternal = R"(name: pet
driver: {http: {baseURL: http://pets}}
observe: {call: GET /pets}
create: {call: POST /pets, body: '{}', capture: '{{ .response.id }}'}
delete: {call: 'DELETE /pets/{{ .id }}'}
)";

Files with_template(const std::string& file, const std::string& text) {
  return testing::with(testing::widget_chart(),
                       {{"operator/operator.yaml", std::string(kRelated)},
                        {"operator/externals/pet.yaml", std::string(kExternal)},
                        {file, text}});
}

TEST_CASE("Templates of operator/ may read what they are given") {
  const std::string text = GENERATE(as<std::string>(),  //
                                    "a: {{ .CR.spec.anything.at.all }}",
                                    "a: {{ .CR.metadata.name }}{{ .Values.x }}{{ .Release.Name }}",
                                    "a: {{ len .Related.claims }}{{ .External.pet.id }}",
                                    "{{ range .Live }}{{ .kind }}{{ $.CR.kind }}{{ end }}",
                                    "{{ with .CR }}{{ .spec }}{{ else }}{{ .Live }}{{ end }}",
                                    "{{ $x := .CR }}{{ $x.spec }}{{ (index .Live 0).kind }}",
                                    "{{ define \"own\" }}{{ .anything }}{{ end }}a: 1",
                                    "{{ $_ := set . \"Own\" 1 }}a: {{ .Own }}",
                                    "{{ $_ := set $ \"Own\" 1 }}a: {{ $.Own }}");
  const Folder folder(with_template("operator/status.yaml", text));
  const auto bundle = load_bundle(folder.path());
  CHECK((bundle.ok() ? "" : bundle.error().to_string()) == "");
}

TEST_CASE("A name that no template of operator/ is given is refused with its place") {
  const std::string file = GENERATE("operator/status.yaml", "operator/patches/a.yaml");
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"a: 1\nb: {{ .Lve }}", "2:8: there is no .Lve, did you mean .Live?"},
      {"a: {{ .CR.sepc.x }}", "1:11: there is no .CR.sepc, did you mean .CR.spec?"},
      {"a: {{ len .Related.clams }}",
       "1:20: there is no .Related.clams, did you mean .Related.claims?"},
      {"a: {{ .External.cat.id }}", "1:17: there is no .External.cat, only .External.pet"},
      {"a: {{ .External.pet.ids }}",
       "1:21: there is no .External.pet.ids, did you mean .External.pet.id?"},
      {"{{ range .Live }}{{ .x }}{{ $.Relatde.claims }}{{ end }}",
       "1:31: there is no .Relatde, did you mean .Related?"},
      {"{{ if true }}{{ else if (not (eq .cR 1)) }}{{ end }}",
       "1:35: there is no .cR, did you mean .CR?"},
      {"a: {{ .CR.metadata.names }}",
       "1:20: there is no .CR.metadata.names, did you mean .CR.metadata.name?"},
      {"a: {{ .Release.Names }}", "1:16: there is no .Release.Names, did you mean .Release.Name?"},
      {"a: {{ (index .External \"cat\").id }}",
       "1:25: there is no .External.cat, only .External.pet"},
      {"a: {{ len (index $.Related `clams`) }}",
       "1:29: there is no .Related.clams, did you mean .Related.claims?"},
      {"{{ with .Live }}{{ else }}{{ .Template }}{{ end }}",
       "1:31: there is no .Template, only .CR, .Capabilities, .Chart, .External, .Files, .Live, "
       ".Related, .Release, .Subcharts, .Values"},
  }));
  const bool is_patch = file == "operator/patches/a.yaml";
  const Folder folder(with_template(
      file, text + (is_patch ? "\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n" : "")));
  const auto failed = load_bundle(folder.path());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code() == base::ErrorCode::kInvalidArgument);
  CHECK(failed.error().to_string() == folder.path() + "/" + file + ":" + message);
}

TEST_CASE("A call of a template that does not exist is refused with its place") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"{{ define \"own\" }}{{ end }}a: {{ include \"own\" . }}{{ template \"helper\" . }}", ""},
      {"a: {{ include (print \"a\" \"b\") . }}", ""},
      {"a: 1\nb: {{ include \"helpr\" . }}",
       "2:15: there is no template \"helpr\", did you mean \"helper\"?"},
      {"a: {{ if .Live }}{{ template \"x.y.z\" . }}{{ end }}",
       "1:30: there is no template \"x.y.z\" in the chart or its dependencies"},
      {"{{ $_ := set . \"Own\" 1 }}a: {{ (include `helpr` .Own) | upper }}",
       "1:41: there is no template \"helpr\", did you mean \"helper\"?"},
      {R"(a: {{ include "a\"b" . }}{{ include `a"b` . }}{{ include "\u0068elper" . }})", ""},
      {R"(a: {{ (index .External "\x70et").id }}{{ len (index $.Related "claim\163") }})", ""},
  }));
  const Folder folder(
      testing::with(with_template("operator/status.yaml", text),
                    {{"templates/_quoted.tpl", R"({{ define "a\"b" }}x{{ end }})"},
                     {"templates/_helper.tpl", "{{ define \"helper\" }}x{{ end }}"}}));
  const auto bundle = load_bundle(folder.path());
  const std::string found = bundle.ok() ? "" : bundle.error().to_string();
  CHECK(found == (message.empty() ? "" : folder.path() + "/operator/status.yaml:" + message));
}

TEST_CASE("A bundle without related objects or externals says so") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"a: {{ .Related.r }}", "1:8: there is no .Related: operator.yaml has no \"related\""},
      {"a: {{ .External.r }}", "1:8: there is no .External: there are no externals"},
  }));
  const Folder folder(testing::with(testing::widget_chart(), {{"operator/status.yaml", text}}));
  const auto failed = load_bundle(folder.path());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().to_string() == folder.path() + "/operator/status.yaml:" + message);
}

TEST_CASE("operator/values.yaml may read the custom resource, but not its status") {
  const auto load = [](const std::string& text) {
    const Folder folder(testing::with(testing::widget_chart(), {{"operator/values.yaml", text}}));
    const auto bundle = load_bundle(folder.path());
    return bundle.ok() ? "" : bundle.error().to_string().substr(folder.path().size());
  };
  CHECK(load("a: {{ .CR.spec.x }}{{ .CR.metadata.name }}{{ $.CR.kind }}").empty());
  CHECK(load("a: {{ .CR.status.x }}") ==
        "/operator/values.yaml:1:11: there is no .CR.status, only .CR.apiVersion, .CR.kind, "
        ".CR.metadata, .CR.spec");
  CHECK(load("a: {{ .Values.x }}") == "/operator/values.yaml:1:8: there is no .Values, only .CR");
}

}  // namespace
}  // namespace chartwright::bundle
