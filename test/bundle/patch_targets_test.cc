// SPDX-License-Identifier: Apache-2.0
#include "bundle/patch_targets.h"

#include <catch2/catch.hpp>

#include "bundle/bundle.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::bundle {
namespace {

using testing::Files;
using testing::Folder;

constexpr std::string_view kBoth =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n";

std::string fault_of(const Files& files) {
  const Folder folder(testing::with(testing::widget_chart(), files));
  const auto bundle = load_bundle(folder.path());
  if (bundle.ok()) {
    return "";
  }
  std::string text = bundle.error().to_string();
  const std::string root = folder.path() + "/operator/patches/";
  for (size_t at = text.find(root); at != std::string::npos; at = text.find(root)) {
    text.erase(at, root.size());
  }
  return text;
}

std::string fault_of(const std::string& patch) {
  return fault_of(Files{{"operator/patches/a.yaml", patch}});
}

TEST_CASE("A patch that says what it changes is accepted") {
  const std::string patch = GENERATE(
      as<std::string>(), "", "# nothing\n", "{{/* nothing */}}\n---\n---\n", std::string(kBoth),
      std::string(kBoth) + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
      "{{- range .Live }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n"
      "  name: {{ .metadata.name }}\ndata: {a: b}\n{{- end }}\n",
      "{{ .Values.raw }}\n", "{{ toYaml .Values.raw }}\ndata: {}\n",
      "{{ define \"head\" }}kind: A{{ end }}{{ include \"head\" . }}\ndata: {}\n",
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  {{- toYaml .Values.raw | nindent 2 }}\n",
      "{\"apiVersion\": \"v1\"}\n",
      "apiVersion: v1\nkind: {{ if .Live }}A{{ else }}B{{ end }}\nmetadata:\n  labels:\n"
      "    name: b\n  name: a\n",
      "apiVersion: v1\nkind: ConfigMapList\nmetadata: {}\nitems: []\n");
  CHECK(fault_of(patch).empty());
}

TEST_CASE("A patch without a target is refused with its place") {
  const std::string rest = ": apiVersion, kind and metadata.name say which object it changes";
  const auto [patch, fault] = GENERATE_COPY(table<std::string, std::string>({
      {"\nkind: ConfigMap\nmetadata:\n  name: a\n",
       "2:1: a partial object without apiVersion" + rest},
      {"apiVersion: v1\nmetadata:\n  name: a\n", "1:1: a partial object without kind" + rest},
      {"spec: {}\n", "1:1: a partial object without apiVersion" + rest},
      {"apiVersion: v1\nkind: ConfigMap\ndata: {}\n",
       "1:1: a partial object without metadata" + rest},
      {"apiVersion: v1\nkind: ConfigMap\nmetadata:\ndata: {}\n",
       "3:1: a partial object without metadata.name" + rest},
      {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    name: a\n",
       "4:3: a partial object without metadata.name" + rest},
      {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \"\"\n",
       "4:3: a partial object without metadata.name" + rest},
      {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  naem: a\n",
       "4:3: a partial object without metadata.name, is it meant by \"naem\"?"},
      {"apiversion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n",
       "1:1: a partial object without apiVersion, is it meant by \"apiversion\"?"},
      {"{{- range .Live }}\n---\napiVersion: v1\nmetadata:\n  name: {{ .metadata.name }}\n"
       "{{- end }}\n",
       "3:1: a partial object without kind" + rest},
  }));
  CHECK(fault_of(patch) == "a.yaml:" + fault);
}

TEST_CASE("Two patches that certainly have one target are refused") {
  const std::string both(kBoth);
  const std::string twice =
      ": write one with the fields of both, since each would give up those of the other";
  CHECK(fault_of(both + "data: {a: b}\n---\n" + both + "data: {c: d}\n") ==
        "a.yaml:7:1: a second partial object for the target of that at a.yaml:1:1" + twice);
  CHECK(fault_of(Files{{"operator/patches/a.yaml", both},
                       {"operator/patches/b.yaml", "---\n" + both}}) ==
        "b.yaml:2:1: a second partial object for the target of that at a.yaml:1:1" + twice);
  // Not certain: the branches exclude each other, or the names differ.
  CHECK(fault_of("{{ if .Live }}\n" + both + "{{ else }}\n---\n" + both + "{{ end }}\n").empty());
  CHECK(fault_of(both + "---\n" + both + "  namespace: other\n").empty());
  CHECK(fault_of("{{ $n := 1 }}\napiVersion: v1\nkind: A\nmetadata:\n  name: a{{ $n }}\n---\n"
                 "{{ $n = 2 }}\napiVersion: v1\nkind: A\nmetadata:\n  name: a{{ $n }}\n")
            .empty());
}

}  // namespace
}  // namespace chartwright::bundle
