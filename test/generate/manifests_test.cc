// SPDX-License-Identifier: Apache-2.0
#include "generate/manifests.h"

#include <catch2/catch.hpp>

#include "test/generate/projects.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

using testing::only;
using testing::shop_watch;
using value::Value;

std::map<std::string, std::string> files_of(const Naming& naming) {
  const auto manifests =
      manifests_of(only(shop_watch({{"values.yaml", "size: 1\n"},
                                    {"operator/operator.yaml", "crd: {required: [size]}\n"}})),
                   naming);
  REQUIRE(manifests.ok());
  std::map<std::string, std::string> files;
  for (const GeneratedFile& file : manifests->files) {
    files.emplace(file.path, file.text);
  }
  return files;
}

Value read(const std::string& text) {
  auto value = yaml::parse_yaml(text, value::Numbers::kInt64);
  REQUIRE(value.ok());
  return *value;
}

}  // namespace

TEST_CASE("the kustomizations list every manifest but samples") {
  const auto files = files_of({});
  CHECK(files.at("crd/kustomization.yaml").ends_with("- webshops.apps.example.com.yaml\n"));
  CHECK(files.at("kustomization.yaml").ends_with("- crd\n- rbac\n- manager\n"));
  CHECK(files.at("samples/webshop.yaml").ends_with("spec:\n  size: 1\n"));
  for (const auto& [path, text] : files) {
    INFO(path);
    CHECK(is_generated(text));
  }
  CHECK_FALSE(is_generated("FROM scratch\n"));
}

TEST_CASE("the Deployment has the names that were chosen") {
  Naming naming{"op", "ops", {"a", "b"}};
  naming.image = "registry.example.com/op";
  naming.tag = "1.0";
  const auto files = files_of(naming);
  const Value deployment = read(files.at("manager/deployment.yaml"));
  CHECK(kube::name_of(deployment) == "op");
  CHECK(kube::namespace_of(deployment) == "ops");
  const Value container =
      deployment.find_path({"spec", "template", "spec", "containers"})->as_list().items.front();
  const auto& environment = container.find("env")->as_list().items;
  CHECK(environment[0].string_at({"name"}) == "WATCH_NAMESPACE");
  CHECK(environment[0].string_at({"value"}) == "a,b");
  CHECK(environment[2].string_at({"value"}) == "op");
  CHECK(files.at("manager/kustomization.yaml")
            .ends_with("newName: registry.example.com/op\n  newTag: 1.0\n"));
  CHECK(kube::name_of(read(files.at("manager/namespace.yaml"))) == "ops");
}

TEST_CASE("the image is one of the project, since that of the operator has no charts") {
  CHECK(files_of({})
            .at("manager/kustomization.yaml")
            .ends_with("newName: chartwright-operator\n  newTag: " CW_VERSION "\n"));
}

TEST_CASE("the image has each chart once") {
  std::vector<bundle::Watch> watches = only(shop_watch({}));
  watches.push_back(watches.front());
  CHECK(dockerfile(watches, "base:1")
            .ends_with("FROM base:1\nCOPY watches.yaml ./\nCOPY shop shop\n"));
}

}  // namespace chartwright::generate
