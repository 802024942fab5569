// SPDX-License-Identifier: Apache-2.0
#include "project/recorded_flags.h"

#include <catch2/catch.hpp>

#include "generate/manifests.h"
#include "test/generate/projects.h"

namespace chartwright::cmd {
namespace {

using generate::testing::only;
using generate::testing::served_views;
using generate::testing::shop_watch;

/// Returns what the manifests of an operator record.
RecordedFlags recorded(const std::vector<bundle::Watch>& watches,
                       const generate::ServedViews& served, const generate::Naming& naming) {
  const auto made = generate::manifests_of(watches, served, naming);
  REQUIRE(made.ok());
  std::map<std::string, std::string> texts;
  for (const generate::GeneratedFile& file : made->files) {
    texts.emplace(file.path, file.text);
  }
  const auto flags =
      recorded_flags(texts["manager/deployment.yaml"], texts["manager/kustomization.yaml"]);
  REQUIRE(flags.ok());
  return *flags;
}

}  // namespace

TEST_CASE("Manifests tell the flags that they were made with") {
  generate::ServedViews served = served_views("verbs: [list]");
  served.folder = "herd";
  const RecordedFlags flags = recorded(only(shop_watch({})), served,
                                       {"op", "ops", {"a", "b"}, "r.example.com:5000/i", "7"});
  CHECK(flags.name == "op");
  CHECK(flags.ns == "ops");
  CHECK(flags.watched == std::vector<std::string>{"a", "b"});
  CHECK(flags.views == "herd");
  CHECK(flags.image == "r.example.com:5000/i");
  CHECK(flags.tag == "7");
  CHECK_FALSE(flags.reviews_access);
  CHECK(recorded(only(shop_watch({})), {}, {}).watched == std::vector<std::string>());
}

TEST_CASE("Manifests of a server of views tell that it asks about each user") {
  generate::ServedViews served = served_views("verbs: [list]");
  served.reviews_access = true;
  const RecordedFlags flags = recorded({}, served, {"farm", "default"});
  CHECK(flags.reviews_access);
  CHECK(flags.views == std::nullopt);
  CHECK(flags.watched == std::nullopt);
}

TEST_CASE("A tag of digits is a text") {
  const auto flags =
      recorded_flags("", "images:\n- {name: chartwright, newName: i, newTag: \"7\"}\n");
  REQUIRE(flags.ok());
  CHECK(flags->tag == "7");
  CHECK(flags->name == std::nullopt);
}

TEST_CASE("Manifests that are not YAML are refused") {
  CHECK_FALSE(recorded_flags("a: [", "").ok());
  CHECK_FALSE(recorded_flags("", "a: [").ok());
}

TEST_CASE("The PROJECT of operator-sdk tells its domain") {
  CHECK(CW_MUST(recorded_domain("# made by a tool\ndomain: example.com\nversion: \"3\"\n")) ==
        "example.com");
  CHECK(CW_MUST(recorded_domain("version: \"3\"\n")).empty());
  CHECK(recorded_domain("a: b\ndomain: [a]\n").error().to_string() ==
        "PROJECT:2:9: domain: expected a string, got a list");
  CHECK_THAT(recorded_domain("a: [").error().to_string(),
             Catch::Matchers::StartsWith("PROJECT:2:1: "));
}

TEST_CASE("A Deployment tells the namespaces that its Pod takes from itself") {
  const auto watched = [](const std::string& variable) {
    const auto flags = recorded_flags(
        "metadata: {name: op, namespace: team-a}\nspec: {template: {spec: {containers: [{env: "
        "[{name: WATCH_NAMESPACE, " +
            variable + "}]}]}}}\n",
        "");
    REQUIRE(flags.ok());
    return flags->watched;
  };
  using Namespaces = std::vector<std::string>;
  CHECK(watched("valueFrom: {fieldRef: {fieldPath: metadata.namespace}}") == Namespaces{"team-a"});
  CHECK(watched("valueFrom: {fieldRef: {fieldPath: \"metadata.annotations['a']\"}}") ==
        std::nullopt);
  CHECK(watched("value: \" a, b,\"") == Namespaces{"a", "b"});
}

TEST_CASE("A Dockerfile tells its base") {
  CHECK(recorded_base("# FROM a\nFROM b:1 \nFROM c\n") == "b:1");
  CHECK(recorded_base("").empty());
}

}  // namespace chartwright::cmd
