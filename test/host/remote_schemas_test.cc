// SPDX-License-Identifier: Apache-2.0
#include "host/remote_schemas.h"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "base/strings.h"
#include "helm/render/chart_schemas.h"
#include "test/base/manual_clock.h"
#include "test/cases/case_tests.h"
#include "test/fakeapi/fake_transport.h"
#include "test/helm/render/case_answer.h"

namespace chartwright::host {
namespace {

using base::Error;
using base::ErrorCode;
using fakeapi::FakeTransport;

/// The network: answers by URL, 404 for the others. Records what is asked.
struct Network {
  using Answer = std::function<base::Result<kube::Response>(const kube::Request& request)>;
  std::map<std::string, Answer> answers;
  std::vector<std::string> asked;
  std::vector<kube::Request> sent;

  void put(const std::string& url, const std::string& text, int status = 200,
           const std::string& location = "") {
    answers[url] = [=](const kube::Request&) { return kube::Response{status, 0, text, location}; };
  }
  void fail(const std::string& url, const Error& error) {
    answers[url] = [=](const kube::Request&) -> base::Result<kube::Response> { return error; };
  }

  RemoteSchemas::Connect connect() {
    return [this](const std::string& origin) {
      using Made = base::Result<std::unique_ptr<kube::Transport>>;
      return Made(std::make_unique<FakeTransport>([this, origin](const kube::Request& request) {
        asked.push_back(origin + request.target);
        sent.push_back(request);
        const auto found = answers.find(asked.back());
        return found == answers.end() ? kube::Response{404, 0, "", {}} : found->second(request);
      }));
    };
  }
};

void check(const cases::CaseFile& file, const cases::Case& c) {
  Network network;
  for (const cases::Section& section : c.sections) {
    if (section.name == "remote") {
      std::istringstream words(section.arg);
      std::string url;
      std::string location;
      int status = 200;
      words >> url >> status >> location;
      network.put(url, section.text, words.eof() && status == 0 ? 200 : status, location);
    }
  }
  base::ManualClock clock;
  const helm::SchemaSources sources{helm::SchemaSources::Vendored::kIgnored,
                                    std::make_shared<RemoteSchemas>(clock, network.connect())};
  const helm::Profile* profile =
      file.helm.empty() ? &helm::default_profile() : helm::find_profile(file.helm);
  REQUIRE(profile != nullptr);
  const auto got = helm::answer_case(c, *profile, {}, sources);
  const std::string* error = c.find("error");
  CHECK((got.ok() ? *got : "error: " + got.error().message()) ==
        (error != nullptr ? "error: " + *error : *c.find("want")));
}

// Every answer comes from real Helm, whose requests go to a proxy with the same documents.
const bool kRegistered = cases::register_case_files("remote", check);

struct Fixture {
  base::ManualClock clock;
  Network network;
  RemoteSchemas schemas{clock, network.connect()};
};

constexpr const char* kUrl = "https://schemas.example/a/b.json?x=1";

}  // namespace

TEST_CASE("A schema is asked for once, without credentials", "[host]") {
  Fixture f;
  f.network.put(kUrl, "{}");
  CHECK(CW_MUST(f.schemas.load(kUrl)) == "{}");
  CHECK(CW_MUST(f.schemas.load(kUrl)) == "{}");
  CHECK(f.network.asked == std::vector<std::string>{kUrl});
  CHECK(f.network.sent.front().headers.empty());
}

TEST_CASE("A user name in an address is refused before a request", "[host]") {
  Fixture f;
  const auto failed = f.schemas.load("https://me:secret@schemas.example/a.json");
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code() == ErrorCode::kSchema);
  f.network.put("http://schemas.example/a.json", "", 302, "http://me@schemas.example/b.json");
  CHECK_FALSE(f.schemas.load("http://schemas.example/a.json").ok());
  CHECK(f.network.asked.size() == 1);
}

TEST_CASE("A password in a redirect is not shown", "[host]") {
  Fixture f;
  f.network.put("http://a.example/a.json", "", 302, "http://me:secret@b.example/b.json");
  CHECK(f.schemas.load("http://a.example/a.json").error().message() ==
        "HTTP request failed for http://a.example/a.json: Get \"http://me:***@b.example/b.json\": "
        "a user name or password is not sent");
}

TEST_CASE("Errors that may pass are distinguished from those that stay", "[host]") {
  Fixture f;
  f.network.fail("http://down.example/a", Error(ErrorCode::kUnavailable, "refused"));
  f.network.fail("http://slow.example/a", Error(ErrorCode::kTimeout, "no answer within 15s"));
  f.network.put("http://busy.example/a", "", 503);
  f.network.put("http://none.example/a", "", 404);
  const auto code_of = [&](const std::string& url) { return f.schemas.load(url).error().code(); };
  CHECK(code_of("http://down.example/a") == ErrorCode::kUnavailable);
  CHECK(code_of("http://slow.example/a") == ErrorCode::kTimeout);
  CHECK(code_of("http://busy.example/a") == ErrorCode::kUnavailable);
  CHECK(code_of("http://none.example/a") == ErrorCode::kSchema);
  CHECK(f.schemas.load("http://slow.example/a").error().message() ==
        "HTTP request failed for http://slow.example/a: Get \"http://slow.example/a\": context "
        "deadline exceeded (Client.Timeout exceeded while awaiting headers)");
}

TEST_CASE("A failure is kept for a while, then the server is asked again", "[host]") {
  Fixture f;
  CHECK_FALSE(f.schemas.load(kUrl).ok());
  f.network.put(kUrl, "{}");
  CHECK_FALSE(f.schemas.load(kUrl).ok());
  CHECK(f.network.asked.size() == 1);
  f.clock.advance(RemoteSchemas::kFailureKept);
  CHECK(f.schemas.load(kUrl).ok());
}

TEST_CASE("Slow servers are not asked for longer than a minute in five", "[host]") {
  Fixture f;
  for (int i = 0; i < 6; ++i) {
    f.network.answers["http://slow.example/" + std::to_string(i)] = [&](const kube::Request&) {
      f.clock.advance(RemoteSchemas::kLoadTime);
      return kube::Response{200, 0, "{}", {}};
    };
  }
  for (int i = 0; i < 4; ++i) {
    CHECK(f.schemas.load("http://slow.example/" + std::to_string(i)).ok());
  }
  const auto late = f.schemas.load("http://slow.example/4");
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code() == ErrorCode::kTimeout);
  CHECK(f.schemas.load("http://slow.example/0").ok());  // It is kept.
  f.clock.advance(RemoteSchemas::kPeriod);
  CHECK(f.schemas.load("http://slow.example/4").ok());
}

TEST_CASE("Characters that URLs do not have are escaped", "[host]") {
  Fixture f;
  f.network.put("http://schemas.example/%C3%A4%20%22?%7C", "{}");
  CHECK(f.schemas.load("http://schemas.example/\xC3\xA4 \"?|").ok());
  CHECK_FALSE(f.schemas.load("http://schemas.example/\r\nX: y").ok());
}

}  // namespace chartwright::host
