// SPDX-License-Identifier: Apache-2.0
// The keywords of objects and arrays that lead to their members.
// Source: santhosh-tekuri/jsonschema v6 validator.go, kind/kind.go.
#include <algorithm>
#include <map>

#include "helm/schema/assertions.h"
#include "helm/schema/validator.h"

namespace chartwright::helm {

using value::Value;

void SchemaValidator::check_object() {
  run_.steps += static_cast<int64_t>(node_.dependencies.size() + node_.dependent_schemas.size() +
                                     node_.dependent_required.size());
  for (const auto& [name, rule] : node_.dependencies) {
    if (v_.find(name) != nullptr) {
      dependency(name, rule);
    }
  }
  check_members();
  check_names();
  for (const auto& [name, schema] : node_.dependent_schemas) {
    if (v_.find(name) != nullptr) {
      add(same_value(*schema, "", detail_));
    }
  }
  for (const auto& [name, names] : node_.dependent_required) {
    if (v_.find(name) != nullptr) {
      require_beside(name, names);
    }
  }
}

void SchemaValidator::dependency(const std::string& name, const DependencyRule& rule) {
  if (const auto* names = std::get_if<std::vector<std::string>>(&rule)) {
    require_beside(name, *names);
  } else {
    add(same_value(*std::get<const SchemaNode*>(rule), "", detail_));
  }
}

void SchemaValidator::require_beside(const std::string& name,
                                     const std::vector<std::string>& names) {
  if (auto missing = missing_beside(name, names, v_)) {
    add(*std::move(missing));
  }
}

bool SchemaValidator::check_member(const std::string& name, const Value& member,
                                   std::vector<std::string>& forbidden) {
  bool evaluated = false;
  if (const auto found = node_.properties.find(name); found != node_.properties.end()) {
    evaluated = true;
    add(inner_value(*found->second, member, name));
  }
  for (const PatternNode& pattern : node_.pattern_properties) {
    run_.steps += 1 + text_steps(pattern.regex->search_work(name.size()));
    if (!run_.is_exhausted() && pattern.regex->matches(name)) {
      evaluated = true;
      add(inner_value(*pattern.node, member, name));
    }
  }
  if (evaluated || node_.additional_properties.index() == 0) {
    return evaluated;
  }
  if (const auto* schema = std::get_if<const SchemaNode*>(&node_.additional_properties)) {
    add(inner_value(**schema, member, name));
  } else if (!std::get<bool>(node_.additional_properties)) {
    forbidden.push_back(name);
  }
  return true;
}

void SchemaValidator::check_members() {
  std::vector<std::string> forbidden;
  for (const auto& [name, member] : v_.as_dict()) {
    if (decided() || run_.is_exhausted()) {
      return;
    }
    if (check_member(name, member, forbidden)) {
      rest_.props.erase(name);
    }
  }
  if (!forbidden.empty()) {
    add("additional properties " + quoted_names(forbidden) + " not allowed");
    if (detail_ != Detail::kVerdict) {
      faults_.back().unknown = with_near_names(forbidden, node_.properties);
    }
  }
}

void SchemaValidator::check_names() {
  if (node_.property_names == nullptr) {
    return;
  }
  for (const auto& [name, member] : v_.as_dict()) {
    const Value as_value = Value::string(name);
    const SchemaScope top{node_.property_names, "", 0, scope_.depth + 1, nullptr};
    const InstancePlace place;
    const Subject subject{as_value, place, *node_.property_names, top};
    Outcome outcome = SchemaValidator(run_, subject, detail_).validate();
    if (outcome) {
      add("invalid propertyName " + single_quoted(name), melted(std::move(outcome)));
      if (node_.release == SchemaRelease::k6_0_2) {
        faults_.back().location.clear();
      }
    }
  }
}

void SchemaValidator::check_array() {
  const auto& items = v_.as_list().items;
  if (node_.unique_items) {
    check_unique(items);
  }
  check_items(items);
  if (node_.contains != nullptr) {
    check_contains(items);
  }
}

// Sorting takes n log n comparisons for any items. Hashes could be made to collide.
void SchemaValidator::check_unique(const std::vector<Value>& items) {
  const auto before = [this](const Value* a, const Value* b) {
    return json_order(*a, *b, run_.steps) < 0;
  };
  std::map<const Value*, size_t, decltype(before)> seen(before);
  for (size_t i = 0; i < items.size(); ++i) {
    if (run_.is_exhausted()) {
      return;
    }
    const auto [at, added] = seen.try_emplace(&items[i], i);
    if (!added) {
      add("items at " + localized_integer(static_cast<int64_t>(at->second)) + " and " +
          localized_integer(static_cast<int64_t>(i)) + " are equal");
      return;
    }
  }
}

void SchemaValidator::check_items(const std::vector<Value>& items) {
  const size_t positional = std::min(items.size(), node_.positional_items.size());
  for (size_t i = 0; i < positional; ++i) {
    add(inner_value(*node_.positional_items[i], items[i], i));
  }
  const SchemaNode* every = node_.items;
  if (const auto* schema = std::get_if<const SchemaNode*>(&node_.additional_items)) {
    every = *schema;
  }
  const size_t first = node_.release == SchemaRelease::k6_0_2 ? positional : 0;
  for (size_t i = positional; every != nullptr && i < items.size(); ++i) {
    add(inner_value(*every, items[i], i - first));
  }
  if (const bool* allowed = std::get_if<bool>(&node_.additional_items);
      allowed != nullptr && !*allowed && positional != items.size()) {
    add("last " + localized_integer(static_cast<int64_t>(items.size() - positional)) +
        " additionalItem(s) not allowed");
  }
}

void SchemaValidator::check_contains(const std::vector<Value>& items) {
  std::vector<Fault> faults;
  std::vector<size_t> matched;
  for (size_t i = 0; i < items.size(); ++i) {
    if (Outcome outcome = inner_value(*node_.contains, items[i], i)) {
      faults.push_back(std::move(*outcome));
    } else {
      matched.push_back(i);
      if (node_.draft >= 2020) {
        rest_.items.erase(i);
      }
    }
  }
  const auto count = static_cast<int64_t>(matched.size());
  const auto found = [&] {
    return "matched " + localized_integer(count) + " items at " + index_list(matched);
  };
  if (node_.min_contains && count < *node_.min_contains) {
    add("min " + localized_integer(*node_.min_contains) +
            " items required to match contains schema, but " +
            (matched.empty() ? "none matched" : found()),
        std::move(faults));
  } else if (!node_.min_contains && matched.empty()) {
    add("no items match contains schema", std::move(faults));
  }
  if (node_.max_contains && count > *node_.max_contains) {
    add("max " + localized_integer(*node_.max_contains) +
        " items required to match contains schema, but " + found());
  }
}

}  // namespace chartwright::helm
