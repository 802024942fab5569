// SPDX-License-Identifier: Apache-2.0
#include "generate/manifests.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "generate/monitor.h"
#include "test/generate/projects.h"
#include "value/compare.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

using testing::Files;
using testing::only;
using testing::served_views;
using testing::shop_watch;
using value::Value;

std::map<std::string, std::string> files_of(const std::vector<bundle::Watch>& watches,
                                            const ServedViews& served, const Naming& naming) {
  const auto manifests = manifests_of(watches, served, naming);
  REQUIRE(manifests.ok());
  std::map<std::string, std::string> files;
  for (const GeneratedFile& file : manifests->files) {
    files.emplace(file.path, file.text);
  }
  return files;
}

std::map<std::string, std::string> files_of(const Naming& naming) {
  return files_of(only(shop_watch({{"values.yaml", "size: 1\n"},
                                   {"operator/operator.yaml", "crd: {required: [size]}\n"}})),
                  {}, naming);
}

Value read(const std::string& text) {
  auto value = yaml::parse_yaml(text, value::Numbers::kInt64);
  REQUIRE(value.ok());
  return *value;
}

Value container_of(const std::string& deployment) {
  return read(deployment)
      .find_path({"spec", "template", "spec", "containers"})
      ->as_list()
      .items.front();
}

/// Returns the arguments of a container.
std::vector<std::string> arguments_of(const Value& container) {
  std::vector<std::string> arguments;
  for (const Value& argument : container.find("args")->as_list().items) {
    arguments.emplace_back(argument.as_string());
  }
  return arguments;
}

}  // namespace

TEST_CASE("The kustomizations list every manifest but samples and roles for users") {
  const auto files = files_of({});
  CHECK(files.at("crd/kustomization.yaml").ends_with("- webshops.apps.example.com.yaml\n"));
  CHECK(files.at("kustomization.yaml").ends_with("- crd\n- rbac\n- manager\n"));
  CHECK(files.at("users/kustomization.yaml").ends_with("resources:\n- roles.yaml\n"));
  CHECK(files.at("users/roles.yaml").find("resources: [webshops]") != std::string::npos);
  CHECK_FALSE(is_applied({"users/roles.yaml", ""}));
  CHECK_FALSE(is_applied({"samples/webshop.yaml", ""}));
  CHECK(is_applied({"rbac/role.yaml", ""}));
  CHECK(files.at("samples/webshop.yaml").ends_with("spec:\n  size: 1\n"));
  for (const auto& [path, text] : files) {
    INFO(path);
    CHECK(is_generated(text));
  }
  CHECK_FALSE(is_generated("FROM scratch\n"));
}

TEST_CASE("The Deployment has the names that were chosen") {
  Naming naming{"op", "ops", {"a", "b"}};
  naming.image = "registry.example.com/op";
  naming.tag = "1.0";
  const auto files = files_of(naming);
  const Value deployment = read(files.at("manager/deployment.yaml"));
  CHECK(kube::name_of(deployment) == "op");
  CHECK(kube::namespace_of(deployment) == "ops");
  const Value container = container_of(files.at("manager/deployment.yaml"));
  const auto& environment = container.find("env")->as_list().items;
  CHECK(environment[0].string_at({"name"}) == "WATCH_NAMESPACE");
  CHECK(environment[0].string_at({"value"}) == "a,b");
  CHECK(environment[2].string_at({"value"}) == "op");
  CHECK(files.at("manager/kustomization.yaml")
            .ends_with("newName: registry.example.com/op\n  newTag: '1.0'\n"));
  CHECK(kube::name_of(read(files.at("manager/namespace.yaml"))) == "ops");
}

TEST_CASE("Objects for the Prometheus Operator are written where they are asked for") {
  for (const auto& [path, text] : files_of({})) {
    CHECK(path.find("monitor") == std::string::npos);
  }
  Naming naming{"op", "ops"};
  naming.monitor = "pod";
  auto files = files_of(naming);
  CHECK(files.at("kustomization.yaml").ends_with("- manager\n- pod-monitor\n"));
  CHECK(files.at("pod-monitor/kustomization.yaml").ends_with("\n- pod_monitor.yaml\n"));
  const Value pod = read(files.at("pod-monitor/pod_monitor.yaml"));
  CHECK(pod.string_at({"kind"}) == "PodMonitor");
  CHECK(kube::name_of(pod) == "op");
  CHECK(kube::namespace_of(pod) == "ops");
  CHECK(pod.items_at({"spec", "podMetricsEndpoints"}).front().string_at({"port"}) == "metrics");
  CHECK(recorded_monitor(files.at("kustomization.yaml")) == "pod");
  naming.monitor = "service";
  files = files_of(naming);
  CHECK(files.at("kustomization.yaml").ends_with("- manager\n- service-monitor\n"));
  const Value service = read(files.at("service-monitor/service.yaml"));
  const Value monitor = read(files.at("service-monitor/service_monitor.yaml"));
  CHECK(kube::name_of(service) == "op-metrics");
  CHECK(value::json_equal(*service.find_path({"metadata", "labels"}),
                          *monitor.find_path({"spec", "selector", "matchLabels"})));
  CHECK(monitor.items_at({"spec", "endpoints"}).front().bool_at({"honorLabels"}));
  CHECK(recorded_monitor(files.at("kustomization.yaml")) == "service");
  CHECK(recorded_monitor("") == "none");
}

