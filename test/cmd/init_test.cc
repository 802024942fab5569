// SPDX-License-Identifier: Apache-2.0
// The suite that init writes.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "test/cmd/command.h"
#include "test/cmd/project_folder.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;
using testing::Outcome;
using testing::ProjectFolder;
using testing::run;
using testing::text_of;

TEST_CASE("A chart without tests gets a suite, which passes") {
  const ProjectFolder project;
  REQUIRE(run({"init", "charts/shop", "--group", "apps.example.com"}).code == kExitOk);
  const std::string path = "charts/shop/tests/operator_test.yaml";
  const std::string suite = text_of(path);
  CHECK(suite.find("    resource:\n      apiVersion: apps.example.com/v1alpha1\n"
                   "      kind: WebShop\n      metadata:\n        name: webshop-sample\n") !=
        std::string::npos);
  CHECK(suite.ends_with("    - absent: WebShop/webshop-sample\n"));
  const Outcome tested = run({"test", "charts/shop"});
  CHECK(tested.out.find("Tests:       1 passed, 1 total") != std::string::npos);
  CHECK(tested.err.empty());

  ProjectFolder::write(path, "mine\n");
  REQUIRE(run({"init", "charts/shop"}).code == kExitOk);
  CHECK(text_of(path) == "mine\n");
}

TEST_CASE("A chart that has tests, or that scenarios cannot run, gets no suite") {
  const ProjectFolder project;
  ProjectFolder::write("charts/shop/tests/a_test.yaml", "suite: a\n");
  REQUIRE(run({"init", "charts/shop", "--group", "apps.example.com"}).code == kExitOk);
  CHECK_FALSE(fs::exists("charts/shop/tests/operator_test.yaml"));
  ProjectFolder::write("charts/defines/Chart.yaml",
                       "apiVersion: v2\nname: defines\nversion: 0.1.0\n");
  ProjectFolder::write("charts/defines/crds/a.yaml",
                       "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
                       "metadata: {name: as.a.example.com}\nspec: {group: a.example.com, scope: "
                       "Namespaced, names: {kind: A, plural: as}, versions: [{name: v1, served: "
                       "true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n");
  REQUIRE(run({"init", "charts/defines", "--group", "apps.example.com"}).code == kExitOk);
  CHECK_FALSE(fs::exists("charts/defines/tests"));
}

}  // namespace
}  // namespace chartwright::cmd
