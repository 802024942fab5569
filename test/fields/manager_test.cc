// SPDX-License-Identifier: Apache-2.0
#include "fields/manager.h"

#include <catch2/catch.hpp>

namespace chartwright::fields {
namespace {

TEST_CASE("A custom resource has a field manager by its uid") {
  CHECK(manager_of_owner("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0") == "chartwright-0f1e2d3c4b5a");
  CHECK(manager_of_owner("0f1e2d3c-4b5a-0000-0000-000000000000") == "chartwright-0f1e2d3c4b5a");
  SECTION("also by one that is not a UUID") {
    CHECK(manager_of_owner("uid-cr") == "chartwright-c9d45b970e86");
    CHECK(manager_of_owner("uid-other") != manager_of_owner("uid-cr"));
    CHECK(manager_of_owner("") != manager_of_owner("uid-cr"));
  }
}

TEST_CASE("The field managers of custom resources are recognised, and no others") {
  CHECK(is_manager_of_owner(manager_of_owner("uid-cr")));
  for (const char* other :
       {"chartwright", "chartwright-", "chartwright-views", "kubectl", "chartwright-crds-bookstore",
        "chartwright-0f1e2d3c4b5", "chartwright-0f1e2d3c4b5ax", "chartwright-0F1E2D3C4B5A",
        "chartwright-diff", "chartwright-leader-election"}) {
    INFO(other);
    CHECK_FALSE(is_manager_of_owner(other));
    CHECK(is_our_manager(other) == (std::string_view(other) == kFieldManager));
  }
  CHECK(is_our_manager(manager_of_owner("uid-cr")));
}

}  // namespace
}  // namespace chartwright::fields
