// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/keys.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/ascii.h"
#include "base/strings.h"
#include "helm/schema/view.h"
#include "value/json.h"

namespace chartwright::helm::analysis {
namespace {

using value::Value;

constexpr int kSchemaDepthMax = 64;
/// The most schemas that are looked at, each as often as references lead there.
constexpr size_t kSchemasMax = 100'000;

Steps steps_of(std::string_view dotted) {
  Steps steps;
  for (std::string_view step : base::split(dotted, '.')) {
    steps.emplace_back(step);
  }
  return steps;
}

Steps below(Steps prefix, const Steps& steps) {
  prefix.insert(prefix.end(), steps.begin(), steps.end());
  return prefix;
}

/// Adds the keys that a schema mentions, of whatever part is in force.
class SchemaKeys {
 public:
  explicit SchemaKeys(const Value& root) : document_(root) {}

  void add_to(Keys& keys) { add(keys, document_.root()); }

 private:
  void add(Keys& keys, const Value& schema) {
    if (schemas_ > kSchemasMax) {
      keys.open = true;
      return;
    }
    std::vector<const Value*> tables;
    keys.open = !collect(schema, tables) || keys.open;
    schemas_ += 1 + tables.size();
    const bool is_endless = std::ranges::any_of(tables, [this](const Value* table) {
      return std::ranges::find(around_, table) != around_.end();
    });
    if (is_endless || depth_ > kSchemaDepthMax) {
      keys.open = true;
      return;
    }
    ++depth_;
    around_.insert(around_.end(), tables.begin(), tables.end());
    bool is_named = false;
    for (const Value* table : tables) {
      document_.for_each_property(*table, [&](std::string_view name, const Value& inner) {
        is_named = true;
        add(keys.below[std::string(name)], inner);
      });
    }
    around_.resize(around_.size() - tables.size());
    --depth_;
    keys.open = keys.open || !is_named;
  }

  /// Adds the tables that are in force with `schema`, or may be. Returns false if others may be,
  /// too, or if they have keys without names.
  bool collect(const Value& schema, std::vector<const Value*>& tables) const {
    std::vector<const Value*> schemas = {&schema};
    std::set<const Value*> met;
    bool is_complete = true;
    for (size_t i = 0; i < schemas.size(); ++i) {  // Those of branches are added.
      const auto parts = document_.parts(*schemas[i]);
      is_complete = is_complete && parts.unread.empty();
      for (const Value* table : parts.tables) {
        if (!met.insert(table).second) {
          continue;
        }
        tables.push_back(table);
        is_complete = is_complete && document_.other_members(*table) == nullptr &&
                      table->find("patternProperties") == nullptr;
        const std::vector<const Value*> branches = document_.branches(*table);
        std::ranges::copy_if(branches, std::back_inserter(schemas),
                             [](const Value* branch) { return !branch->is_bool(); });
      }
    }
    return is_complete;
  }

  const SchemaView<Value> document_;
  std::vector<const Value*> around_;  ///< The tables around the place.
  size_t schemas_ = 0;
  int depth_ = 0;
};

/// An entry of import-values: a path in the dependency and the target path in the parent.
struct Import {
  Steps child;
  Steps parent;
};

std::vector<Import> imports_of(const helm::Dependency& dependency) {
  std::vector<Import> imports;
  if (!dependency.import_values.is_list()) {
    return imports;
  }
  for (const Value& entry : dependency.import_values.as_list().items) {
    if (entry.is_string()) {
      imports.push_back({steps_of("exports." + entry.as_string()), {}});
    } else if (entry.is_dict()) {
      const std::string parent(entry.string_at({"parent"}));
      imports.push_back({steps_of(entry.string_at({"child"})),
                         parent == "." || parent.empty() ? Steps() : steps_of(parent)});
    }
  }
  return imports;
}

const std::string& key_of(const helm::Dependency& dependency) {
  return dependency.alias.empty() ? dependency.name : dependency.alias;
}

void copy_keys(const Keys& from, Keys& into) {
  into.open = into.open || from.open;
  for (const auto& [name, inner] : from.below) {
    copy_keys(inner, into.below[name]);
  }
}

/// Adds imported keys, from the deepest charts first, since imported values can be imported again.
void add_imports(const std::vector<ScopeOfChart>& scopes, Keys& keys) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    for (const helm::Dependency& dependency : scope->chart->metadata.dependencies) {
      for (const Import& import : imports_of(dependency)) {
        const Keys imported =
            keys.at(below(below(scope->prefix, {key_of(dependency)}), import.child));
        copy_keys(imported, keys.at(below(scope->prefix, import.parent)));
      }
    }
  }
}

}  // namespace

