// SPDX-License-Identifier: Apache-2.0
#include "helm/render/functions.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "test/cases/case_file.h"
#include "test/document_table.h"
#include "test/source_dir.h"

namespace chartwright::helm {
namespace {

/// Returns the table of all functions, each with the first version that has it.
std::string function_table() {
  std::string out = "| function | since | deviation |\n|---|---|---|\n";
  std::set<std::string> seen;
  for (const Profile& profile : profiles()) {
    for (const funcs::Entry& entry : helm_registry(profile)) {
      if (seen.insert(entry.function.name).second) {
        out += "| `" + entry.function.name + "` | " + std::string(profile.name) + " | " +
               entry.deviation + " |\n";
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("docs/reference/compatibility.md lists Helm's functions") {
  check_document_table("docs/reference/compatibility.md",
                       "<!-- helm functions: written by CW_UPDATE=1 helm_render_test -->\n",
                       "<!-- end of helm functions -->\n", function_table());
}

TEST_CASE("Every function of Helm has a case as it is meant, at its edge and in wrong use") {
  std::set<std::string> titles;
  for (const std::string& path : cases::list_case_files(source_dir() + "/test/cases/chart")) {
    for (const cases::Case& c : cases::read_case_file(path).cases) {
      titles.insert(c.title);
    }
  }
  for (const Profile& profile : profiles()) {
    for (const funcs::Entry& entry : helm_registry(profile)) {
      for (const char* use : {" as meant", " at its edge", " in wrong use"}) {
        INFO(entry.function.name << use);
        CHECK(titles.contains(entry.function.name + use));
      }
    }
  }
}

TEST_CASE("Only Helm 4 has functions of durations") {
  for (const Profile& profile : profiles()) {
    INFO(profile.name);
    const bool is_helm_4 = profile.functions == FunctionRule::kHelm4;
    const auto functions = helm_functions(profile);
    for (const char* name :
         {"mustToDuration", "durationSeconds", "durationMilliseconds", "durationMicroseconds",
          "durationNanoseconds", "durationMinutes", "durationHours", "durationDays",
          "durationWeeks", "durationRoundTo", "durationTruncateTo", "mustToYaml", "mustToToml"}) {
      CHECK((functions->find(name) != nullptr) == is_helm_4);
    }
    CHECK(functions->find("durationRound") != nullptr);
  }
}

}  // namespace chartwright::helm
