// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/written_kinds.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/strings.h"
#include "helm/render/chart_source.h"
#include "test/source_dir.h"

namespace chartwright::helm::analysis {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
using Files = ChartSource::Files;

const std::string kChartFile = "apiVersion: v2\nname: app\nversion: 1.0.0\n";

WrittenKinds kinds_of(Files files) {
  files.emplace("Chart.yaml", kChartFile);
  const auto bundle = ChartSource::from_files("app", std::move(files)).load();
  REQUIRE(bundle.ok());
  auto found = written_kinds(**bundle);
  REQUIRE(found.ok());
  CHECK(found->complete);
  return *std::move(found);
}

Lines names(const std::map<KindName, WrittenKind>& kinds) {
  Lines lines;
  for (const auto& [name, kind] : kinds) {
    lines.push_back(name.first + " " + name.second);
  }
  return lines;
}

Lines lines_of(const WrittenKinds& found) {
  Lines lines = names(found.kinds);
  for (const ComputedKind& computed : found.computed) {
    lines.push_back(computed.place + ": " + computed.text);
  }
  return lines;
}

Lines in_template(const std::string& text, const std::string& values = "") {
  return lines_of(kinds_of({{"templates/x.yaml", text}, {"values.yaml", values}}));
}

/// Returns the kinds of a golden render.
std::set<KindName> rendered(const fs::path& want) {
  std::set<KindName> kinds;
  std::string version;
  const std::string text = CW_MUST(base::read_file(want, size_t{16} << 20));
  for (std::string_view line : base::split(text, '\n')) {
    if (line.starts_with("---")) {
      version.clear();
    } else if (line.starts_with("apiVersion: ")) {
      version = base::trim(line.substr(11));
    } else if (line.starts_with("kind: ") && !version.empty()) {
      kinds.emplace(version, base::trim(line.substr(6, line.find(" #") - 6)));
    }
  }
  return kinds;
}

}  // namespace

TEST_CASE("The kinds of all branches are found") {
  CHECK(in_template("{{ if .Values.a }}\napiVersion: apps/v1\nkind: Deployment\n{{ else }}\n"
                    "apiVersion: batch/v1\nkind: Job\n{{ end }}\n---\napiVersion: v1\n"
                    "kind: {{ if .Values.b }}Secret{{ else }}ConfigMap{{ end }}\n") ==
        Lines{"apps/v1 Deployment", "batch/v1 Job", "v1 ConfigMap", "v1 Secret"});
}

TEST_CASE("The items of lists that are put together are found in their order") {
  const std::string lists =
      "{{ $a := append (list \"ConfigMap\") \"Secret\" }}{{ $b := prepend $a \"Service\" }}"
      "{{ $c := concat $a (list \"Endpoints\") }}apiVersion: v1\nkind: ";
  CHECK(in_template(lists + "{{ last $a }}\n") == Lines{"v1 Secret"});
  CHECK(in_template(lists + "{{ first $b }}\n") == Lines{"v1 Service"});
  CHECK(in_template(lists + "{{ last $c }}\n") == Lines{"v1 Endpoints"});
  CHECK(in_template(lists + "{{ index $b 1 }}\n") == Lines{"v1 ConfigMap"});
}

// Each pass of such a loop once doubled the list, until it was too large to be followed.
TEST_CASE("A list that loops append to is followed") {
  std::string loop =
      "{{ if .x }}{{ $l = append $l \"Secret\" }}{{ end }}{{ $l = append $l \"ConfigMap\" }}";
  for (const char* each : {"c", "b", "a"}) {
    loop = std::string("{{ range .") + each + " }}" + loop + "{{ end }}";
  }
  CHECK(in_template("{{ $l := list }}{{ with .Values.top }}" + loop +
                    "{{ end }}{{ range $l }}\n---\napiVersion: v1\nkind: {{ . }}\n{{ end }}") ==
        Lines{"v1 ConfigMap", "v1 Secret"});
}

TEST_CASE("A list that may be many is one with the items of all") {
  std::string text = "{{ $l := list }}";
  Lines want;
  for (char letter = 'a'; letter <= 'j'; ++letter) {
    const std::string kind = std::string("Kind") + letter;
    text += "{{ if .Values." + kind + " }}{{ $l = append $l \"" + kind + "\" }}{{ end }}";
    want.push_back("example.com/v1 " + kind);
  }
  const Lines found = in_template(
      text + "{{ range $l }}\n---\napiVersion: example.com/v1\nkind: {{ . }}\n{{ end }}");
  for (const std::string& kind : want) {
    CHECK(std::ranges::find(found, kind) != found.end());
  }
}

