// SPDX-License-Identifier: Apache-2.0
#include "views/api_errors.h"

#include <catch2/catch.hpp>

#include "test/views/parts.h"

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
TEST_CASE("A fault of the source is not the caller's") {
  const View view = paint_view();
  const auto code = [&](base::ErrorCode cause, int http) {
    return code_of(source_failure(view, base::Error(cause, "x").with_http(http, "X")));
  };
  CHECK(code(base::ErrorCode::kForbidden, 403) == 500);
  CHECK(code(base::ErrorCode::kUnauthorized, 401) == 503);
  CHECK(code(base::ErrorCode::kUnavailable, 0) == 503);
  CHECK(code(base::ErrorCode::kNotFound, 404) == 503);
  CHECK(code(base::ErrorCode::kExpired, 410) == 410);
  CHECK(code(base::ErrorCode::kTooManyRequests, 429) == 429);
  CHECK(code(base::ErrorCode::kTimeout, 504) == 504);
}

}  // namespace chartwright::views
