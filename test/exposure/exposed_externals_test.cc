// SPDX-License-Identifier: Apache-2.0
#include "exposure/exposed_externals.h"

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

constexpr char kFile[] = R"(name: zone
driver:
  http:
    baseURL: 'SERVER'
    bearer: {secret: 'CREDENTIALS', key: token}
observe: {call: 'GET /zones/{{ .id }}'}
create: {call: POST /zones, body: 'name: {{ .Values.name }}', capture: '{{ .response.id }}'}
delete: {call: 'DELETE /zones/{{ .id }}'}
)";

/// Returns the warnings, without what is the same in all.
std::vector<std::string> warnings(const std::string& url, const std::string& secret,
                                  Files more = {}, const std::optional<SchemaPlace>& spec = {}) {
  std::string file = base::replace_all(kFile, "SERVER", url);
  file = base::replace_all(file, "CREDENTIALS", secret);
  Files files = {{"Chart.yaml", "apiVersion: v2\nname: zones\nversion: 0.1.0\n"},
                 {"values.yaml", "name: a\nstore: {url: x, secret: y}\nother: {url: x}\n"},
                 {"operator/externals/zone.yaml", file}};
  files.insert(files.end(), more.begin(), more.end());
  const Folder folder(files);
  std::vector<std::string> texts;
  const auto bundle = load_bundle(folder.path());
  INFO((bundle.ok() ? "" : bundle.error().to_string()));
  REQUIRE(bundle.ok());
  for (const base::Error& error : exposed_externals(*bundle, spec)) {
    REQUIRE(error.pos());
    CHECK(error.pos()->file == folder.path() + "/operator/externals/zone.yaml");
    texts.push_back(std::to_string(error.pos()->line) + " " +
                    error.message().substr(0, error.message().find(": they")));
  }
  return texts;
}

const std::string kServer =
    "4 driver.http.baseURL: who writes custom resources chooses the server, by ";
const std::string kSecret =
    "5 driver.http.bearer.secret: who writes custom resources chooses the Secret, by ";
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("A server and a Secret that a spec chooses are found") {
  CHECK(warnings("https://store", "token").empty());
  CHECK(warnings("https://store", "{{ .CR.metadata.name }}").empty());
  CHECK(warnings("{{ .Values.store.url }}", "{{ .Values.store.secret }}") ==
        Texts{kServer + ".Values.store.url", kSecret + ".Values.store.secret"});
  CHECK(warnings("{{ .CR.spec.store.url }}", "{{ $s := .Values.store }}{{ $s.secret }}") ==
        Texts{kServer + ".CR.spec", kSecret + ".Values.store.secret"});
  CHECK(warnings("https://{{ .CR.metadata.annotations.host }}", "x") ==
        Texts{kServer + ".CR.metadata.annotations"});
  CHECK(warnings("{{ include \"url\" . }}", "x",
                 {{"templates/_h.tpl", "{{ define \"url\" }}{{ .Values.store.url }}{{ end }}"}}) ==
        Texts{kServer + ".Values.store.url"});
}

TEST_CASE("Values that the CRD keeps out of the spec nobody chooses") {
  const Files omitted = {{"operator/operator.yaml", "crd: {omit: [store]}\n"}};
  CHECK(warnings("{{ .Values.store.url }}", "{{ .Values.store.secret }}", omitted).empty());
  CHECK(warnings("{{ .Values.other.url }}", "x", omitted) == Texts{kServer + ".Values.other.url"});
  const Value schema =
      json(R"({"type":"object","properties":{"name":{"type":"string"},)"
           R"("store":{"type":"object","properties":{"secret":{"type":"string"}}}}})");
  const SchemaPlace spec(schema, Unlisted::kDropped);
  CHECK(warnings("{{ .Values.store.url }}", "{{ .Values.store.secret }}", {}, spec) ==
        Texts{kSecret + ".Values.store.secret"});
}

TEST_CASE("Where operator/values.yaml makes the values, what it makes of the spec counts") {
  const auto mapped = [](const std::string& values) {
    return warnings("{{ .Values.store.url }}", "{{ .Values.store.secret }}",
                    {{"operator/values.yaml", values}});
  };
  CHECK(mapped("name: {{ .CR.spec.name }}\nstore:\n  url: https://fixed\n").empty());
  CHECK(mapped("name: {{ .CR.metadata.name }}\nstore:\n  url: {{ .CR.spec.url }}\n") ==
        Texts{kServer + ".Values.store.url"});
  // That cannot be told.
  CHECK(mapped("{{ toYaml .CR.spec }}\n").size() == 2);
}

}  // namespace chartwright::exposure
