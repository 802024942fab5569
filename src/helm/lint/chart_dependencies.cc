// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/strings.h"
#include "helm/lint/helm.h"

namespace chartwright::helm::lint {
namespace {

using helm::Chart;
using helm::Dependency;

/// Returns the charts in charts/ that are not listed as dependencies.
std::vector<std::string> unlisted(const Chart& chart) {
  std::vector<std::string> names;
  for (const Chart& present : chart.dependencies) {
    const auto& listed = chart.metadata.dependencies;
    if (std::none_of(listed.begin(), listed.end(),
                     [&](const Dependency& d) { return d.name == present.name(); })) {
      names.push_back(present.name());
    }
  }
  return names;
}

/// Returns the dependencies that are missing in charts/.
std::vector<std::string> absent(const Chart& chart) {
  std::vector<std::string> names;
  for (const Dependency& wanted : chart.metadata.dependencies) {
    if (std::none_of(chart.dependencies.begin(), chart.dependencies.end(),
                     [&](const Chart& c) { return c.name() == wanted.name; })) {
      names.push_back(wanted.name);
    }
  }
  return names;
}

std::vector<std::string> repeated(const Chart& chart) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Dependency& dependency : chart.metadata.dependencies) {
    const std::string& key = dependency.alias.empty() ? dependency.name : dependency.alias;
    if (!seen.insert(key).second) {
      names.push_back(key);
    }
  }
  return names;
}

}  // namespace

void check_dependencies(const ChartSource& source, const ChartOrError& loaded, Messages& messages) {
  if (!loaded.ok()) {
    messages.push_back(
        {Severity::kError, "", "unable to load chart\n\t" + loaded.error().message()});
    return;
  }
  const Chart& chart = (*loaded)->chart();
  const auto note = [&](Severity severity, const char* what,
                        const std::vector<std::string>& names) {
    if (!names.empty()) {
      messages.push_back({severity, source.root(), what + base::join(names, ",")});
    }
  };
  note(Severity::kError, "chart metadata is missing these dependencies: ", unlisted(chart));
  note(Severity::kError, "multiple dependencies with name or alias: ", repeated(chart));
  note(Severity::kWarning, "chart directory is missing these dependencies: ", absent(chart));
}

}  // namespace chartwright::helm::lint
