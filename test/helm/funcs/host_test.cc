// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "test/helm/funcs/fixed_host.h"
#include "test/helm/funcs/render.h"

// Tests the functions that depend on the clock and on random numbers, with FixedHost, where it is
// 2024-05-06 07:08:09.123456789 UTC.
namespace chartwright::helm::funcs {

TEST_CASE("Now is the host's time") {
  CHECK(render(R"({{ dateInZone "2006-01-02 15:04:05.000000000 MST" now "UTC" }})") ==
        "2024-05-06 07:08:09.123456789 UTC");
  CHECK(render(R"({{ unixEpoch now }})") == "1714979289");
  CHECK(render(R"({{ (dateModify "24h" now).UTC }})") == "2024-05-07 07:08:09.123456789 +0000 UTC");
}

TEST_CASE("An argument that is not a date is now") {
  for (const char* date : {"\"2020-01-01\"", "1.5", "nil", "(list 1)", ".Values.missing"}) {
    INFO(date);
    CHECK(render("{{ dateInZone \"2006-01-02\" " + std::string(date) + " \"UTC\" }}") ==
          "2024-05-06");
  }
}

TEST_CASE("Ago counts from now, rounded to seconds") {
  CHECK(render(R"({{ ago (dateModify "-90m" now) }})") == "1h30m0s");
  CHECK(render(R"({{ ago (dateModify "-1.4s" now) }} {{ ago (dateModify "-1.5s" now) }})") ==
        "1s 2s");
  CHECK(render(R"({{ ago (dateModify "1.5s" now) }})") == "-2s");
  CHECK(render(R"({{ ago 1714979280 }} {{ ago "x" }})") == "9s 0s");
}

TEST_CASE("durationRound of a time counts from now") {
  CHECK(render(R"({{ durationRound (dateModify "-25h" now) }})") == "1d");
  CHECK(render(R"({{ durationRound (dateModify "100h" now) }})") == "4d");
}

TEST_CASE("Chance comes from the host alone") {
  for (const char* text :
       {"{{ uuidv4 }}", "{{ randAlphaNum 20 }}", "{{ randAscii 20 }}", "{{ randBytes 9 }}",
        "{{ randInt 0 1000000 }}", "{{ shuffle \"abcdefghij\" }}", "{{ bcrypt \"x\" }}",
        "{{ encryptAES \"k\" \"text\" }}"}) {
    INFO(text);
    CHECK(render(text) == render(text));
  }
  CHECK(render("{{ uuidv4 }}{{ uuidv4 }}").substr(0, 36) !=
        render("{{ uuidv4 }}{{ uuidv4 }}").substr(36));
}

TEST_CASE("Random numbers are spread evenly") {
  // 6000 draws from six numbers: each should occur about 1000 times (five sigma are 144).
  const std::string out = render(R"({{ range until 6000 }}{{ randInt 0 6 }}{{ end }})");
  for (char number = '0'; number < '6'; ++number) {
    const auto times = std::count(out.begin(), out.end(), number);
    CHECK(times > 850);
    CHECK(times < 1150);
  }
}

TEST_CASE("Names are looked up by hosts that do so, and one address is taken by chance") {
  class Resolver final : public tmpl::Host {
   public:
    base::WallTime now() override { return fixed_.now(); }
    base::Status random(std::span<uint8_t> out) override { return fixed_.random(out); }
    std::optional<std::vector<std::string>> addresses_of(std::string_view name) override {
      return name == "db" ? std::vector<std::string>{"10.0.0.1", "fd00::2"}
                          : std::vector<std::string>{};
    }

   private:
    FixedHost fixed_;
  };
  Resolver host;
  const std::string some =
      render({R"({{ range until 40 }}{{ getHostByName "db" }} {{ end }})"}, host);
  CHECK(some.find("10.0.0.1 ") != std::string::npos);
  CHECK(some.find("fd00::2 ") != std::string::npos);
  CHECK(render({R"({{ getHostByName "nobody" }})"}, host)
            .ends_with("error calling getHostByName: invalid argument to Intn"));
}

}  // namespace chartwright::helm::funcs