TEST_CASE("The kinds of branches are not mixed") {
  CHECK(in_template("{{ if .Values.a }}apiVersion: apps/v1\nkind: Deployment{{ else }}apiVersion: "
                    "v1\nkind: Pod{{ end }}\nmetadata: {}\n") ==
        Lines{"apps/v1 Deployment", "v1 Pod"});
}

TEST_CASE("Kinds below the top of a document are not objects") {
  CHECK(in_template("apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    kind: Pod\n"
                    "    apiVersion: v1\n  y:\n{{ include \"p\" . | indent 4 }}\n"
                    "{{ define \"p\" }}apiVersion: v1\nkind: Secret\n{{ end }}") ==
        Lines{"v1 ConfigMap"});
}

TEST_CASE("Kinds are followed through variables, functions and templates") {
  CHECK(
      in_template("{{ $k := \"Deployment\" }}{{ if .Values.a }}{{ $k = \"DaemonSet\" }}{{ end }}\n"
                  "apiVersion: {{ printf \"%s/%s\" \"apps\" \"v1\" }}\nkind: {{ $k | quote }}\n") ==
      Lines{"apps/v1 DaemonSet", "apps/v1 Deployment"});
  CHECK(in_template("{{ define \"v\" }}{{ if .Capabilities.APIVersions.Has \"policy/v1\" }}\n"
                    "{{- print \"policy/v1\" }}{{ else }}{{ print \"policy/v1beta1\" }}{{ end }}\n"
                    "{{- end }}apiVersion: {{ include \"v\" . }}\nkind: PodDisruptionBudget\n") ==
        Lines{"policy/v1 PodDisruptionBudget", "policy/v1beta1 PodDisruptionBudget"});
  CHECK(in_template("{{ range list \"Role\" \"ClusterRole\" }}\n---\n"
                    "apiVersion: rbac.authorization.k8s.io/v1\nkind: {{ . }}\n{{ end }}") ==
        Lines{"rbac.authorization.k8s.io/v1 ClusterRole", "rbac.authorization.k8s.io/v1 Role"});
  CHECK(in_template("apiVersion: v1\nkind: {{ ternary \"Secret\" \"ConfigMap\" .Values.s }}\n") ==
        Lines{"v1 ConfigMap", "v1 Secret"});
}

TEST_CASE("Objects made as data are found") {
  CHECK(
      in_template("{{ toYaml (dict \"apiVersion\" \"v1\" \"kind\" \"Service\" \"spec\" dict) }}") ==
      Lines{"v1 Service"});
  CHECK(in_template("{{ define \"o\" }}apiVersion: v1\nkind: Service\n{{ end }}\n"
                    "{{ toYaml (merge (fromYaml (include \"o\" .)) (dict \"a\" 1)) }}") ==
        Lines{"v1 Service"});
  CHECK(
      in_template("{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"kind\": \"x\"}}") ==
      Lines{"v1 Pod"});
}

TEST_CASE("The items of a List are objects") {
  CHECK(in_template("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n"
                    "  spec:\n    kind: none\n{{ range .Values.a }}\n- kind: Role\n"
                    "  apiVersion: rbac.authorization.k8s.io/v1\n{{ end }}\n") ==
        Lines{"rbac.authorization.k8s.io/v1 Role", "v1 Pod"});
}

TEST_CASE("The items of other lists are objects, of the kind that the list implies") {
  CHECK(in_template("kind: ConfigMapList\napiVersion: v1\nitems:\n{{ range .Values.a }}\n"
                    "- metadata:\n    name: {{ . }}\n{{ end }}\n"
                    "- apiVersion: v1\n  kind: Secret\n") == Lines{"v1 ConfigMap", "v1 Secret"});
  CHECK(in_template("apiVersion: v1\nkind: ConfigMapList\nitems: []\n") == Lines{});
  // Not every kind that ends like this is a list.
  CHECK(in_template("kind: AllowList\napiVersion: net.example.com/v1\nspec:\n  items:\n"
                    "  - kind: Role\n") == Lines{"net.example.com/v1 AllowList"});
}

