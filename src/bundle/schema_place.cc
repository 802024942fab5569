// SPDX-License-Identifier: Apache-2.0
#include "bundle/schema_place.h"

#include <algorithm>
#include <array>

#include "helm/schema/local_reference.h"

namespace chartwright::bundle {
namespace {

using value::Value;

/// With one of these, what may be here depends on more than one schema.
constexpr std::array<std::string_view, 6> kChoices = {"allOf", "anyOf", "oneOf",
                                                      "if",    "not",   "patternProperties"};

}  // namespace

SchemaPlace::SchemaPlace(const Value* schema, const Value* root, Unlisted unlisted)
    : schema_(helm::follow_references(schema, *root)), root_(root), unlisted_(unlisted) {
  const bool has_choice =
      schema_ != nullptr && std::ranges::any_of(kChoices, [this](std::string_view keyword) {
        return schema_->find(keyword) != nullptr;
      });
  if (has_choice) {
    schema_ = nullptr;
  }
}

std::vector<std::string_view> SchemaPlace::members() const {
  std::vector<std::string_view> names;
  const Value* properties = schema_ != nullptr ? schema_->find("properties") : nullptr;
  if (properties == nullptr || !properties->is_dict() || is_open()) {
    return names;
  }
  for (const auto& [name, schema] : properties->as_dict()) {
    names.push_back(name);
  }
  return names;
}

SchemaPlace SchemaPlace::member(std::string_view name) const {
  const Value* properties = schema_ != nullptr ? schema_->find("properties") : nullptr;
  const Value* known = properties != nullptr ? properties->find(name) : nullptr;
  if (known == nullptr) {
    known = schema_ != nullptr ? schema_->find("additionalProperties") : nullptr;
  }
  return known != nullptr ? SchemaPlace(known, root_, unlisted_) : SchemaPlace();
}

SchemaPlace SchemaPlace::item() const {
  const Value* items = schema_ != nullptr ? schema_->find("items") : nullptr;
  return items != nullptr ? SchemaPlace(items, root_, unlisted_) : SchemaPlace();
}

std::string_view SchemaPlace::type() const {
  const Value* type = schema_ != nullptr ? schema_->find("type") : nullptr;
  return type != nullptr && type->is_string() ? std::string_view(type->as_string()) : "";
}

std::vector<std::string_view> SchemaPlace::types() const {
  const Value* type = schema_ != nullptr ? schema_->find("type") : nullptr;
  std::vector<std::string_view> names;
  if (type != nullptr && type->is_string()) {
    names.push_back(type->as_string());
  } else if (type != nullptr && type->is_list()) {
    for (const Value& one : type->as_list().items) {
      names.push_back(one.is_string() ? one.as_string() : std::string_view());
    }
  }
  return names;
}

const Value* SchemaPlace::choices() const {
  const Value* choices = schema_ != nullptr ? schema_->find("enum") : nullptr;
  return choices != nullptr && choices->is_list() ? choices : nullptr;
}

bool SchemaPlace::allows(std::string_view found) const {
  const std::string_view wanted = type();
  return wanted.empty() || found.empty() || wanted == found ||
         (wanted == "number" && found == "integer");
}

bool SchemaPlace::is_open() const {
  const Value* others = schema_->find("additionalProperties");
  if (schema_->bool_at({"x-kubernetes-preserve-unknown-fields"})) {
    return true;
  }
  if (others == nullptr) {
    return unlisted_ == Unlisted::kKept;
  }
  return !others->is_bool() || others->as_bool();
}

}  // namespace chartwright::bundle
