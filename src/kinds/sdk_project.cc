// SPDX-License-Identifier: Apache-2.0
#include "kinds/sdk_project.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "kinds/resource.h"
#include "kube/names.h"
#include "yaml/document.h"
#include "yaml/yaml.h"

namespace chartwright::kinds {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProjectFile = "PROJECT";
constexpr std::string_view kBases = "config/crd/bases";
constexpr int kLevelsMax = 3;
constexpr size_t kSdkFileBytesMax = size_t{16} << 20;
constexpr size_t kBasesMax = 256;

using value::Value;

/// Returns the folder of the project around `path`, "" for the current one; nullopt if there is
/// none.
std::optional<fs::path> project_around(const std::string& path) {
  std::error_code error;
  fs::path folder = fs::path(path).lexically_normal();
  if (!folder.has_filename()) {
    folder = folder.parent_path();  // "charts/shop/"
  }
  for (int level = 0; level < kLevelsMax && folder != folder.parent_path(); ++level) {
    folder = folder.parent_path();
    if (fs::exists(folder / kProjectFile, error) || fs::is_directory(folder / kBases, error)) {
      return folder;
    }
  }
  return std::nullopt;
}

/// Returns the YAML files of a folder, in the order of their names.
std::vector<fs::path> yaml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (yaml::has_yaml_name(entry.path().native()) && files.size() < kBasesMax) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// Returns the group of a resource in PROJECT. `domain` is that of the project.
/// Source: kubernetes-sigs/kubebuilder pkg/model/resource/gvk.go QualifiedGroup.
std::string group_of(const Value& resource, std::string_view domain) {
  const std::string group(resource.string_at({"group"}));
  const std::string_view own = resource.string_at({"domain"});
  const std::string suffix(own.empty() ? domain : own);
  return group + (group.empty() || suffix.empty() ? "" : ".") + suffix;
}

/// The names of kinds in a project.
struct SdkKinds {
  DefinedKinds defined;                            ///< The kinds that its CRDs define.
  std::map<kube::GroupKind, std::string> plurals;  ///< The plurals of the file PROJECT.
};

SdkKinds kinds_of(const fs::path& folder) {
  SdkKinds kinds;
  for (const fs::path& file : yaml_files(folder / kBases)) {
    if (const auto text = base::read_file(file.string(), kSdkFileBytesMax); text.ok()) {
      add_written_definitions(*text, kinds.defined);
    }
  }
  const auto project = base::read_file((folder / kProjectFile).string(), kSdkFileBytesMax);
  if (project.ok()) {
    kinds.plurals = recorded_plurals(*project);
  }
  return kinds;
}

void give_names(const SdkKinds& kinds, bundle::Watch& watch) {
  bundle::CrdOptions& crd = watch.bundle.rules.crd;
  std::string plural;
  if (const auto found = kinds.defined.find(watch.gvk.group_kind()); found != kinds.defined.end()) {
    plural = found->second.plural;
    // Namespaced is what operator.yaml says if it does not say.
    crd.scope = found->second.scope == kube::Scope::kCluster ? kube::Scope::kCluster : crd.scope;
  } else if (const auto named = kinds.plurals.find(watch.gvk.group_kind());
             named != kinds.plurals.end()) {
    plural = named->second;
  }
  crd.plural = crd.plural.empty() ? plural : crd.plural;
}

}  // namespace

std::map<kube::GroupKind, std::string> recorded_plurals(std::string_view project) {
  std::map<kube::GroupKind, std::string> plurals;
  const auto root = yaml::parse_yaml(project, value::Numbers::kInt64);
  for (const Value& resource : root.ok() ? root->items_at({"resources"}) : std::vector<Value>()) {
    const std::string plural(resource.string_at({"plural"}));
    if (kube::is_dns_label(plural)) {
      plurals.emplace(kube::GroupKind{group_of(resource, root->string_at({"domain"})),
                                      std::string(resource.string_at({"kind"}))},
                      plural);
    }
  }
  return plurals;
}

void take_sdk_names(const std::string& path, std::vector<bundle::Watch>& watches) {
  const auto folder = project_around(path);
  if (!folder) {
    return;
  }
  const SdkKinds kinds = kinds_of(*folder);
  for (bundle::Watch& watch : watches) {
    give_names(kinds, watch);
  }
}

}  // namespace chartwright::kinds
