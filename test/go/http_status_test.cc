// SPDX-License-Identifier: Apache-2.0
#include "go/http_status.h"

#include <catch2/catch.hpp>

namespace chartwright::go {

TEST_CASE("Statuses have Go's texts", "[go]") {
  CHECK(http_status_text(200) == "OK");
  CHECK(http_status_text(404) == "Not Found");
  CHECK(http_status_text(418) == "I'm a teapot");
  CHECK(http_status_text(511) == "Network Authentication Required");
  for (const int none : {-1, 0, 299, 306, 599}) {
    CHECK(http_status_text(none).empty());
  }
}

}  // namespace chartwright::go
