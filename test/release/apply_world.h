// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/memory_server.h"
#include "release/apply.h"
#include "test/base/manual_clock.h"
#include "test/release/objects.h"

namespace chartwright::release::testing {

/// A server, the desired objects and the inventory.
struct ApplyWorld {
  model::MemoryServer api;
  base::ManualClock clock;
  std::vector<std::string> lines;
  base::Logger log{{}, clock, [this](std::string_view line) { lines.emplace_back(line); }};
  kube::Call call;
  Owner owner = book_owner();
  Adoption adoption = Adoption::kRefuse;
  bool strict_fields = false;
  std::vector<ChildRule> rules;
  std::vector<Desired> desired;
  Inventory inventory;
  bool blind = false;  ///< The caches are empty.

  const Desired& want(std::string_view text, Role role = Role::kChild) {
    desired.push_back(CW_MUST(make_desired(json(text), role, kube::Scope::kNamespaced,
                                           {owner, "shop", kBookstore, rules})));
    return desired.back();
  }
  const Desired& want_map(const std::string& name, const std::string& k, Role role = Role::kChild) {
    return want(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                    R"("},"data":{"k":")" + k + R"("}})",
                role);
  }

  Plan plan() {
    return make_plan({desired, inventory, owner, adoption,
                      [this](const kube::ObjectRef& ref) -> std::optional<Observed> {
                        auto live = blind ? std::nullopt : api.find(ref);
                        return live ? std::optional(observed(*live, KeepBody::kYes)) : std::nullopt;
                      },
                      [](const kube::ObjectRef&) { return std::string("1000000"); }});
  }
  /// Makes a plan from the server's state, and carries it out.
  ApplyReport run() {
    const Plan steps = plan();
    api.forget_calls();
    return Executor(api, call, owner, {adoption, strict_fields}, log).run(steps, inventory);
  }
  base::Error only_error() {
    ApplyReport report = run();
    REQUIRE(report.errors.size() == 1);
    return report.errors.front().error;
  }
  std::string k_of(const std::string& name) {
    const auto live = api.find(config_map(name));
    return live ? std::string(live->string_at({"data", "k"})) : "none";
  }
};

}  // namespace chartwright::release::testing
