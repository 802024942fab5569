// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::with;
using testing::World;

testing::Files mapped_by(const std::string& values) {
  return with(testing::widget_chart(), {{"operator/values.yaml", values}});
}

TEST_CASE("operator/values.yaml makes the chart's values of the custom resource") {
  World world(
      mapped_by("color: {{ .CR.spec.paint.tone | default \"grey\" }}\n"
                "{{- with .CR.metadata.labels }}\nextra: {{ .team }}\n{{- end }}\n"));
  world.spec(R"({"paint":{"tone":"blue"},"color":"not a value"})");
  world.converge();
  CHECK(world.color() == "blue");
  CHECK_FALSE(world.exists("w-extra"));
  world.converge();  // Nothing changed but the status.
  CHECK(world.calls().empty());
  SECTION("another spec, other values") {
    world.spec(R"({"paint":{"tone":"green"}})");
    world.converge();
    CHECK(world.color() == "green");
    CHECK(world.revision() == 2);
  }
  SECTION("a change that gives the same values makes no revision") {
    world.spec(R"({"paint":{"tone":"blue"},"more":1})");
    world.converge();
    CHECK(world.revision() == 1);
  }
  SECTION("a new process makes the same values, and writes nothing") {
    world.restart();
    world.converge();
    CHECK(world.revision() == 1);
    CHECK(world.calls().empty());
  }
}

TEST_CASE("Values that cannot be made hold up no repair") {
  World world(mapped_by("color: {{ required \"a tone\" .CR.spec.tone }}\n"));
  world.spec(R"({"tone":"blue"})");
  world.converge();
  world.spec("{}");
  if (GENERATE(false, true)) {
    world.restart();
  }
  world.api.erase(world.config_map("w"));
  CHECK_THAT(world.fail().error.message(), Catch::Matchers::Contains("a tone"));
  CHECK(world.color() == "blue");
}

TEST_CASE("Overrides of the watch win over what operator/values.yaml makes") {
  World world(mapped_by("color: {{ .CR.spec.tone }}\nextra: second\n"));
  world.watch.override_values = {{"color", "black"}};
  world.spec(R"({"tone":"blue"})");
  world.converge();
  CHECK(world.color() == "black");
}

TEST_CASE("An operator/values.yaml that writes nothing leaves the chart its defaults") {
  World world(mapped_by("{{- /* nothing */ -}}\n"));
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(world.color() == "red");
}

TEST_CASE("Keys of the spec that operator/values.yaml does not read are named") {
  World world(mapped_by("color: {{ .CR.spec.tone }}\n"));
  world.spec(R"({"tone":"blue","toen":"x"})");
  world.converge();
  CHECK(world.condition("UnknownKeys") ==
        R"(True UnreadKeys: "toen" is read by no template, did you mean "tone"?)");
  SECTION("nothing is said where it reads the spec as a whole") {
    world.deploy({{"operator/values.yaml", "color: {{ get .CR.spec \"tone\" }}\n"}});
    world.converge();
    CHECK(world.condition("UnknownKeys") == "absent");
  }
}

TEST_CASE("An operator/values.yaml that gives no values is reported, and nothing is applied") {
  const auto [values, reason] = GENERATE(table<std::string, std::string>({
      {"- a\n", "widget/operator/values.yaml: the values are not a mapping"},
      {"a: [\n", "widget/operator/values.yaml: "},
      {"a: {{ fail \"spec.size is missing\" }}\n", "spec.size is missing"},
      {"a: {{ randAlphaNum 5 }}\n",
       "random numbers are refused here: the template must always give the same result"},
      {"a: {{ uuidv4 }}\n", "random numbers are refused here"},
  }));
  World world(mapped_by(values));
  world.spec("{}");
  world.fail();
  CHECK_THAT(world.condition("Ready"),
             Catch::Matchers::StartsWith("False ") && Catch::Matchers::Contains(reason));
  CHECK(world.color() == "none");
  CHECK(world.revision() == 0);
}

TEST_CASE("The clock of operator/values.yaml stands at the creation of the custom resource") {
  World world(mapped_by("color: {{ now | date \"2006-01-02\" | quote }}\n"));
  value::Value cr = world.cr();
  cr.mutable_dict().set("spec", testing::json("{}"));
  cr.find("metadata")
      ->mutable_dict()
      .set("creationTimestamp", value::Value::string("2024-02-03T04:05:06Z"));
  world.api.put(cr);
  world.converge();
  CHECK(world.color() == "2024-02-03");
}

}  // namespace
}  // namespace chartwright::op
