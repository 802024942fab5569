// SPDX-License-Identifier: Apache-2.0
#include "test/cases/case_tests.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string_view>

#include "test/source_dir.h"

namespace chartwright::cases {
namespace {

class CaseFileTest : public Catch::ITestInvoker {
 public:
  CaseFileTest(std::string path, CheckCase check) : path_(std::move(path)), check_(check) {}

  void invoke() const override {
    const CaseFile file = read_case_file(path_);
    REQUIRE_FALSE(file.cases.empty());
    const char* wanted = std::getenv("CW_CASE");
    for (const Case& one : file.cases) {
      if (wanted == nullptr || one.title.find(wanted) != std::string::npos) {
        INFO(path_ << ":" << one.line << ": " << one.title);
        check_(file, one);
      }
    }
  }

 private:
  std::string path_;
  CheckCase check_;
};

}  // namespace

bool register_case_files(const std::string& folder, CheckCase check) {
  for (const std::string& path : list_case_files(source_dir() + "/test/cases/" + folder)) {
    const std::string name = folder + path.substr(path.rfind('/'));
    // Catch2's registry owns the invoker.
    const Catch::AutoReg registered(new CaseFileTest(path, check), CATCH_INTERNAL_LINEINFO, "",
                                    Catch::NameAndTags(name));
  }
  return true;
}

}  // namespace chartwright::cases