TEST_CASE("The content of files is read") {
  CHECK(lines_of(kinds_of({{"templates/x.yaml",
                            "{{ .Files.Get \"a.yaml\" }}\n---\n"
                            "{{ tpl (.Files.Get \"b.yaml\") . }}"},
                           {"a.yaml", "apiVersion: v1\nkind: Pod\n"},
                           {"b.yaml",
                            "{{ if .Values.x }}\napiVersion: v1\nkind: Secret\n{{ end "
                            "}}"}})) == Lines{"v1 Pod", "v1 Secret"});
}

TEST_CASE("A kind from the values is its default, what it is compared with, and a warning") {
  CHECK(in_template("apiVersion: apps/v1\nkind: {{ .Values.kind }}\n"
                    "{{ if eq .Values.kind \"DaemonSet\" }}{{ end }}\n",
                    "kind: Deployment\n") ==
        Lines{"apps/v1 DaemonSet", "apps/v1 Deployment",
              "templates/x.yaml:2:9: the kind of an object is computed from .Values.kind; known: "
              "DaemonSet, Deployment"});
}

TEST_CASE("A kind that the schema enumerates needs no warning") {
  const WrittenKinds found =
      kinds_of({{"templates/x.yaml", "apiVersion: apps/v1\nkind: {{ .Values.kind }}\n"},
                {"values.schema.json",
                 R"({"properties": {"kind": {"$ref": "#/definitions/k"}},
            "definitions": {"k": {"enum": ["Deployment", "StatefulSet"]}}})"}});
  CHECK(lines_of(found) == Lines{"apps/v1 Deployment", "apps/v1 StatefulSet"});
}

TEST_CASE("A kind of which the schema has another part needs a warning") {
  const auto kinds_with = [](const std::string& schema) {
    return lines_of(
        kinds_of({{"templates/x.yaml",
                   "{{ range .Values.kinds }}\n---\napiVersion: v1\nkind: {{ . }}\n{{ end }}"},
                  {"values.schema.json", schema}}));
  };
  CHECK(kinds_with(R"({"properties": {"kinds": {"items": {"enum": ["Secret"]}}}})") ==
        Lines{"v1 Secret"});
  CHECK(kinds_with(R"({"properties": {"kinds": {"items": {"const": "Secret"}}}})") ==
        Lines{"v1 Secret"});
  // The first one is a ConfigMap.
  CHECK(kinds_with(R"({"properties": {"kinds": {"prefixItems": [{"enum": ["ConfigMap"]}],
                      "items": {"enum": ["Secret"]}}}})")
            .size() == 1);
  CHECK(kinds_with(R"({"properties": {"kinds": {"prefixItems": [{"enum": ["ConfigMap"]}],
                      "items": {"enum": ["Secret"]}}}})") != Lines{"v1 Secret"});
  // "#knot" is an anchor, and "#/not" a member.
  CHECK(kinds_with(R"({"properties": {"kinds": {"items": {"$ref": "#knot"}}},
                      "not": {"enum": ["Pod"]},
                      "$defs": {"k": {"$anchor": "knot", "enum": ["Secret"]}}})") ==
        Lines{"v1 Secret"});
}

TEST_CASE("Objects from the values are a warning at their place") {
  CHECK(in_template("{{ range .Values.extraObjects }}\n---\n{{ toYaml . }}\n{{ end }}",
                    "extraObjects: []\n") ==
        Lines{"templates/x.yaml:3:3: objects of any kind, from .Values.extraObjects[], may "
              "be written here"});
}

TEST_CASE("A value that several templates write is one warning") {
  CHECK(in_template("{{ range .Values.objects }}\n---\n{{ if kindIs \"map\" . }}\n{{ toYaml . }}\n"
                    "{{ else }}\n{{ tpl . $ }}\n{{ end }}{{ end }}",
                    "objects: []\n") ==
        Lines{"templates/x.yaml:4:3: objects of any kind, from .Values.objects[], may be written "
              "here"});
  const std::string monitor = "apiVersion: {{ .Values.api }}\nkind: Monitor\n";
  CHECK(
      lines_of(kinds_of({{"templates/a.yaml", monitor}, {"templates/b.yaml", monitor}})) ==
      Lines{"templates/a.yaml:1:15: the apiVersion of kind Monitor is computed from .Values.api"});
}

