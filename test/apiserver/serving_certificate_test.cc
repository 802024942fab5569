// SPDX-License-Identifier: Apache-2.0
#include "apiserver/serving_certificate.h"

#include <catch2/catch.hpp>

#include "apiserver/registration.h"
#include "pki/pki.h"

namespace chartwright::apiserver {
namespace {

constexpr int64_t kNow = 1'767'323'045;
const ServingOptions kOptions{{"farm.default.svc"}, std::chrono::hours(90)};
constexpr int64_t kHour = 3600;

size_t count_of(const std::string& pem) {
  size_t count = 0;
  for (size_t at = pem.find("BEGIN"); at != std::string::npos; at = pem.find("BEGIN", at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("A certificate is renewed after two thirds of its lifetime, by the same authority") {
  const Serving first = CW_MUST(renewed({}, kOptions, kNow));
  const auto certificate = CW_MUST(pki::X509Certificate::parse_pem(first.identity.certificate));
  CHECK(certificate.is_for("farm.default.svc"));
  CHECK_FALSE(certificate.is_for("barn.default.svc"));
  CHECK(certificate.not_after() == kNow + 90 * kHour);
  CHECK(CW_MUST(renewed(first, kOptions, kNow + 59 * kHour)) == first);
  const Serving second = CW_MUST(renewed(first, kOptions, kNow + 61 * kHour));
  CHECK(second.identity.certificate != first.identity.certificate);
  CHECK(second.authorities == first.authorities);
}

TEST_CASE("A new authority is announced before it signs, and the old one stays") {
  const Serving first = CW_MUST(renewed({}, kOptions, kNow));
  const int64_t late = kNow + (900 - 170) * kHour;
  Serving current = first;
  current.identity = CW_MUST(renewed(first, kOptions, late - 70 * kHour)).identity;
  const Serving announced = CW_MUST(renewed(current, kOptions, late));
  CHECK(count_of(announced.authorities) == 2);
  CHECK(announced.identity.certificate == current.identity.certificate);
  const Serving issued = CW_MUST(renewed(announced, kOptions, late + kHour));
  CHECK(issued.identity.certificate != current.identity.certificate);
  CHECK(issued.authorities == announced.authorities);
}

TEST_CASE("A damaged Secret, or one for other names, is made anew") {
  Serving broken = CW_MUST(renewed({}, kOptions, kNow));
  broken.identity.key = "garbage";
  CHECK(CW_MUST(renewed(broken, kOptions, kNow)).identity.key != "garbage");
  const Serving other = CW_MUST(renewed({}, {{"barn.default.svc"}, kOptions.lifetime}, kNow));
  CHECK_FALSE(CW_MUST(renewed(other, kOptions, kNow)) == other);
}

TEST_CASE("A Service is NAMESPACE/NAME with or without a port") {
  const ServiceRef service = CW_MUST(parse_service("default/farm:3000"));
  CHECK(service.ns == "default");
  CHECK(service.name == "farm");
  CHECK(service.port == 3000);
  CHECK(CW_MUST(parse_service("a/b")).port == 443);
  for (const char* text : {"", "a", "a/b/c", "a/b:0", "a/b:x", "A/b", "/b"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_service(text).ok());
  }
}

}  // namespace chartwright::apiserver
