// SPDX-License-Identifier: Apache-2.0
#include "bundle/renderer.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/file.h"
#include "helm/render/manifest.h"
#include "test/base/manual_clock.h"
#include "test/bundle/chart_folder.h"
#include "test/source_dir.h"
#include "test/value/json_text.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::bundle {
namespace {

using base::ErrorCode;
using value::Value;
using value::testing::json;

struct Press {
  base::ManualClock clock;
  Renderer renderer{helm::Capabilities::offline(), clock};

  base::Result<std::vector<Value>> patches(const Bundle& bundle, const OperatorView& view) const {
    CW_TRY(const Value scope, renderer.scope(bundle, view));
    return renderer.render_patches(bundle, scope);
  }
  base::Result<Value> status(const Bundle& bundle, const OperatorView& view) const {
    CW_TRY(const Value scope, renderer.scope(bundle, view));
    return renderer.render_status(bundle, scope);
  }
};

Bundle shipped(const std::string& name) {
  return CW_MUST(load_bundle(source_dir() + "/charts/" + name));
}

Bundle widget(const testing::Files& more = {}) {
  const testing::Folder folder(testing::with(testing::widget_chart(), more));
  return CW_MUST(load_bundle(folder.path()));
}

ReleaseInputs inputs(std::string_view config = "{}") {
  ReleaseInputs inputs;
  inputs.name = "w";
  inputs.ns = "shop";
  inputs.config = json(config);
  return inputs;
}

OperatorView view_of(std::string_view spec) {
  OperatorView view;
  view.cr =
      json(R"({"metadata":{"name":"w","namespace":"shop"},"spec":)" + std::string(spec) + "}");
  view.release = inputs(spec);
  return view;
}

TEST_CASE("A release is a manifest, its objects and its notes") {
  Press press;
  const RenderedRelease release =
      CW_MUST(press.renderer.render(widget(), inputs(R"({"extra":"second"})"), nullptr));
  CHECK(release.objects.size() == 2);
  CHECK(release.notes == "Painted red.");
  CHECK(release.hooks.empty());
  CHECK(release.repeatable);
  CHECK_THAT(release.manifest, Catch::Matchers::StartsWith("---\n# Source: widget/templates/"));
  // A stored manifest can be applied again.
  const auto again = CW_MUST(Renderer::parse_manifest(release.manifest));
  REQUIRE(again.size() == 2);
  CHECK(CW_MUST(value::to_json(Value::list(again))) ==
        CW_MUST(value::to_json(Value::list(release.objects))));
}

TEST_CASE("A chart that renders one object twice is refused with both templates") {
  Press press;
  const Bundle bundle = widget({{"templates/zoo.yaml",
                                 "{{ with .Values.raw }}\napiVersion: v1\nkind: ConfigMap\n"
                                 "metadata: {name: w, namespace: shop}\n{{ end }}\n"}});
  const auto refused = [&](std::string_view config) {
    const auto release = press.renderer.render(bundle, inputs(config), nullptr);
    REQUIRE_FALSE(release.ok());
    CHECK(release.error().code() == ErrorCode::kInvalidArgument);
    return release.error().message();
  };
  CHECK(press.renderer.render(bundle, inputs(), nullptr).ok());
  CHECK(refused(R"({"raw":"# nothing"})") ==
        "widget/templates/zoo.yaml: ConfigMap/w: widget/templates/widget.yaml renders it, too");
  CHECK(refused(R"({"extra":"w"})") ==
        "widget/templates/widget.yaml: ConfigMap/w: this template renders it twice");
}

TEST_CASE("An object without what identifies it is refused with its template") {
  Press press;
  const auto refused = [&](std::string_view raw) {
    const auto release =
        press.renderer.render(widget(), inputs(R"({"raw":")" + std::string(raw) + "\"}"), nullptr);
    REQUIRE_FALSE(release.ok());
    CHECK_THAT(release.error().help(), Catch::Matchers::StartsWith("Each object needs apiVersion"));
    return release.error().message();
  };
  CHECK(refused("apiVersion: v1\\nmetadata: {name: a}") ==
        "widget/templates/widget.yaml: rendered object \"a\" has no kind (a string is needed)");
  CHECK(refused("kind: ConfigMap") ==
        "widget/templates/widget.yaml: rendered object has no apiVersion (a string is needed)");
  CHECK(refused("apiVersion: v1\\nkind: ConfigMap\\nmetadata: {generateName: a}") ==
        "widget/templates/widget.yaml: rendered ConfigMap has no usable metadata.name "
        "(generateName cannot be applied)");
}

TEST_CASE("A document is refused for what any of its objects lacks") {
  const auto refusal = [](std::string_view text) {
    const base::Status checked =
        check_document(CW_MUST(yaml::parse_yaml(text, value::Numbers::kInt64)));
    return checked.ok() ? "" : checked.error().message();
  };
  CHECK(refusal("# A comment\n").empty());
  CHECK(refusal("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n").empty());
  CHECK(refusal("apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n").empty());
  CHECK(refusal("text\n") == "a rendered document is not an object: a mapping is needed");
  CHECK(refusal("apiVersion: v1\nmetadata: {name: a}\n") ==
        "rendered object \"a\" has no kind (a string is needed)");
  CHECK(refusal("apiVersion: v1\nkind: PodList\nitems:\n- metadata: {}\n") ==
        "rendered Pod has no usable metadata.name (generateName cannot be applied)");
}

TEST_CASE("A text block at the end of a document keeps its line ends, applied and stored") {
  Press press;
  const testing::Folder folder(
      testing::with(testing::widget_chart(),
                    {{"templates/texts.yaml",
                      "apiVersion: v1\nkind: A\nmetadata: {name: a}\nclip: |\n  x\n---\n"
                      "apiVersion: v1\nkind: B\nmetadata: {name: b}\nkeep: |+\n  x\n\n---\n"
                      "apiVersion: v1\nkind: C\nmetadata: {name: c}\nstrip: |-\n  x\n"}}));
  for (const helm::Profile& profile : helm::profiles()) {
    INFO(profile.name);
    const Bundle bundle = CW_MUST(load_bundle(folder.path(), profile));
    const RenderedRelease release =
        CW_MUST(press.renderer.render(bundle, inputs(R"({"empty":true})"), nullptr));
    const auto again = CW_MUST(Renderer::parse_manifest(release.manifest));
    REQUIRE(release.objects.size() == 3);
    CHECK(release.objects[0].string_at({"clip"}) == "x\n");
    // A trimmed document has no empty lines at its end; one that is not has those of the manifest
    // as well.
    const bool trimmed = profile.split == helm::SplitRule::kTrimmed;
    CHECK(release.objects[1].string_at({"keep"}) == (trimmed ? "x\n" : "x\n\n\n"));
    CHECK(release.objects[2].string_at({"strip"}) == "x");
    CHECK(CW_MUST(value::to_json(Value::list(again))) ==
          CW_MUST(value::to_json(Value::list(release.objects))));
  }
}

TEST_CASE("A text block that ends a document is read for its head without the line end") {
  // Helm reads the head from the trimmed text, and applies what the manifest has.
  const auto sorted = CW_MUST(helm::sort_manifests(
      {{"w/templates/hook.yaml",
        "kind: Job\nmetadata:\n  name: j\n  annotations:\n    helm.sh/hook: pre-install\n"
        "    helm.sh/hook-weight: |\n      7\n"},
       {"w/templates/name.yaml", "kind: A\nmetadata:\n  name: |\n    a\n"}}));
  REQUIRE(sorted.hooks.size() == 1);
  CHECK(sorted.hooks[0].weight == 7);
  REQUIRE(sorted.manifests.size() == 1);
  CHECK(sorted.manifests[0].name == "a");
  CHECK(sorted.manifests[0].document.string_at({"metadata", "name"}) == "a\n");
}

TEST_CASE("A stored document keeps the indentation of its first line") {
  Press press;
  const Bundle bundle = widget({{"templates/indented.yaml",
                                 "apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n"
                                 "  --- \n  apiVersion: v1\n  kind: B\n  metadata: {name: b}\n"}});
  const RenderedRelease release =
      CW_MUST(press.renderer.render(bundle, inputs(R"({"empty":true})"), nullptr));
  REQUIRE(release.objects.size() == 2);
  CHECK(CW_MUST(value::to_json(Value::list(CW_MUST(Renderer::parse_manifest(release.manifest))))) ==
        CW_MUST(value::to_json(Value::list(release.objects))));
}

TEST_CASE("A document that no record can hold is refused before it is applied") {
  Press press;
  std::string wide = "\xff\xfe";
  for (const char c : std::string_view("kind: A\nmetadata: {name: a}\n")) {
    wide += {c, '\0'};
  }
  const auto release = press.renderer.render(widget({{"templates/wide.yaml", wide}}),
                                             inputs(R"({"empty":true})"), nullptr);
  REQUIRE_FALSE(release.ok());
  CHECK(release.error().to_string() ==
        "widget/templates/wide.yaml: a rendered document is not UTF-8");
}

TEST_CASE("The name of a template does not change what is read from the record") {
  Press press;
  const auto render = [&press](const std::string& name) {
    return press.renderer.render(
        widget({{"templates/" + name + ".yaml", "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"}}),
        inputs(R"({"empty":true})"), nullptr);
  };
  for (const std::string name : {"a\x01\x7f\f", "a\rkind: B", "a\xc2\x85kind: B", "a\xff"}) {
    INFO(name);
    const RenderedRelease release = CW_MUST(render(name));
    const auto again = CW_MUST(Renderer::parse_manifest(release.manifest));
    REQUIRE(again.size() == 1);
    CHECK(again[0].string_at({"kind"}) == "A");
  }
  const RenderedRelease marked =
      CW_MUST(press.renderer.render(widget({{"templates/mark.yaml",
                                             "---\n\xef\xbb\xbf"
                                             "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"}}),
                                    inputs(R"({"empty":true})"), nullptr));
  CHECK(CW_MUST(Renderer::parse_manifest(marked.manifest))[0].string_at({"kind"}) ==
        marked.objects[0].string_at({"kind"}));
  const auto broken = render("a\nkind: B\n---\nb");
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.error().to_string() ==
        R"("widget/templates/a\nkind: B\n---\nb.yaml": the name of a template has a line break)");
}

