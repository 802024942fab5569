// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/credentials.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/base/manual_clock.h"
#include "test/base/temporary_directory.h"

namespace chartwright::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class TokenFile {
 public:
  explicit TokenFile(std::string_view text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "cw-token-XXXXXX").string();
    const int fd = mkstemp(pattern.data());
    REQUIRE(fd >= 0);
    close(fd);
    path = pattern;
    write(text);
  }
  ~TokenFile() { std::filesystem::remove(path); }
  void write(std::string_view text) const { std::ofstream(path) << text; }
  std::string path;
};

std::string token_of(Credentials& credentials) { return CW_MUST(credentials.identity({})).token; }

TEST_CASE("A token file is read again after a minute, not before") {
  base::ManualClock clock;
  const TokenFile file("one\n");
  Config config;
  config.token_file = file.path;
  config.token = "ignored";
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  file.write("two\n");
  CHECK(token_of(*credentials) == "one");
  clock.advance(seconds(59));
  CHECK(token_of(*credentials) == "one");
  clock.advance(seconds(1));
  CHECK(token_of(*credentials) == "two");
}

TEST_CASE("A token file that is away or empty for a while leaves the last token in use") {
  base::ManualClock clock;
  const TokenFile file("one");
  Config config;
  config.token_file = file.path;
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  for (const std::string_view broken : {"", " \n", "a\nb"}) {
    file.write(broken);
    clock.advance(minutes(2));
    CHECK(token_of(*credentials) == "one");
  }
  std::filesystem::remove(file.path);
  clock.advance(minutes(2));
  CHECK(token_of(*credentials) == "one");
  file.write("two");
  clock.advance(minutes(2));
  CHECK(token_of(*credentials) == "two");
}

TEST_CASE("A refused token is refreshed at once, if the file has another") {
  base::ManualClock clock;
  const TokenFile file("one");
  Config config;
  config.token_file = file.path;
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  CHECK_FALSE(CW_MUST(credentials->refresh({"one", nullptr}, {})));
  file.write("two");
  CHECK(CW_MUST(credentials->refresh({"one", nullptr}, {})));
  CHECK(token_of(*credentials) == "two");
}

TEST_CASE("A fixed token cannot be refreshed") {
  base::ManualClock clock;
  Config config;
  config.token = "fixed";
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  CHECK(token_of(*credentials) == "fixed");
  CHECK_FALSE(CW_MUST(credentials->refresh({"fixed", nullptr}, {})));
}

TEST_CASE("Certificates from files are read again after five minutes") {
  base::ManualClock clock;
  const TokenFile ca("ca-1");
  Config config;
  config.ca.file = ca.path;
  config.client_cert.data = "cert";
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  const auto first = CW_MUST(credentials->identity({})).tls;
  CHECK(first->ca == "ca-1");
  CHECK(first->cert == "cert");
  ca.write("ca-2");
  clock.advance(minutes(4));
  CHECK(CW_MUST(credentials->identity({})).tls == first);
  clock.advance(minutes(1));
  CHECK(CW_MUST(credentials->identity({})).tls->ca == "ca-2");
  CHECK(first->ca == "ca-1");
}

TEST_CASE("Credentials that are not there at the start are an error") {
  base::ManualClock clock;
  Config config;
  config.token_file = "/nonexistent/token";
  const auto missing = Credentials::load(config, clock);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == base::ErrorCode::kNotFound);
}

constexpr std::string_view kScript = R"sh(#!/bin/sh
echo >> "$FOLDER/runs"
[ -e "$FOLDER/status" ] || exit 1
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":'
cat "$FOLDER/status"
echo '}'
)sh";

/// A plugin that prints the contents of a file as its status, and counts its runs in another.
class CountingPlugin {
 public:
  explicit CountingPlugin(const std::string& status) {
    config.exec.command = folder.write("plugin", kScript);
    config.exec.api_version = "client.authentication.k8s.io/v1";
    config.exec.environment = {"PATH=/usr/bin:/bin", "FOLDER=" + folder.path("")};
    std::filesystem::permissions(config.exec.command, std::filesystem::perms::owner_all);
    prints(status);
  }
  void prints(const std::string& status) const { folder.write("status", status); }
  size_t runs() const {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(folder.path("runs"), none);
    return none ? 0 : bytes;
  }

