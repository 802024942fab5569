// SPDX-License-Identifier: Apache-2.0
#include "bundle/bundle.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "test/bundle/chart_folder.h"
#include "test/source_dir.h"

namespace chartwright::bundle {
namespace {

using testing::Files;
using testing::Folder;

base::Result<Bundle> load(const Files& files) {
  const Folder folder(testing::with(testing::widget_chart(), files));
  return load_bundle(folder.path());
}

TEST_CASE("A chart without an operator folder is a bundle that asks for nothing") {
  const Bundle bundle = CW_MUST(load({}));
  CHECK(bundle.chart_name() == "widget");
  CHECK(bundle.chart_version() == "widget-0.1.0");
  CHECK(bundle.patches.empty());
  CHECK_FALSE(bundle.status_template);
  CHECK_FALSE(bundle.reads_live);
  CHECK(bundle.rules.children.empty());
}

TEST_CASE("All bundles of the repository load") {
  int count = 0;
  for (const char* folder : {"charts", "test/charts", "test/e2e/charts"}) {
    for (const auto& chart : std::filesystem::directory_iterator(source_dir() + "/" + folder)) {
      if (std::filesystem::exists(chart.path() / "operator")) {
        const auto bundle = load_bundle(chart.path().string());
        INFO((bundle.ok() ? "" : bundle.error().to_string()));
        CHECK(bundle.ok());
        ++count;
      }
    }
  }
  CHECK(count >= 15);
}

TEST_CASE("The names of the operator folder's files decide what they are") {
  const Bundle bundle = CW_MUST(load({{"operator/operator.yaml", "allowEmpty: true\n"},
                                      {"operator/status.yaml", "a: 1\n"},
                                      {"operator/status.schema.json", R"({"properties": {}})"},
                                      {"operator/patches/b.yaml", "b"},
                                      {"operator/patches/a.yml", "a"},
                                      {"operator/patches/notes.txt", ".Live"},
                                      {"operator/README.md", ".Live"}}));
  CHECK(bundle.rules.allow_empty);
  REQUIRE(bundle.status_template);
  CHECK(bundle.status_template->name() == "widget/operator/status.yaml");
  CHECK(bundle.status_template->text() == "a: 1\n");
  REQUIRE(bundle.patches.size() == 2);
  CHECK(bundle.patches[0].name() == "widget/operator/patches/a.yml");
  CHECK(bundle.patches[1].text() == "b");
  CHECK_FALSE(bundle.reads_live);
}

TEST_CASE("Bodies of children are kept in memory only where a template reads them") {
  CHECK(CW_MUST(load({{"operator/status.yaml", "n: {{ len .Live }}\n"}})).reads_live);
  CHECK(CW_MUST(load({{"operator/patches/a.yaml", "{{ range .Live }}{{ end }}"}})).reads_live);
  CHECK_FALSE(CW_MUST(load({{"operator/status.yaml", "n: 1\n"}})).reads_live);
  // A status template may read it through a helper of the chart.
  const std::string helper = "{{ define \"n\" }}{{ len .Live }}{{ end }}";
  CHECK(CW_MUST(load({{"operator/status.yaml", "n: {{ include \"n\" . }}\n"},
                      {"templates/_n.tpl", helper}}))
            .reads_live);
  CHECK_FALSE(CW_MUST(load({{"templates/_n.tpl", helper}})).reads_live);
}

TEST_CASE("A bundle reads annotations if a template may") {
  const auto reads = [](const std::string& status, const std::string& helper = "") {
    return CW_MUST(load({{"operator/status.yaml", status}, {"templates/_a.tpl", helper}}))
        .reads_annotations;
  };
  for (const char* status :
       {"n: {{ .CR.metadata.annotations.x }}\n", "n: {{ toYaml .CR | quote }}\n",
        "n: {{ $.CR.metadata | toYaml | quote }}\n", "n: {{ tpl .CR.spec.x . }}\n",
        "n: {{ (index .CR \"metadata\").name }}\n"}) {
    CAPTURE(status);
    CHECK(reads(status));
  }
  const char* none = "n: {{ .CR.spec.x }}{{ .CR.metadata.name }}\n";
  CHECK_FALSE(reads(none));
  CHECK_FALSE(reads(none, R"({{ define "a" }}annotations: {{ .Values.x }}{{ end }})"));
  CHECK(reads(none, R"({{ define "a" }}{{ .CR.metadata.annotations.x }}{{ end }})"));
  CHECK_FALSE(
      CW_MUST(load({{"templates/a.yaml", "metadata: {annotations: {}}\n"}})).reads_annotations);
}

TEST_CASE("A chart that may look up objects is known by its files") {
  CHECK_FALSE(CW_MUST(load({})).may_look_up);
  const std::string helper =
      "{{ define \"n\" }}{{ lookup \"v1\" \"Secret\" \"a\" \"b\" }}{{ end }}";
  CHECK(CW_MUST(load({{"templates/_n.tpl", helper}})).may_look_up);
  CHECK(CW_MUST(load({{"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 0.1.0\n"},
                      {"charts/sub/templates/_n.tpl", helper}}))
            .may_look_up);
  CHECK(CW_MUST(load({{"conf/a.tpl", helper}})).may_look_up);  // It may pass through tpl.
}

TEST_CASE("The operator folder is part of what a render depends on") {
  const std::string plain = CW_MUST(load({})).chart->digest();
  CHECK(plain == CW_MUST(load({})).chart->digest());
  CHECK(plain != CW_MUST(load({{"operator/operator.yaml", "allowEmpty: true\n"}})).chart->digest());
}

/// The error of a bundle with such a file, from the folder of the chart on; "none" if it loads.
std::string fault_of(const std::string& file, const std::string& text) {
  const Folder folder(testing::with(testing::widget_chart(), {{file, text}}));
  const auto bundle = load_bundle(folder.path());
  if (bundle.ok()) {
    return "none";
  }
  const std::string error = bundle.error().to_string();
  REQUIRE(error.starts_with(folder.path()));
  return error.substr(folder.path().size());
}

TEST_CASE("A wrong operator.yaml is reported with its path") {
  CHECK(fault_of("operator/operator.yaml", "children: 5\n") ==
        "/operator/operator.yaml:1:11: children: expected a list, got the number 5");
}

TEST_CASE("A file of the operator folder with an unknown name is refused") {
  CHECK(fault_of("operator/status.yml", "a: 1\n") ==
        "/operator/status.yml: unknown file, did you mean \"operator/status.yaml\"?");
}

TEST_CASE("A schema of the status without fields is refused") {
  const auto fault = [](const std::string& schema) {
    return fault_of("operator/status.schema.json", schema);
  };
  const std::string right = "an object with \"properties\", the fields that status.yaml writes";
  const std::string none =
      "the schema has no fields, so that the CRD would drop all: expected " + right;
  const std::string file = "/operator/status.schema.json";
  CHECK(fault("[]") == file + ":1:1: not a schema of a status: expected " + right);
  CHECK(fault("{}") == file + ":1:1: " + none);
  CHECK(fault("{\"type\": \"object\"}") == file + ":1:1: " + none);
  CHECK(fault("{\"propertes\": {}}") ==
        file + ":1:2: unknown key \"propertes\", did you mean \"properties\"?");
  CHECK(fault("{\"properties\": []}") ==
        file + ":1:16: properties: expected the fields by their names");
  CHECK(fault("{\"properties\": {\"a\": {\"type\": \"string\"}}}") == "none");
  CHECK(fault("{\"$ref\": \"#/$defs/x\", \"$defs\": {\"x\": {}}}") == "none");
}

TEST_CASE("Predicates of child rules are parsed when the bundle is loaded") {
  const auto with_rule = [](const std::string& rule) {
    return testing::with(testing::widget_chart(),
                         {{"operator/operator.yaml", "children:\n- match: {}\n  " + rule + "\n"}});
  };
  const Folder right(with_rule("ready: '{{ .Object.spec.x }}'"));
  const Bundle bundle = CW_MUST(load_bundle(right.path()));
  CHECK(bundle.rules.predicates.at(0).ready->parsed);
  CHECK(bundle.reads_live);
  const Folder wrong(with_rule("present: '{{ if }}'"));
  const auto failed = load_bundle(wrong.path());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code() == base::ErrorCode::kParse);
  CHECK_THAT(failed.error().to_string(),
             Catch::Matchers::StartsWith(wrong.path() +
                                         "/operator/operator.yaml:3:12: children[0].present: ") &&
                 Catch::Matchers::Contains("missing value for if"));
}

TEST_CASE("Templates of related entries are parsed when the bundle is loaded") {
  const auto with_entry = [](const std::string& entry) {
    return testing::with(testing::widget_chart(),
                         {{"operator/operator.yaml",
                           "related:\n  r: {apiVersion: v1, kind: Pod, " + entry + "}\n"}});
  };
  const Folder right(with_entry("selectedBy: {apiVersion: apps/v1, kind: Deployment, name: w}"));
  CHECK(CW_MUST(load_bundle(right.path())).reads_live);  // Its selector.
  const auto [entry, place] = GENERATE(table<std::string, std::string>({
      {"selector: {a: '{{ if }}'}", "2:48: related.r.selector.a: "},
      {"selector: {matchExpressions: [{key: a, operator: In, values: [x, '{{ if }}']}]}",
       "2:99: related.r.selector.matchExpressions[0].values[1]: "},
      {"name: '{{ if }}'", "2:40: related.r.name: "},
      {"name: a, namespace: '{{ if }}'", "2:54: related.r.namespace: "},
      {"selectedBy: {apiVersion: v1, kind: Service, name: '{{ if }}'}",
       "2:84: related.r.selectedBy.name: "},
  }));
  const Folder wrong(with_entry(entry));
  const auto failed = load_bundle(wrong.path());
  REQUIRE_FALSE(failed.ok());
  CHECK_THAT(failed.error().to_string(),
             Catch::Matchers::StartsWith(wrong.path() + "/operator/operator.yaml:" + place) &&
                 Catch::Matchers::Contains("missing value for if"));
}

TEST_CASE("Templates of patches and of the status are parsed when the bundle is loaded") {
  const std::string file = GENERATE("operator/status.yaml", "operator/patches/a.yaml");
  const Folder wrong(testing::with(testing::widget_chart(), {{file, "a: 1\nb: {{ if }}\n"}}));
  const auto failed = load_bundle(wrong.path());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code() == base::ErrorCode::kParse);
  // The path is one that can be opened, and is told once.
  const std::string place = wrong.path() + "/" + file + ":2:10";
  CHECK(failed.error().to_string() ==
        place + ": missing value for if\n" + place + "\n2 | b: {{ if }}\n  |          ^");
  const Folder open(testing::with(testing::widget_chart(), {{file, "a: {{ .CR.kind\n"}}));
  CHECK(load_bundle(open.path() + "/").error().message() ==
        "unclosed action started at " + open.path() + "/" + file + ":1");
  // Then it is the chart's own template that each render reports.
  const Folder both(testing::with(testing::widget_chart(),
                                  {{file, "b: {{ if }}\n"}, {"templates/x.yaml", "{{ if }}"}}));
  CHECK(load_bundle(both.path()).ok());
}

