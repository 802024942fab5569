// SPDX-License-Identifier: Apache-2.0
#include "views/failure.h"

#include <catch2/catch.hpp>

namespace chartwright::views {
namespace {

TEST_CASE(
    "A long message of an error keeps its beginning, which has the source, and its end, the "
    "cause") {
  const std::string all(4096, 'x');
  CHECK(internal_error(all).message() == all);
  const std::string cut =
      internal_error("ConfigMap a: " + std::string(9000, 'x') + " at <.x>").message();
  CHECK(cut.size() < 4200);
  CHECK(cut.starts_with("ConfigMap a: "));
  CHECK(cut.ends_with("... at <.x>"));
  // No character is cut: a text without words has no end.
  std::string umlauts;
  for (int i = 0; i < 4000; ++i) {
    umlauts += "ü";
  }
  const std::string tail = internal_error("!" + umlauts).message();
  CHECK(tail.ends_with("ü..."));
}

}  // namespace
}  // namespace chartwright::views
