// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/cases/case_tests.h"
#include "test/helm/render/case_answer.h"

namespace chartwright::helm {
namespace {

void check(const cases::CaseFile& file, const cases::Case& c) {
  const Profile* profile = file.helm.empty() ? &default_profile() : find_profile(file.helm);
  INFO("helm " << file.helm);
  REQUIRE(profile != nullptr);
  const auto got = answer_case(c, *profile);
  const std::string* error = c.find("error");
  CHECK((got.ok() ? *got : "error: " + got.error().message()) ==
        (error != nullptr ? "error: " + *error : *c.find("want")));
}

// Every answer comes from real Helm.
const bool kRegistered = cases::register_case_files("chart", check);

}  // namespace
}  // namespace chartwright::helm
