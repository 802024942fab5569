// SPDX-License-Identifier: Apache-2.0
#include "base/signer.h"

#include <catch2/catch.hpp>

namespace chartwright::base {
namespace {

Signer signer(const std::string& master = std::string(32, 'm'), std::string_view uid = "uid-1") {
  return *Signer::make(master, uid);
}

TEST_CASE("A signature holds for its text, purpose, custom resource and master key alone") {
  const std::string signature = *signer().sign("release", "text");
  CHECK(*signer().verifies("release", "text", signature));
  CHECK_FALSE(*signer().verifies("release", "Text", signature));
  CHECK_FALSE(*signer().verifies("status", "text", signature));
  CHECK_FALSE(*signer(std::string(32, 'm'), "uid-2").verifies("release", "text", signature));
  CHECK_FALSE(*signer(std::string(32, 'n')).verifies("release", "text", signature));
}

TEST_CASE("A signature that is cut, longer or missing does not verify") {
  std::string signature = *signer().sign("release", "text");
  CHECK_FALSE(*signer().verifies("release", "text", ""));
  CHECK_FALSE(*signer().verifies("release", "text", signature.substr(1)));
  CHECK_FALSE(*signer().verifies("release", "text", signature + "0"));
  signature.back() = signature.back() == '0' ? '1' : '0';
  CHECK_FALSE(*signer().verifies("release", "text", signature));
}

TEST_CASE("The text after a purpose is not taken for a part of it") {
  const std::string signature = *signer().sign("a", "bc");
  CHECK_FALSE(*signer().verifies("ab", "c", signature));
}

}  // namespace
}  // namespace chartwright::base
