// SPDX-License-Identifier: Apache-2.0
#include "history/template_places.h"

#include <catch2/catch.hpp>

#include "kube/schema_refusal.h"
#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::World;

const std::string kLeftOut = "FieldsLeftOut";

/// The API server refuses the next apply of that ConfigMap for a field.
void refuse(World& world, const std::string& name, const std::string& field) {
  world.api.fail_once("apply ConfigMap shop/" + name,
                      Error(ErrorCode::kInvalid, "no")
                          .with_causes({{std::string(kube::kUndeclaredField), "no", field}}));
}

TEST_CASE("A field that is left out is named with the line of the template that writes it") {
  World world;
  world.spec(R"({"raw":"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n)"
             R"(  metadata: {name: x}\n  data: {a: \"1\"}"})");
  refuse(world, "w", ".data.color");
  refuse(world, "x", ".data.a");
  world.converge();
  CHECK(world.condition(kLeftOut) ==
        "True NotInSchema: ConfigMap shop/w: data.color (widget/templates/widget.yaml:8); "
        "ConfigMap shop/x: data.a (widget/templates/widget.yaml:18)");
  world.converge();
  CHECK(world.calls().empty());

  // The same object, in other lines.
  world.deploy({{"templates/widget.yaml",
                 "# {{ .Values.raw | trunc 0 }}\n\n---\napiVersion: v1\nkind: ConfigMap\n"
                 "metadata:\n  name: {{ .Release.Name }}\ndata:\n"
                 "  color: {{ .Values.color | quote }}\n"}});
  refuse(world, "w", ".data.color");
  world.converge();
  CHECK(world.condition(kLeftOut) ==
        "True NotInSchema: ConfigMap shop/w: data.color (widget/templates/widget.yaml:9)");
}

TEST_CASE("Without a render that writes it, a field that is left out is named with its template") {
  World world;
  world.spec("{}");
  world.converge();
  world.spec(R"({"color":"blue"})");
  world.converge();
  world.annotate(kRollbackTo, "1");
  refuse(world, "w", ".data.color");
  world.converge();
  CHECK(world.condition(kLeftOut) ==
        "True NotInSchema: ConfigMap shop/w: data.color (widget/templates/widget.yaml)");
}

TEST_CASE("Kinds that are not served are all named, with the templates that write them") {
  World world;
  world.api.unserve("Foo");
  world.api.unserve("Bar");
  world.spec(R"({"raw":"apiVersion: a/v1\nkind: Foo\nmetadata: {name: x}\n---\napiVersion: b/v1\n)"
             R"(kind: Bar\nmetadata: {name: x}"})");
  const Error error = world.fail().error;
  CHECK(error.message() ==
        "the server serves no kind b/v1, Kind=Bar (widget/templates/widget.yaml); a/v1, Kind=Foo "
        "(widget/templates/widget.yaml)");
  CHECK(error.reason() == kube::kNoMatchReason);
}

TEST_CASE("The template of an object is in the stored manifest") {
  const std::string manifest =
      "---\n# Source: c/templates/a.yaml\nkind: A\nmetadata: {name: x}\n---\n# Source: c/b.yaml\n"
      "kind: List\nitems: [{kind: B, metadata: {name: x}}]\n---\nkind: C\n";
  CHECK(template_of(testing::json(R"({"kind":"A","metadata":{"name":"x"}})"), manifest) ==
        "c/templates/a.yaml");
  CHECK(template_of(testing::json(R"({"kind":"B","metadata":{"name":"x"}})"), manifest) ==
        "c/b.yaml");
  CHECK(template_of(testing::json(R"({"kind":"C"})"), manifest).empty());
  CHECK(template_of(testing::json(R"({"kind":"D"})"), manifest).empty());
}

}  // namespace
}  // namespace chartwright::op
