// SPDX-License-Identifier: Apache-2.0
#include "origin/question.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::origin {
namespace {

using value::testing::json;

release::Inventory inventory() {
  const kube::Gvk deployment{"apps", "v1", "Deployment"};
  release::Inventory all;
  all[{deployment, "team", "web"}];
  all[{deployment, "other", "db"}];
  all[{deployment, "team", "db"}];
  all[{{"", "v1", "Service"}, "team", "web"}];
  all[{{"", "v1", "Secret"}, "team", "keys-7"}].slot = "keys";
  return all;
}

std::string child_of(std::string_view argument) {
  const Question question = CW_MUST(parse_question(argument));
  const auto child = find_child(*question.child, inventory());
  return child.ok() ? child->ref.to_string() : child.error().message();
}

}  // namespace

TEST_CASE("A field is told from the name of a custom resource") {
  for (const std::string_view field :
       {"spec.replicas", "spec", "spec[\"a.b\"]", "Deployment/web:spec.replicas", ":", "a:b"}) {
    CHECK(is_question(field));
  }
  for (const std::string_view name : {"shop/one", "one", "specs/one", "spec/one"}) {
    CHECK_FALSE(is_question(name));
  }
}

TEST_CASE("A child is meant by kind and name, in any namespace") {
  CHECK(child_of("Deployment/web:spec.replicas") == "Deployment.apps team/web");
  CHECK(child_of("deployments.apps/web:spec.replicas") == "Deployment.apps team/web");
  CHECK(child_of("deployment/other/db:spec.replicas") == "Deployment.apps other/db");
  CHECK(child_of("secret/keys:data.a") == "Secret team/keys-7");
  CHECK(child_of("secret/keys-7:data.a") == "Secret team/keys-7");
  CHECK(CW_MUST(parse_question("Deployment/web:metadata.annotations[\"a:b\"]")).field.text() ==
        "metadata.annotations[\"a:b\"]");
}

TEST_CASE("A child that does not exist is refused with those that do") {
  CHECK(child_of("Deployment/wev:spec") ==
        "there is no child \"Deployment/wev\"; did you mean Deployment/web?");
  CHECK(child_of("Job/x:spec") ==
        "there is no child \"Job/x\"; it has Secret/keys-7, Service/web, Deployment/db, "
        "Deployment/db, Deployment/web");
  CHECK(child_of("Deployment/db:spec") ==
        "\"Deployment/db\" is several children: Deployment.apps other/db, Deployment.apps "
        "team/db; say which as KIND.GROUP/NAMESPACE/NAME:PATH");
  const auto none = find_child({"Job", "", "", "x"}, {});
  CHECK(none.error().message() == "there is no child \"Job/x\"; it has none");
}

TEST_CASE("The names of very many children are bounded") {
  release::Inventory many;
  for (int i = 0; i < 1000; ++i) {
    many[{{"", "v1", "ConfigMap"}, "team", "settings-of-" + std::to_string(i)}];
  }
  const auto none = find_child({"Job", "", "", "x"}, many);
  CHECK(none.error().message().size() < 1000);
  CHECK(none.error().message().ends_with(" and 980 more"));
}

TEST_CASE("A question in another form is refused with the form") {
  for (const std::string_view wrong :
       {"web:spec", "/web:spec", "Deployment/:spec", ":spec", "a/b/c/d:spec"}) {
    CHECK(parse_question(wrong).error().message().find(
              "is not a field: it is KIND/NAME:PATH of a child") != std::string::npos);
  }
  CHECK(parse_question("Deployment/web:").error().message().find("is not the path of a field") !=
        std::string::npos);
}

TEST_CASE("A field that does not exist is refused with the nearest one") {
  const auto object = json(R"({"kind":"Deployment","spec":{"replicas":1}})");
  CHECK(no_such_field(CW_MUST(op::FieldPath::parse("spec.replica")), "Deployment.apps team/web",
                      {object})
            .message() ==
        "Deployment.apps team/web has no field \"spec.replica\"; did you mean \"spec.replicas\"?");
  CHECK(no_such_field(CW_MUST(op::FieldPath::parse("data")), "x", {object}).message() ==
        "x has no field \"data\"");
}

}  // namespace chartwright::origin
