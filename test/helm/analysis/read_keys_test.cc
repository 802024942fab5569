// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/read_keys.h"

#include <catch2/catch.hpp>

#include "helm/render/chart_source.h"
#include "yaml/yaml.h"

namespace chartwright::helm::analysis {
namespace {

using Lines = std::vector<std::string>;

Lines unread(ChartSource::Files files, const std::string& spec) {
  files.emplace("Chart.yaml", "apiVersion: v2\nname: app\nversion: 1.0.0\n");
  const auto bundle = ChartSource::from_files("app", std::move(files)).load();
  REQUIRE(bundle.ok());
  const auto keys = read_keys(**bundle);
  REQUIRE(keys.ok());
  const auto values = yaml::parse_yaml(spec, value::Numbers::kInt64);
  REQUIRE(values.ok());
  Lines lines;
  for (const UnreadKey& key : unread_keys(*keys, *values)) {
    lines.push_back(key.to_string());
  }
  return lines;
}

const ChartSource::Files kApp = {
    {"values.yaml", "replicaCount: 1\nimage: {tag: x}\nports: []\nlabels: {}\n"},
    {"templates/a.yaml",
     "{{ .Values.replicaCount }}{{ .Values.image.tag }}{{ toYaml .Values.labels }}"
     "{{ range .Values.ports }}{{ .name }}{{ end }}{{ if .Values.shown }}{{ end }}"}};

}  // namespace

TEST_CASE("A key that no template reads is named with the nearest one") {
  CHECK(unread(kApp, "replicaCuont: 3\nimage: {tga: y, tag: z}\nports: [{nome: a}, {name: b}]\n") ==
        Lines{"\"image.tga\" is read by no template, did you mean \"tag\"?",
              "\"ports[].nome\" is read by no template, did you mean \"name\"?",
              "\"replicaCuont\" is read by no template, did you mean \"replicaCount\"?"});
  CHECK(unread(kApp, "zzzzz: {a: 1}\n") == Lines{"\"zzzzz\" is read by no template"});
}

TEST_CASE("For a key that is defined and not read, no other one is meant") {
  ChartSource::Files files = kApp;
  files["values.yaml"] += "replicaCounts: 2\n";
  CHECK(unread(files, "replicaCounts: 3\n") == Lines{"\"replicaCounts\" is read by no template"});
}

TEST_CASE("Keys that are read in any way are not named") {
  CHECK(unread(kApp, "replicaCount: 2\nlabels: {any: {thing: 1}}\nshown: {x: 1}\n") == Lines{});
  CHECK(unread(kApp, "[]") == Lines{});
  CHECK(unread(kApp, "") == Lines{});
}

TEST_CASE("A value that all alternatives share is followed") {
  for (const char* text :
       {"{{ range concat (list .Values.a .Values.b) (list .Values.a .Values.b) }}{{ .c }}{{ end }}",
        "{{ with or (dict \"x\" .Values.a) (dict \"x\" .Values.a) }}{{ .x.c }}{{ end }}"}) {
    INFO(text);
    CHECK(unread({{"templates/a.yaml", text}}, "a: {d: 1, c: 1}\n") ==
          Lines{"\"a.d\" is read by no template, did you mean \"c\"?"});
  }
}

TEST_CASE("A dict that contains itself is read once") {
  for (const char* text :
       {"{{ $d := dict \"a\" .Values.a }}{{ $_ := set $d .Values.k (dict \"x\" $d) }}"
        "{{ toYaml $d }}",
        "{{ $d := dict \"a\" .Values.a }}{{ $_ := set $d .Values.k $d }}{{ tpl \"a\" $d }}"}) {
    INFO(text);
    CHECK(unread({{"templates/a.yaml", text}}, "{a: {b: 1}, k: x}\n") == Lines{});
  }
}

TEST_CASE("The values that Helm gives to every chart are not named") {
  CHECK(unread(kApp, "global: {registry: r}\n") == Lines{});
  const ChartSource::Files reads = {{"templates/a.yaml", "{{ .Values.global.host }}"}};
  CHECK(unread(reads, "global: {hosst: r}\n") ==
        Lines{"\"global.hosst\" is read by no template, did you mean \"host\"?"});
}

TEST_CASE("A key that a file of operator/ mentions is not named") {
  ChartSource::Files files = kApp;
  files.emplace("operator/operator.yaml",
                "related:\n  r: {apiVersion: v1, kind: Pod, name: '{{ .CR.spec.pod_name }}'}\n");
  CHECK(unread(files, "pod_name: a\npod: b\n") == Lines{"\"pod\" is read by no template"});
}

TEST_CASE("A key of several words is not named if operator/ mentions all of them") {
  ChartSource::Files files = kApp;
  files.emplace("operator/status.yaml",
                "{{ get .CR.spec \"example.com/pod\" }}{{ index .CR.spec \"\\u00e9\" }}\n");
  CHECK(unread(files, "example.com/pod: a\n\u00e9: b\nexample.org/pod: c\n") ==
        Lines{"\"example.org/pod\" is read by no template"});
}

TEST_CASE("Each key is looked up once in all files of operator/ together") {
  constexpr size_t kKeys = 1000;
  value::Value values = value::Value::dict();
  for (size_t i = 0; i < kKeys; ++i) {
    values.mutable_dict().set("key" + std::to_string(i), value::Value());
  }
  size_t questions = 0;
  KeyUsage root;
  mark_mentioned(
      values, [&](std::string_view word) { return ++questions, word.ends_with("7"); }, root);
  CHECK(questions == kKeys);
  CHECK(root.below.size() == kKeys / 10);
}

TEST_CASE("A key that operator/ reads through a named template is not named") {
  ChartSource::Files files = kApp;
  files.emplace("templates/_wire.tpl", "{{ define \"wire\" }}{{ .Values.pod_name }}{{ end }}");
  files.emplace("operator/externals/a.yaml", "create: {body: '{{ include \"wire\" . }}'}\n");
  CHECK(unread(files, "pod_name: a\npod: b\n") == Lines{"\"pod\" is read by no template"});
}

// The texts that tpl evaluates may stand in the values themselves.
TEST_CASE("Keys that a text of the values reads are not named") {
  const ChartSource::Files app = {
      {"values.yaml", "text: \"\"\nextraObjects: []\nreplicaCount: 1\n"},
      {"templates/a.yaml",
       "{{ tpl .Values.text . }}{{ .Values.replicaCount }}"
       "{{ range .Values.extraObjects }}{{ tpl (toYaml .) $ }}{{ end }}"}};
  CHECK(unread(app,
               "text: 'a {{ .Values.foo }} {{ $.Values.bar.baz | quote }}'\nfoo: x\n"
               "bar: {baz: 1, boz: 2}\nother: 1\n") ==
        Lines{"\"bar.boz\" is read by no template, did you mean \"baz\"?",
              "\"other\" is read by no template"});
  CHECK(unread(app,
               "extraObjects: [{kind: A, data: {'{{ .Values.key }}': '{{ .Values.foo }}'}}]\n"
               "foo: x\nkey: y\nother: 1\n") == Lines{"\"other\" is read by no template"});
  CHECK(unread(app, "text: '{{ index .Values \"foo\" }}'\nfoo: x\n") == Lines{});
  CHECK(unread(app, "text: '{{ index . \"Values\" \"foo\" }}'\nfoo: x\n") == Lines{});
  CHECK(unread(app, "text: '{{ with .Values }}{{ .foo }}{{ end }}'\nfoo: x\n") == Lines{});
  CHECK(unread(app, "text: '{{ include \"x\" . }}'\nfoo: x\n") == Lines{});
  CHECK(unread(app, "text: .Values.foo\nfoo: x\n") == Lines{"\"foo\" is read by no template"});
}

TEST_CASE("A key that a text of the values may name is not misspelt") {
  const ChartSource::Files app = {
      {"templates/_a.tpl", "{{ define \"x\" }}{{ .Values.posts }}{{ end }}"},
      {"templates/a.yaml", "{{ tpl .Values.text . }}{{ .Values.host }}{{ .Values.port }}"}};
  const std::string reading = "text: '{{ with .Values }}{{ .hosts }}{{ end }}'\n";
  CHECK(unread(app, reading + "hosts: x\n") == Lines{});
  CHECK(unread(app, reading + "hosst: x\n") ==
        Lines{"\"hosst\" is named by no template, did you mean \"host\"?"});
  CHECK(unread(app, "text: '{{ include \"x\" . }}'\nposts: x\n") == Lines{});
}

TEST_CASE("A key that a template may compute from a word is not misspelt") {
  const ChartSource::Files app = {{"templates/a.yaml",
                                   "{{ .Values.host }}{{ range list \"hosts\" .Release.Name }}{{ "
                                   "index $.Values . }}{{ end }}"}};
  CHECK(unread(app, "hosts: x\n") == Lines{});
}

TEST_CASE("Values of any size and depth are looked at in bounded time and memory") {
  const ChartSource::Files app = {
      {"values.yaml", "text: \"\"\n"},
      {"templates/a.yaml",
       "{{ tpl .Values.text . }}{{ range .Values.a }}{{ range . }}{{ .b }}{{ end }}{{ end }}"}};
  std::string deep;
  for (int i = 0; i < 60000; ++i) {
    deep += ".a";
  }
  CHECK(unread(app, "text: '{{ .Values" + deep + " }}'\nother: 1\n") ==
        Lines{"\"other\" is read by no template"});
  CHECK(unread(app, "text: '{{ .Values.foo }}" + std::string(300000, ' ') + "'\nother: 1\n") ==
        Lines{});
  std::string many;
  std::string text;
  for (int i = 0; i < 10000; ++i) {
    many += "key" + std::to_string(i) + ": 1\n";
    text += "{{ .Values.name" + std::to_string(i) + " }}";
  }
  CHECK(unread(app, "text: '" + text + "'\n" + many).size() == kUnreadMax);
  CHECK(unread(app, "a: {\"*\\n\": {\"*\\n\": {b: 1, c: 2}}}\n").size() == 1);
}

TEST_CASE("A text of the values reads nothing if no template evaluates texts") {
  CHECK(unread(kApp, "image: {tag: '{{ .Values.foo }}'}\nfoo: x\n") ==
        Lines{"\"foo\" is read by no template"});
}

TEST_CASE("A text of the values may read those of a dependency") {
  const ChartSource::Files app = {
      {"templates/a.yaml", "{{ .Values.replicaCount }}"},
      {"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"},
      {"charts/sub/templates/a.yaml", "{{ tpl .Values.text . }}"}};
  CHECK(unread(app, "sub: {text: '{{ .Values.foo }}', foo: x, other: 1}\n") ==
        Lines{"\"sub.other\" is read by no template"});
}

TEST_CASE("A key that is almost one that is read is named, whatever the templates may read") {
  const auto with = [](const std::string& text) {
    ChartSource::Files files = kApp;
    files.emplace("templates/b.yaml", text);
    return files;
  };
  const std::string spec = "replicaCuont: 3\nimage: {tga: y}\nother: 1\n";
  const Lines misspelt = {
      "\"image.tga\" is named by no template, did you mean \"tag\"?",
      "\"replicaCuont\" is named by no template, did you mean \"replicaCount\"?"};
  CHECK(unread(with("{{ toYaml .Values }}"), spec) == misspelt);
  CHECK(unread(with("{{ range $k, $v := .Values }}{{ toYaml $v }}{{ end }}"), spec) == misspelt);
  CHECK(unread(with("{{ toYaml (index .Values .Release.Name) }}"), spec) == misspelt);
  CHECK(unread(with("{{ tpl (toYaml .Values) . }}"), spec) == misspelt);
  CHECK(unread(with("{{ $x := set .Values \"a\" 1 }}"), spec) == misspelt);
  CHECK(unread(with("{{ tpl .Values.text . }}"), spec + "text: '{{ toYaml .Values }}'\n") ==
        misspelt);
}

TEST_CASE("The keys of a table that users choose are not misspelt") {
  const ChartSource::Files app = {
      {"values.yaml", "labels: {team: a}\nservice: {main: {port: 1}}\n"},
      {"templates/a.yaml",
       "{{ toYaml .Values.labels }}{{ .Values.service.main.port }}"
       "{{ range $n, $s := .Values.service }}{{ $s.port }}{{ end }}"}};
  CHECK(unread(app, "labels: {teams: b}\nservice: {mail: {port: 2}}\n") == Lines{});
  CHECK(unread(app, "service: {mail: {prot: 2}}\n") ==
        Lines{"\"service.mail.prot\" is read by no template, did you mean \"port\"?"});
}

TEST_CASE("Nothing is said of a chart that may read any key") {
  CHECK(unread({{"templates/a.yaml", "{{ toYaml .Values }}"}}, "a: 1\n") == Lines{});
  CHECK(unread({{"templates/a.yaml", "{{ range .Values }}{{ . }}{{ end }}"}}, "a: 1\n") == Lines{});
}

TEST_CASE("At most so many keys are named") {
  std::string spec;
  for (int i = 0; i < 500; ++i) {
    spec += "key" + std::to_string(i) + ": 1\n";
  }
  CHECK(unread(kApp, spec).size() == kUnreadMax);
}

}  // namespace chartwright::helm::analysis
