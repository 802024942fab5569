// SPDX-License-Identifier: Apache-2.0
#include "apiserver/front_proxy.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::apiserver {
namespace {

FrontProxyConfig config() {
  return CW_MUST(read_front_proxy(CW_MUST(value::parse_json(
      R"({"data":{"requestheader-client-ca-file":"PEM","requestheader-allowed-names":"[\"proxy\"]",)"
      R"("requestheader-username-headers":"[\"X-Remote-User\"]",)"
      R"("requestheader-group-headers":"[\"X-Remote-Group\"]",)"
      R"("requestheader-extra-headers-prefix":"[\"X-Remote-Extra-\"]"}})",
      value::Numbers::kInt64))));
}

}  // namespace

TEST_CASE("The user is who the aggregator says, if it is the aggregator") {
  FrontProxy proxy;
  proxy.set(config());
  runtime::HttpRequest request;
  request.headers = {{"x-remote-user", "jane"},      {"x-remote-group", "farmers"},
                     {"x-remote-group", "herders"},  {"x-remote-group", ""},
                     {"x-remote-extra-scopes", "a"}, {"x-remote-extra-example.com%2fa%25b", "b"},
                     {"x-remote-extra-half%2", "c"}, {"x-remote-extra-scop%65s", "d"}};
  CHECK(proxy.authenticate(request).error().http_status() == 401);
  request.client_name = "stranger";
  CHECK(proxy.authenticate(request).error().http_status() == 401);
  request.client_name = "proxy";
  const User user = CW_MUST(proxy.authenticate(request));
  CHECK(user.name == "jane");
  CHECK(user.groups == std::vector<std::string>{"farmers", "herders"});
  using Extra = decltype(user.extra);
  CHECK(user.extra == Extra{{"scopes", {"a", "d"}}, {"example.com/a%b", {"b"}}, {"half%2", {"c"}}});
  request.headers.clear();
  CHECK(proxy.authenticate(request).error().http_status() == 401);
}

TEST_CASE("Without an authority nobody is believed") {
  const auto empty = CW_MUST(value::parse_json(R"({"data":{}})", value::Numbers::kInt64));
  CHECK(read_front_proxy(empty).error().code() == base::ErrorCode::kInvalidArgument);
}

}  // namespace chartwright::apiserver
