// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/chart.h"

#include "base/strings.h"
#include "go/path.h"

namespace chartwright::helm {
namespace {

bool holds_manifests(std::string_view name) {
  const std::string ext = base::to_lower_ascii(go::extension(name));
  return ext == ".yaml" || ext == ".yml" || ext == ".json";
}

}  // namespace

std::vector<Crd> crds_of(const Chart& chart) {
  std::vector<Crd> crds;
  for (const File& file : chart.content->files) {
    if (file.name.starts_with("crds/") && holds_manifests(file.name)) {
      crds.push_back({go::join_path(chart.path, file.name), file.data});
    }
  }
  for (const Chart& sub : chart.dependencies) {
    for (Crd& crd : crds_of(sub)) {
      crds.push_back(std::move(crd));
    }
  }
  return crds;
}

}  // namespace chartwright::helm
