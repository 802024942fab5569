// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "defaults/chart_defaults.h"
#include "generate/crd.h"

namespace chartwright::generate {
namespace {

using helm::analysis::kEveryStep;
using helm::analysis::KeyUsage;
using helm::analysis::NeededKind;
using value::Value;

constexpr int kValuesDepthMax = 30;

Yaml open_table() { return typed("object").set(kPreserveUnknown, Yaml::of(Value::boolean(true))); }

Yaml nullable(Yaml schema) { return schema.set("nullable", Yaml::of(Value::boolean(true))); }

Yaml int_or_string() { return Yaml().set(kIntOrString, Yaml::of(Value::boolean(true))); }

/// Returns the type of a scalar; "" for others.
std::string_view scalar_type(const Value& value) {
  return value.is_dict() || value.is_list() ? "" : value::schema_type(value);
}

bool is_integer_text(const Value& value) {
  return value.is_string() && (value.as_string().empty() || base::parse_int(value.as_string()));
}

/// The sum of all uses of a value.
struct Uses {
  std::vector<const KeyUsage*> all;  ///< The uses of its key, and of every key beside it.
  std::set<NeededKind> needs;
  bool whole = false;
  bool as_integer = false;
  bool as_it_is = false;
  bool kind_tested = false;
  bool needed_always = false;

  void add(const KeyUsage& usage) {
    all.push_back(&usage);
    needs.insert(usage.needs.begin(), usage.needs.end());
    whole = whole || usage.whole;
    as_integer = as_integer || usage.as_integer;
    as_it_is = as_it_is || usage.as_it_is;
    kind_tested = kind_tested || usage.kind_tested;
    needed_always = needed_always || usage.needed_always;
  }
  /// Returns the uses of a member. Those of every member count, too.
  Uses of(const std::string& name) const {
    Uses inner;
    for (const KeyUsage* usage : all) {
      const auto own = usage->below.find(name);
      const auto every = usage->below.find(kEveryStep);
      if (own != usage->below.end()) {
        inner.add(own->second);
      }
      if (every != usage->below.end() && every != own) {
        inner.add(every->second);
      }
    }
    return inner;
  }
  /// Reports whether templates fail for every value, but an empty one, that is not of this kind. A
  /// use that depends on other values proves it if nothing reads the value in another way.
  bool prove(NeededKind kind) const {
    return !kind_tested && needs == std::set{kind} && (needed_always || !as_it_is);
  }
  /// Reports whether templates make an integer of the value wherever they use it.
  bool prove_integer() const { return as_integer && !as_it_is && !kind_tested && needs.empty(); }
};

/// A place in the values.
struct ValuesPlace {
  const Value* usual;  ///< The default of the chart or of a dependency; nullptr: none.
  Uses uses;
  bool is_copied = false;  ///< It is part of a table with keys that are not known.
  int depth = 0;

  ValuesPlace member(const std::string& name) const {
    return {usual != nullptr ? usual->find(name) : nullptr, uses.of(name),
            is_copied || uses.whole || uses.of(kEveryStep).whole, depth + 1};
  }
  bool has_usual() const { return usual != nullptr && !usual->is_nil(); }
};

/// Gives a value the type of its default where the uses prove that no other will do.
class Inference {
 public:
  explicit Inference(bool complete) : complete_(complete) {}

  Yaml table(const Value& value, const ValuesPlace& place) const {
    Yaml properties;
    for (const auto& [name, inner] : value.as_dict()) {
      const ValuesPlace member = place.member(name);
      set(name, schema_of(inner, member), member, properties);
    }
    bool open = !complete_ || place.uses.all.empty() || place.uses.whole || place.is_copied ||
                properties.is_empty();
    for (const KeyUsage* usage : place.uses.all) {
      for (const auto& [name, inner] : usage->below) {
        open = open || name == kEveryStep;
        if (name != kEveryStep && !properties.has(name)) {
          set(name, anything(), place.member(name), properties);
        }
      }
    }
    const bool is_table = place.depth == 0 || place.uses.prove(NeededKind::kTable);
    Yaml schema = is_table ? typed("object") : Yaml();
    if (!properties.is_empty()) {
      schema.set("properties", properties);
    }
    if (open || !is_table) {
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
    return value.is_list() ? list(value, place) : scalar(value, place.uses);
  }

  static Yaml scalar(const Value& value, const Uses& uses) {
    const std::string_view type = scalar_type(value);
    if (type == "string" && uses.prove(NeededKind::kText)) {
      return typed(type);
    }
    if (type == "boolean" && uses.prove(NeededKind::kBoolean)) {
      return typed(type);
    }
    const bool is_integer = type == "integer" || is_integer_text(value);
    return is_integer && uses.prove_integer() ? int_or_string() : anything();
  }

  static Yaml list(const Value& value, const ValuesPlace& place) {
    if (!place.uses.prove(NeededKind::kList)) {
      return anything();
    }
    const auto& items = value.as_list().items;
    const Uses each = place.uses.of(kEveryStep);
    const bool are_texts =
        !items.empty() && each.prove(NeededKind::kText) &&
        std::ranges::all_of(items, [](const Value& item) { return item.is_string(); });
    Yaml schema = typed("array");
    schema.set("x-kubernetes-list-type", "atomic");
    return schema.set("items", are_texts ? nullable(typed("string")) : anything());
  }

  const bool complete_;
};

}  // namespace

Yaml inferred_schema(const helm::RenderableChart& chart) {
  const auto keys = helm::analysis::read_keys(chart);
  const Value& values = chart.chart().values;
  if (!values.is_dict()) {
    return open_table();
  }
  const Value usual = defaults::chart_defaults(chart);
  Uses uses;
  if (keys.ok() && keys->walked) {
    uses.add(keys->root);
  }
  return Inference(keys.ok() && keys->complete).table(values, {&usual, uses});
}

Yaml schema_of_keys(const helm::analysis::ReadKeys& keys) {
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
