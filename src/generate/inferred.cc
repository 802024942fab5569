// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "generate/crd.h"
#include "value/json.h"

namespace chartwright::generate {
namespace {

using helm::lint::kEveryStep;
using helm::lint::KeyUsage;
using value::Value;

constexpr int kValuesDepthMax = 30;

Yaml open_table() { return typed("object").set(kPreserveUnknown, Yaml::of(Value::boolean(true))); }

/// Returns the type of a scalar; "" for others.
std::string_view scalar_type(const Value& value) {
  return value.is_dict() || value.is_list() ? "" : value::schema_type(value);
}

/// The requests and limits of a container: quantities, which are numbers or strings.
Yaml quantities() {
  Yaml quantity = Yaml().set("x-kubernetes-int-or-string", Yaml::of(Value::boolean(true)));
  return typed("object").set("additionalProperties", quantity);
}

class Inference {
 public:
  explicit Inference(bool complete) : complete_(complete) {}

  /// `usage`: how templates use the value; nullptr if that is not known.
  Yaml schema_of(std::string_view key, const Value& value, const KeyUsage* usage, int depth) const {
    if (value.is_dict() && depth < kValuesDepthMax) {
      return table(key, value, usage, depth);
    }
    if (value.is_list()) {
      return list(value);
    }
    const std::string_view type = scalar_type(value);
    // Templates read members of it: the default only stands for "none".
    const bool has_members = usage != nullptr && !usage->below.empty();
    return type.empty() || has_members ? anything() : typed(type);
  }

  Yaml table(std::string_view key, const Value& value, const KeyUsage* usage, int depth) const {
    const bool holds_quantities = depth > 0 && (key == "limits" || key == "requests");
    if (holds_quantities) {
      return quantities();
    }
    Yaml properties;
    for (const auto& [name, member] : value.as_dict()) {
      properties.set(name, schema_of(name, member, use_of(usage, name), depth + 1));
    }
    bool open = !complete_ || usage == nullptr || usage->whole || properties.is_empty();
    for (const auto& [name, inner] : usage != nullptr ? usage->below : KeyUsage().below) {
      open = open || name == kEveryStep;
      if (name != kEveryStep && !properties.has(name)) {
        properties.set(name, anything());
      }
    }
    Yaml schema = typed("object");
    if (!properties.is_empty()) {
      schema.set("properties", properties);
    }
    if (open) {
      schema.set("x-kubernetes-preserve-unknown-fields", Yaml::of(Value::boolean(true)));
    }
    return schema;
  }

 private:
  static const KeyUsage* use_of(const KeyUsage* usage, const std::string& name) {
    if (usage == nullptr || usage->whole) {
      return nullptr;
    }
    const auto inner = usage->below.find(name);
    return inner != usage->below.end() ? &inner->second : nullptr;
  }

  static Yaml list(const Value& value) {
    const auto& items = value.as_list().items;
    const std::string_view type = items.empty() ? "" : scalar_type(items.front());
    const bool is_same =
        !type.empty() && std::all_of(items.begin(), items.end(), [type](const Value& item) {
          return scalar_type(item) == type;
        });
    Yaml schema = typed("array");
    schema.set("x-kubernetes-list-type", "atomic");
    return schema.set("items", is_same ? typed(type) : anything());
  }

  const bool complete_;
};

}  // namespace

Yaml inferred_schema(const helm::RenderableChart& chart) {
  const auto keys = helm::lint::read_keys(chart);
  const bool is_known = keys.ok() && keys->complete;
  const Value& values = chart.chart().values;
  if (!values.is_dict()) {
    return open_table();
  }
  return Inference(is_known).table("", values, is_known ? &keys->root : nullptr, 0);
}

Yaml schema_of_keys(const helm::lint::ReadKeys& keys) {
  if (!keys.complete || keys.root.below.empty()) {
    return open_table();
  }
  Yaml properties;
  for (const auto& [name, usage] : keys.root.below) {
    properties.set(name, anything());
  }
  return typed("object").set("properties", properties);
}

}  // namespace chartwright::generate
