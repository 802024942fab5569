// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "release/owner.h"
#include "test/operator/records.h"

namespace chartwright::op::testing {

/// Edits an object that the API server has.
template <typename Edit>
void edit(World& world, const kube::ObjectRef& ref, Edit change) {
  value::Value object = *world.api.find(ref);
  change(object);
  world.api.put(object);
}

inline void disown(value::Value& object) {
  object.find("metadata")->mutable_dict().erase("ownerReferences");
}

/// Makes a child what `helm install` would have made: it has Helm's marks, and Helm's fields.
inline void make_helms(value::Value& child, const std::string& manager,
                       const std::string& operation) {
  disown(child);
  const value::Value& metadata = *child.find("metadata");
  metadata.find("labels")->mutable_dict().erase(release::kChartLabel);
  std::vector<value::Value> entries;
  for (const value::Value& entry : metadata.find("managedFields")->as_list().items) {
    entries.push_back(value::deep_copy(entry));
    entries.back().mutable_dict().set("manager", value::Value::string(manager));
    entries.back().mutable_dict().set("operation", value::Value::string(operation));
  }
  metadata.mutable_dict().set("managedFields", value::Value::list(std::move(entries)));
}

/// Makes a record one of Helm's: without an owner and without a key.
inline void put_helms_record(World& world, release::Revision revision) {
  revision.key.clear();
  put_record(world, revision);
  edit(world, world.secret(revision.number), disown);
}

/// The release is one of Helm, and the custom resource is new.
inline void give_to_helm(World& world, const Calls& children = {"w"},
                         const std::string& manager = "helm",
                         const std::string& operation = "Update") {
  for (const std::string& name : children) {
    edit(world, world.config_map(name),
         [&](value::Value& child) { make_helms(child, manager, operation); });
  }
  for (int number = 1; number <= world.revision(); ++number) {
    put_helms_record(world, record(world, number));
  }
  const std::string spec = CW_MUST(value::to_json(*world.cr().find("spec")));
  world.api.erase(world.ref());
  world.restart();
  world.spec(spec);
}

}  // namespace chartwright::op::testing
