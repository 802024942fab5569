// SPDX-License-Identifier: Apache-2.0
#include "base/openssl_library.h"

#include <openssl/crypto.h>
#include <openssl/ssl.h>

#include <catch2/catch.hpp>

namespace chartwright::base {

TEST_CASE("Functions of both libraries are found by their names") {
  using Version = unsigned long();
  const auto version = reinterpret_cast<Version*>(openssl_function("OpenSSL_version_num"));
  CHECK(version == &OpenSSL_version_num);
  CHECK(version() >> 28U == OPENSSL_VERSION_MAJOR);
  CHECK(openssl_function("SSL_new") != nullptr);
}

}  // namespace chartwright::base