TEST_CASE("Text that cannot be an object is not a warning") {
  const std::string role = "apiVersion: v1\nkind: Role\nrules:\n";
  const Lines only_role{"v1 Role"};
  // The items of a list, as values.yaml has it.
  CHECK(in_template(role + "{{ toYaml .Values.rules }}\n", "rules: []\n") == only_role);
  CHECK(in_template(role + "{{ toYaml .Values.rules | indent 0 }}\n", "rules: [{}]\n") ==
        only_role);
  CHECK(in_template("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  spec:\n"
                    "      ips: {{ toYaml .Values.ips | nindent 4 }}\n",
                    "ips: [IPv4]\n") == Lines{"v1 Pod"});
  // A value that is never there.
  CHECK(
      in_template("{{ if .Values.a }}\n  {{ required \"never\" (index (dict) \".\") }}\n{{ end }}" +
                  role) == only_role);
  // Lines that are joined.
  CHECK(in_template("{{ define \"names\" }}{{ .Values.a }}\n{{ .Values.b }}.svc{{ end }}" + role +
                    "- a={{ include \"names\" . | replace \"\\n\" \",\" }}\n") == only_role);
  // Those of a List are objects all the same.
  CHECK(in_template("apiVersion: v1\nkind: List\nitems:\n{{ toYaml .Values.a }}\n", "a: []\n") ==
        Lines{"templates/x.yaml:4:3: objects of any kind, from .Values.a, may be written here"});
}

TEST_CASE("Hooks are distinguished") {
  const WrittenKinds found =
      kinds_of({{"templates/x.yaml",
                 "apiVersion: batch/v1\nkind: Job\nmetadata:\n  annotations:\n"
                 "    \"helm.sh/hook\": pre-install\n---\napiVersion: v1\nkind: Pod\n"
                 "metadata:\n  annotations:\n    helm.sh/hook-weight: \"1\"\n"}});
  CHECK(found.kinds.at({"batch/v1", "Job"}).only_hooks);
  CHECK_FALSE(found.kinds.at({"v1", "Pod"}).only_hooks);
}

TEST_CASE("Lookups and partial objects are found") {
  const WrittenKinds found = kinds_of({{"templates/x.yaml",
                                        "{{ lookup \"v1\" \"Secret\" .Release.Namespace \"a\" }}"
                                        "{{ lookup \"v1\" \"Node\" \"\" \"\" }}"},
                                       {"templates/NOTES.txt", "apiVersion: v1\nkind: None\n"},
                                       {"operator/patches/p.yaml",
                                        "{{ range .Related.claims }}\n---\napiVersion: v1\n"
                                        "kind: PersistentVolumeClaim\n{{ end }}"}});
  CHECK(found.lookups ==
        std::map<KindName, bool>{{{"v1", "Node"}, true}, {{"v1", "Secret"}, false}});
  CHECK(names(found.patches) == Lines{"v1 PersistentVolumeClaim"});
  CHECK(found.kinds.empty());
}

TEST_CASE("Templates that are too large to be followed are reported") {
  std::string text;
  for (int i = 0; i < 70; ++i) {
    const std::string name = std::to_string(i);
    text += "{{ if .Values.a" + name + " }}kind: A" + name + "\n{{ end }}{{ if .Values.b" + name +
            " }}apiVersion: v" + name + "\n{{ end }}";
  }
  Files files{{"templates/x.yaml", text + text}, {"Chart.yaml", kChartFile}};
  const auto bundle = ChartSource::from_files("app", std::move(files)).load();
  REQUIRE(bundle.ok());
  const auto found = written_kinds(**bundle);
  REQUIRE(found.ok());
  CHECK_FALSE(found->complete);
}

TEST_CASE("A recursive template may write anything where it calls itself") {
  CHECK(in_template("{{ define \"a\" }}{{ include \"a\" . }}\nkind: Pod\n{{ end }}apiVersion: v1\n"
                    "{{ include \"a\" . }}\n") ==
        Lines{"v1 Pod", "templates/x.yaml:4:3: objects of any kind, may be written here"});
}

TEST_CASE("Kinds are read in the ways in which YAML can write them") {
  const Lines secret{"v1 Secret"};
  CHECK(in_template("apiVersion: v1\nkind: &k Secret\n") == secret);
  CHECK(in_template("apiVersion: v1\nkind: !!str Secret\n") == secret);
  CHECK(in_template("  apiVersion: v1\n  kind: Secret\n  metadata:\n    kind: a\n") == secret);
  CHECK(in_template("{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"Secret\"\n}\n") == secret);
  CHECK(in_template("  {\"apiVersion\": \"v1\", \"kind\": \"Secret\"}\n") == secret);
  CHECK(in_template("--- {apiVersion: v1, kind: Secret}\n") == secret);
  CHECK(in_template("apiVersion: v1\nkind: List\nitems:\n-\n  apiVersion: v1\n  kind: Secret\n") ==
        secret);
  CHECK(in_template("apiVersion: v1\nkind: List\nitems:\n-   apiVersion: v1\n    kind: Secret\n") ==
        secret);
  CHECK(in_template("apiVersion: v1\nkind: Con{{ .Values.a }}Map\n", "a: fig\n") ==
        Lines{"v1 ConfigMap",
              "templates/x.yaml:2:12: the kind of an object is computed from .Values.a; known: "
              "ConfigMap"});
}