TEST_CASE("Documents of a stored manifest are separated by lines") {
  const auto kinds = [](const std::string& manifest) {
    std::string all;
    const std::vector<Value> objects = CW_MUST(Renderer::parse_manifest(manifest));
    for (const Value& object : objects) {
      all += object.string_at({"kind"});
    }
    return all;
  };
  CHECK(kinds("kind: A\n---\nkind: B\n") == "AB");
  CHECK(kinds("---\nkind: A\n--- \t\r\nkind: B\n---") == "AB");
  CHECK(kinds("--- # Source: a\nkind: A\n---# b\n  kind: B\n") == "AB");
  CHECK(kinds("--- {kind: A}\n---\n{kind: B}") == "AB");
  CHECK(kinds("kind: A\ntext: |\n  ---\n  kind: B\n") == "A");
}

TEST_CASE("Files of crds/ are not part of the manifest, lists are expanded, hooks are named") {
  Press press;
  const Bundle bundle =
      widget({{"crds/a.yaml",
               "kind: CustomResourceDefinition\nmetadata: {name: a}\n---\n"
               "kind: CustomResourceDefinition\nmetadata: {name: b}\n"},
              {"templates/list.yaml",
               "apiVersion: v1\nkind: List\nitems:\n- &a {apiVersion: v1, kind: A, metadata: "
               "{name: a}}\n- {<<: *a, kind: B}\n"},
              {"templates/hooks.yaml",
               "kind: Job\napiVersion: batch/v1\nmetadata:\n  name: j\n  annotations:\n"
               "    helm.sh/hook: pre-install\n---\n"
               "kind: Pod\napiVersion: v1\nmetadata:\n  name: t\n  annotations:\n"
               "    helm.sh/hook: test\n"}});
  const RenderedRelease release =
      CW_MUST(press.renderer.render(bundle, inputs(R"({"empty":true})"), nullptr));
  std::vector<std::string> kinds;
  for (const Value& object : release.objects) {
    kinds.emplace_back(object.string_at({"kind"}));
  }
  CHECK(kinds == std::vector<std::string>{"A", "B"});
  CHECK(release.manifest.find("CustomResourceDefinition") == std::string::npos);
  REQUIRE(release.crds.size() == 1);
  CHECK(release.crds.front().path == "widget/crds/a.yaml");
  CHECK(list_hooks(release.hooks) == "Job j (pre-install)");  // Tests do not count.
  CHECK(release.manifest.find("helm.sh/hook") == std::string::npos);
}

