// SPDX-License-Identifier: Apache-2.0
#include "base/digest.h"

#include <catch2/catch.hpp>

namespace chartwright::base {
namespace {

TEST_CASE("SHA-256 of the examples of FIPS 180-4") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("HMAC-SHA256 of the examples of RFC 4231") {
  const auto digest = [](const std::string& key, std::string_view data) {
    return CW_MUST(hmac_sha256_hex(key, data));
  };
  CHECK(digest(std::string(20, '\x0b'), "Hi There") ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(digest("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(
      digest(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("Every byte becomes two hexadecimal digits") {
  CHECK(hex_encode("").empty());
  CHECK(hex_encode(std::string_view("\0\x0f\xf0\xff", 4)) == "000ff0ff");
}

TEST_CASE("A version 4 UUID keeps all bits but those of version and variant") {
  // The example of RFC 9562 appendix A.3.
  CHECK(uuid_v4({0x91, 0x91, 0x08, 0xF7, 0x52, 0xD1, 0x43, 0x20, 0x9B, 0xAC, 0xF8, 0x47, 0xDB, 0x41,
                 0x48, 0xA8}) == "919108f7-52d1-4320-9bac-f847db4148a8");
  std::array<uint8_t, 16> bits{};
  CHECK(uuid_v4(bits) == "00000000-0000-4000-8000-000000000000");
  bits.fill(0xff);
  CHECK(uuid_v4(bits) == "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST_CASE("base64 of the examples of RFC 4648, both ways") {
  const auto [plain, encoded] = GENERATE(table<std::string, std::string>({{"", ""},
                                                                          {"f", "Zg=="},
                                                                          {"fo", "Zm8="},
                                                                          {"foo", "Zm9v"},
                                                                          {"foob", "Zm9vYg=="},
                                                                          {"fooba", "Zm9vYmE="},
                                                                          {"foobar", "Zm9vYmFy"}}));
  CHECK(base64_encode(plain) == encoded);
  CHECK(CW_MUST(base64_decode(encoded)) == plain);
}

TEST_CASE("base64 takes every byte") {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
  }
  CHECK(CW_MUST(base64_decode(base64_encode(bytes))) == bytes);
}

TEST_CASE("Text that is not base64 is refused with the offset") {
  const auto [text, offset] = GENERATE(table<std::string, int>({{"Z", 0},
                                                                {"Zg", 0},
                                                                {"Zg=", 0},
                                                                {"Zg==Zg==", 2},
                                                                {"Z===", 1},
                                                                {"====", 0},
                                                                {"Zm9v!m9v", 4},
                                                                {"Zm9 ", 3},
                                                                {"Zm-v", 2},
                                                                {"Zm_v", 2},
                                                                {"Zm9v\n", 4},
                                                                {"Zg=x", 2}}));
  CAPTURE(text);
  const Result<std::string> decoded = base64_decode(text);
  REQUIRE_FALSE(decoded.ok());
  CHECK(decoded.error().code() == ErrorCode::kParse);
  CHECK(decoded.error().message() == "illegal base64 data at input byte " + std::to_string(offset));
}

TEST_CASE("Random bytes come in the wanted number and differ") {
  CHECK(CW_MUST(random_bytes(0)).empty());
  CHECK(CW_MUST(random_bytes(32)).size() == 32);
  CHECK(CW_MUST(random_bytes(32)) != CW_MUST(random_bytes(32)));
}

}  // namespace
}  // namespace chartwright::base
