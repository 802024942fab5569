// SPDX-License-Identifier: Apache-2.0
#include "lint/usage.h"

#include <algorithm>

#include "base/strings.h"
#include "chart/functions.h"
#include "chart/go_path.h"
#include "lint/usage_walk.h"
#include "tmpl/parser.h"

namespace chartwright::lint {
namespace {

using chart::Chart;

/// The names under which a chart of charts/ is a dependency.
std::vector<std::string> names_of(const Chart& sub, const Chart& parent) {
  std::vector<std::string> names;
  for (const chart::Dependency& dependency : parent.metadata.dependencies) {
    if (dependency.name == sub.name()) {
      names.push_back(dependency.alias.empty() ? dependency.name : dependency.alias);
    }
  }
  // Helm 3 shares the dependencies of a chart among its copies: its own name may serve, too.
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

bool is_partial(std::string_view path) { return chart::base_name(path).starts_with('_'); }

}  // namespace

std::vector<ScopeOfChart> scopes_of(const Chart& root) {
  std::vector<ScopeOfChart> scopes{{&root, {}, root.name(), {}}};
  add_scopes(0, scopes);
  return scopes;
}

base::Result<Usage> usage_of(const std::vector<ScopeOfChart>& scopes) {
  Usage usage;
  struct Entry {
    const tmpl::Tree* tree;
    size_t scope;
  };
  std::vector<Entry> entries;
  for (size_t i = 0; i < scopes.size(); ++i) {
    const bool is_library = base::to_lower_ascii(scopes[i].chart->metadata.type) == "library";
    for (const chart::File& file : scopes[i].chart->content->templates) {
      if (is_library && !is_partial(file.name)) {
        continue;
      }
      const std::string path = chart::join_path(scopes[i].folder, file.name);
      CW_TRY(tmpl::TreeMap trees,
             tmpl::parse_template(path, std::make_shared<const std::string>(file.data),
                                  chart::helm_functions()));
      if (const auto own = trees.find(path); own != trees.end() && !is_partial(path)) {
        entries.push_back({own->second.get(), i});
      }
      usage.trees.push_back(std::move(trees));
    }
  }
  UsageWalk walk(scopes, usage);
  for (const tmpl::TreeMap& trees : usage.trees) {
    for (const auto& [name, tree] : trees) {
      walk.add_tree(*tree);
    }
  }
  for (const Entry& entry : entries) {
    walk.walk_file(*entry.tree, entry.scope);
  }
  return usage;
}

Mark& mark_at(Mark& root, const Steps& path) {
  Mark* at = &root;
  for (const std::string& step : path) {
    at = &at->below[step];
  }
  return *at;
}

void mark_whole(Mark& root, const Steps& path) { mark_at(root, path).whole = true; }

}  // namespace chartwright::lint
