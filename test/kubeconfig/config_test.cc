// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/config.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "test/base/temporary_directory.h"

namespace chartwright::kube {
namespace {

using base::ErrorCode;
using base::Result;
using Folder = base::TemporaryDirectory;

constexpr std::string_view kOneCluster = R"(apiVersion: v1
kind: Config
current-context: main
clusters:
- name: c
  cluster:
    server: https://127.0.0.1:6443/
    certificate-authority-data: Y2E=
    tls-server-name: kubernetes
contexts:
- name: main
  context: {cluster: c, user: u, namespace: apps}
- name: other
  context: {cluster: c, user: t}
users:
- name: u
  user:
    client-certificate-data: Y2VydA==
    client-key: keys/client.key
- name: t
  user: {tokenFile: token}
)";

Result<Config> load(const std::string& path, const std::string& context = "") {
  return load_config({path, context}, {});
}

TEST_CASE("An explicit kubeconfig is read with its current context") {
  const Folder folder;
  const std::string path = folder.write("config", kOneCluster);
  const Config config = CW_MUST(load(path));
  CHECK(config.server == "https://127.0.0.1:6443");
  CHECK(config.ca.data == "ca");
  CHECK(config.tls_server_name == "kubernetes");
  CHECK(config.client_cert.data == "cert");
  CHECK(config.client_key.file == folder.path("keys/client.key"));
  CHECK(config.ns == "apps");
  CHECK(config.verify == TlsVerify::kVerify);
  CHECK(config.source == "kubeconfig " + path + " (context main)");
}

TEST_CASE("The contexts of all files are listed, each once") {
  const Folder folder;
  const std::string one = folder.write("one", kOneCluster);
  const std::string two = folder.write("two", "contexts: [{name: other}, {name: third}, {}]\n");
  using Names = std::vector<std::string>;
  CHECK(CW_MUST(context_names({one, ""}, {})) == Names{"main", "other"});
  ConfigEnv env;
  env.kubeconfig = one + ":" + folder.path("none") + ":" + two;
  CHECK(CW_MUST(context_names({}, env)) == Names{"main", "other", "third"});
  CHECK(CW_MUST(context_names({one, "missing"}, env)) == Names{"main", "other"});
  CHECK(context_names({folder.path("none"), ""}, {}).error().code() == ErrorCode::kNotFound);
  CHECK(context_names({folder.write("bad", "contexts: 7\n"), ""}, {}).error().code() ==
        ErrorCode::kParse);
  ConfigEnv pod;
  pod.service_host = "10.0.0.1";
  pod.service_port = "443";
  CHECK(CW_MUST(context_names({}, pod)).empty());
}

TEST_CASE("Another context can be asked for") {
  const Folder folder;
  const Config config = CW_MUST(load(folder.write("config", kOneCluster), "other"));
  CHECK(config.token_file == folder.path("token"));
  CHECK(config.client_cert.empty());
  CHECK(config.ns.empty());

  const auto missing = load(folder.write("config", kOneCluster), "nowhere");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == ErrorCode::kNotFound);
  CHECK(missing.error().message() == "context \"nowhere\" does not exist");
}

TEST_CASE("Files of KUBECONFIG are merged, the first to name a thing wins") {
  const Folder folder;
  const std::string first = folder.write("first", R"(
clusters:
- {name: c, cluster: {server: "https://first:1"}}
)");
  const std::string second = folder.write("second", kOneCluster);
  ConfigEnv env;
  env.kubeconfig = folder.path("absent") + ":" + first + "::" + second;
  const Config config = CW_MUST(load_config({}, env));
  CHECK(config.server == "https://first:1");
  CHECK(config.ca.empty());
  CHECK(config.client_cert.data == "cert");
  CHECK(config.client_key.file == folder.path("keys/client.key"));
}

