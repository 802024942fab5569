// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/exec_plugin_config.h"

#include <catch2/catch.hpp>

#include "yaml/document.h"

namespace chartwright::kube {
namespace {

using base::Result;

Result<ExecPlugin> read(const std::string& exec, const std::string& extensions = "[]") {
  const auto root = CW_MUST(
      yaml::parse_document("exec: " + exec + "\nextensions: " + extensions + "\n", "config"));
  return read_exec_plugin(*root.find("exec"), root.find("extensions"));
}

TEST_CASE("A plugin is read with everything that it needs") {
  const ExecPlugin plugin = CW_MUST(
      read("{apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks, get-token], "
           "env: [{name: A, value: b}, {name: C}], interactiveMode: IfAvailable, "
           "installHint: \"Install\\e[31m it.\\n\", provideClusterInfo: true, unknown: 1}",
           "[{name: other, extension: {x: 1}}, {name: client.authentication.k8s.io/exec, "
           "extension: {audience: abc, count: 1}}]"));
  CHECK(plugin.command == "aws");
  CHECK(plugin.arguments == std::vector<std::string>{"eks", "get-token"});
  CHECK(plugin.environment == std::vector<std::string>{"A=b", "C="});
  CHECK(plugin.install_hint == "InstallU+001B[31m it.\n");
  CHECK(plugin.cluster_info == ExecPlugin::ClusterInfo::kProvided);
  CHECK(plugin.cluster_config == R"({"audience":"abc","count":1})");
}

TEST_CASE("Only v1 requires the mode, and cluster information is withheld by default") {
  const ExecPlugin plugin =
      CW_MUST(read("{apiVersion: client.authentication.k8s.io/v1beta1, command: aws}"));
  CHECK(plugin.cluster_info == ExecPlugin::ClusterInfo::kWithheld);
  CHECK(plugin.arguments.empty());
}

TEST_CASE("A plugin that cannot be run is refused with its position") {
  const std::string head = "{apiVersion: client.authentication.k8s.io/v1, ";
  const std::string good = head + "interactiveMode: Never, command: x, ";
  const auto [text, want] = GENERATE_COPY(table<std::string, std::string>({
      {"[aws]", "config:1:7: exec: expected a map with apiVersion and command"},
      {"{command: x}",
       "config:1:7: exec.apiVersion: missing: client.authentication.k8s.io/v1 or "
       "client.authentication.k8s.io/v1beta1"},
      {"{command: x, apiVersion: client.authentication.k8s.io/v1alpha1}",
       "config:1:32: exec.apiVersion: \"client.authentication.k8s.io/v1alpha1\" is not "
       "client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1"},
      {head + "interactiveMode: Never}",
       "config:1:7: exec.command: missing: the program that prints credentials"},
      {head + "command: x}",
       "config:1:7: exec.interactiveMode: missing: Never or IfAvailable, which "
       "client.authentication.k8s.io/v1 requires"},
      {head + "command: x, interactiveMode: Sometimes}",
       "config:1:82: exec.interactiveMode: \"Sometimes\" is not Never or IfAvailable"},
      {head + "command: x, interactiveMode: Always}",
       "config:1:82: exec.interactiveMode: \"Always\" needs a terminal, which a plugin never has "
       "here: use \"Never\" or \"IfAvailable\""},
      {good + "args: [1234567]}", "config:1:96: exec.args[0]: expected a string"},
      {good + "env: [{value: 1234567}]}",
       "config:1:95: exec.env[0].name: missing: the name of an environment variable"},
      {good + "env: [{name: A, value: 1234567}]}",
       "config:1:112: exec.env[0].value: expected a string"},
      {good + "env: [A]}", "config:1:95: exec.env[0]: expected a map with name and value"},
  }));
  INFO(text);
  const auto refused = read(text);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().to_string() == want);
}

}  // namespace
}  // namespace chartwright::kube