TEST_CASE("Of many hooks the first are named") {
  Press press;
  std::string hooks;
  for (int i = 10; i < 22; ++i) {
    hooks += "---\nkind: Job\napiVersion: batch/v1\nmetadata:\n  name: j" + std::to_string(i) +
             "\n  annotations: {helm.sh/hook: \"pre-install,pre-upgrade\"}\n";
  }
  const RenderedRelease release = CW_MUST(
      press.renderer.render(widget({{"templates/hooks.yaml", hooks}}), inputs("{}"), nullptr));
  CHECK_THAT(list_hooks(release.hooks),
             Catch::Matchers::StartsWith("Job j10 (pre-install, pre-upgrade), Job j11 (") &&
                 Catch::Matchers::EndsWith("Job j19 (pre-install, pre-upgrade) and 2 more"));
}

TEST_CASE("A render in which chance or the clock had a part is not repeatable") {
  Press press;
  const auto repeatable = [&press](const std::string& text) {
    return CW_MUST(press.renderer.render(widget({{"templates/more.yaml", "# " + text}}),
                                         inputs("{}"), nullptr))
        .repeatable;
  };
  CHECK(repeatable("{{ .Release.Name }}"));
  CHECK_FALSE(repeatable("{{ randAlpha 3 }}"));
  CHECK_FALSE(repeatable("{{ now | date \"2006\" }}"));
  CHECK_FALSE(repeatable("{{ uuidv4 }}"));
}

