// SPDX-License-Identifier: Apache-2.0
#include "generate/choices.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "generate/json_schema.h"

namespace chartwright::generate {
namespace {

using value::Value;
using yaml::DocumentNode;

constexpr int kChoiceDepthMax = 20;
/// Rules that mean the same in both.
constexpr std::array<std::string_view, 9> kSameInChoices = {"format",  "multipleOf", "minimum",
                                                            "maximum", "minLength",  "maxLength",
                                                            "pattern", "minItems",   "maxItems"};
/// Keywords without an effect on what is valid.
constexpr std::array<std::string_view, 11> kTextKeywords = {
    "$schema", "$id",      "id",      "$defs",    "definitions", "$comment",
    "title",   "examples", "default", "readOnly", "description"};

template <size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& all, std::string_view key) {
  return std::ranges::find(all, key) != all.end();
}

/// The place that a rule is about.
struct RulePlace {
  const DocumentNode* outside;  ///< The schema that has the type and the fields.
  const Value* usual;           ///< The value in values.yaml; nullptr: none.

  /// Returns a field that a rule may be about; nullptr if it may not.
  const DocumentNode* field(std::string_view name) const {
    const DocumentNode* properties = outside->find("properties");
    const Value* given = usual != nullptr ? usual->find(name) : nullptr;
    const bool is_given = given != nullptr && !given->is_nil();
    return properties == nullptr || is_given ? nullptr : properties->find(name);
  }
};

class ChoiceReader {
 public:
  explicit ChoiceReader(const DocumentNode& root) : root_(root) {}

  /// Returns the rules of a branch; nullopt if they cannot be expressed.
  std::optional<Yaml> rules(const DocumentNode& written, const RulePlace& place, int depth) const {
    const DocumentNode* schema = resolved(written, root_);
    if (schema == nullptr || schema->kind != DocumentNode::Kind::kMap || depth > kChoiceDepthMax) {
      return std::nullopt;
    }
    Yaml out;
    for (const yaml::DocumentEntry& entry : schema->entries) {
      if (is_one_of(kTextKeywords, entry.key.text)) {
        continue;
      }
      if (!add_rule(entry, *schema, place, depth, out)) {
        return std::nullopt;
      }
    }
    return out;
  }

  /// Returns the rules of all branches in a list.
  std::optional<Yaml> branches(const DocumentNode& list, const RulePlace& place, int depth) const {
    std::vector<Yaml> all;
    for (const DocumentNode& branch : list.items) {
      auto converted = rules(branch, place, depth + 1);
      if (!converted) {
        return std::nullopt;
      }
      all.push_back(*std::move(converted));
    }
    return all.empty() ? std::nullopt : std::optional(Yaml::list(std::move(all)));
  }

 private:
  bool add_rule(const yaml::DocumentEntry& entry, const DocumentNode& schema,
                const RulePlace& place, int depth, Yaml& out) const {
    const std::string& key = entry.key.text;
    if (is_one_of(kSameInChoices, key)) {
      out.set(key, Yaml::of(value_of(entry.value)));
      return true;
    }
    if (key == "type") {
      return has_type_of(schema, *place.outside);
    }
    if (key == "enum" || key == "const") {
      return add_enum(entry, place, out);
    }
    if (key == "required") {
      out.set(key, Yaml::of(value_of(entry.value)));
      return std::ranges::all_of(entry.value.items, [&place](const DocumentNode& name) {
        return place.field(name.text) != nullptr;
      });
    }
    if (key == "properties") {
      return add_properties(entry.value, place, depth, out);
    }
    return add_nested(entry, place, depth, out);
  }

  bool add_nested(const yaml::DocumentEntry& entry, const RulePlace& place, int depth,
                  Yaml& out) const {
    const std::string& key = entry.key.text;
    std::optional<Yaml> inner;
    if (key == "anyOf" || key == "oneOf" || key == "allOf") {
      inner = branches(entry.value, place, depth);
    } else if (key == "not") {
      inner = rules(entry.value, place, depth + 1);
    } else if (key == "items") {
      const DocumentNode* items = place.outside->find("items");
      const DocumentNode* outside = items != nullptr ? resolved(*items, root_) : nullptr;
      if (outside != nullptr && outside->kind == DocumentNode::Kind::kMap) {
        inner = rules(entry.value, {outside, nullptr}, depth + 1);
      }
    }
    if (!inner) {
      return false;
    }
    out.set(key, *std::move(inner));
    return true;
  }

  bool add_properties(const DocumentNode& properties, const RulePlace& place, int depth,
                      Yaml& out) const {
    Yaml all;
    for (const yaml::DocumentEntry& entry : properties.entries) {
      const DocumentNode* field = place.field(entry.key.text);
      const DocumentNode* outside = field != nullptr ? resolved(*field, root_) : nullptr;
      if (outside == nullptr) {
        return false;
      }
      auto inner = rules(entry.value, {outside, nullptr}, depth + 1);
      if (!inner) {
        return false;
      }
      all.set(entry.key.text, *std::move(inner));
    }
    if (!all.is_empty()) {
      out.set("properties", std::move(all));
    }
    return true;
  }

  /// Reports whether the type may be left out, because the one outside is the same.
  static bool has_type_of(const DocumentNode& schema, const DocumentNode& outside) {
    const SchemaTypes own = types_of(schema);
    const SchemaTypes all = types_of(outside);
    return own.names == all.names && own.nullable == all.nullable;
  }

  /// The API server compares tables with what the spec has, without values.yaml.
  static bool add_enum(const yaml::DocumentEntry& entry, const RulePlace& place, Yaml& out) {
    const bool is_table =
        place.usual != nullptr && place.usual->is_dict() && !place.usual->as_dict().empty();
    const Value value = value_of(entry.value);
    if (entry.key.text == "enum") {
      out.set("enum", Yaml::of(value));
      return !is_table && value.is_list();
    }
    out.set("enum", Yaml::list({Yaml::of(value)}));
    return !is_table && !value.is_nil();
  }

  const DocumentNode& root_;
};

}  // namespace

std::optional<Yaml> choice_of(const ChoiceContext& context, std::string_view key) {
  const ChoiceReader reader(context.root);
  const RulePlace place{&context.schema, context.usual};
  const DocumentNode& choice = *context.schema.find(key);
  return key == "not" ? reader.rules(choice, place, 0) : reader.branches(choice, place, 0);
}

}  // namespace chartwright::generate