TEST_CASE("A kind that is written in another way is a warning at its place") {
  const auto unclear_at = [](const std::string& place) {
    return "templates/x.yaml:" + place +
           ": the kind or apiVersion of an object is written in a way that is not followed (an "
           "anchor, an escape, several lines)";
  };
  CHECK(in_template("apiVersion: v1\nx: &k Secret\nkind: *k\n") == Lines{unclear_at("3:0")});
  CHECK(in_template("apiVersion: v1\nkind: >-\n  Secret\n") == Lines{unclear_at("2:0")});
  CHECK(in_template("apiVersion: v1\nkind:\n  Secret\n") == Lines{unclear_at("3:0")});
  CHECK(in_template("apiVersion: v1\nkind: \"\\u0053ecret\"\n") == Lines{unclear_at("2:0")});
  CHECK(in_template("apiVersion: v1\n\"\\u006bind\": Secret\n") == Lines{unclear_at("2:0")});
  CHECK(in_template("? kind\n: Secret\n") == Lines{unclear_at("1:0")});
  CHECK(in_template("x: &b {kind: Secret}\n<<: *b\n") == Lines{unclear_at("2:0")});
  CHECK(in_template("apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret}]\n") ==
        Lines{unclear_at("3:0")});
  CHECK(in_template("apiVersion: v1\nkind: List\nitems:\n- &a\n  apiVersion: v1\n  kind: Pod\n"
                    "- *a\n") == Lines{"v1 Pod", unclear_at("7:0")});
}

TEST_CASE("Text from the values may be objects wherever a line begins with it") {
  const auto any_at = [](const std::string& place) {
    return "templates/x.yaml:" + place +
           ": objects of any kind, from .Values.a, may be written here";
  };
  const std::string list = "apiVersion: v1\nkind: List\nitems:";
  CHECK(in_template("apiVersion: v1\nkind: ConfigMap\n{{ .Values.a }}") ==
        Lines{"v1 ConfigMap", any_at("3:3")});
  CHECK(in_template("apiVersion: v1\nkind: ConfigMap\ndata:{{ toYaml .Values.a | nindent 2 }}") ==
        Lines{"v1 ConfigMap"});
  CHECK(in_template("---\n  {{ .Values.a }}\n") == Lines{any_at("2:5")});
  CHECK(in_template("{ {{ .Values.a }} }\n") == Lines{any_at("1:5")});
  CHECK(in_template(list + " {{ toJson .Values.a }}\n") == Lines{any_at("3:10")});
  CHECK(in_template(list + "\n{{ toYaml .Values.a }}\n") == Lines{any_at("4:3")});
  CHECK(in_template(list + "\n{{ toYaml .Values.a | indent 2 }}\n") == Lines{any_at("4:3")});
}

TEST_CASE("Objects that are changed as data have their new kind, too") {
  const std::string base = "{{ define \"o\" }}apiVersion: v1\nkind: ConfigMap\n{{ end }}";
  const std::string decoded = base + "{{ $o := fromYaml (include \"o\" .) }}";
  const std::string made = "{{ $o := dict \"apiVersion\" \"v1\" \"kind\" \"ConfigMap\" }}";
  const std::string shown = "{{ toYaml $o }}";
  const Lines both{"v1 ConfigMap", "v1 Secret"};
  CHECK(in_template(decoded + "{{ $_ := set $o \"kind\" \"Secret\" }}" + shown) == both);
  CHECK(in_template(decoded + "{{ $_ := mergeOverwrite $o (dict \"kind\" \"Secret\") }}" + shown) ==
        both);
  CHECK(in_template(made + "{{ $_ := mergeOverwrite $o (dict \"kind\" \"Secret\") }}" + shown) ==
        both);
  CHECK(in_template(base + "{{ define \"s\" }}kind: Secret\n{{ end }}{{ toYaml (merge (fromYaml "
                           "(include \"s\" .)) (fromYaml (include \"o\" .))) }}") == both);
  CHECK(in_template(made + "{{ $p := dict \"apiVersion\" \"v1\" \"kind\" \"Pod\" }}"
                           "{{ $q := ternary $o $p .Values.a }}"
                           "{{ $_ := set $q \"kind\" \"Secret\" }}{{ toYaml $q }}") ==
        Lines{"v1 ConfigMap", "v1 Pod", "v1 Secret"});
  CHECK(
      in_template("{{ toYaml (dict \"apiVersion\" \"v1\" \"kind\" (default \"Secret\" .Values.a)) "
                  "}}") ==
      Lines{"v1 Secret", "templates/x.yaml:1:3: the kind of an object is computed from .Values.a"});
  CHECK(in_template("apiVersion: v1\nkind: List\nitems:\n{{ toYaml (list (dict \"apiVersion\" "
                    "\"v1\" \"kind\" \"Secret\")) }}\n") == Lines{"v1 Secret"});
}

