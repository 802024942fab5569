// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/exec_plugin.h"

#include <catch2/catch.hpp>

#include "test/base/temporary_directory.h"

namespace chartwright::kube {
namespace {

using base::ErrorCode;
using base::Result;

const std::string kOk =
    R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)";

/// A folder with a plugin, a shell script.
class Plugin {
 public:
  explicit Plugin(const std::string& script) {
    config.server = "https://127.0.0.1:1/prefix";
    config.tls_server_name = "api.example";
    config.exec.command = folder.write("plugin", "#!/bin/sh\n" + script);
    config.exec.api_version = "client.authentication.k8s.io/v1";
    config.exec.environment = {"PATH=/usr/bin:/bin"};
    std::filesystem::permissions(config.exec.command, std::filesystem::perms::owner_all);
  }
  Result<ExecCredential> run() const {
    return run_exec_plugin(config, "", base::SystemClock(), {});
  }

  base::TemporaryDirectory folder;
  Config config;
};

std::string prints(const std::string& text) { return "cat <<'END'\n" + text + "\nEND\n"; }

TEST_CASE("A plugin's token, certificate, key and time of expiry are taken") {
  const Plugin plugin(prints(kOk +
                             R"({"token":"t","clientCertificateData":"c\n","clientKeyData":"k\n",)"
                             R"("expirationTimestamp":"2030-01-31T12:00:00Z"}})"));
  const ExecCredential credential = CW_MUST(plugin.run());
  CHECK(credential.token == "t");
  CHECK(credential.cert == "c\n");
  CHECK(credential.key == "k\n");
  REQUIRE(credential.expires);
  CHECK(base::format_rfc3339(*credential.expires) == "2030-01-31T12:00:00Z");
}

TEST_CASE("A plugin may print YAML") {
  const Plugin plugin(
      prints("apiVersion: client.authentication.k8s.io/v1\nkind: ExecCredential\n"
             "status: {token: t}"));
  CHECK(CW_MUST(plugin.run()).token == "t");
}

TEST_CASE("A plugin is told what client-go tells it") {
  // Printed by client-go 0.33 for the same kubeconfig; its keys are in another order.
  Plugin plugin("printf %s \"$1|$KUBERNETES_EXEC_INFO\" > \"$OUT\"\n" +
                prints(kOk + R"({"token":"t"}})"));
  const std::string out = plugin.folder.path("out");
  plugin.config.exec.environment.push_back("OUT=" + out);
  plugin.config.exec.arguments = {"a b; $HOME"};
  plugin.config.exec.cluster_config = R"({"audience":"abc","f":1.5,"n":1})";
  const auto told = [&] {
    CW_MUST(plugin.run());
    std::ifstream file(out);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  CHECK(told() ==
        R"(a b; $HOME|{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
        R"("spec":{"interactive":false}})");
  plugin.config.exec.cluster_info = ExecPlugin::ClusterInfo::kProvided;
  CHECK(told() ==
        R"(a b; $HOME|{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
        R"("spec":{"cluster":{"config":{"audience":"abc","f":1.5,"n":1},)"
        R"("server":"https://127.0.0.1:1/prefix","tls-server-name":"api.example"},)"
        R"("interactive":false}})");
}

TEST_CASE("A plugin that prints no credentials is an error that quotes nothing") {
  // client-go's messages, where they do not quote either.
  const auto [script, want] = GENERATE_COPY(table<std::string, std::string>({
      {prints(R"({"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential",)"
              R"("status":{"token":"hunter2"}})"),
       "exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin "
       "returned another version"},
      {prints(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"hunter2"})"),
       "decoding stdout: its kind is not ExecCredential"},
      {"echo hunter2: [x", "decoding stdout: it is not an ExecCredential as JSON"},
      {"echo hunter2", "decoding stdout: it is not an ExecCredential as JSON"},
      {"echo '{\"hunter2\"'", "decoding stdout: it is not an ExecCredential as JSON"},
      {"true", "decoding stdout: it is not an ExecCredential as JSON"},
      {prints(kOk + "null}"), "exec plugin didn't return a status field"},
      {prints(kOk + "{}}"), "exec plugin didn't return a token or cert/key pair"},
      {prints(kOk + R"({"clientKeyData":"hunter2"}})"),
       "exec plugin returned only certificate or key, not both"},
      {prints(kOk + R"({"token":["hunter2"]}})"), "decoding stdout: token is not a string"},
      {prints(kOk + R"({"token":"hunter2\nX-Evil: y"}})"),
       "exec plugin returned a token with a line break"},
      {prints(kOk + R"({"token":"t","expirationTimestamp":"hunter2"}})"),
       "decoding stdout: expirationTimestamp is not a time"},
  }));
  INFO(script);
  const auto refused = Plugin(script).run();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code() == ErrorCode::kUnavailable);
  CHECK(refused.error().message() == "getting credentials: " + want);
}

TEST_CASE("A plugin that fails is named") {
  const auto message = [](const Plugin& plugin) {
    const auto failed = plugin.run();
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().code() == ErrorCode::kUnavailable);
    return failed.error().message();
  };
  const Plugin failing("echo hunter2; exit 3");
  CHECK(message(failing) == "getting credentials: exec: executable " + failing.config.exec.command +
                                " failed with exit code 3");
  const Plugin killed("kill -9 $$");
  CHECK(message(killed) == "getting credentials: exec: executable " + killed.config.exec.command +
                               " failed with exit code -1");
  const Plugin loud("exec yes");
  CHECK(message(loud) == "getting credentials: exec: executable " + loud.config.exec.command +
                             ": it printed more than 1 MiB");
  Plugin slow("exec sleep 1000");
  slow.config.exec.timeout = std::chrono::milliseconds(20);
  const auto late = slow.run();
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code() == ErrorCode::kTimeout);
}

TEST_CASE("A plugin that is not installed is reported with the kubeconfig's hint") {
  Plugin plugin("");
  CHECK(check_exec_plugin(plugin.config.exec).ok());
  plugin.config.exec.command = "no-such-plugin";
  plugin.config.exec.search = "/usr/bin";
  plugin.config.exec.install_hint = "Install it.";
  const std::string want =
      "getting credentials: exec: executable no-such-plugin not found: Install it.";
  const auto missing = check_exec_plugin(plugin.config.exec);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == ErrorCode::kNotFound);
  CHECK(missing.error().message() == want);
  const auto run = plugin.run();
  REQUIRE_FALSE(run.ok());
  CHECK(run.error().code() == ErrorCode::kUnavailable);
  CHECK(run.error().message() == want);
}

}  // namespace
}  // namespace chartwright::kube
