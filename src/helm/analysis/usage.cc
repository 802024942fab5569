// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/usage.h"

#include <algorithm>

namespace chartwright::helm::analysis {
namespace {

using helm::Chart;

/// Returns the names under which a chart of charts/ is a dependency.
std::vector<std::string> names_of(const Chart& sub, const Chart& parent) {
  std::vector<std::string> names;
  for (const helm::Dependency& dependency : parent.metadata.dependencies) {
    if (dependency.name == sub.name()) {
      names.push_back(dependency.alias.empty() ? dependency.name : dependency.alias);
    }
  }
  // In Helm 3 copies of a chart share its dependencies, so the chart's own name may be used, too.
  if (std::find(names.begin(), names.end(), sub.name()) == names.end()) {
    names.push_back(sub.name());
  }
  return names;
}

void add_scopes(size_t parent, std::vector<ScopeOfChart>& scopes) {
  const Chart& chart = *scopes[parent].chart;
  for (const Chart& sub : chart.dependencies) {
    for (const std::string& name : names_of(sub, chart)) {
      Steps prefix = scopes[parent].prefix;
      prefix.push_back(name);
      const size_t index = scopes.size();
      const std::string folder = scopes[parent].folder + "/charts/" + name;
      scopes.push_back({&sub, std::move(prefix), folder, {}});
      scopes[parent].subcharts.emplace(name, index);
      add_scopes(index, scopes);
    }
  }
}

/// Maximum number of values that a path with wildcards may lead to.
constexpr size_t kDefaultsMax = 1000;

std::vector<value::Value> members_at(const std::vector<value::Value>& parents,
                                     const std::string& step) {
  std::vector<value::Value> found;
  const auto add = [&found](const value::Value& member) {
    if (!member.is_nil() && found.size() < kDefaultsMax) {
      found.push_back(member);
    }
  };
  for (const value::Value& parent : parents) {
    if (step != kEveryStep) {
      const value::Value* member = parent.find(step);
      add(member != nullptr ? *member : value::Value());
    } else if (parent.is_list()) {
      std::for_each(parent.as_list().items.begin(), parent.as_list().items.end(), add);
    } else if (parent.is_dict()) {
      for (const auto& [key, member] : parent.as_dict()) {
        add(member);
      }
    }
  }
  return found;
}

}  // namespace

std::vector<ScopeOfChart> scopes_of(const Chart& root) {
  std::vector<ScopeOfChart> scopes{{&root, {}, root.name(), {}}};
  add_scopes(0, scopes);
  return scopes;
}

std::vector<value::Value> defaults_at(const std::vector<ScopeOfChart>& scopes, const Steps& path) {
  for (const ScopeOfChart& scope : scopes) {
    const Steps& prefix = scope.prefix;
    if (prefix.size() > path.size() || !std::equal(prefix.begin(), prefix.end(), path.begin())) {
      continue;
    }
    std::vector<value::Value> found{scope.chart->values};
    for (size_t i = prefix.size(); i < path.size(); ++i) {
      found = members_at(found, path[i]);
    }
    if (!found.empty()) {
      return found;
    }
  }
  return {};
}

KeyUsages usages_of_member(const KeyUsages& usages, const std::string& name) {
  KeyUsages found;
  for (const KeyUsage* usage : usages) {
    for (const std::string& key : {name, kEveryStep}) {
      if (const auto inner = usage->below.find(key); inner != usage->below.end()) {
        found.push_back(&inner->second);
      }
    }
  }
  return found;
}

bool is_used(const KeyUsage& root, const Steps& path) {
  KeyUsages usages{&root};
  for (const std::string& step : path) {
    if (std::ranges::any_of(usages, &KeyUsage::whole)) {
      return true;
    }
    usages = usages_of_member(usages, step);
  }
  return !usages.empty();
}

KeyUsage& usage_at(KeyUsage& root, const Steps& path) {
  KeyUsage* at = &root;
  for (const std::string& step : path) {
    at = &at->below[step];
  }
  return *at;
}

void mark_whole(KeyUsage& root, const Steps& path) {
  KeyUsage& usage = usage_at(root, path);
  usage.whole = true;
  usage.as_it_is = true;
}

}  // namespace chartwright::helm::analysis
