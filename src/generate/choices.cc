// SPDX-License-Identifier: Apache-2.0
#include "generate/choices.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace chartwright::generate {
namespace {

using value::Value;
using yaml::DocumentNode;

constexpr int kChoiceDepthMax = 20;
/// Rules that mean the same in both.
constexpr std::array<std::string_view, 9> kSameInChoices = {"format",  "multipleOf", "minimum",
                                                            "maximum", "minLength",  "maxLength",
                                                            "pattern", "minItems",   "maxItems"};
/// Keywords without an effect on what is valid, and a reference that has been followed.
constexpr std::array<std::string_view, 13> kTextKeywords = {
    "$schema", "$id",      "$anchor", "id",       "$defs",       "definitions", "$comment",
    "title",   "examples", "default", "readOnly", "description", "$ref"};

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
  explicit ChoiceReader(const WrittenSchema& document) : document_(document) {}

  /// Returns the rules of a branch; nullopt if they cannot be expressed.
  std::optional<Yaml> rules(const DocumentNode& written, const RulePlace& place, int depth) const {
    const auto parts = document_.parts(written, WrittenSchema::Through::kReferences);
    if (!parts.unread.empty() || parts.tables.empty() || depth > kChoiceDepthMax) {
      return std::nullopt;
    }
    Yaml out;
    for (const DocumentNode* table : parts.tables) {
      for (const yaml::DocumentEntry& entry : table->entries) {
        if (is_one_of(kTextKeywords, entry.key.text)) {
          continue;
        }
        // A keyword that two schemas have says two things.
        if (out.has(entry.key.text) || !add_rule(entry, *table, place, depth, out)) {
          return std::nullopt;
        }
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
  bool add_rule(const yaml::DocumentEntry& entry, const DocumentNode& table, const RulePlace& place,
                int depth, Yaml& out) const {
    const std::string& key = entry.key.text;
    if (is_one_of(kSameInChoices, key)) {
      out.set(key, Yaml::of(value_of(entry.value)));
      return true;
    }
    if (key == "type") {
      return has_type_of(table, *place.outside);
    }
    if (key == "const" && document_.draft(table) < 6) {
      return true;  // The draft does not know it.
    }
    if (key == "enum" || key == "const") {
      return !out.has("enum") && add_enum(entry, place, out);
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
      const DocumentNode* outside = document_.follow(document_.item(*place.outside));
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
      const DocumentNode* outside = document_.follow(place.field(entry.key.text));
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
  bool has_type_of(const DocumentNode& table, const DocumentNode& outside) const {
    const FieldTypes own = types_of(document_, table);
    const FieldTypes all = types_of(document_, outside);
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

  const WrittenSchema& document_;
};

}  // namespace

std::optional<Yaml> choice_of(const ChoiceContext& context, std::string_view key) {
  const ChoiceReader reader(context.document);
  const RulePlace place{&context.table, context.usual};
  const DocumentNode& choice = *context.table.find(key);
  return key == "not" ? reader.rules(choice, place, 0) : reader.branches(choice, place, 0);
}

}  // namespace chartwright::generate
