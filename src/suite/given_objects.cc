// SPDX-License-Identifier: Apache-2.0
#include "suite/given_objects.h"

#include <algorithm>
#include <string>

namespace chartwright::suite {

using value::Value;

const Value* GivenObjects::kind_of(const helm::LookupKey& key) const {
  return settings_.scheme.find(std::string(key.api_version) + "/" + std::string(key.kind));
}

std::vector<Value> GivenObjects::find(const helm::LookupKey& key) const {
  std::vector<Value> found;
  const Value* const kind = kind_of(key);
  if (kind == nullptr) {
    return found;
  }
  // The scheme may lead to the objects of another version.
  const std::string_view group = kind->string_at({"gvr", "group"});
  std::string api_version(kind->string_at({"gvr", "version"}));
  if (!group.empty()) {
    api_version = std::string(group) + "/" + api_version;
  }
  std::ranges::copy_if(settings_.objects, std::back_inserter(found), [&](const Value& object) {
    return object.string_at({"apiVersion"}) == api_version &&
           object.string_at({"kind"}) == key.kind;
  });
  return found;
}

base::Result<Value> GivenObjects::get(const helm::LookupKey& key) {
  const Value* const kind = kind_of(key);
  const bool namespaced = kind != nullptr && kind->bool_at({"namespaced"});
  const std::string_view place = namespaced ? key.namespace_name : std::string_view();
  for (const Value& object : find(key)) {
    if (object.string_at({"metadata", "name"}) == key.name &&
        object.string_at({"metadata", "namespace"}) == place) {
      return value::deep_copy(object);
    }
  }
  return base::Error(base::ErrorCode::kNotFound, "no such object is given");
}

base::Result<Value> GivenObjects::list(const helm::LookupKey& key) {
  const Value* const kind = kind_of(key);
  const bool namespaced = kind != nullptr && kind->bool_at({"namespaced"});
  std::vector<Value> items;
  for (const Value& object : find(key)) {
    if (!namespaced || key.namespace_name.empty() ||
        object.string_at({"metadata", "namespace"}) == key.namespace_name) {
      items.push_back(value::deep_copy(object));
    }
  }
  return Value::dict({{"apiVersion", Value::string(key.api_version)},
                      {"kind", Value::string(std::string(key.kind) + "List")},
                      {"metadata", Value::dict({{"resourceVersion", Value::string("")}})},
                      {"items", Value::list(std::move(items))}});
}

}  // namespace chartwright::suite
