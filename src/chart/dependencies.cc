// SPDX-License-Identifier: Apache-2.0
#include "chart/dependencies.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "chart/version.h"
#include "tmpl/format.h"

namespace chartwright::chart {
namespace {

using value::Value;

/// What all steps share.
struct DependencyRun {
  const Profile& profile;
  Warnings& warnings;
};

bool is_satisfied_by(const Dependency& wanted, const Chart& present) {
  return wanted.name == present.name() && is_compatible(wanted.version, present.metadata.version);
}

/// A condition is a list of value paths; the first that leads to a bool decides.
void apply_condition(Dependency& dependency, const Value& values, const std::string& path,
                     Warnings& warnings) {
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
    warnings.push_back("Warning: Condition path '" + std::string(condition) + "' for chart " +
                       dependency.name + " returned non-bool value");
  }
}

/// Any tag that is on enables; else any that is off disables.
void apply_tags(Dependency& dependency, const Value& tags, Warnings& warnings) {
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
      warnings.push_back("Warning: Tag '" + tag + "' for chart " + dependency.name +
                         " returned non-bool value");
    }
  }
  dependency.enabled = any_on || !any_off;
}

/// The charts in charts/ that Chart.yaml does not list, then one (renamed) copy per entry.
std::vector<Chart> resolve(Chart& chart) {
  std::vector<Chart> resolved;
  const auto& wanted = chart.metadata.dependencies;
  for (const Chart& present : chart.dependencies) {
    if (std::none_of(wanted.begin(), wanted.end(),
                     [&](const Dependency& d) { return is_satisfied_by(d, present); })) {
      resolved.push_back(present);
    }
  }
  for (Dependency& dependency : chart.metadata.dependencies) {
    const auto found = std::find_if(chart.dependencies.begin(), chart.dependencies.end(),
                                    [&](const Chart& c) { return is_satisfied_by(dependency, c); });
    if (found != chart.dependencies.end()) {
      resolved.push_back(*found);
      if (!dependency.alias.empty()) {
        resolved.back().metadata.name = dependency.alias;
      }
    }
    if (!dependency.alias.empty()) {
      dependency.name = dependency.alias;
    }
    dependency.enabled = true;
  }
  return resolved;
}

void remove_disabled(Chart& chart) {
  std::set<std::string> disabled;
  for (const Dependency& dependency : chart.metadata.dependencies) {
    if (!dependency.enabled) {
      disabled.insert(dependency.name);
    }
  }
  std::erase_if(chart.dependencies, [&](const Chart& c) { return disabled.contains(c.name()); });
  std::erase_if(chart.metadata.dependencies,
                [&](const Dependency& d) { return disabled.contains(d.name); });
}

base::Status process_enabled(Chart& chart, const Value& values, const std::string& path,
                             const DependencyRun& run) {
  if (!chart.metadata.has_dependencies) {
    return {};
  }
  chart.dependencies = resolve(chart);
  CW_TRY(const Value all_values,
         coalesce_values(chart, values, {Nulls::kDelete, run.profile}, run.warnings));
  const Value* tags = table_at(all_values, "tags");
  for (Dependency& dependency : chart.metadata.dependencies) {
    if (tags != nullptr) {
      apply_tags(dependency, *tags, run.warnings);
    }
    apply_condition(dependency, all_values, path, run.warnings);
  }
  remove_disabled(chart);
  for (Chart& sub : chart.dependencies) {
    CW_TRY_VOID(process_enabled(sub, all_values, path + sub.name() + ".", run));
  }
  return {};
}

/// The table nested at a dotted path; "." is the root.
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
  return found != nullptr ? tmpl::format_value(*found) : "<nil>";
}

/// Merges what one entry of import-values names into `imported` and returns the entry in full form.
Value import_entry(const Dependency& dependency, const Value& entry, const Value& all_values,
                   Value& imported, const DependencyRun& run) {
  const bool is_short = entry.is_string();
  const std::string child = is_short ? "exports." + entry.as_string() : text_at(entry, "child");
  const std::string parent = is_short ? "." : text_at(entry, "parent");
  const Value* table = table_at(all_values, dependency.name + "." + child);
  if (table != nullptr) {
    merge_tables(imported, nested(parent, value::deep_copy(*table)), {Nulls::kKeep, run.profile},
                 run.warnings);
  } else if (is_short) {
    run.warnings.push_back("Warning: ImportValues missing table: \"" + child + "\" is not a table");
  } else {
    run.warnings.push_back("Warning: ImportValues missing table from chart " + dependency.name +
                           ": \"" + child + "\" is not a table");
  }
  Value full = mapping(child, parent);
  full.mutable_dict().set_type(value::DictType::kString);
  return full;
}

base::Status process_imports(Chart& chart, const DependencyRun& run) {
  for (Chart& sub : chart.dependencies) {
    CW_TRY_VOID(process_imports(sub, run));
  }
  if (!chart.metadata.has_dependencies || chart.metadata.dependencies.empty()) {
    return {};
  }
  CW_TRY(Value all_values,
         coalesce_values(chart, Value::dict(), {Nulls::kKeep, run.profile}, run.warnings));
  Value imported = Value::dict();
  for (Dependency& dependency : chart.metadata.dependencies) {
    std::vector<Value> entries;
    if (dependency.import_values.is_list()) {
      for (const Value& entry : dependency.import_values.as_list().items) {
        if (entry.is_string() || entry.is_dict()) {
          entries.push_back(import_entry(dependency, entry, all_values, imported, run));
        }
      }
    }
    dependency.import_values = entries.empty() ? Value() : Value::list(std::move(entries));
  }
  // What the parent sets itself wins over what it imports.
  all_values.mutable_dict().set_type(value::DictType::kAny);
  merge_tables(all_values, std::move(imported), {Nulls::kKeep, run.profile}, run.warnings);
  chart.values = std::move(all_values);
  return {};
}

}  // namespace

base::Status process_dependencies(Chart& chart, const Value& values, const Profile& profile,
                                  Warnings& warnings) {
  const DependencyRun run{profile, warnings};
  CW_TRY_VOID(process_enabled(chart, values, "", run));
  return process_imports(chart, run);
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

}  // namespace chartwright::chart
