// SPDX-License-Identifier: Apache-2.0
#include "kube/query.h"

#include <catch2/catch.hpp>

namespace chartwright::kube {
namespace {

TEST_CASE("Everything that could end or change a query is escaped") {
  CHECK(percent_encode("aZ09-._~") == "aZ09-._~");
  CHECK(percent_encode("app in (a,b)") == "app%20in%20%28a%2Cb%29");
  CHECK(percent_encode("a&b=c#d?e/f%+") == "a%26b%3Dc%23d%3Fe%2Ff%25%2B");
  CHECK(percent_encode("\xc3\xa9") == "%C3%A9");
}

TEST_CASE("A segment of a path keeps what Go's url.PathEscape keeps") {
  CHECK(escape_segment("aZ09-._~$&+=:@") == "aZ09-._~$&+=:@");
  CHECK(escape_segment("x?watch=1") == "x%3Fwatch=1");
  CHECK(escape_segment("a/b%c#d;e,f g") == "a%2Fb%25c%23d%3Be%2Cf%20g");
  CHECK(escape_segment(std::string_view("\0\r\n\x7f\xff", 5)) == "%00%0D%0A%7F%FF");
  CHECK(escape_segment("").empty());
}

TEST_CASE("A query holds what has a value") {
  Query query;
  CHECK(query.append_to("/x") == "/x");
  query.add("empty", "");
  query.add("a", "1");
  query.add("b", "x y");
  CHECK(query.append_to("/x") == "/x?a=1&b=x%20y");
}

}  // namespace
}  // namespace chartwright::kube
