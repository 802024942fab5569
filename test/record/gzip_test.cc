// SPDX-License-Identifier: Apache-2.0
#include "record/gzip.h"

#include <catch2/catch.hpp>

#include "base/digest.h"

namespace chartwright::record {
namespace {

TEST_CASE("Packed bytes unpack to themselves") {
  const std::string text = GENERATE(std::string(), std::string("a"), std::string("a\0b\xff", 4),
                                    std::string(100'000, 'x'));
  const std::string packed = CW_MUST(gzip(text));
  CHECK(packed.starts_with("\x1f\x8b"));
  CHECK(CW_MUST(gunzip(packed, 1 << 20)) == text);
}

TEST_CASE("Equal input gives equal output: there is no time stamp") {
  CHECK(CW_MUST(gzip("hello")) == CW_MUST(gzip("hello")));
  CHECK(CW_MUST(gzip("hello")).substr(4, 4) == std::string(4, '\0'));  // RFC 1952: MTIME.
}

TEST_CASE("Data that does not shrink is packed all the same") {
  const std::string noise = CW_MUST(base::random_bytes(50'000));
  CHECK(CW_MUST(gunzip(CW_MUST(gzip(noise)), 50'000)) == noise);
}

TEST_CASE("The output of Go's gzip is read") {
  // printf hello | gzip -n9
  const std::string packed = CW_MUST(base::base64_decode("H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="));
  CHECK(CW_MUST(gunzip(packed, 100)) == "hello");
}

TEST_CASE("Members follow one another, and nothing else does") {
  const std::string one = CW_MUST(gzip("one"));
  const std::string two = CW_MUST(gzip("two"));
  CHECK(CW_MUST(gunzip(one + two, 6)) == "onetwo");
  CHECK(gunzip(one + two, 5).error().code() == base::ErrorCode::kBudget);
  CHECK(gunzip(one + two, 5).error().message() == "record unpacks to more than 5 bytes");
  CHECK(gunzip(one + "x", 100).error().code() == base::ErrorCode::kParse);
  const GzipMember first = CW_MUST(gunzip_member(one + two, 3));
  CHECK(first.text == "one");
  CHECK(first.size == one.size());
}

TEST_CASE("Damage is noticed wherever it is") {
  std::string packed = CW_MUST(gzip("hello, hello, hello"));
  SECTION("nothing at all") { packed.clear(); }
  SECTION("no gzip") { packed = "hello"; }
  SECTION("cut in the header") { packed.resize(5); }
  SECTION("cut in the data") { packed.resize(packed.size() - 10); }
  SECTION("cut in the trailer") { packed.resize(packed.size() - 1); }
  SECTION("a byte of the checksum") { packed[packed.size() - 8] ^= 1; }
  SECTION("a byte of the length") { packed[packed.size() - 1] ^= 1; }
  const auto unpacked = gunzip(packed, 1000);
  REQUIRE_FALSE(unpacked.ok());
  CHECK(unpacked.error().code() == base::ErrorCode::kParse);
}

TEST_CASE("A bomb goes off in our hands at the limit, not in memory") {
  const std::string bomb = CW_MUST(gzip(std::string(64 << 20, '\0')));
  REQUIRE(bomb.size() < 100'000);
  const auto unpacked = gunzip(bomb, 1 << 20);
  REQUIRE_FALSE(unpacked.ok());
  CHECK(unpacked.error().code() == base::ErrorCode::kBudget);
  CHECK(unpacked.error().message() == "record unpacks to more than 1048576 bytes");
}

TEST_CASE("A size that zlib cannot count is refused before a byte is read") {
  const std::string_view vast("", size_t{1} << 32);
  for (const auto& refused : {gzip(vast), gunzip(vast, 1)}) {
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code() == base::ErrorCode::kBudget);
  }
}

TEST_CASE("The limit itself is allowed") {
  const std::string packed = CW_MUST(gzip(std::string(1000, 'a')));
  CHECK(gunzip(packed, 1000).ok());
  CHECK_FALSE(gunzip(packed, 999).ok());
}

}  // namespace
}  // namespace chartwright::record
