// SPDX-License-Identifier: Apache-2.0
#include "fields/spec_change.h"

#include "kube/object_json.h"

namespace chartwright::fields {

using value::Value;

SpecChange spec_change_in(const Value& object) {
  SpecChange newest;
  for (const Value& entry : object.items_at({"metadata", "managedFields"})) {
    const std::string_view time = entry.string_at({"time"});
    const Value* set = entry.find("fieldsV1");
    if (set != nullptr && time >= newest.time &&
        kube::decode_fields(*set).find("f:spec") != nullptr) {
      newest = {std::string(entry.string_at({"manager"})), std::string(time)};
    }
  }
  return newest;
}

}  // namespace chartwright::fields