TEST_CASE("Configuration is looked for in the order of helm-operator") {
  const Folder folder;
  folder.write("home/.kube/config", kOneCluster);
  folder.write("pod/token", "t");
  folder.write("pod/namespace", "pod-ns\n");
  ConfigEnv env;
  env.home = folder.path("home");
  CHECK(CW_MUST(load_config({}, env)).server == "https://127.0.0.1:6443");

  env.service_host = "fd00::1";
  env.service_port = "443";
  env.service_account_dir = folder.path("pod");
  const Config in_cluster = CW_MUST(load_config({}, env));
  CHECK(in_cluster.server == "https://[fd00::1]:443");
  CHECK(in_cluster.token_file == folder.path("pod/token"));
  CHECK(in_cluster.ca.file == folder.path("pod/ca.crt"));
  CHECK(in_cluster.ns == "pod-ns");
  CHECK(in_cluster.source == "in-cluster");

  env.kubeconfig = folder.write("explicit", kOneCluster);
  CHECK(CW_MUST(load_config({}, env)).ns == "apps");
}

TEST_CASE("No configuration anywhere says where it was looked for") {
  const Folder folder;
  ConfigEnv env;
  env.home = folder.path("");
  const auto none = load_config({}, env);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code() == ErrorCode::kNotFound);
  CHECK(none.error().message().find("KUBECONFIG") != std::string::npos);

  env.kubeconfig = folder.path("absent");
  const auto absent = load_config({}, env);
  REQUIRE_FALSE(absent.ok());
  CHECK(absent.error().code() == ErrorCode::kNotFound);

  const auto named = load(folder.path("absent"));
  REQUIRE_FALSE(named.ok());
  CHECK(named.error().code() == ErrorCode::kNotFound);
  CHECK(named.error().message().find(folder.path("absent")) != std::string::npos);
}

TEST_CASE("A broken kubeconfig is an error at its line") {
  const Folder folder;
  const std::string path = folder.write("config", "clusters:\n- name: [\n");
  const auto broken = load(path);
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.error().code() == ErrorCode::kParse);
  REQUIRE(broken.error().pos().has_value());
  CHECK(broken.error().pos()->file == path);
  CHECK(broken.error().pos()->line > 0);
}

/// kOneCluster with `from` replaced by `to`.
std::string changed(std::string_view from, std::string_view to) {
  std::string text(kOneCluster);
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("A field that cannot be used is named") {
  struct Bad {
    std::string text;
    std::string_view want;
  };
  const std::vector<Bad> cases = {
      {"[]", "a kubeconfig is a map at its top level"},
      {changed("current-context: main", "current-context: ''"), "current-context is not set"},
      {changed("server: https://127.0.0.1:6443/", "server: ''"),
       "clusters[0].cluster.server: missing: the URL of the API server"},
      {changed("server: https://127.0.0.1:6443/", "server: 127.0.0.1:6443"),
       "clusters[0].cluster.server: expected an https:// URL, got \"127.0.0.1:6443\""},
      {changed("server: https://127.0.0.1:6443/", "server: 'https://u:p@host'"),
       "clusters[0].cluster.server: expected scheme://host:port[/path]"},
      {changed("server: https://127.0.0.1:6443/", "server: 5"),
       "clusters[0].cluster.server: expected a string, got the number 5; write it in "
       "quotes if it is meant as text"},
      {changed("Y2E=", "'%%'"), "clusters[0].cluster.certificate-authority-data: expected base64"},
      {changed("tls-server-name: kubernetes", "insecure-skip-tls-verify: true"),
       "clusters[0].cluster.insecure-skip-tls-verify: cannot be combined with a "
       "certificate authority"},
      {changed("tls-server-name: kubernetes", "insecure-skip-tls-verify: 'yes'"),
       "clusters[0].cluster.insecure-skip-tls-verify: expected true or false, got the string "
       "\"yes\""},
      {changed("client-key: keys/client.key", ""),
       "users[0].user: client-certificate and client-key must be given together"},
      {changed("client-key: keys/client.key", "client-key: k\n    exec: {command: aws}"),
       "users[0].user.exec.apiVersion: missing: client.authentication.k8s.io/v1 or "
       "client.authentication.k8s.io/v1beta1"},
      {changed("client-key: keys/client.key", "auth-provider: {name: gcp}"),
       "users[0].user.auth-provider: auth providers are not supported; use exec, a client "
       "certificate, token or tokenFile"},
      {changed("client-key: keys/client.key", "username: admin"),
       "users[0].user.username: no supported API server takes basic authentication"},
      {changed("user: u,", "user: nobody,"),
       "contexts[0].context.user: there is no user \"nobody\" in the kubeconfig"},
      {changed("cluster: c, user: u", "cluster: d, user: u"),
       "contexts[0].context.cluster: there is no cluster \"d\" in the kubeconfig"},
      {changed("context: {cluster: c, user: u, namespace: apps}", "context: 1"),
       "contexts[0].context: expected a map"},
      {changed("users:\n", "users: {}\nx:\n"), "users: expected a list, got a map"},
      {changed("user: {tokenFile: token}", "user: {token: 1234567}")
           .replace(kOneCluster.find("main"), 4, "other"),
       "users[1].user.token: expected a string"},
  };
  const Folder folder;
  for (const Bad& bad : cases) {
    INFO(bad.text);
    const auto result = load(folder.write("config", bad.text));
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().to_string().find("1234567") == std::string::npos);
    const bool is_type = bad.want.find("expected a string, ") != std::string_view::npos ||
                         bad.want.find("expected a list, ") != std::string_view::npos ||
                         bad.want.find("expected true or false") != std::string_view::npos;
    CHECK(result.error().code() == (is_type ? ErrorCode::kParse : ErrorCode::kInvalidArgument));
    CHECK(result.error().message() == bad.want);
    REQUIRE(result.error().pos().has_value());
    CHECK(result.error().pos()->file == folder.path("config"));
  }
}

