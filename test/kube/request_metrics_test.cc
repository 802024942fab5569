// SPDX-License-Identifier: Apache-2.0
#include "kube/request_metrics.h"

#include <catch2/catch.hpp>

namespace chartwright::kube {
namespace {

TEST_CASE("Requests are counted as client-go counts them") {
  base::Metrics metrics;
  const auto count = count_requests(metrics, host_of("https://api.example:6443/prefix"));
  count(Method::kGet, 200);
  count(Method::kGet, 200);
  count(Method::kPatch, 409);
  count(Method::kGet, 0);
  const std::string text = metrics.expose();
  for (const std::string_view line :
       {R"(rest_client_requests_total{code="200",host="api.example:6443",method="GET"} 2)",
        R"(rest_client_requests_total{code="409",host="api.example:6443",method="PATCH"} 1)",
        R"(rest_client_requests_total{code="<error>",host="api.example:6443",method="GET"} 1)"}) {
    INFO(text);
    CHECK(text.find(std::string(line) + "\n") != std::string::npos);
  }
}

}  // namespace
}  // namespace chartwright::kube