TEST_CASE("A dict that gets a key or a kind from the values may be any object") {
  const std::string made = "{{ $o := dict \"apiVersion\" \"v1\" \"kind\" \"ConfigMap\" }}";
  const auto last = [](const std::string& text) { return in_template(text).back(); };
  CHECK(last(made + "{{ $_ := set $o .Values.a \"b\" }}\n{{ toYaml $o }}") ==
        "templates/x.yaml:2:3: objects of any kind, may be written here");
  CHECK(last(made + "{{ $_ := mergeOverwrite $o .Values.a }}\n{{ toYaml $o }}") ==
        "templates/x.yaml:2:3: objects of any kind, from .Values.a, may be written here");
  CHECK(last("{{ toYaml (dict \"apiVersion\" \"v1\" \"kind\" (camelcase \"pod\")) }}") ==
        "templates/x.yaml:1:3: the kind of an object is computed");
}

TEST_CASE("A variable that a loop hands on is followed to the end") {
  CHECK(in_template("{{ $a := \"Pod\" }}{{ $b := \"Pod\" }}{{ $c := \"Pod\" }}"
                    "{{ range .Values.l }}\n---\napiVersion: v1\nkind: {{ $a }}\n"
                    "{{ $a = $b }}{{ $b = $c }}{{ $c = \"Secret\" }}{{ end }}") ==
        Lines{"v1 Pod", "v1 Secret"});
}

TEST_CASE("A document whose words are replaced may be another one") {
  const std::string object =
      "{{ define \"o\" }}apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Values.a }}}\n{{ end }}";
  CHECK(in_template(object + "{{ include \"o\" . | replace \"Pod\" \"Secret\" }}") ==
        Lines{"v1 Pod", "templates/x.yaml:4:12: objects of any kind, may be written here"});
  CHECK(in_template(object + "{{ include \"o\" . | replace \"\\n\\n\" \"\\n\" | trim }}") ==
        Lines{"v1 Pod"});
}

TEST_CASE("Every kind of a golden render is found without values") {
  const fs::path root = source_dir();
  size_t compared = 0;
  for (const auto& folder : fs::directory_iterator(root / "test/golden")) {
    const std::string name = folder.path().filename();
    const fs::path own =
        fs::exists(root / "charts" / name) ? root / "charts" / name : root / "test/charts" / name;
    if (!folder.is_directory() || !fs::exists(own)) {
      continue;
    }
    INFO(name);
    const auto chart = helm::RenderableChart::load(own.string());
    REQUIRE(chart.ok());
    const auto found = written_kinds(**chart);
    REQUIRE(found.ok());
    CHECK(found->complete);
    for (const auto& entry : fs::directory_iterator(folder)) {
      const fs::path want = entry.path() / "want.yaml";  // A case that must fail has none.
      for (const KindName& kind : fs::exists(want) ? rendered(want) : std::set<KindName>{}) {
        if (kind.second.ends_with("List") || kind.second == "CustomResourceDefinition") {
          continue;  // Its items are objects; crds/ is printed by a flag.
        }
        INFO(entry.path().filename() << " " << kind.first << " " << kind.second);
        // Values may name other kinds, or contain objects: then there is a warning.
        const bool is_value = entry.path().filename() != "defaults" && !found->computed.empty();
        CHECK((found->kinds.contains(kind) || is_value));
        ++compared;
      }
    }
  }
  CHECK(compared > 100);
}

}  // namespace chartwright::helm::analysis
