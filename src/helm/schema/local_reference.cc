// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/local_reference.h"

#include "value/json_pointer.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr int kReferencesMax = 16;

}  // namespace

const Value* follow_references(const Value* schema, const Value& root) {
  for (int i = 0; i < kReferencesMax && schema != nullptr; ++i) {
    const std::string_view reference = schema->string_at({"$ref"});
    if (reference.empty()) {
      return schema;
    }
    if (!reference.starts_with('#')) {
      return nullptr;
    }
    schema = value::at_pointer(root, reference.substr(1)).value_or(nullptr);
  }
  return nullptr;
}

}  // namespace chartwright::helm
