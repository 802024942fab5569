// SPDX-License-Identifier: Apache-2.0
#include "generate/kind_names.h"

#include <map>
#include <set>

#include "base/strings.h"
#include "go/path.h"
#include "kinds/resource.h"

namespace chartwright::generate {

/// Source: k8s.io/apiextensions-apiserver pkg/controller/status/naming_controller.go.
std::vector<AccessNote> name_clashes(const std::vector<bundle::Watch>& watches) {
  std::vector<AccessNote> notes;
  std::map<std::pair<std::string, std::string>, std::string> owners;
  for (const bundle::Watch& watch : watches) {
    const bundle::CrdOptions& crd = watch.bundle.rules.crd;
    std::set<std::string> names(crd.short_names.begin(), crd.short_names.end());
    names.insert(kinds::own_resource(watch).plural);
    names.insert(base::to_lower_ascii(watch.gvk.kind));
    for (const std::string& name : names) {
      const auto [owner, fresh] = owners.emplace(std::pair(watch.gvk.group, name), watch.gvk.kind);
      if (!fresh) {
        notes.push_back({watch.chart_path,
                         "the name \"" + name + "\" of " + watch.gvk.kind + " is also one of " +
                             owner->second +
                             ", so the API server will not serve both: choose another kind, group, "
                             "or name under crd in " +
                             go::join_path(watch.chart_path, "operator/operator.yaml"),
                         true});
      }
    }
  }
  return notes;
}

}  // namespace chartwright::generate