TEST_CASE("Errors of rendering name the place") {
  Press press;
  const auto error = [&press](const Bundle& bundle, std::string_view config) {
    auto release = press.renderer.render(bundle, inputs(config), nullptr);
    REQUIRE_FALSE(release.ok());
    return std::move(release).error();
  };
  const base::Error failed = error(widget(), R"({"broken":true})");
  CHECK(failed.code() == ErrorCode::kTemplate);
  CHECK_THAT(failed.message(), Catch::Matchers::Contains("the widget is broken"));

  const base::Error schema = error(shipped("podset"), R"({"replicas":-1})");
  CHECK(schema.code() == ErrorCode::kSchema);

  const base::Error scalar =
      error(widget({{"templates/b.yaml", "just text\n"}}), R"({"empty":true})");
  CHECK_THAT(scalar.message(), Catch::Matchers::Contains("widget/templates/b.yaml"));
}

TEST_CASE("Help names the field of the spec, or the override, that an error is about") {
  Press press;
  const Bundle bundle = widget({{"templates/b.yaml", "a: {{ .Values.size.width.x }}\n"}});
  const std::vector<std::pair<std::string, std::string>> overrides = {{"size", "huge"}};
  ReleaseInputs broken = inputs(R"({"empty":true,"size":{"width":3}})");
  const auto help = [&] {
    auto release = press.renderer.render(bundle, broken, nullptr);
    REQUIRE_FALSE(release.ok());
    return release.error().help();
  };
  CHECK_THAT(help(), Catch::Matchers::Contains(
                         "\nnote: size.width is a number, set by spec.size.width: it has no "
                         "member x"));
  broken.overrides = overrides;
  broken.config = json(R"({"empty":true,"size":"huge"})");
  CHECK_THAT(help(), Catch::Matchers::Contains(
                         "\nnote: size is a string, set by overrideValues of watches.yaml: it "
                         "has no member width"));
}

TEST_CASE("The first revision is an install to templates, later ones upgrades") {
  Press press;
  const Bundle bundle = widget({{"templates/widget.yaml",
                                 "apiVersion: v1\nmetadata: {name: a}\n"
                                 "kind: {{ if .Release.IsInstall }}Install{{ else }}Upgrade"
                                 "{{ end }}\nrevision: {{ .Release.Revision }}\n"}});
  ReleaseInputs in = inputs();
  CHECK(CW_MUST(press.renderer.render(bundle, in, nullptr)).objects[0].string_at({"kind"}) ==
        "Install");
  in.revision = 4;
  const RenderedRelease later = CW_MUST(press.renderer.render(bundle, in, nullptr));
  CHECK(later.objects[0].string_at({"kind"}) == "Upgrade");
  CHECK(later.objects[0].find("revision")->as_int() == 4);
}

