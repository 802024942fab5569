// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "release/apply.h"
#include "release/inventory.h"
#include "release/observed.h"
#include "release/owner.h"
#include "release/projection.h"
#include "test/value/json_text.h"
#include "value/json.h"
#include "value/value.h"

namespace chartwright::release::testing {

using value::testing::json;

inline Owner book_owner() {
  return {{"blog.velotio.com", "v1alpha1", "BookStore"}, "shop", "books", "uid-cr"};
}

inline kube::ObjectRef config_map(const std::string& name) {
  return {{"", "v1", "ConfigMap"}, "shop", name};
}

/// Returns a live ConfigMap that book_owner() owns and whose field data.k our manager applied.
inline value::Value live_config_map(const std::string& name, const std::string& k) {
  value::Value object = json(R"({
    "apiVersion": "v1", "kind": "ConfigMap",
    "metadata": {"namespace": "shop", "uid": "uid-child", "resourceVersion": "10",
      "managedFields": [{"manager": "chartwright", "operation": "Apply", "apiVersion": "v1",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:k": {}}}}]},
    "data": {}})");
  object.find("metadata")->mutable_dict().set("name", value::Value::string(name));
  object.find("metadata")
      ->mutable_dict()
      .set("ownerReferences", value::Value::list({owner_reference(book_owner())}));
  object.find("data")->mutable_dict().set("k", value::Value::string(k));
  return object;
}

inline Observed observed(const value::Value& live, KeepBody keep = KeepBody::kNo) {
  return Observed(std::make_shared<const value::Value>(condense(live, kFieldManager, keep)));
}

}  // namespace chartwright::release::testing
