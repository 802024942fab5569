// SPDX-License-Identifier: Apache-2.0
#include "exposure/exposed_names.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "test/bundle/chart_folder.h"
#include "test/value/json_text.h"

namespace chartwright::exposure {
namespace {

using bundle::load_bundle;
using bundle::SchemaPlace;
using bundle::Unlisted;
using bundle::testing::Files;
using bundle::testing::Folder;
using value::Value;
using value::testing::json;
using Texts = std::vector<std::string>;

/// Returns the warnings, without what is the same in all.
Texts warnings(Files files, const std::optional<SchemaPlace>& spec = {}) {
  files.emplace_back("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n");
  files.emplace_back("values.yaml", "ns: a\nsecret: b\nnested: {ns: c}\n");
  const Folder folder(files);
  const auto bundle = load_bundle(folder.path());
  INFO((bundle.ok() ? "" : bundle.error().to_string()));
  REQUIRE(bundle.ok());
  Texts texts;
  for (const base::Error& error : exposed_names(*bundle, spec)) {
    REQUIRE(error.pos());
    std::string place = error.pos()->to_string();
    if (place.starts_with(folder.path() + "/")) {
      place.erase(0, folder.path().size() + 1);
    }
    const std::string& text = error.message();
    CHECK_THAT(text, Catch::Matchers::Contains("(crd.omit), and set them in overrideValues"));
    texts.push_back(place + " " + text.substr(0, text.find(": the")));
  }
  return texts;
}

Texts of_template(const std::string& text, Files more = {}) {
  more.emplace_back("templates/x.yaml", text);
  return warnings(std::move(more));
}

const std::string kWho = "who writes custom resources chooses ";
const std::string kObject = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n";

}  // namespace

TEST_CASE("A namespace that a spec chooses is found, however the value comes there") {
  const std::string wanted = kWho + "a namespace, by .Values.ns";
  CHECK(of_template(kObject + "  namespace: {{ .Values.ns }}\n") ==
        Texts{"templates/x.yaml:5:17 " + wanted});
  CHECK(of_template(kObject + "  namespace: \"{{ .Values.ns | lower }}\"\n") ==
        Texts{"templates/x.yaml:5:18 " + wanted});
  CHECK(of_template(kObject + "  namespace: {{ .Values.ns | default .Release.Namespace }}\n") ==
        Texts{"templates/x.yaml:5:17 " + wanted});
  CHECK(of_template("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: {{ .Values.ns "
                    "}}}\n") == Texts{"templates/x.yaml:3:35 " + wanted});
  CHECK(of_template(kObject + "{{- with .Values.ns }}\n  namespace: {{ . }}\n{{- end }}\n") ==
        Texts{"templates/x.yaml:6:17 " + wanted});
  CHECK(of_template(kObject + "  namespace: {{ include \"ns\" . }}\n",
                    {{"templates/_h.tpl", "{{ define \"ns\" }}{{ .Values.ns }}{{ end }}"}})
            .size() == 1);
  CHECK(of_template(kObject + "  namespace: {{ .Values.nested.ns }}\n") ==
        Texts{"templates/x.yaml:5:17 " + kWho + "a namespace, by .Values.nested.ns"});
}

TEST_CASE("A namespace that no spec chooses is not named") {
  CHECK(of_template(kObject + "  namespace: {{ .Release.Namespace }}\n").empty());
  CHECK(of_template(kObject + "  namespace: kube-system\n").empty());
  CHECK(of_template(kObject + "data:\n  my-namespace: {{ .Values.ns }}\n  a: {{ .Values.ns }}\n")
            .empty());
  const std::string file = kObject + "  namespace: {{ .Values.ns }}\n";
  CHECK(of_template(file, {{"operator/operator.yaml", "crd: {omit: [ns]}\n"}}).empty());
  CHECK(of_template(file, {{"operator/values.yaml", "secret: {{ .CR.spec.secret }}\n"}}).empty());
  CHECK(of_template(file, {{"operator/values.yaml", "ns: {{ .CR.spec.team }}\n"}}).size() == 1);
  const Value schema = json(R"({"type":"object","properties":{"secret":{"type":"string"}}})");
  CHECK(warnings({{"templates/x.yaml", file}}, SchemaPlace(schema, Unlisted::kDropped)).empty());
}

TEST_CASE("A Secret and a namespace that are looked up by the choice of a spec are found") {
  const auto data = [](const std::string& call) {
    return kObject + "data: {a: '{{ (" + call + ").data }}'}\n";
  };
  CHECK(of_template(data("lookup \"v1\" \"Secret\" .Release.Namespace .Values.secret")) ==
        Texts{"templates/x.yaml:5:15 " + kWho + "the Secret that is looked up, by .Values.secret"});
  CHECK(of_template(data("lookup \"v1\" \"ConfigMap\" .Values.ns \"x\"")) ==
        Texts{"templates/x.yaml:5:15 " + kWho + "the namespace of a lookup, by .Values.ns"});
  CHECK(of_template(data("lookup \"v1\" \"ConfigMap\" .Release.Namespace .Values.secret")).empty());
  CHECK(of_template(data("lookup \"v1\" \"Secret\" .Release.Namespace \"fixed\"")).empty());
}

TEST_CASE("Texts that contain each other many times are read once") {
  std::string helpers = "{{ define \"t0\" }}a{{ end }}";
  for (int i = 1; i <= 60; ++i) {
    const std::string inner = "{{ include \"t" + std::to_string(i - 1) + "\" . }}";
    helpers += "{{ define \"t" + std::to_string(i) + "\" }}" + inner + inner + "{{ end }}";
  }
  CHECK(of_template(
            kObject + "data: {a: '{{ lookup \"v1\" \"Secret\" \"x\" (include \"t60\" .) }}'}\n",
            {{"templates/_h.tpl", helpers}})
            .empty());
}

TEST_CASE("Patches and related objects that a spec chooses elsewhere are found") {
  CHECK(warnings({{"operator/patches/p.yaml",
                   kObject + "  namespace: {{ .CR.spec.where }}\ndata: {a: b}\n"}}) ==
        Texts{"operator/patches/p.yaml:5:17 " + kWho + "a namespace, by .CR.spec"});
  CHECK(warnings({{"operator/operator.yaml",
                   "related:\n  login:\n    apiVersion: v1\n    kind: Secret\n"
                   "    namespace: '{{ .CR.spec.where }}'\n    name: '{{ .CR.spec.login }}'\n"
                   "  setup:\n    apiVersion: v1\n    kind: ConfigMap\n"
                   "    name: '{{ .CR.spec.setup }}'\n"}}) ==
        Texts{"operator/operator.yaml:5:16 related.login.namespace: " + kWho +
                  "the namespace of related objects, by .CR.spec",
              "operator/operator.yaml:6:11 related.login.name: " + kWho +
                  "the related Secret, by .CR.spec"});
}

}  // namespace chartwright::exposure