TEST_CASE("An error stands at its line and column") {
  const Folder folder;
  const auto place = [&](const std::string& text) {
    const auto result = load(folder.write("config", text));
    REQUIRE_FALSE(result.ok());
    const base::SourcePos pos = *result.error().pos();
    return std::pair(pos.line, pos.column);
  };
  CHECK(place(changed("Y2E=", "'%%'")) == std::pair(8, 33));
  CHECK(place(changed("client-key: keys/client.key", "auth-provider: {}")) == std::pair(19, 20));
  // A missing field is reported at its entry.
  CHECK(place(changed("    server: https://127.0.0.1:6443/\n", "")) == std::pair(7, 5));
}

TEST_CASE("A plugin's path is relative to its kubeconfig, and its own variables come last") {
  const std::string text =
      changed("user: {tokenFile: token}",
              "user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: COMMAND, "
              "env: [{name: A, value: own}]}}");
  const Folder folder;
  const auto command = [&](const std::string& path) {
    std::string with_path = text;
    with_path.replace(with_path.find("COMMAND"), 7, path);
    ConfigEnv env;
    env.path = "/usr/bin";
    env.variables = {"A=process", "B=process"};
    const Config config = CW_MUST(load_config({folder.write("config", with_path), "other"}, env));
    CHECK(config.exec.environment == std::vector<std::string>{"A=process", "B=process", "A=own"});
    CHECK(config.exec.search == "/usr/bin");
    return config.exec.command;
  };
  CHECK(command("bin/plugin") == folder.path("bin/plugin"));
  CHECK(command("./plugin") == folder.path("plugin"));
  CHECK(command("/opt/plugin") == "/opt/plugin");
  CHECK(command("plugin") == "plugin");
}

TEST_CASE("Verification is off only where the kubeconfig says so") {
  const Folder folder;
  const std::string text = R"(
current-context: x
clusters: [{name: c, cluster: {server: "https://h", insecure-skip-tls-verify: true}}]
contexts: [{name: x, context: {cluster: c}}]
)";
  const Config config = CW_MUST(load(folder.write("config", text)));
  CHECK(config.verify == TlsVerify::kSkip);
}

}  // namespace
}  // namespace chartwright::kube
