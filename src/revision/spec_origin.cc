// SPDX-License-Identifier: Apache-2.0
#include "revision/spec_origin.h"

#include <string_view>

#include "base/printable.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "kube/object.h"

namespace chartwright::release {
namespace {

using value::Value;

// Annotations, since a label takes no name of a manager with a slash or a space.
constexpr std::string_view kGenerationAnnotation = "chartwright.io/spec-generation";
constexpr std::string_view kManagerAnnotation = "chartwright.io/spec-manager";
constexpr size_t kManagerBytesMax = 128;  // The API server takes no longer names.

std::string bounded(std::string_view manager) {
  return base::shortened(base::printable(manager.substr(0, kManagerBytesMax)), kManagerBytesMax);
}

}  // namespace

Value spec_annotations(const SpecOrigin& spec) {
  if (spec.generation <= 0) {
    return {};
  }
  Value annotations =
      Value::dict({{kGenerationAnnotation, Value::string(std::to_string(spec.generation))}});
  if (!spec.manager.empty()) {
    annotations.mutable_dict().set(kManagerAnnotation, Value::string(bounded(spec.manager)));
  }
  return annotations;
}

SpecOrigin spec_origin_in(const Value& secret) {
  const auto generation =
      base::parse_int(kube::annotation_of(secret, kGenerationAnnotation).value_or(""));
  if (!generation || *generation <= 0) {
    return {};
  }
  return {*generation, bounded(kube::annotation_of(secret, kManagerAnnotation).value_or(""))};
}

}  // namespace chartwright::release
