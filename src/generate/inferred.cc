// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/strings.h"
#include "generate/chart_defaults.h"
#include "generate/crd.h"
#include "value/json.h"

namespace chartwright::generate {
namespace {

using helm::lint::kEveryStep;
using helm::lint::KeyUsage;
using value::Value;

constexpr int kValuesDepthMax = 30;

Yaml open_table() { return typed("object").set(kPreserveUnknown, Yaml::of(Value::boolean(true))); }

Yaml nullable(Yaml schema) { return schema.set("nullable", Yaml::of(Value::boolean(true))); }

Yaml int_or_string() { return Yaml().set(kIntOrString, Yaml::of(Value::boolean(true))); }

/// Returns the type of a scalar; "" for others. The default 1 does not forbid 0.5.
std::string_view scalar_type(const Value& value) {
  const std::string_view type = value.is_dict() || value.is_list() ? "" : value::schema_type(value);
  return type == "integer" ? "number" : type;
}

/// The requests and limits of a container: quantities, which are numbers or strings.
Yaml quantities() { return typed("object").set("additionalProperties", nullable(int_or_string())); }

/// Reports whether a default is that of a field that Kubernetes allows an integer and a name or a
/// percentage for.
bool is_int_or_string(std::string_view key, const Value& value) {
  constexpr std::array<std::string_view, 4> kFields = {"targetPort", "maxSurge", "maxUnavailable",
                                                       "minAvailable"};
  if (value.is_string()) {
    const std::string& text = value.as_string();
    const bool is_percentage =
        text.size() > 1 && text.ends_with('%') &&
        std::all_of(text.begin(), text.end() - 1, base::is_ascii_digit<char>);
    return is_percentage || base::to_lower_ascii(key).ends_with("port") ||
           std::ranges::find(kFields, key) != kFields.end();
  }
  return scalar_type(value) == "number" && std::ranges::find(kFields, key) != kFields.end();
}

/// A place in the values.
struct ValuesPlace {
  std::string_view key;
  const Value* usual;     ///< The default of the chart or of a dependency; nullptr: none.
  const KeyUsage* usage;  ///< The use by templates; nullptr if it is not known.
  bool is_copied;         ///< As a part of a table: the default tells nothing of its type.
  int depth;

  ValuesPlace member(const std::string& name) const {
    ValuesPlace place{name, usual != nullptr ? usual->find(name) : nullptr, nullptr, is_copied,
                      depth + 1};
    if (usage != nullptr) {
      const auto own = usage->below.find(name);
      const auto every = usage->below.find(kEveryStep);
      place.usage = own != usage->below.end() ? &own->second : nullptr;
      place.is_copied =
          is_copied || usage->whole || (every != usage->below.end() && every->second.whole);
    }
    return place;
  }
  bool has_usual() const { return usual != nullptr && !usual->is_nil(); }
  /// Reports whether templates read the value other than within a table.
  bool is_read_itself() const { return usage != nullptr && usage->whole; }
};

class Inference {
 public:
  explicit Inference(bool complete) : complete_(complete) {}

  Yaml table(const Value& value, const ValuesPlace& place) const {
    const bool holds_quantities =
        place.depth > 0 && (place.key == "limits" || place.key == "requests");
    if (holds_quantities) {
      return quantities();
    }
    const KeyUsage* usage = place.usage;
    Yaml properties;
    for (const auto& [name, inner] : value.as_dict()) {
      const ValuesPlace member = place.member(name);
      set(name, schema_of(inner, member), member, properties);
    }
    bool open =
        !complete_ || usage == nullptr || usage->whole || place.is_copied || properties.is_empty();
    for (const auto& [name, inner] : usage != nullptr ? usage->below : KeyUsage().below) {
      open = open || name == kEveryStep;
      if (name != kEveryStep && !properties.has(name)) {
        set(name, anything(), place.member(name), properties);
      }
    }
    Yaml schema = typed("object");
    if (!properties.is_empty()) {
      schema.set("properties", properties);
    }
    if (open) {
      schema.set(kPreserveUnknown, Yaml::of(Value::boolean(true)));
    }
    return schema;
  }

 private:
  /// Helm's null removes a default. The API server drops it from a field that is not nullable.
  static void set(const std::string& name, Yaml schema, const ValuesPlace& place,
                  Yaml& properties) {
    properties.set(name, place.has_usual() ? nullable(std::move(schema)) : std::move(schema));
  }

  Yaml schema_of(const Value& value, const ValuesPlace& place) const {
    if (value.is_dict() && place.depth < kValuesDepthMax) {
      return table(value, place);
    }
    if (value.is_list()) {
      return list(value, place);
    }
    return scalar(value, place);
  }

  static Yaml scalar(const Value& value, const ValuesPlace& place) {
    const std::string_view type = scalar_type(value);
    // Templates read members of it: the default only stands for "none".
    const bool has_members = place.usage != nullptr && !place.usage->below.empty();
    const bool is_only_copied = place.is_copied && !place.is_read_itself();
    if (type.empty() || has_members || is_only_copied) {
      return anything();
    }
    if (type == "number" && place.usage != nullptr && place.usage->integer) {
      return typed("integer");
    }
    return is_int_or_string(place.key, value) ? int_or_string() : typed(type);
  }

  static Yaml list(const Value& value, const ValuesPlace& place) {
    const auto& items = value.as_list().items;
    const std::string_view type = items.empty() ? "" : scalar_type(items.front());
    const bool is_same = !type.empty() && !place.is_copied &&
                         std::all_of(items.begin(), items.end(), [type](const Value& item) {
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
  const Value usual = chart_defaults(chart);
  const bool is_copied = keys.ok() && keys->root.whole;
  return Inference(is_known).table(values,
                                   {"", &usual, is_known ? &keys->root : nullptr, is_copied, 0});
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
