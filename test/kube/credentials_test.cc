// SPDX-License-Identifier: Apache-2.0
#include "kube/credentials.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/base/manual_clock.h"

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

TEST_CASE("a token file is read again after a minute, not before") {
  base::ManualClock clock;
  const TokenFile file("one\n");
  Config config;
  config.token_file = file.path;
  config.token = "ignored";
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  file.write("two\n");
  CHECK(credentials->token() == "one");
  clock.advance(seconds(59));
  CHECK(credentials->token() == "one");
  clock.advance(seconds(1));
  CHECK(credentials->token() == "two");
}

TEST_CASE("a token file that is away or empty for a while leaves the last token in use") {
  base::ManualClock clock;
  const TokenFile file("one");
  Config config;
  config.token_file = file.path;
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  for (const std::string_view broken : {"", " \n", "a\nb"}) {
    file.write(broken);
    clock.advance(minutes(2));
    CHECK(credentials->token() == "one");
  }
  std::filesystem::remove(file.path);
  clock.advance(minutes(2));
  CHECK(credentials->token() == "one");
  file.write("two");
  clock.advance(minutes(2));
  CHECK(credentials->token() == "two");
}

TEST_CASE("a refused token is refreshed at once, if the file has another") {
  base::ManualClock clock;
  const TokenFile file("one");
  Config config;
  config.token_file = file.path;
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  CHECK_FALSE(credentials->refresh_token("one"));
  file.write("two");
  CHECK(credentials->refresh_token("one"));
  CHECK(credentials->token() == "two");
}

TEST_CASE("a fixed token cannot be refreshed") {
  base::ManualClock clock;
  Config config;
  config.token = "fixed";
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  CHECK(credentials->token() == "fixed");
  CHECK_FALSE(credentials->refresh_token("fixed"));
}

TEST_CASE("certificates from files are read again after five minutes") {
  base::ManualClock clock;
  const TokenFile ca("ca-1");
  Config config;
  config.ca.file = ca.path;
  config.client_cert.data = "cert";
  const auto credentials = CW_MUST(Credentials::load(config, clock));
  const auto first = credentials->tls();
  CHECK(first->ca == "ca-1");
  CHECK(first->cert == "cert");
  ca.write("ca-2");
  clock.advance(minutes(4));
  CHECK(credentials->tls() == first);
  clock.advance(minutes(1));
  CHECK(credentials->tls()->ca == "ca-2");
  CHECK(first->ca == "ca-1");
}

TEST_CASE("credentials that are not there at the start are an error") {
  base::ManualClock clock;
  Config config;
  config.token_file = "/nonexistent/token";
  const auto missing = Credentials::load(config, clock);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace chartwright::kube