void Keys::add(const Value& v) {
  if (!v.is_dict() || v.as_dict().empty()) {
    open = true;
    return;
  }
  for (const auto& [name, inner] : v.as_dict()) {
    below[name].add(inner);
  }
}

void Keys::add_schema(const Value& schema) {
  const bool was_open = open;
  SchemaKeys(schema).add_to(*this);
  open = was_open;  // A schema does not affect whether the top level is open.
}

Keys& Keys::at(const Steps& path) {
  Keys* at = this;
  for (const std::string& step : path) {
    at = &at->below[step];
  }
  return *at;
}

Keys defined_keys(const std::vector<ScopeOfChart>& scopes) {
  Keys keys;
  for (const ScopeOfChart& scope : scopes) {
    if (scope.chart->values.is_dict() && !scope.chart->values.as_dict().empty()) {
      keys.at(scope.prefix).add(scope.chart->values);
      if (const Value* global = scope.chart->values.find("global"); global != nullptr) {
        keys.at({"global"}).add(*global);
      }
    } else if (scope.prefix.empty()) {
      keys.open = true;
    }
    if (scope.chart->content->schema) {
      const auto schema =
          value::parse_json(*scope.chart->content->schema, value::Numbers::kFloat64);
      keys.at(scope.prefix).add_schema(schema.ok() ? *schema : Value());
    }
  }
  for (const ScopeOfChart& scope : scopes) {
    for (const helm::Dependency& dependency : scope.chart->metadata.dependencies) {
      if (!scope.subcharts.contains(key_of(dependency))) {
        keys.at(below(scope.prefix, {key_of(dependency)})).open = true;
        keys.at({"global"}).open = true;
      }
    }
  }
  add_imports(scopes, keys);
  return keys;
}

std::set<std::string> commented_names(std::string_view values_file) {
  std::set<std::string> names;
  for (std::string_view line : base::split(values_file, '\n')) {
    const size_t hash = line.find('#');
    if (hash == std::string_view::npos) {
      continue;
    }
    std::string_view rest = line.substr(hash);
    // Names are words followed by a colon, and the parts of dotted words after a dot.
    for (size_t i = 0; i < rest.size();) {
      size_t end = i;
      while (end < rest.size() && (base::is_ascii_word(rest[end]) || rest[end] == '-')) {
        ++end;
      }
      const bool follows_dot = i > 0 && rest[i - 1] == '.';
      const bool has_colon = end < rest.size() && rest[end] == ':';
      if (end > i && (follows_dot || has_colon || rest.find("@param") != std::string_view::npos)) {
        names.emplace(rest.substr(i, end - i));
      }
      i = end + 1;
    }
  }
  return names;
}

void mark_named_in(std::string_view text, const Steps& prefix, KeyUsage& root) {
  constexpr std::string_view kValues = ".Values";
  constexpr size_t kStepsMax = 50;  // Deeper keys count as read.
  for (size_t at = text.find(kValues); at != std::string_view::npos; at = text.find(kValues, at)) {
    at += kValues.size();
    Steps path = prefix;
    while (path.size() < prefix.size() + kStepsMax && at + 1 < text.size() && text[at] == '.' &&
           base::is_ascii_word(text[at + 1])) {
      size_t end = at + 1;
      while (end < text.size() && base::is_ascii_word(text[end])) {
        ++end;
      }
      path.emplace_back(text.substr(at + 1, end - at - 1));
      at = end;
    }
    const bool is_global = path.size() > prefix.size() && path[prefix.size()] == "global";
    mark_whole(root, is_global ? Steps(path.begin() + static_cast<std::ptrdiff_t>(prefix.size()),
                                       path.end())
                               : path);
  }
}

void mark_for_dependencies(const std::vector<ScopeOfChart>& scopes, KeyUsage& root) {
  for (const ScopeOfChart& scope : scopes) {
    for (const helm::Dependency& dependency : scope.chart->metadata.dependencies) {
      for (std::string_view condition : base::split(dependency.condition, ',')) {
        if (const std::string_view path = base::trim(condition); !path.empty()) {
          mark_whole(root, below(scope.prefix, steps_of(path)));
        }
      }
      mark_whole(root, {"tags"});
      const Steps own = below(scope.prefix, {key_of(dependency)});
      if (!scope.subcharts.contains(key_of(dependency))) {
        mark_whole(root, own);
        mark_whole(root, {"global"});
      }
      for (const Import& import : imports_of(dependency)) {
        mark_whole(root, below(own, import.child));
      }
    }
  }
}

}  // namespace chartwright::helm::analysis
