// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/cases/case_file.h"
#include "test/helm/render/case_answer.h"

// Runs the case files of test/cases/chart, whose expectations come from real Helm.
namespace chartwright::helm {
TEST_CASE("every chart case gives what Helm gives") {
  size_t count = 0;
  for (const std::string& path :
       cases::list_case_files(std::string(CW_SOURCE_DIR) + "/test/cases/chart")) {
    const cases::CaseFile file = cases::read_case_file(path);
    const Profile* profile = file.helm.empty() ? &default_profile() : find_profile(file.helm);
    INFO(path << ": helm " << file.helm);
    REQUIRE(profile != nullptr);
    for (const cases::Case& c : file.cases) {
      ++count;
      INFO(path << ":" << c.line << ": " << c.title);
      const auto got = answer_case(c, *profile);
      const std::string* error = c.find("error");
      CHECK((got.ok() ? *got : "error: " + got.error().message()) ==
            (error != nullptr ? "error: " + *error : *c.find("want")));
    }
  }
  CHECK(count > 0);
}

}  // namespace chartwright::helm
