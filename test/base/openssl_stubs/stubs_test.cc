// SPDX-License-Identifier: Apache-2.0
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

// This program is linked with the stubs, not with OpenSSL, like the shipped binary.
namespace chartwright::base {
namespace {

bool is_mapped(const std::string& library) {
  std::ifstream file("/proc/self/maps");
  const std::string maps(std::istreambuf_iterator<char>(file), {});
  REQUIRE(maps.find("openssl_stubs_test") != std::string::npos);
  return maps.find(library) != std::string::npos;
}

}  // namespace

TEST_CASE("Libraries of OpenSSL are opened by the first call of each") {
  CHECK(!is_mapped("/libcrypto.so"));
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  REQUIRE(EVP_Digest("abc", 3, digest, &size, EVP_sha256(), nullptr) == 1);
  CHECK(size == 32);
  CHECK(digest[0] == 0xBA);
  CHECK(digest[31] == 0xAD);
  CHECK(is_mapped("/libcrypto.so"));
  CHECK(!is_mapped("/libssl.so"));
  CHECK(TLS_method() != nullptr);
  CHECK(is_mapped("/libssl.so"));
}

TEST_CASE("A stub passes on arguments of every kind, the first time and the second") {
  for (int i = 0; i < 2; ++i) {
    // Ten arguments, some of them on the stack. Source: RFC 7914 section 12.
    unsigned char key[64];
    REQUIRE(EVP_PBE_scrypt("", 0, nullptr, 0, 16, 1, 1, 0, key, sizeof key) == 1);
    CHECK(key[0] == 0x77);
    CHECK(key[63] == 0x06);
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
    CHECK(BIO_printf(bio.get(), "%d %.2f %s %.1f", 7, 1.25, "text", -3.5) == 16);
    char text[32] = {};
    REQUIRE(BIO_read(bio.get(), text, sizeof text) == 16);
    CHECK(std::string(text) == "7 1.25 text -3.5");
  }
}

}  // namespace chartwright::base
