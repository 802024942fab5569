// SPDX-License-Identifier: Apache-2.0
#include "bundle/schema_place.h"

#include <algorithm>

namespace chartwright::bundle {

using value::Value;

SchemaPlace::SchemaPlace(const Value& root, Unlisted unlisted)
    : document_(std::make_shared<View>(root)), unlisted_(unlisted) {
  tables_ = below({&root}).tables_;
}

/// Returns the place for which all of `schemas` are in force.
SchemaPlace SchemaPlace::below(const std::vector<const Value*>& schemas) const {
  SchemaPlace place;
  place.document_ = document_;
  place.unlisted_ = unlisted_;
  for (const Value* schema : schemas) {
    const View::Parts parts = document_->parts(*schema);
    // With a branch, other schemas may be in force, too.
    const bool is_known =
        parts.unread.empty() && std::ranges::all_of(parts.tables, [this](const Value* table) {
          return document_->branches(*table).empty() && table->find("patternProperties") == nullptr;
        });
    if (!is_known) {
      return {};
    }
    place.tables_.insert(place.tables_.end(), parts.tables.begin(), parts.tables.end());
  }
  return place;
}

std::vector<std::string_view> SchemaPlace::members() const {
  std::vector<std::string_view> names;
  const bool drops = unlisted_ == Unlisted::kDropped;
  for (const Value* table : tables_) {
    if (is_open(*table)) {
      if (drops) {
        return {};
      }
      continue;
    }
    View::for_each_property(*table, [&names](std::string_view name, const Value& /*schema*/) {
      names.push_back(name);
    });
    if (!drops) {
      break;  // No other schema can allow more.
    }
  }
  return names;
}

SchemaPlace SchemaPlace::member(std::string_view name) const {
  std::vector<const Value*> schemas;
  for (const Value* table : tables_) {
    const Value* properties = table->find("properties");
    const Value* known = properties != nullptr ? properties->find(name) : nullptr;
    if (known == nullptr) {
      known = View::other_members(*table);
    }
    if (known != nullptr) {
      schemas.push_back(known);
    }
  }
  return below(schemas);
}

SchemaPlace SchemaPlace::item() const {
  std::vector<const Value*> schemas;
  for (const Value* table : tables_) {
    if (const Value* items = document_->item(*table)) {
      schemas.push_back(items);
    }
  }
  return below(schemas);
}

std::vector<std::string_view> SchemaPlace::types() const {
  for (const Value* table : tables_) {
    if (auto names = document_->types(*table); !names.empty()) {
      return names;
    }
  }
  return {};
}

std::optional<std::vector<Value>> SchemaPlace::choices() const {
  for (const Value* table : tables_) {
    if (auto values = document_->choices(*table)) {
      return values;
    }
  }
  return std::nullopt;
}

bool SchemaPlace::allows(std::string_view found) const {
  const std::vector<std::string_view> wanted = types();
  const auto others =
      std::ranges::count_if(wanted, [](std::string_view one) { return one != "null"; });
  return others != 1 || found.empty() || std::ranges::any_of(wanted, [found](std::string_view one) {
           return one == found || (one == "number" && found == "integer");
         });
}

/// Reports whether members that the table does not list may be there.
bool SchemaPlace::is_open(const Value& table) const {
  if (table.bool_at({"x-kubernetes-preserve-unknown-fields"})) {
    return true;
  }
  const bool is_silent = table.find("additionalProperties") == nullptr;
  return is_silent ? unlisted_ == Unlisted::kKept : !View::is_closed(table);
}

}  // namespace chartwright::bundle