TEST_CASE("Equal keys mean equal renders") {
  Press press;
  const Bundle bundle = widget();
  const std::string key = press.renderer.inputs_key(bundle, inputs(R"({"a":1,"b":2})"));
  CHECK(key.size() == 32);
  CHECK(key == press.renderer.inputs_key(bundle, inputs(R"({"b":2,"a":1})")));
  CHECK(key == press.renderer.inputs_key(widget(), inputs(R"({"a":1,"b":2})")));
  ReleaseInputs other = inputs(R"({"a":1,"b":2})");
  other.revision = 9;  // Otherwise each revision would lead to the next.
  CHECK(key == press.renderer.inputs_key(bundle, other));

  CHECK(key != press.renderer.inputs_key(bundle, inputs(R"({"a":1,"b":3})")));
  CHECK(key != press.renderer.inputs_key(bundle, inputs(R"({"a":1})")));
  other = inputs(R"({"a":1,"b":2})");
  other.name = "v";
  CHECK(key != press.renderer.inputs_key(bundle, other));
  other = inputs(R"({"a":1,"b":2})");
  other.ns = "elsewhere";
  CHECK(key != press.renderer.inputs_key(bundle, other));
  CHECK(key != press.renderer.inputs_key(widget({{"templates/NOTES.txt", "x"}}),
                                         inputs(R"({"a":1,"b":2})")));
  helm::Capabilities newer = helm::Capabilities::offline();
  newer.kube_version.version = "v1.99.0";
  CHECK(key != Renderer(newer, press.clock).inputs_key(bundle, inputs(R"({"a":1,"b":2})")));
  // The boundary between name and namespace counts.
  ReleaseInputs ab = inputs();
  ab.name = "a";
  ab.ns = "bc";
  ReleaseInputs abc = inputs();
  abc.name = "ab";
  abc.ns = "c";
  CHECK(press.renderer.inputs_key(bundle, ab) != press.renderer.inputs_key(bundle, abc));
}

TEST_CASE("A manifest of nothing has no objects") {
  CHECK(CW_MUST(Renderer::parse_manifest("")).empty());
  CHECK(CW_MUST(Renderer::parse_manifest("---\n# nothing\n---\n\n")).empty());
  CHECK_FALSE(Renderer::parse_manifest("---\njust text\n").ok());
  CHECK_FALSE(Renderer::parse_manifest("a: [\n").ok());
}

TEST_CASE("A status template sees the custom resource, values, release, live and related objects") {
  Press press;
  const Bundle bundle =
      widget({{"operator/status.yaml",
               "cr: {{ .CR.metadata.name }}\ncolor: {{ .Values.color }}\n"
               "release: {{ .Release.Name }}/{{ .Release.Revision }}\n"
               "chart: {{ .Chart.Name }}\nlive: {{ len .Live }}\n"
               "related: {{ len .Related.r }}\n"},
              {"operator/operator.yaml", "related:\n  r: {apiVersion: v1, kind: Pod, name: a}\n"}});
  OperatorView view = view_of(R"({"color":"blue"})");
  view.release.revision = 3;
  view.live = {json("{}"), json("{}")};
  view.related = {{"r", {json("{}")}}};
  CHECK(CW_MUST(value::to_json(CW_MUST(press.status(bundle, view)))) ==
        R"({"chart":"widget","color":"blue","cr":"w","live":2,"related":1,"release":"w/3"})");
}

TEST_CASE("A template that writes into its data writes into a copy") {
  Press press;
  const std::string meddle =
      "{{ $_ := set .CR.spec \"color\" \"mine\" }}{{ $_ := set .Values \"color\" \"mine\" }}"
      "{{ range .Live }}{{ $_ := set . \"a\" \"mine\" }}{{ end }}";
  const std::string show =
      "kind: {{ .CR.spec.color }} {{ .Values.color }} {{ (first .Live).a }}\n"
      "apiVersion: v1\nmetadata: {name: a}\n";
  const Bundle bundle = widget({{"operator/patches/a.yaml", meddle},
                                {"operator/patches/b.yaml", show},
                                {"operator/status.yaml", show + meddle}});
  OperatorView view = view_of(R"({"color":"blue"})");
  view.live = {json(R"({"a":"theirs"})")};
  const Value cr = view.cr;
  const Value scope = CW_MUST(press.renderer.scope(bundle, std::move(view)));
  CHECK(CW_MUST(press.renderer.render_patches(bundle, scope)).at(0).string_at({"kind"}) ==
        "blue blue theirs");
  CHECK(CW_MUST(press.renderer.render_status(bundle, scope)).string_at({"kind"}) ==
        "blue blue theirs");
  CHECK(cr.string_at({"spec", "color"}) == "blue");
}