TEST_CASE("The faults of all files of a bundle are reported at once") {
  const Folder wrong(testing::with(
      testing::widget_chart(),
      {{"operator/operator.yaml",
        "related:\n  a: {apiVersion: v1, kind: pod, name: x}\n  b: {apiVersion: v1, kind: Pod}\n"
        "children:\n- match: {kind: Pod}\n  update: recrate\nallowEmpty: 3\nallow: 1\n"},
       {"operator/stats.yaml", ""},
       {"operator/externals/a.yaml", "name: a\n"},
       {"operator/externals/b.yaml", "name: b!\n"},
       {"operator/patches/a.yaml", "a: {{ if }}\n"},
       {"operator/patches/b.yaml", "kind: ConfigMap\n"},
       {"operator/status.yaml", "revision: 1\n"}}));
  base::Faults faults;
  load_bundle(wrong.path(), helm::default_profile(), {}, faults);
  std::vector<std::string> places;
  for (const base::Error& error : faults.all()) {
    const std::string place = error.pos().value().to_string();
    places.push_back(place.substr(place.find("operator/") + std::string("operator/").size()));
  }
  CHECK(places == std::vector<std::string>{"stats.yaml", "operator.yaml:2:29", "operator.yaml:3:6",
                                           "operator.yaml:6:11", "operator.yaml:7:13",
                                           "operator.yaml:8:1", "externals/a.yaml:1:1",
                                           "externals/b.yaml:1:7", "patches/a.yaml:1:10",
                                           "patches/b.yaml:1:1", "status.yaml:1:1"});
  const auto failed = load_bundle(wrong.path());
  REQUIRE_FALSE(failed.ok());
  const std::string text = failed.error().to_string();
  CHECK(std::count(text.begin(), text.end(), '\n') == 10);
  CHECK_THAT(text, Catch::Matchers::Contains("\n" + wrong.path() + "/operator/status.yaml:1:1: "));
}

