// SPDX-License-Identifier: Apache-2.0
#include "bundle/folder_files.h"

#include <catch2/catch.hpp>

namespace chartwright::bundle {
namespace {

/// The error for a folder with these files.
std::string fault_with(const std::vector<std::string>& paths) {
  std::map<std::string, std::string> files;
  for (const std::string& path : paths) {
    files[path] = "";
  }
  base::Faults faults;
  check_folder_files(files, "shop/operator/", faults);
  const base::Status checked = faults.status();
  return checked.ok() ? "none" : checked.error().to_string();
}

TEST_CASE("A file that does nothing is refused with the name that is meant") {
  using Pair = std::pair<std::string, std::string>;
  for (const auto& [path, near] : std::vector<Pair>{
           {"status.yml", "status.yaml"},
           {"value.yaml", "values.yaml"},
           {"Operator.yaml", "operator.yaml"},
           {"STATUS.yaml", "status.yaml"},
           {"status.shema.json", "status.schema.json"},
           {"patch/x.yaml", "patches/x.yaml"},
           {"external/x.yaml", "externals/x.yaml"},
           {"schema/https/a/b.json", "schemas/https/a/b.json"},
       }) {
    CHECK(fault_with({path}) ==
          "shop/operator/" + path + ": unknown file, did you mean \"operator/" + near + "\"?");
  }
  CHECK(fault_with({"patches/x.json"}) ==
        "shop/operator/patches/x.json: unknown file: a patch has a name that ends in \".yaml\"");
  CHECK(fault_with({"deploy.txt"}) ==
        "shop/operator/deploy.txt: unknown file, only operator.yaml, status.yaml, "
        "status.schema.json, values.yaml, spec.schema.json, patches/*.yaml, externals/ and "
        "schemas/ have a meaning; the names of notes begin with README, NOTES, LICENSE, \"_\" or "
        "\".\"");
}

TEST_CASE("A schema of the spec needs the template that maps it") {
  CHECK(fault_with({"spec.schema.json", "values.yaml"}) == "none");
  CHECK(fault_with({"spec.schema.json"}) ==
        "shop/operator/spec.schema.json: there is no operator/values.yaml: without it, the spec is "
        "the chart's values, and has the schema values.schema.json of the chart");
}

TEST_CASE("Notes and all files with a meaning are accepted") {
  CHECK(fault_with({"README.md", "readme", "NOTES.txt", "LICENSE", "_helpers.tpl", ".gitkeep",
                    "patches/notes.txt", "patches/.keep", "drafts/_x.yaml"}) == "none");
  CHECK(fault_with({"operator.yaml", "status.yaml", "status.schema.json", "values.yaml",
                    "patches/a.yaml", "patches/b/c.yml", "externals/pet.yaml",
                    "externals/pet.binpb", "schemas/https/example.com/a%.json"}) == "none");
}

}  // namespace
}  // namespace chartwright::bundle