TEST_CASE("A status is a mapping, or nothing") {
  Press press;
  const auto status = [&press](const std::string& text) {
    return press.status(widget({{"operator/status.yaml", text}}), view_of("{}"));
  };
  CHECK(CW_MUST(press.status(widget(), view_of("{}"))).is_nil());
  CHECK(CW_MUST(status("{{/* nothing */}}")).is_nil());
  const auto list = status("[1]");
  REQUIRE_FALSE(list.ok());
  CHECK(list.error().code() == ErrorCode::kParse);
  CHECK(list.error().message() == "widget/operator/status.yaml: the status is not a mapping");
  const auto broken = status("a: [\n");
  REQUIRE_FALSE(broken.ok());
  CHECK_THAT(broken.error().message(),
             Catch::Matchers::StartsWith("widget/operator/status.yaml: "));
  const auto failing = status("a: {{ .CR.spec.nope.x }}\n");
  REQUIRE_FALSE(failing.ok());
  CHECK_THAT(failing.error().to_string(),
             Catch::Matchers::Contains("widget/operator/status.yaml:1"));
}

TEST_CASE("A selector's templates see the custom resource") {
  Press press;
  const Bundle bundle = widget({{"operator/operator.yaml",
                                 "related:\n  r: {apiVersion: v1, kind: Pod, selector: {app: w, "
                                 "of: '{{ .CR.spec.of }}'}}\n"}});
  const RelatedTexts texts = CW_MUST(press.renderer.render_related(
      bundle.rules.related.at(0), {json(R"({"spec":{"of":"web"}})")}));
  CHECK(*texts.selector.only_value("app") == "w");
  CHECK(*texts.selector.only_value("of") == "web");
}

TEST_CASE("The claims of a BookStore are those of its StatefulSet") {
  Press press;
  const Bundle bundle = shipped("bookstore");
  // The chart shortens names that are too long, or that no Service may have.
  const std::string name = GENERATE(std::string("sample"), std::string(70, 'a'), "v1.shop", "1a");
  ReleaseInputs release = inputs();
  release.name = name;
  const auto rendered = CW_MUST(press.renderer.render(bundle, release, nullptr));
  Value cr = json(R"({"metadata":{}})");
  cr.find("metadata")->mutable_dict().set("name", Value::string(name));
  const RelatedTexts texts =
      CW_MUST(press.renderer.render_related(bundle.rules.related.at(0), {cr}));
  const auto set = std::ranges::find_if(rendered.objects, [](const Value& object) {
    return object.string_at({"kind"}) == "StatefulSet";
  });
  REQUIRE(set != rendered.objects.end());
  CHECK(texts.name == kube::name_of(*set));
}

TEST_CASE("Texts of operator.yaml and values.yaml see the ids of externals") {
  Press press;
  const std::string pet = R"(name: pet
driver: {http: {baseURL: http://pets}}
observe: {call: GET /pets}
create: {call: POST /pets, body: '{}', capture: '{{ .response.id }}'}
delete: {call: 'DELETE /pets/{{ .id }}'}
)";
  const std::string rules = R"(related:
  r: {apiVersion: v1, kind: Pod, name: 'pod-{{ .External.pet.id }}'}
children:
- {match: {kind: Pod}, ready: '{{ eq .External.pet.id .Object.id }}'}
)";
  const Bundle bundle = widget({{"operator/externals/pet.yaml", pet},
                                {"operator/operator.yaml", rules},
                                {"operator/values.yaml", "color: {{ .External.pet.id }}"}});
  const CrView view{json("{}"), json(R"({"pet":{"id":"p7"}})")};
  CHECK(CW_MUST(press.renderer.render_related(bundle.rules.related.at(0), view)).name == "pod-p7");
  CHECK(CW_MUST(press.renderer.render_values(bundle, view)).string_at({"color"}) == "p7");
  const Predicate& ready = bundle.rules.predicates.at(0).ready.value();
  CHECK(CW_MUST(press.renderer.judge(ready, view, json(R"({"id":"p7"})"))));
  CHECK_FALSE(CW_MUST(press.renderer.judge(ready, view, json(R"({"id":"p8"})"))));
}

