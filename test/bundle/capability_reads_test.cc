// SPDX-License-Identifier: Apache-2.0
#include "bundle/capability_reads.h"

#include <catch2/catch.hpp>

#include "bundle/bundle.h"
#include "bundle/renderer.h"
#include "test/base/manual_clock.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::bundle {
namespace {

CapabilitySet serving(const std::vector<std::string>& names,
                      CapabilitySet::UnknownVersions unknown = {}) {
  helm::Capabilities capabilities;
  capabilities.api_versions = helm::Capabilities::api_version_list(names);
  return CapabilitySet(std::move(capabilities), std::move(unknown));
}

/// Reports whether `text` gives other output where `more` is served, too.
bool depends_on(std::string_view text, const std::string& more) {
  CapabilityReads reads;
  reads.add(text);
  return reads.digest(serving({"v1"})) != reads.digest(serving({"v1", more}));
}

CapabilityReads reads_of(const testing::Files& more) {
  const testing::Folder folder(testing::with(testing::widget_chart(), more));
  return CW_MUST(load_bundle(folder.path())).capability_reads;
}

constexpr std::string_view kAsks = "{{ if .Capabilities.APIVersions.Has \"a/v1/Foo\" }}x{{ end }}";

TEST_CASE("A text that asks for a kind by name depends on that kind alone") {
  CHECK(depends_on(kAsks, "a/v1/Foo"));
  CHECK_FALSE(depends_on(kAsks, "a/v1/Bar"));
  CHECK(depends_on("{{ $.Capabilities.APIVersions.Has   \"b/v1\" }}" + std::string(kAsks), "b/v1"));
}

TEST_CASE("A read that cannot be followed depends on everything that is served") {
  for (const std::string_view text :
       {"{{ .Capabilities.APIVersions.Has $name }}", "{{ .Capabilities.APIVersions | toYaml }}",
        "{{ \"a/v1\" | .Capabilities.APIVersions.Has }}", "{{ toYaml .Capabilities }}",
        "{{ $all := $.Capabilities }}", "{{ index $ \"Capabilities\" \"KubeVersion\" }}",
        "{{ .Capabilities.APIVersions.Has \"a\\u002fv1\" }}",
        "{{ .Capabilities.APIVersions.Has \"a", "{{ .Capabilities.APIVersions.Has",
        "{{ .Capabilities.APIVersions"}) {
    INFO(text);
    CHECK(depends_on(text, "any/v1"));
  }
}

TEST_CASE("Texts that read no API version depend on none") {
  for (const std::string_view text :
       {"", "{{ .Capabilities.KubeVersion.Version }}", "{{ .Capabilities.HelmVersion }}",
        "# Linux Capabilities", "{{ .Values.myAPIVersionsList }}", "Capabilities", "APIVersions",
        "{{ .Values.CapabilitiesAndMore }}"}) {
    INFO(text);
    CapabilityReads reads;
    reads.add(text);
    CHECK_FALSE(reads.any());
    CHECK(reads.digest(serving({"v1"})).empty());
  }
}

TEST_CASE("A chart reads what any of its templates reads") {
  const std::string text(kAsks);
  CHECK_FALSE(reads_of({}).any());
  CHECK_FALSE(reads_of({{"README.md", text}}).any());
  CHECK(reads_of({{"templates/x.yaml", text}}).any());
  CHECK(reads_of({{"templates/_x.tpl", text}}).any());
  CHECK(reads_of({{"files/x.yaml", text}}).any());
  CHECK(reads_of({{"values.yaml", "extra: '" + text + "'\n"}}).any());
  CHECK(reads_of({{"operator/status.yaml", "x: '" + text + "'\n"}}).any());
  CHECK(reads_of({{"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"},
                  {"charts/sub/templates/x.yaml", text}})
            .any());
}

TEST_CASE("Inputs depend on what is served as far as the chart, or its values, read it") {
  base::ManualClock clock;
  const testing::Folder plain_folder(testing::widget_chart());
  const testing::Folder asking_folder(
      testing::with(testing::widget_chart(), {{"templates/x.yaml", std::string(kAsks)}}));
  const Bundle plain = CW_MUST(load_bundle(plain_folder.path()));
  const Bundle asking = CW_MUST(load_bundle(asking_folder.path()));
  ReleaseInputs inputs;
  inputs.config = value::Value::dict();
  ReleaseInputs telling;
  telling.config = value::Value::dict({{"extra", value::Value::string(kAsks)}});
  Renderer renderer(helm::Capabilities(), clock);
  const std::string plain_key = renderer.inputs_key(plain, inputs);
  const std::string asking_key = renderer.inputs_key(asking, inputs);
  const std::string telling_key = renderer.inputs_key(plain, telling);
  renderer.set_capabilities(
      std::make_shared<const CapabilitySet>(serving({"unrelated/v1", "unrelated/v1/Bar"})));
  CHECK(renderer.inputs_key(plain, inputs) == plain_key);
  CHECK(renderer.inputs_key(asking, inputs) == asking_key);
  const auto before = renderer.capabilities();
  renderer.set_capabilities(std::make_shared<const CapabilitySet>(serving({"a/v1", "a/v1/Foo"})));
  CHECK(renderer.inputs_key(plain, inputs) == plain_key);
  CHECK(renderer.inputs_key(asking, inputs) != asking_key);
  CHECK(renderer.inputs_key(plain, telling) != telling_key);
  inputs.capabilities = before;  // A reconcile keeps those of its beginning.
  CHECK(renderer.inputs_key(asking, inputs) == asking_key);
}

TEST_CASE("Sets with the same version and the same names are equal") {
  CHECK(serving({"a", "b"}) == serving({"b", "a"}));
  CHECK_FALSE(serving({"a"}) == serving({"a", "b"}));
  helm::Capabilities newer;
  newer.kube_version.version = "v1.99.0";
  CHECK_FALSE(CapabilitySet(newer) == CapabilitySet(helm::Capabilities()));
  CHECK(std::holds_alternative<Served>(serving({"a"}).presence("a")));
  CHECK(std::holds_alternative<Absent>(serving({"a"}).presence("b")));
}

/// Returns the version for which a chart with this text has to wait; "": none.
std::string awaited(std::string_view text, const CapabilitySet& set) {
  CapabilityReads reads;
  reads.add(text);
  const auto unknown = reads.unknown(set);
  return unknown ? unknown->version : "";
}

TEST_CASE("A kind of a silent server is neither served nor absent") {
  const CapabilitySet set = serving({"v1", "a/v1"}, {{"a/v1", "503"}});
  CHECK(std::holds_alternative<Served>(set.presence("a/v1")));
  CHECK(std::get<Unknown>(set.presence("a/v1/Foo")).why == "503");
  CHECK(std::holds_alternative<Absent>(set.presence("a/v2/Foo")));
  CHECK(std::holds_alternative<Absent>(set.presence("a")));
  CHECK(std::holds_alternative<Absent>(set.presence("")));
  // Of a version that has never been there, not even its name is known to be served.
  CHECK(std::holds_alternative<Unknown>(serving({"v1"}, {{"a/v1", ""}}).presence("a/v1")));
}

TEST_CASE("A chart waits for the silent versions that it reads, and for no others") {
  const CapabilitySet set = serving({"v1", "a/v1"}, {{"a/v1", "503"}});
  CHECK(awaited(kAsks, set) == "a/v1");
  CHECK(awaited("{{ .Capabilities.APIVersions.Has $name }}", set) == "a/v1");
  CHECK(awaited("{{ range .Capabilities.APIVersions }}{{ end }}", set) == "a/v1");
  CHECK(awaited("{{ .Capabilities.APIVersions.Has \"a/v1\" }}", set).empty());
  CHECK(awaited("{{ .Capabilities.APIVersions.Has \"b/v1/Foo\" }}", set).empty());
  CHECK(awaited("{{ .Capabilities.KubeVersion }}", set).empty());
  CHECK(awaited(kAsks, serving({"v1", "a/v1"})).empty());
  CHECK_FALSE(set == serving({"v1", "a/v1"}));
  CHECK(set == serving({"v1", "a/v1"}, {{"a/v1", "another reason"}}));
}

TEST_CASE("A chart is not rendered with answers that nobody has given") {
  base::ManualClock clock;
  const testing::Folder folder(
      testing::with(testing::widget_chart(), {{"templates/foo.yaml", std::string(kAsks)}}));
  const Bundle bundle = CW_MUST(load_bundle(folder.path()));
  const Renderer renderer(
      std::make_shared<const CapabilitySet>(serving({"a/v1"}, {{"a/v1", "its server is away"}})),
      clock);
  ReleaseInputs inputs{"w", "shop", 1, value::Value::dict()};
  const auto rendered = renderer.render(bundle, inputs, nullptr);
  REQUIRE_FALSE(rendered.ok());
  CHECK(rendered.error().code() == base::ErrorCode::kUnavailable);
  CHECK(rendered.error().message() ==
        "the server does not say which kinds a/v1 has: its server is away");
  inputs.capabilities = std::make_shared<const CapabilitySet>(serving({"a/v1"}));
  CHECK(renderer.check_known(bundle, inputs).ok());
}

}  // namespace
}  // namespace chartwright::bundle