TEST_CASE("A name that is almost that of a value is a doubt, not a fault") {
  const auto doubts = [](const Files& files) {
    const Bundle bundle = CW_MUST(load(files));
    std::vector<std::string> texts;
    for (const base::Error& doubt : bundle.doubts) {
      const std::string text = doubt.to_string();
      texts.push_back(text.substr(text.find("operator/")));
    }
    return texts;
  };
  using Texts = std::vector<std::string>;
  CHECK(doubts({{"operator/status.yaml", "a: {{ .Values.colr }}\nb: {{ .CR.spec.brokn }}\n"}}) ==
        Texts{"operator/status.yaml:1:15: no value of the chart is named .Values.colr, did you "
              "mean .Values.color?",
              "operator/status.yaml:2:16: no value of the chart is named .CR.spec.brokn, did you "
              "mean .CR.spec.broken?"});
  // Other names may be those of keys that only operator/ reads, or that a template reads.
  CHECK(doubts({{"operator/status.yaml", "a: {{ .Values.color }}{{ .CR.spec.zone }}\n"}}).empty());
  CHECK(doubts({{"templates/b.yaml", "{{ .Values.colour }}"},
                {"operator/status.yaml", "a: {{ .Values.colour }}\n"}})
            .empty());
  CHECK(doubts({{"operator/values.yaml", "color: {{ .CR.spec.colr }}\n"}}).empty());
}