TEST_CASE("A bookstore's claims are resized only once they are bound") {
  Press press;
  const Bundle bundle = shipped("bookstore");
  const auto sample = CW_MUST(yaml::parse_yaml(
      CW_MUST(base::read_file(source_dir() + "/test/golden/bookstore/sample/cr.yaml", 1 << 20)),
      value::Numbers::kInt64));
  OperatorView view;
  view.cr = sample;
  view.release.name = "b";
  view.release.ns = "shop";
  view.release.config = *sample.find("spec");
  view.related = {{"claims",
                   {json(R"({"kind":"PersistentVolumeClaim","metadata":{"name":"a"},
                             "status":{"phase":"Bound"}})"),
                    json(R"({"kind":"PersistentVolumeClaim","metadata":{"name":"b"},
                             "status":{"phase":"Pending"}})"),
                    json(R"({"kind":"PersistentVolumeClaim","metadata":{"name":"c"}})")}}};
  const auto patches = CW_MUST(press.patches(bundle, view));
  REQUIRE(patches.size() == 1);
  CHECK(patches[0].string_at({"metadata", "name"}) == "a");
  CHECK_FALSE(patches[0].string_at({"spec", "resources", "requests", "storage"}).empty());

  const Value status = CW_MUST(press.status(bundle, view));
  CHECK(status.find("claims")->as_list().items.size() == 3);
  view.related = {{"claims", {}}};
  CHECK(CW_MUST(press.patches(bundle, view)).empty());
  CHECK(CW_MUST(press.status(bundle, view)).find("claims")->as_list().items.empty());
}

TEST_CASE("Two partial objects of one target are refused, so that neither gives up the other") {
  Press press;
  const std::string head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ . }}\n";
  const auto fault = [&press](const std::string& a, const std::string& b) {
    const Bundle bundle =
        widget({{"operator/patches/a.yaml", "{{- range .Values.names }}\n" + a + "{{- end }}\n"},
                {"operator/patches/b.yaml", "{{- range .Values.names }}\n" + b + "{{- end }}\n"}});
    const auto patches = press.patches(bundle, view_of(R"({"names":["x","y"]})"));
    return patches.ok() ? std::to_string(patches->size()) : patches.error().message();
  };
  CHECK(fault("---\n" + head, "") == "2");
  CHECK(fault("---\n" + head, "---\n" + head) ==
        "widget/operator/patches/b.yaml: ConfigMap/x: widget/operator/patches/a.yaml renders it, "
        "too");
  CHECK(fault("---\n" + head, "---\n" + head + "  namespace: other\n") == "4");
  // Without a separator, they would be one document, of which the last members win.
  CHECK(fault(head, "") ==
        "widget/operator/patches/a.yaml: a document has \"kind\" 2 times: write "
        "\"---\" before each object");
}

TEST_CASE("A podset's status names the pods that count") {
  Press press;
  OperatorView view = view_of(R"({"replicas":2})");
  const auto pod = [](const std::string& name, const std::string& phase,
                      const std::string& deleted) {
    return json(R"({"kind":"Pod","metadata":{"name":")" + name + "\"" + deleted +
                R"(},"status":{"phase":")" + phase + R"("}})");
  };
  view.live = {pod("b", "Running", ""), pod("a", "Pending", ""), pod("c", "Failed", ""),
               pod("d", "Running", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")")};
  CHECK(CW_MUST(value::to_json(CW_MUST(press.status(shipped("podset"), view)))) ==
        R"({"podNames":["a","b"],"replicas":2})");
}

TEST_CASE("A demovolume's status has the phase and capacity of the claim") {
  Press press;
  OperatorView view = view_of(R"({"name":"data"})");
  CHECK(CW_MUST(value::to_json(CW_MUST(press.status(shipped("demovolume"), view)))) ==
        R"({"name":"data"})");
  view.live = {json(R"({"kind":"PersistentVolumeClaim","metadata":{"name":"w"},
                        "status":{"phase":"Bound","capacity":{"storage":"2Gi"}}})")};
  CHECK(CW_MUST(value::to_json(CW_MUST(press.status(shipped("demovolume"), view)))) ==
        R"({"capacity":"2Gi","name":"data","phase":"Bound"})");
}

}  // namespace
}  // namespace chartwright::bundle
