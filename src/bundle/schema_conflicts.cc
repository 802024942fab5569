// SPDX-License-Identifier: Apache-2.0
#include "bundle/schema_conflicts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/strings.h"
#include "go/quote.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::bundle {
namespace {

using value::Value;
using Types = std::vector<std::string_view>;

constexpr int kDepthMax = 50;

struct Spoken {
  std::string_view type;
  std::string_view text;
};
constexpr std::array kSpoken = {Spoken{"array", "a list"},       Spoken{"boolean", "a boolean"},
                                Spoken{"integer", "an integer"}, Spoken{"null", "null"},
                                Spoken{"number", "a number"},    Spoken{"object", "a map"},
                                Spoken{"string", "a string"}};

std::string spoken(const Types& types) {
  std::vector<std::string> texts;
  for (const std::string_view type : types) {
    const auto found = std::ranges::find(kSpoken, type, &Spoken::type);
    texts.emplace_back(found != kSpoken.end() ? found->text : type);
  }
  return base::join(texts, " or ");
}

/// Returns the types that a structural schema allows; empty: any, or not known.
Types types_of(const Value& structural) {
  if (structural.bool_at({"x-kubernetes-int-or-string"})) {
    return {"integer", "string"};
  }
  const std::string_view type = structural.string_at({"type"});
  return type.empty() ? Types() : Types{type};
}

/// Reports whether a value of the type may be one of `types`. Some numbers are integers.
bool may_be(std::string_view type, const Types& types) {
  const auto has = [&types](std::string_view one) {
    return std::ranges::find(types, one) != types.end();
  };
  return types.empty() || type.empty() || has(type) || (type == "integer" && has("number")) ||
         (type == "number" && has("integer"));
}

std::string written(const Value& value) {
  return value::to_json(value, value::JsonEscape::kNone).value_or("a value");
}

std::string listed(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const Value& value : values) {
    texts.push_back(written(value));
  }
  return base::join(texts, ", ");
}

class Comparison {
 public:
  explicit Comparison(std::string name) : name_(std::move(name)) {}

  void compare(const std::string& path, const Value& structural, const SchemaPlace& later,
               int depth) {
    const Types types = types_of(structural);
    const Types wanted = later.types();
    if (!types.empty() && std::ranges::none_of(types, [&wanted](std::string_view type) {
          return may_be(type, wanted);
        })) {
      add(path, "the CRD wants " + spoken(types) + ", " + name_ + " " + spoken(wanted));
      return;
    }
    compare_values(path, structural, later);
    if (depth < kDepthMax) {
      compare_members(path, structural, later, depth);
    }
  }

  std::vector<std::string> found() && { return std::move(found_); }

 private:
  void add(const std::string& path, const std::string& text) {
    found_.push_back(path + ": " + text);
  }

  /// Reports whether a value is certainly refused.
  static bool is_refused(const Value& value, const SchemaPlace& later) {
    if (value::is_null(value)) {
      return false;  // Null stands for a value that is not set.
    }
    const auto choices = later.choices();
    return !may_be(value::schema_type(value), later.types()) ||
           (choices && std::ranges::none_of(*choices, [&value](const Value& choice) {
              return value::json_equal(choice, value);
            }));
  }

  void compare_values(const std::string& path, const Value& structural, const SchemaPlace& later) {
    const auto allowed = [&later] {
      const auto choices = later.choices();
      return choices ? listed(*choices) : spoken(later.types());
    };
    std::vector<Value> refused;
    for (const Value& value : structural.items_at({"enum"})) {
      if (is_refused(value, later)) {
        refused.push_back(value);
      }
    }
    if (!refused.empty()) {
      add(path, "the CRD allows " + listed(refused) + ", " + name_ + " only " + allowed());
    }
    const Value* usual = structural.find("default");
    if (usual != nullptr && is_refused(*usual, later)) {
      add(path, "the CRD has the default " + written(*usual) + ", " + name_ + " allows only " +
                    allowed());
    }
  }

  void compare_members(const std::string& path, const Value& structural, const SchemaPlace& later,
                       int depth) {
    if (const Value* items = structural.find("items")) {
      compare(path + "[]", *items, later.item(), depth + 1);
    }
    if (const Value* others = structural.find("additionalProperties");
        others && others->is_dict()) {
      compare(path + ".*", *others, later.member(""), depth + 1);
    }
    const Value* properties = structural.find("properties");
    if (properties == nullptr || !properties->is_dict()) {
      return;
    }
    const std::vector<std::string_view> known = later.members();
    for (const auto& [key, member] : properties->as_dict()) {
      const std::string at = path + "." + std::string(key);
      // Helm's own key is in no schema.
      if (known.empty() || key == "global" || std::ranges::find(known, key) != known.end()) {
        compare(at, member, later.member(key), depth + 1);
        continue;
      }
      const std::string_view near = base::nearest(key, known);
      add(at, "the CRD has this key, " + name_ + " does not allow it" +
                  (near.empty() ? "" : ", did you mean " + go::quote(near) + "?"));
    }
  }

  const std::string name_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> schema_conflicts(const Value& structural, const SchemaPlace& later,
                                          const std::string& path, const std::string& name) {
  Comparison comparison(name);
  comparison.compare(path, structural, later, 0);
  return std::move(comparison).found();
}

}  // namespace chartwright::bundle
