// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "fields/projection.h"
#include "release/apply.h"
#include "release/inventory.h"
#include "release/observed.h"
#include "release/owner.h"
#include "test/value/json_text.h"
#include "value/json.h"
#include "value/value.h"

namespace chartwright::release::testing {

using value::testing::json;

inline Owner book_owner() {
  return {{"blog.velotio.com", "v1alpha1", "BookStore"}, "shop", "books", "uid-cr"};
}

/// The label of the objects of a chart.
inline const kube::LabelValue kBookstore = kube::LabelValue::parse("bookstore").value();

inline kube::ObjectRef config_map(const std::string& name) {
  return {{"", "v1", "ConfigMap"}, "shop", name};
}

/// The field manager of book_owner().
inline std::string book_manager() { return field_manager_of(book_owner()); }

/// Returns a live ConfigMap that book_owner() owns and whose owner and field data.k `manager`
/// applied.
inline value::Value live_config_map(const std::string& name, const std::string& k,
                                    std::string_view manager = book_manager()) {
  value::Value object = json(R"({
    "apiVersion": "v1", "kind": "ConfigMap",
    "metadata": {"namespace": "shop", "uid": "uid-child", "resourceVersion": "10",
      "managedFields": [{"manager": "", "operation": "Apply", "apiVersion": "v1",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:k": {}},
          "f:metadata": {"f:ownerReferences": {"k:{\"uid\":\"uid-cr\"}": {}}}}}]},
    "data": {}})");
  value::Value entry = value::deep_copy(object.items_at({"metadata", "managedFields"}).front());
  entry.mutable_dict().set("manager", value::Value::string(manager));
  object.find("metadata")->mutable_dict().set("managedFields", value::Value::list({entry}));
  object.find("metadata")->mutable_dict().set("name", value::Value::string(name));
  object.find("metadata")
      ->mutable_dict()
      .set("ownerReferences", value::Value::list({owner_reference(book_owner())}));
  object.find("data")->mutable_dict().set("k", value::Value::string(k));
  return object;
}

/// Returns a live ConfigMap of nobody, whose field data.k `manager` applied.
inline value::Value live_target(const std::string& name, const std::string& k,
                                std::string_view manager = book_manager()) {
  value::Value object = live_config_map(name, k, manager);
  value::Dict& metadata = object.find("metadata")->mutable_dict();
  metadata.erase("ownerReferences");
  metadata.find("managedFields")
      ->as_list()
      .items.front()
      .find("fieldsV1")
      ->mutable_dict()
      .erase("f:metadata");
  return object;
}

inline Observed observed(const value::Value& live, KeepBody keep = KeepBody::kNo) {
  return Observed(std::make_shared<const value::Value>(condense(live, keep)));
}

}  // namespace chartwright::release::testing
