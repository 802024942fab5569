// SPDX-License-Identifier: Apache-2.0
#include "helm/values/values_methods.h"

#include <catch2/catch.hpp>

// test/cases/chart/engine.txt tests what the methods return.
namespace chartwright::helm {

TEST_CASE("Values have the methods of Helm's Values, in the package of the version") {
  for (const Profile& profile : profiles()) {
    tmpl::FunctionMap functions;
    add_values_methods(functions, profile);
    const std::string type = std::string(profile.package) + ".Values";
    CHECK(functions.methods() ==
          std::vector<std::pair<std::string_view, std::string_view>>{
              {type, "AsMap"}, {type, "PathValue"}, {type, "Table"}, {type, "YAML"}});
  }
}

}  // namespace chartwright::helm
