// SPDX-License-Identifier: Apache-2.0
#include "kube/names.h"

#include <catch2/catch.hpp>
#include <string>

namespace chartwright::kube {
namespace {

// Both lists follow kubernetes/apimachinery pkg/util/validation/validation_test.go.

TEST_CASE("A DNS subdomain") {
  for (const std::string good : {"a", "ab", "a1", "a-1", "a--1--2--b", "0", "0-a", "a.b", "0.a",
                                 "01-a.b-23", "a.b.c.d", "a--a.b--b"}) {
    INFO(good);
    CHECK(is_dns_subdomain(good));
  }
  for (const std::string bad : {"", "A", "aB", "_", "a_", "-", "a-", "-a", ".", "a.", ".a", "a..b",
                                "a.-b", "a-.b", "a b", "a/b", "a\n", "\xc3\xa4"}) {
    INFO(bad);
    CHECK_FALSE(is_dns_subdomain(bad));
  }
  CHECK(is_dns_subdomain(std::string(253, 'a')));
  CHECK_FALSE(is_dns_subdomain(std::string(254, 'a')));
}

TEST_CASE("A DNS label") {
  for (const std::string good : {"a", "ab", "v1alpha1", "a--1--2--b"}) {
    INFO(good);
    CHECK(is_dns_label(good));
  }
  for (const std::string bad : {"", "0", "0a", "A", "a-", "-a", "a.b", "a_b", "v1/", " v1"}) {
    INFO(bad);
    CHECK_FALSE(is_dns_label(bad));
  }
  CHECK(is_dns_label(std::string(63, 'a')));
  CHECK_FALSE(is_dns_label(std::string(64, 'a')));
}

TEST_CASE("A label's key") {
  for (const std::string good : {"simple", "now-with-dashes", "1-starts-with-num", "1234",
                                 "simple/simple", "now-with-dashes/simple", "now.with.dots/simple",
                                 "Uppercase_Is.OK-123", "example.com/Uppercase_Is_OK_123"}) {
    INFO(good);
    CHECK(is_label_key(good));
  }
  for (const std::string bad :
       {"", "/", "a/", "/a", "nospecialchars%^=@", "cantendwithadash-", "-cantstartwithadash-",
        "only/one/slash", "Example.com/abc", "example_com/abc", "example.com/", "a,b=c"}) {
    INFO(bad);
    CHECK_FALSE(is_label_key(bad));
  }
  CHECK(is_label_key(std::string(63, 'a')));
  CHECK_FALSE(is_label_key(std::string(64, 'a')));
  CHECK_FALSE(is_label_key(std::string(254, 'a') + "/abc"));
}

TEST_CASE("A label's value") {
  for (const std::string good :
       {"", "simple", "now-with-dashes", "1-starts-with-num", "end-with-num-1", "1234"}) {
    INFO(good);
    CHECK(is_label_value(good));
  }
  for (const std::string bad : {"nospecialchars%^=@", "Tama-nui-te-ra.is.Maori.sun-", "-a", "a b",
                                "only/simple", "a,b", "\xc3\xa4"}) {
    INFO(bad);
    CHECK_FALSE(is_label_value(bad));
  }
  CHECK(is_label_value(std::string(63, 'a')));
  CHECK_FALSE(is_label_value(std::string(64, 'a')));
}

TEST_CASE("A value that can be no label says which rule it breaks") {
  CHECK(CW_MUST(LabelValue::parse("web-1.x_y")).text() == "web-1.x_y");
  CHECK(LabelValue().text().empty());
  const auto refusal = [](std::string_view text) {
    const auto label = LabelValue::parse(text);
    REQUIRE_FALSE(label.ok());
    return label.error().message();
  };
  CHECK(refusal(std::string(64, 'a')) == "a label has no more than 63 characters, not 64");
  for (const std::string_view text : {"a),nosuch in (b", "My Chart", "shop-", "_lib", "a\nb"}) {
    CAPTURE(text);
    CHECK(refusal(text) ==
          "a label has only the characters A-Z, a-z, 0-9, \"-\", \"_\" and \".\", and begins and "
          "ends with a letter or digit");
  }
}

}  // namespace
}  // namespace chartwright::kube
