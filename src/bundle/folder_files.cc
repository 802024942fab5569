// SPDX-License-Identifier: Apache-2.0
#include "bundle/folder_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "yaml/document.h"

namespace chartwright::bundle {
namespace {

constexpr std::array<std::string_view, 5> kFileNames = {
    "operator.yaml", "status.yaml", "status.schema.json", "values.yaml", "spec.schema.json"};
constexpr std::string_view kPatches = "patches";
constexpr std::array<std::string_view, 3> kFolderNames = {kPatches, "externals", "schemas"};

/// Reports whether a file is for people: notes, or one that is hidden from the operator.
bool is_note(std::string_view path) {
  const std::string name = base::to_lower_ascii(path.substr(path.rfind('/') + 1));
  return name.starts_with('_') || name.starts_with('.') || name.starts_with("readme") ||
         name.starts_with("notes") || name.starts_with("license");
}

/// Returns the name that is probably meant by the first part of a path; "" if none is near.
std::string_view meant(std::string_view part, bool is_folder) {
  const std::vector<std::string_view> known =
      is_folder ? std::vector<std::string_view>(kFolderNames.begin(), kFolderNames.end())
                : std::vector<std::string_view>(kFileNames.begin(), kFileNames.end());
  const std::string lower = base::to_lower_ascii(part);
  for (std::string_view name : known) {
    if (is_folder && lower.size() > 2 && name.starts_with(lower)) {
      return name;  // "patch" is far from "patches".
    }
  }
  return base::nearest(lower, known);
}

/// Returns "unknown file", with the path that may be meant.
std::string unknown_file(std::string_view path) {
  const std::string_view part = path.substr(0, path.find('/'));
  const std::string_view rest = path.substr(part.size());
  if (const std::string_view near = meant(part, !rest.empty()); !near.empty()) {
    return "unknown file, did you mean \"operator/" + std::string(near) + std::string(rest) + "\"?";
  }
  std::string known;
  for (std::string_view name : kFileNames) {
    known += std::string(name) + ", ";
  }
  return "unknown file, only " + known +
         "patches/*.yaml, externals/ and schemas/ have a meaning; the names of notes begin with "
         "README, NOTES, LICENSE, \"_\" or \".\"";
}

/// Returns why a file does nothing; "" if it does something.
std::string fault_of_file(const std::string& path) {
  const std::string_view part = std::string_view(path).substr(0, path.find('/'));
  if (part.size() == path.size()) {
    return std::ranges::find(kFileNames, part) != kFileNames.end() ? "" : unknown_file(path);
  }
  if (std::ranges::find(kFolderNames, part) == kFolderNames.end()) {
    return unknown_file(path);
  }
  return part != kPatches || yaml::has_yaml_name(path)
             ? ""
             : "unknown file: a patch has a name that ends in \".yaml\"";
}

base::Error wrong_file(const std::string& file, std::string problem) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::move(problem)).at({file});
}

}  // namespace

void check_folder_files(const std::map<std::string, std::string>& files, const std::string& folder,
                        base::Faults& faults) {
  for (const auto& [path, text] : files) {
    if (std::string fault = is_note(path) ? "" : fault_of_file(path); !fault.empty()) {
      faults.add(wrong_file(folder + path, std::move(fault)));
    }
  }
  if (files.contains("spec.schema.json") && !files.contains("values.yaml")) {
    faults.add(wrong_file(folder + "spec.schema.json",
                          "there is no operator/values.yaml: without it, the spec is the chart's "
                          "values, and has the schema values.schema.json of the chart"));
  }
}

}  // namespace chartwright::bundle