  base::TemporaryDirectory folder;
  Config config;
};

TEST_CASE("A plugin runs at first use, and again when its token has expired") {
  base::ManualClock clock;
  const std::string soon = base::format_rfc3339(clock.wall() + minutes(1));
  const CountingPlugin plugin(R"({"token":"one","expirationTimestamp":")" + soon + "\"}");
  const auto credentials = CW_MUST(Credentials::load(plugin.config, clock));
  CHECK(plugin.runs() == 0);
  CHECK(token_of(*credentials) == "one");
  clock.advance(minutes(1));
  CHECK(token_of(*credentials) == "one");
  CHECK(plugin.runs() == 1);
  clock.advance(seconds(1));
  plugin.prints(R"({"token":"two"})");
  CHECK(token_of(*credentials) == "two");
  clock.advance(minutes(60));
  CHECK(token_of(*credentials) == "two");
  CHECK(plugin.runs() == 2);
}

TEST_CASE("A plugin runs again when the server rejects what it printed, once for all callers") {
  base::ManualClock clock;
  const CountingPlugin plugin(R"({"token":"one"})");
  const auto credentials = CW_MUST(Credentials::load(plugin.config, clock));
  const Identity used = CW_MUST(credentials->identity({}));
  CHECK_FALSE(CW_MUST(credentials->refresh(used, {})));
  CHECK(plugin.runs() == 2);
  plugin.prints(R"({"token":"two"})");
  CHECK(CW_MUST(credentials->refresh(used, {})));
  CHECK(CW_MUST(credentials->refresh(used, {})));
  CHECK(plugin.runs() == 3);
  CHECK(token_of(*credentials) == "two");
}

TEST_CASE("A plugin's certificate is used, and another one is another identity") {
  base::ManualClock clock;
  const CountingPlugin plugin(R"({"clientCertificateData":"c1","clientKeyData":"k1"})");
  const auto credentials = CW_MUST(Credentials::load(plugin.config, clock));
  const Identity used = CW_MUST(credentials->identity({}));
  CHECK(used.token.empty());
  CHECK(used.tls->cert == "c1");
  CHECK(used.tls->key == "k1");
  CHECK_FALSE(CW_MUST(credentials->refresh(used, {})));
  plugin.prints(R"({"clientCertificateData":"c2","clientKeyData":"k2"})");
  CHECK(CW_MUST(credentials->refresh(used, {})));
  CHECK(CW_MUST(credentials->identity({})).tls->cert == "c2");
}

TEST_CASE("A plugin that fails leaves no expired token in use, and one that is missing no start") {
  base::ManualClock clock;
  CountingPlugin plugin(R"({"token":"one","expirationTimestamp":")" +
                        base::format_rfc3339(clock.wall()) + "\"}");
  const auto credentials = CW_MUST(Credentials::load(plugin.config, clock));
  CHECK(token_of(*credentials) == "one");
  clock.advance(seconds(2));
  std::filesystem::remove(plugin.folder.path("status"));
  const auto failed = credentials->identity({});
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code() == base::ErrorCode::kUnavailable);
  plugin.prints(R"({"token":"two"})");
  CHECK(token_of(*credentials) == "two");
  plugin.config.exec.command = "no-such-plugin";
  CHECK_FALSE(Credentials::load(plugin.config, clock).ok());
}

TEST_CASE("A token or certificate of the kubeconfig comes before its plugin, as in client-go") {
  base::ManualClock clock;
  CountingPlugin plugin(R"({"token":"one"})");
  plugin.config.token = "fixed";
  const auto credentials = CW_MUST(Credentials::load(plugin.config, clock));
  CHECK(token_of(*credentials) == "fixed");
  CHECK(plugin.runs() == 0);
}

}  // namespace
}  // namespace chartwright::kube