TEST_CASE("Keys of a spec that nothing reads are named with the nearest one") {
  using value::Value;
  const Value spec = Value::dict(
      {{"colour", Value::string("red")}, {"raw", Value::string("")}, {"zzz", Value::integer(1)}});
  const Folder whole(testing::widget_chart());
  CHECK(CW_MUST(load_bundle(whole.path())).unread_keys(spec) ==
        std::vector<std::string>{R"("colour" is read by no template, did you mean "color"?)",
                                 R"("zzz" is read by no template)"});
  SECTION("only a near miss is named of a chart that reads keys by computed names") {
    const Folder open(testing::with(testing::widget_chart(),
                                    {{"templates/x.yaml", "{{ index .Values .Values.color }}"}}));
    CHECK(CW_MUST(load_bundle(open.path())).unread_keys(spec) ==
          std::vector<std::string>{R"("colour" is named by no template, did you mean "color"?)"});
  }
  SECTION("nothing is said of one whose templates do not parse") {
    const Folder broken(testing::with(testing::widget_chart(), {{"templates/x.yaml", "{{ if }}"}}));
    CHECK(CW_MUST(load_bundle(broken.path())).unread_keys(spec).empty());
  }
}

TEST_CASE("A folder that is not a chart is refused") {
  CHECK_FALSE(load_bundle("/no/such/chart").ok());
  const Folder empty({});
  CHECK_FALSE(load_bundle(empty.path()).ok());
}

TEST_CASE("The charts that ship load") {
  for (const std::string name : {"bookstore", "demovolume", "podset"}) {
    INFO(name);
    const Bundle bundle = CW_MUST(load_bundle(source_dir() + "/charts/" + name));
    CHECK(bundle.chart_name() == name);
    CHECK(bundle.reads_live);
    CHECK(bundle.status_template);
  }
}

}  // namespace
}  // namespace chartwright::bundle
