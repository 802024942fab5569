// SPDX-License-Identifier: Apache-2.0
#include "helm/values/dependencies.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "go/format.h"
#include "go/quote.h"
#include "helm/values/chart_graph.h"
#include "helm/version/compatible.h"
#include "helm/version/log_line.h"

namespace chartwright::helm {
namespace {

using value::Value;

/// State that all steps share.
struct DependencyRun {
  const Profile& profile;
  ConstraintsCache& constraints;
  Warnings& warnings;
  ChartGraph& graph;
};

bool is_satisfied_by(const Dependency& wanted, const ChartNode& present, const DependencyRun& run) {
  return wanted.name == present.name() &&
         is_compatible(wanted.version, present.metadata->loaded->version, run.profile.semver,
                       run.constraints);
}

void warn(const DependencyRun& run, LogMessage message) {
  run.warnings.push_back(log_line(message, run.profile));
}

/// Applies a condition, a list of value paths. The first path that leads to a bool decides.
void apply_condition(Dependency& dependency, const Value& values, const std::string& path,
                     const DependencyRun& run) {
  for (std::string_view condition : base::split(base::trim(dependency.condition), ',')) {
    if (condition.empty()) {
      continue;
    }
    const Value* found = scalar_at(values, path + std::string(condition));
    if (found == nullptr) {
      continue;
    }
    if (found->is_bool()) {
      dependency.enabled = found->as_bool();
      return;
    }
    warn(run, {{"dependencies.go", 64, 64},
               "Warning: Condition path '" + std::string(condition) + "' for chart " +
                   dependency.name + " returned non-bool value",
               {{"WARN",
                 "returned non-bool value",
                 {{"path", std::string(condition)}, {"chart", dependency.name}}}}});
  }
}

/// Applies tags: any tag that is on enables the dependency; otherwise any tag that is off disables
/// it.
void apply_tags(Dependency& dependency, const Value& tags, const DependencyRun& run) {
  bool any_on = false;
  bool any_off = false;
  for (const std::string& tag : dependency.tags) {
    const Value* found = tags.find(tag);
    if (found == nullptr) {
      continue;
    }
    if (found->is_bool()) {
      (found->as_bool() ? any_on : any_off) = true;
    } else {
      warn(run,
           {{"dependencies.go", 95, 95},
            "Warning: Tag '" + tag + "' for chart " + dependency.name + " returned non-bool value",
            {{"WARN", "returned non-bool value", {{"tag", tag}, {"chart", dependency.name}}}}});
    }
  }
  dependency.enabled = any_on || !any_off;
}

/// Returns the charts in charts/ that Chart.yaml does not list, then a copy for each entry of its
/// dependencies, renamed if it has an alias.
base::Result<std::vector<ChartNode*>> resolve(const ChartNode& node, const DependencyRun& run) {
  std::vector<ChartNode*> resolved;
  const auto& wanted = node.metadata->dependencies;
  for (ChartNode* present : node.dependencies) {
    if (std::none_of(wanted.begin(), wanted.end(),
                     [&](const Dependency* d) { return is_satisfied_by(*d, *present, run); })) {
      resolved.push_back(present);
    }
  }
  for (Dependency* dependency : wanted) {
    const std::string& name = dependency->alias.empty() ? dependency->name : dependency->alias;
    const auto found =
        std::find_if(node.dependencies.begin(), node.dependencies.end(),
                     [&](const ChartNode* c) { return is_satisfied_by(*dependency, *c, run); });
    if (found != node.dependencies.end()) {
      CW_TRY(ChartNode * copy, run.graph.copy(**found, name));
      resolved.push_back(copy);
    }
    dependency->name = name;
    dependency->enabled = true;
  }
  return resolved;
}

std::set<std::string> disabled_names(const LiveMetadata& metadata) {
  std::set<std::string> disabled;
  for (const Dependency* dependency : metadata.dependencies) {
    if (!dependency->enabled) {
      disabled.insert(dependency->name);
    }
  }
  return disabled;
}

base::Status process_enabled(ChartNode& node, const Value& values, const std::string& path,
                             const DependencyRun& run) {
  LiveMetadata& metadata = *node.metadata;
  if (!metadata.has_dependencies) {
    return {};
  }
  CW_TRY(std::vector<ChartNode*> resolved, resolve(node, run));
  ChartGraph::set_dependencies(node, std::move(resolved));
  CW_TRY(const Chart chart, ChartGraph::tree(node));
  CW_TRY(const Value all_values,
         coalesce_values(chart, values, {Nulls::kDelete, run.profile}, run.warnings));
  CW_TRY_VOID(run.graph.charge_copy(all_values));
  const Value* tags = table_at(all_values, "tags");
  for (Dependency* dependency : metadata.dependencies) {
    if (tags != nullptr) {
      apply_tags(*dependency, *tags, run);
    }
    apply_condition(*dependency, all_values, path, run);
  }
  const std::set<std::string> disabled = disabled_names(metadata);
  std::erase_if(node.dependencies,
                [&](const ChartNode* sub) { return disabled.contains(sub->name()); });
  for (ChartNode* sub : node.dependencies) {
    CW_TRY_VOID(process_enabled(*sub, all_values, path + sub->name() + ".", run));
  }
  std::erase_if(metadata.dependencies,
                [&](const Dependency* d) { return disabled.contains(d->name); });
  metadata.has_dependencies = !metadata.dependencies.empty();
  return {};
}

/// Nests a table at a dotted path; "." is the root.
Value nested(std::string_view path, Value table) {
  if (path == ".") {
    return table;
  }
  auto keys = base::split(path, '.');
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    table = Value::dict({{*key, std::move(table)}});
  }
  return table;
}

Value mapping(const std::string& child, const std::string& parent) {
  return Value::dict({{"child", Value::string(child)}, {"parent", Value::string(parent)}});
}

std::string text_at(const Value& entry, std::string_view key) {
  const Value* found = entry.find(key);
  return found != nullptr ? go::format_value(*found) : "<nil>";
}

/// Returns the first key on `path` whose value is missing or not a table.
std::string first_missing(const Value& values, std::string_view path) {
  const Value* at = &values;
  for (std::string_view key : base::split(path, '.')) {
    at = at->find(key);
    if (at == nullptr || !at->is_dict()) {
      return std::string(key);
    }
  }
  return "";
}

/// Warns that an entry of import-values names a path that has no table, because of one key.
void warn_of_missing(const Dependency& dependency, bool is_short, const std::string& key,
                     const DependencyRun& run) {
  const std::string why = go::quote(key) + " is not a table";
  if (is_short) {
    warn(run, {{"dependencies.go", 287, 287},
               "Warning: ImportValues missing table: " + why,
               {{"WARN", "ImportValues missing table", {{"error", why}}}}});
  } else {
    warn(run, {{"dependencies.go", 270, 270},
               "Warning: ImportValues missing table from chart " + dependency.name + ": " + why,
               {{"WARN",
                 "ImportValues missing table from chart",
                 {{"chart", dependency.name}, {"error", why}}}}});
  }
}

/// Merges the values that an entry of import-values names into `imported`. Returns the entry in its
/// full form.
Value import_entry(const Dependency& dependency, const Value& entry, const Value& all_values,
                   Value& imported, const DependencyRun& run) {
  const bool is_short = entry.is_string();
  const std::string child = is_short ? "exports." + entry.as_string() : text_at(entry, "child");
  const std::string parent = is_short ? "." : text_at(entry, "parent");
  const std::string path = dependency.name + "." + child;
  const Value* table = table_at(all_values, path);
  if (table != nullptr) {
    merge_tables(imported, nested(parent, value::deep_copy(*table)), {Nulls::kKeep, run.profile},
                 run.warnings);
  } else {
    warn_of_missing(dependency, is_short, first_missing(all_values, path), run);
  }
  return mapping(child, parent).with_type(value::kStringDict);
}

/// Reports whether an entry is still to be imported. One that was already imported, for another
/// copy of the chart, is a map[string]string by now.
bool is_import(const Value& entry) {
  return entry.is_string() || (entry.is_dict() && entry.dict_type() == value::kAnyDict);
}

base::Status process_imports(ChartNode& node, const DependencyRun& run) {
  for (ChartNode* sub : node.dependencies) {
    CW_TRY_VOID(process_imports(*sub, run));
  }
  if (!node.metadata->has_dependencies) {
    return {};
  }
  CW_TRY(const Chart chart, ChartGraph::tree(node));
  CW_TRY(Value all_values,
         coalesce_values(chart, Value::dict(), {Nulls::kKeep, run.profile}, run.warnings));
  Value imported = Value::dict();
  for (Dependency* dependency : node.metadata->dependencies) {
    std::vector<Value> entries;
    if (dependency->import_values.is_list()) {
      for (const Value& entry : dependency->import_values.as_list().items) {
        if (is_import(entry)) {
          entries.push_back(import_entry(*dependency, entry, all_values, imported, run));
        }
      }
    }
    dependency->import_values = entries.empty() ? Value() : Value::list(std::move(entries));
  }
  // The parent's own values win over imported ones.
  all_values = all_values.with_type(value::kAnyDict);
  merge_tables(all_values, std::move(imported), {Nulls::kKeep, run.profile}, run.warnings);
  return run.graph.set_values(node, std::move(all_values));
}

}  // namespace

base::Result<Chart> process_dependencies(const Chart& chart, const Value& values,
                                         const Profile& profile, ConstraintsCache& constraints,
                                         Warnings& warnings) {
  ChartGraph graph(chart, profile.aliases);
  const DependencyRun run{profile, constraints, warnings, graph};
  CW_TRY_VOID(process_enabled(graph.root(), values, "", run));
  CW_TRY_VOID(process_imports(graph.root(), run));
  return ChartGraph::tree(graph.root());
}

base::Status check_dependencies_present(const Chart& chart) {
  std::vector<std::string> missing;
  for (const Dependency& wanted : chart.metadata.dependencies) {
    if (std::none_of(chart.dependencies.begin(), chart.dependencies.end(),
                     [&](const Chart& c) { return c.name() == wanted.name; })) {
      missing.push_back(wanted.name);
    }
  }
  if (missing.empty()) {
    return {};
  }
  return base::Error(
      base::ErrorCode::kNotFound,
      "found in Chart.yaml, but missing in charts/ directory: " + base::join(missing, ", "));
}

}  // namespace chartwright::helm
