// SPDX-License-Identifier: Apache-2.0
#include "doctor/preflight.h"

#include <catch2/catch.hpp>

#include "test/doctor/server.h"
#include "test/generate/projects.h"
#include "value/json.h"

namespace chartwright::doctor {
namespace {

using generate::testing::only;
using generate::testing::shop_watch;

/// Returns "PROBLEM | FIX" of each line that the check of an operator logs.
std::vector<std::string> logged(testing::AnsweringClient& client,
                                const std::vector<std::string>& namespaces) {
  testing::LeapingClock clock;
  std::vector<std::string> lines;
  const base::Logger log({}, clock, [&lines](std::string_view line) {
    const value::Value read = CW_MUST(value::parse_json(line, value::Numbers::kInt64));
    const std::string problem(read.string_at({"problem"}));
    const std::string fix(read.string_at({"fix"}));
    lines.push_back(problem.empty() ? std::string(read.string_at({"msg"})) : problem + " | " + fix);
  });
  const auto watches = only(shop_watch({}));
  const kube::Call call;
  const Preflight plan{watches, {}, namespaces, "./watches.yaml", ""};
  CHECK(preflight(plan, {client, call, clock}, log).ok());
  return lines;
}

}  // namespace

TEST_CASE("The start says what is missing, and each fix once") {
  testing::AnsweringClient client;
  client.allows = [](const std::string& right) {
    return right.find(" events.") == std::string::npos &&
           right.find(" secrets.") == std::string::npos &&
           right.find("customresourcedefinitions") == std::string::npos;
  };
  const std::string fix = "chartwright generate rbac --watch-namespaces a | kubectl apply -f -";
  CHECK(logged(client, {"a"}) ==
        std::vector<std::string>{
            "the API server does not serve apps.example.com/v1alpha1, Kind=WebShop | chartwright "
            "generate crd | kubectl apply -f -",
            "no right to create, delete, get, list, patch secrets in namespace a | " + fix,
            "no right to create, patch events in namespace a | "});
}

TEST_CASE("The start says that nothing is missing") {
  testing::AnsweringClient client;
  client.served[{"apps.example.com", "WebShop"}] = {
      {"apps.example.com", "v1alpha1", "WebShop"}, "webshops", kube::Scope::kNamespaced, true};
  client.allows = [](const std::string& right) {
    return right.find("customresourcedefinitions") == std::string::npos;
  };
  client.schemas = {
      value::Value::dict({{"x-kubernetes-preserve-unknown-fields", value::Value::boolean(true)}})};
  CHECK(logged(client, {}) ==
        std::vector<std::string>{"The CRDs and the rights of this account are sufficient"});
}

}  // namespace chartwright::doctor
