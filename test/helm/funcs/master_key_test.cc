// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/master_key.h"

#include <catch2/catch.hpp>

namespace chartwright::helm::funcs {

TEST_CASE("A cached master key is that of its password and salt") {
  MasterKeys keys;
  const MasterKey derived = keys.derive("ab", "c").value();
  CHECK(keys.derive("ab", "c").value() == derived);
  CHECK(keys.derive("a", "bc").value() != derived);
  CHECK(MasterKeys().derive("ab", "c").value() == derived);
}

}  // namespace chartwright::helm::funcs