TEST_CASE("The image is one of the project, since that of the operator has no charts") {
  CHECK(files_of({})
            .at("manager/kustomization.yaml")
            .ends_with("newName: chartwright-operator\n  newTag: " CW_VERSION "\n"));
}

TEST_CASE("The image has each chart once") {
  std::vector<bundle::Watch> watches = only(shop_watch({}));
  watches.push_back(watches.front());
  CHECK(dockerfile(watches, {}, "base:1")
            .ends_with("FROM base:1\nCOPY watches.yaml ./\nCOPY shop shop\n"));
  CHECK(dockerfile(watches, served_views("verbs: [list]"), "base:1")
            .ends_with("COPY shop shop\nCOPY views views\n"));
}

TEST_CASE("The image has the library of gRPC if a chart uses it") {
  const auto made_for = [](const std::string& driver, const std::string& call) {
    std::string external = "name: entry\ndriver: {" + driver + "}\nobserve: {call: " + call + "}\n";
    external += "create: {call: " + call + ", capture: '{{ .response.id }}'}\n";
    const Files files = {
        {"operator/externals/entry.yaml", external + "delete: {call: " + call + "}\n"}};
    return dockerfile(only(shop_watch(files)), {}, "base:1");
  };
  CHECK(made_for("http: {baseURL: 'http://localhost'}", "POST /entry")
            .ends_with("FROM base:1\nCOPY watches.yaml ./\nCOPY shop shop\n"));
  CHECK(made_for("grpc: {address: 'localhost:1', descriptors: reflection}", "a.B/Call")
            .ends_with("FROM base:1\n"
                       "# For externals that use gRPC.\n"
                       "USER root\n"
                       "RUN apt-get update && apt-get install --yes --no-install-recommends "
                       "libgrpc++1.51 && rm -rf /var/lib/apt/lists/*\n"
                       "USER 1001\nCOPY watches.yaml ./\nCOPY shop shop\n"));
}

TEST_CASE("An operator with views has a Service, APIServices, and the flag that serves them") {
  const Naming naming{"op", "ops"};
  const auto files = files_of(only(shop_watch({})), served_views("verbs: [list]"), naming);
  CHECK(files.at("kustomization.yaml").ends_with("- crd\n- rbac\n- manager\n- views\n"));
  CHECK(files.at("views/kustomization.yaml").ends_with("- service.yaml\n- apiservices.yaml\n"));
  const Value container = container_of(files.at("manager/deployment.yaml"));
  CHECK(arguments_of(container).back() == "--views-service=ops/op");
  const Value port =
      read(files.at("views/service.yaml")).find_path({"spec", "ports"})->as_list().items[0];
  CHECK(port.string_at({"targetPort"}) ==
        container.find("ports")->as_list().items.back().string_at({"name"}));
  const Value service = read(files.at("views/apiservices.yaml"));
  CHECK(kube::name_of(service) == "v1.farm.example.com");
  CHECK(service.string_at({"spec", "service", "name"}) == "op");
  CHECK(service.find_path({"spec", "caBundle"}) == nullptr);
}

TEST_CASE("A folder that the operator does not find by itself is named in its flags") {
  ServedViews served = served_views("verbs: [list]");
  served.folder = "charts/farm/views";
  const auto files = files_of(only(shop_watch({})), served, {"op", "ops"});
  const auto arguments = arguments_of(container_of(files.at("manager/deployment.yaml")));
  CHECK(std::count(arguments.begin(), arguments.end(), "--views=charts/farm/views") == 1);
}

TEST_CASE("Views alone are served without an operator") {
  ServedViews served = served_views("verbs: [list]");
  served.reviews_access = true;
  const auto files = files_of({}, served, {"farm", "default"});
  CHECK(files.at("kustomization.yaml").ends_with("resources:\n- rbac\n- manager\n- views\n"));
  const Value container = container_of(files.at("manager/deployment.yaml"));
  CHECK(arguments_of(container) == std::vector<std::string>{"--views=views",
                                                            "--service=default/farm",
                                                            "--subject-access-review"});
  CHECK(container.find("volumeMounts") == nullptr);
  for (const char* absent :
       {"crd/kustomization.yaml", "rbac/leader_election.yaml", "manager/namespace.yaml"}) {
    INFO(absent);
    CHECK_FALSE(files.contains(absent));
  }
}

}  // namespace chartwright::generate
