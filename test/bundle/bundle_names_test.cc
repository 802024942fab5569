// SPDX-License-Identifier: Apache-2.0
#include "bundle/bundle_names.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "bundle/bundle.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::bundle {
namespace {

using testing::Files;
using testing::Folder;

constexpr std::string_view kClaims =
    "related:\n  claims: {apiVersion: v1, kind: PersistentVolumeClaim, name: data}\n";
constexpr std::string_view kPet = R"(name: pet
driver: {http: {baseURL: http://pets}}
observe: {call: GET /pets}
create: {call: POST /pets, body: '{}', capture: '{{ .response.id }}'}
delete: {call: 'DELETE /pets/{{ .id }}'}
)";

Files pet_bundle() {
  return testing::with(testing::widget_chart(),
                       {{"operator/operator.yaml", std::string(kClaims)},
                        {"operator/externals/pet.yaml", std::string(kPet)}});
}

std::string error_of(const Files& more) {
  const Folder folder(testing::with(pet_bundle(), more));
  const auto bundle = load_bundle(folder.path());
  return bundle.ok() ? "" : bundle.error().to_string().substr(folder.path().size() + 1);
}

TEST_CASE("A name that related, present or ready is not given is refused with its place") {
  const auto error_with = [](const std::string& line) {
    return error_of({{"operator/operator.yaml", std::string(kClaims) + line + "\n"}});
  };
  CHECK(error_with("  r: {apiVersion: v1, kind: Pod, selector: {a: '{{ .CR.sepc.x }}'}}") ==
        "operator/operator.yaml:3:48: related.r.selector.a: there is no .CR.sepc, did you mean "
        ".CR.spec?");
  CHECK(error_with("  r: {apiVersion: v1, kind: Pod, name: a, namespace: '{{ .Values.x }}'}") ==
        "operator/operator.yaml:3:54: related.r.namespace: there is no .Values, only .CR, "
        ".External");
  CHECK(error_with("children: [{match: {kind: Pod}, present: '{{ .Objct.x }}'}]") ==
        "operator/operator.yaml:3:42: children[0].present: there is no .Objct, did you mean "
        ".Object?");
  CHECK(error_with("children:\n- match: {kind: Pod}\n  ready: '{{ eq .External.pte.id 1 }}'") ==
        "operator/operator.yaml:5:10: children[0].ready: there is no .External.pte, did you mean "
        ".External.pet?");
  CHECK(error_with("children: [{match: {kind: Pod}, present: '{{ .Object.x.y }}{{ .CR.spec.z }}'}]")
            .empty());
}

TEST_CASE("A name that an external is not given is refused with its place") {
  const auto error_with = [](const std::string& from, const std::string& to) {
    return error_of({{"operator/externals/pet.yaml", base::replace_all(kPet, from, to)}});
  };
  CHECK(error_with("{call: GET /pets}", "{call: 'GET /{{ .Vales.x }}'}") ==
        "operator/externals/pet.yaml:3:17: observe.call: there is no .Vales, did you mean "
        ".Values?");
  CHECK(error_with(".response", ".item") ==
        "operator/externals/pet.yaml:4:49: create.capture: there is no .item, only .CR, "
        ".Capabilities, .Chart, .External, .Files, .Release, .Subcharts, .Values, .response");
  CHECK(error_with(".response", ".responses") ==
        "operator/externals/pet.yaml:4:49: create.capture: there is no .responses, did you mean "
        ".response?");
  CHECK(error_with("'{}'", "'{{ len .Related.claims }}'") ==
        "operator/externals/pet.yaml:4:34: create.body: there is no .Related, only .CR, "
        ".Capabilities, .Chart, .External, .Files, .Release, .Subcharts, .Values");
  CHECK(error_with("{{ .id }}", "{{ .CR.metadata.name }}{{ .id }}").empty());
}

constexpr std::string_view kClosed = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "color": {}, "extra": {}, "broken": {}, "empty": {}, "raw": {},
    "open": {"properties": {"a": {}}},
    "size": {"$ref": "#/$defs/size"}},
  "$defs": {"size": {"properties": {"width": {}}, "additionalProperties": false}}})";

TEST_CASE("A path that a closed schema does not have is refused with its place") {
  const auto error_with = [](const std::string& text) {
    return error_of(
        {{"values.schema.json", std::string(kClosed)},
         {"operator/status.schema.json", R"({"properties": {"phase": {}}})"},
         {"operator/patches/p.yaml", text + "\napiVersion: v1\nkind: A\nmetadata: {name: a}\n"}});
  };
  CHECK(error_with("a: {{ .CR.spec.colr }}") ==
        "operator/patches/p.yaml:1:16: there is no .CR.spec.colr, did you mean .CR.spec.color?");
  CHECK(error_with("a: {{ .Values.size.widths }}") ==
        "operator/patches/p.yaml:1:20: there is no .Values.size.widths, did you mean "
        ".Values.size.width?");
  CHECK(error_with("a: {{ .CR.status.phse }}") ==
        "operator/patches/p.yaml:1:18: there is no .CR.status.phse, did you mean "
        ".CR.status.phase?");
  CHECK(error_with("a: {{ .CR.spec.open.b }}{{ .Values.global.x }}{{ .Values.AsMap }}").empty());
  CHECK(error_with("a: {{ .CR.status.phase }}{{ .CR.status.resources }}").empty());
}

TEST_CASE("A spec that values.yaml maps has the schema of its own") {
  const auto error_with = [](const std::string& schema) {
    return error_of({{"values.schema.json", std::string(kClosed)},
                     {"operator/spec.schema.json", schema},
                     {"operator/values.yaml", "color: {{ .CR.spec.colour }}"}});
  };
  CHECK(error_with(R"({"properties": {"paint": {}}})").empty());
  CHECK(error_with(R"({"properties": {"color": {}}, "additionalProperties": false})") ==
        "operator/values.yaml:1:20: there is no .CR.spec.colour, did you mean .CR.spec.color?");
}

}  // namespace
}  // namespace chartwright::bundle
