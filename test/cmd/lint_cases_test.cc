// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "test/cases/case_tests.h"

// Runs the case files of test/cases/lint, whose expectations come from real Helm.
namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;

/// A folder with the files of a case. It is the current folder during the lifetime of this object.
class CaseFolder {
 public:
  explicit CaseFolder(const cases::Case& c)
      : before_(fs::current_path()),
        path_(fs::temp_directory_path() / ("chartwright-lint-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    for (const cases::Section& section : c.sections) {
      if (section.name == "file") {
        fs::create_directories((path_ / section.arg).parent_path());
        std::ofstream(path_ / section.arg, std::ios::binary) << section.text;
      }
    }
    fs::current_path(path_);
  }
  ~CaseFolder() {
    fs::current_path(before_);
    fs::remove_all(path_);
  }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  std::string path() const { return path_.string(); }

 private:
  fs::path before_;
  fs::path path_;
};

std::string text_of(const cases::Case& c, std::string_view name) {
  const std::string* found = c.find(name);
  return found != nullptr ? *found : "";
}

std::vector<std::string> arguments_of(const cases::Case& c, const std::string& helm_version) {
  std::vector<std::string> arguments{"lint", "--helm-only"};
  if (!helm_version.empty()) {
    arguments.push_back("--helm-version=" + helm_version);
  }
  const std::string text = text_of(c, "arguments");
  for (std::string_view line : base::split(base::trim(text), '\n')) {
    arguments.emplace_back(line);
  }
  return arguments;
}

void check(const cases::CaseFile& file, const cases::Case& c) {
  const CaseFolder folder(c);
  std::string out;
  std::string err;
  Streams streams{[&](std::string_view text) { out += text; },
                  [&](std::string_view text) { err += text; },
                  []() -> base::Result<std::string> { return std::string(); }, false};
  const int code =
      run_command_line(program_called("chartwright"), arguments_of(c, file.helm), streams);
  const std::string error = text_of(c, "error");
  CHECK(code == (error.empty() ? kExitOk : kExitError));
  CHECK(base::replace_all(out, folder.path(), "$DIR") == text_of(c, "want"));
  CHECK(base::replace_all(err, folder.path(), "$DIR") ==
        text_of(c, "log") + (error.empty() ? "" : "Error: " + error + "\n"));
}

// Every answer comes from helm lint.
const bool kRegistered = cases::register_case_files("lint", check);

}  // namespace
}  // namespace chartwright::cmd
