// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/strings.h"
#include "helm/funcs/registry.h"
#include "test/cases/case_file.h"
#include "test/document_table.h"
#include "test/source_dir.h"

namespace chartwright::helm::funcs {
namespace {

const std::string kNamesFile = source_dir() + "/test/helm/funcs/sprig_names.txt";

std::string read(const std::string& path) {
  const base::Result<std::string> text = base::read_file(path, size_t{1} << 20);
  REQUIRE(text.ok());
  return *text;
}

std::set<std::string> sprig_names() {
  std::set<std::string> names;
  std::istringstream lines(read(kNamesFile));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) {
      names.insert(line);
    }
  }
  return names;
}

std::string function_table() {
  std::string out = "| family | function | further names | deviation |\n|---|---|---|---|\n";
  for (const Entry& entry : registry()) {
    std::string aliases;
    for (const std::string& alias : entry.aliases) {
      aliases += (aliases.empty() ? "`" : ", `") + alias + "`";
    }
    out += "| " + std::string(entry.family) + " | `" + entry.function.name + "` | " + aliases +
           " | " + entry.deviation + " |\n";
  }
  return out;
}

}  // namespace

TEST_CASE("The registry holds every Sprig function that Helm exposes, once") {
  std::set<std::string> names;
  for (const Entry& entry : registry()) {
    CHECK(names.insert(entry.function.name).second);
    for (const std::string& alias : entry.aliases) {
      CHECK(names.insert(alias).second);
    }
  }
  CHECK(names == sprig_names());
}

TEST_CASE("Registered functions carry the name that they are called by") {
  tmpl::FunctionMap functions;
  register_sprig(functions);
  for (const std::string& name : sprig_names()) {
    const tmpl::Function* function = functions.find(name);
    REQUIRE(function != nullptr);
    CHECK(function->name == name);
  }
}

TEST_CASE("Every function has a case as it is meant, at its edge and in wrong use") {
  std::set<std::string> titles;
  for (const std::string& path : cases::list_case_files(source_dir() + "/test/cases/funcs")) {
    for (const cases::Case& c : cases::read_case_file(path).cases) {
      titles.insert(c.title);
    }
  }
  for (const std::string& name : sprig_names()) {
    if (name == "fail" || name == "fromJson") {
      continue;  // Helm replaces them, so the oracle cannot run Sprig's.
    }
    for (const char* use : {" as meant", " at its edge", " in wrong use"}) {
      INFO(name << use);
      CHECK(titles.contains(name + use));
    }
  }
}

TEST_CASE("docs/reference/compatibility.md lists the registry") {
  check_document_table("docs/reference/compatibility.md",
                       "<!-- functions: written by CW_UPDATE=1 helm_funcs_test -->\n",
                       "<!-- end of functions -->\n", function_table());
}

}  // namespace chartwright::helm::funcs
