// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "helm/schema/graph.h"
#include "helm/schema/reference.h"
#include "helm/schema/subschemas.h"
#include "value/json.h"
#include "value/json_pointer.h"
#include "value/value.h"

namespace chartwright::helm {

/// Says what the schemas of a document say, as they are written there: for readers that need names,
/// types or positions, but validate nothing. Follows references as SchemaGraph does, within the
/// document. Immutable, thread-safe.
template <typename Node>
class SchemaView {
 public:
  using Tree = SchemaTree<Node>;

  /// Schemas that are in force together.
  struct Parts {
    std::vector<const Node*> tables;
    /// Schemas that say more than the tables: references that lead elsewhere or in a circle, those
    /// that depend on the path to them, and `false`.
    std::vector<const Node*> unread;
  };
  /// The keywords that lead from a schema to those that are in force with it.
  enum class Through : uint8_t { kReferences, kReferencesAndAllOf };

  /// `root`, the document, must outlive the view, and stay where it is.
  explicit SchemaView(const Node& root) {
    add(root, std::nullopt, 0);
    for (size_t i = 0; i < references_.size(); ++i) {  // Those of the targets are added.
      const Target found = resolve(*references_[i]);
      if (found.schema != nullptr) {
        add(*found.schema, found.resource, 0);
      }
    }
  }

  const Node& root() const { return *resources_.front().root; }
  /// Returns the draft that `schema` follows: 4, 6, 7, 2019 or 2020.
  int draft(const Node& schema) const { return resources_[index_of(schema)].draft; }

  /// Returns the schema that the "$ref" of `schema` names; nullptr if it has none, or if it leads
  /// to another document or to nothing.
  const Node* target(const Node& schema) const { return resolve(schema).schema; }

  /// Returns the schema that `schema` stands for, which has no "$ref". Returns nullptr for nullptr,
  /// and if a reference leads to another document, to nothing, or through many others.
  const Node* follow(const Node* schema) const {
    for (int i = 0; i < kReferencesMax && schema != nullptr; ++i) {
      if (!schema_text(*schema, "$ref")) {
        return schema;
      }
      schema = target(*schema);
    }
    return nullptr;
  }

  /// Returns the schemas that a value must meet to meet `schema`, each once: the target of a
  /// reference before the keywords beside it, and these before the schemas of "allOf".
  Parts parts(const Node& schema, Through through = Through::kReferencesAndAllOf) const {
    PartWalk walk{through, {}, {}, 0};
    add_parts(schema, walk);
    return std::move(walk.parts);
  }

  /// Returns the schemas that apply depending on the value: those of "anyOf", "not", "then" and
  /// the like.
  std::vector<const Node*> branches(const Node& table) const {
    return below(table, SubschemaForce::kDepends);
  }

  /// Returns the values that "const" or "enum" of a table allow; nullopt: any.
  std::optional<std::vector<value::Value>> choices(const Node& table) const {
    const Node* constant = draft(table) >= 6 ? table.find("const") : nullptr;
    if (constant != nullptr) {
      return std::vector{Tree::value(*constant)};
    }
    const Node* all = table.find("enum");
    if (all == nullptr || !Tree::is_list(*all)) {
      return std::nullopt;
    }
    std::vector<value::Value> values;
    for (const Node& one : Tree::items(*all)) {
      values.push_back(Tree::value(one));
    }
    return values;
  }

  /// Returns the names of the types that a table allows, each once, by "type" or by the values that
  /// it lists; empty: any. An integer is a number.
  std::vector<std::string_view> types(const Node& table) const {
    std::vector<std::string_view> names;
    const auto add_name = [&names](std::string_view name) {
      if (std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    };
    if (const Node* type = table.find("type")) {
      for (const Node& one : Tree::is_list(*type) ? Tree::items(*type) : std::span(type, 1)) {
        add_name(Tree::text(one).value_or(""));
      }
    } else if (const auto values = choices(table)) {
      for (const value::Value& value : *values) {
        add_name(value.is_nil() ? "null" : value::schema_type(value));
      }
    }
    if (std::ranges::find(names, "number") != names.end()) {
      std::erase(names, "integer");
    }
    return names;
  }

  /// Returns the schema of every item of a list; nullptr if there is none, or items have their own.
  const Node* item(const Node& table) const {
    const Node* items = table.find("items");
    const bool is_rest = draft(table) >= 2020 && table.find("prefixItems") != nullptr;
    return items != nullptr && !Tree::is_list(*items) && !is_rest ? items : nullptr;
  }

  /// Returns the table for every member that is not among the properties; nullptr if there is none.
  static const Node* other_members(const Node& table) {
    const Node* others = table.find("additionalProperties");
    const bool is_for_all =
        others != nullptr && Tree::is_map(*others) && table.find("patternProperties") == nullptr;
    return is_for_all ? others : nullptr;
  }

  /// Reports whether members that are not among the properties are wrong.
  static bool is_closed(const Node& table) {
    const Node* others = table.find("additionalProperties");
    return others != nullptr && !Tree::boolean(*others).value_or(true) &&
           table.find("patternProperties") == nullptr;
  }

  /// Calls `visit(name, schema)` for each of the properties of a table.
  template <typename Visit>
  static void for_each_property(const Node& table, Visit visit) {
    if (const Node* properties = table.find("properties")) {
      Tree::for_each_member(*properties, visit);
    }
  }

  /// Returns the part of a node that a token of a JSON pointer names, or nullptr.
  static const Node* step(const Node& node, std::string_view token) {
    if (Tree::is_list(node)) {
      const auto index = base::parse_int(token);
      const auto items = Tree::items(node);
      const bool is_there = index && *index >= 0 && static_cast<size_t>(*index) < items.size();
      return is_there ? &items[static_cast<size_t>(*index)] : nullptr;
    }
    const auto name = value::unescape_pointer_token(token);
    return name ? node.find(*name) : nullptr;
  }

 private:
  static constexpr int kReferencesMax = 100;
  static constexpr int kDepthMax = 512;
  static constexpr size_t kPartsMax = 10'000;

  /// A schema with an identifier of its own, to which the references below it are relative.
  struct Resource {
    const Node* root;
    std::string url;
    int draft;
    std::map<std::string, const Node*, std::less<>> anchors;
  };

  /// A schema that a reference leads to, and its resource.
  struct Target {
    const Node* schema = nullptr;
    size_t resource = 0;
  };

  /// Adds `schema`, which is in the resource `around`; nullopt: it is the document.
  void add(const Node& schema, std::optional<size_t> around, int depth) {
    if (depth > kDepthMax || resource_of_.contains(&schema)) {
      return;
    }
    const SchemaIdentity own =
        identity_of(schema, around ? std::optional(resources_[*around].draft) : std::nullopt);
    const size_t index = around && own.id.empty() ? *around : resources_.size();
    if (index == resources_.size()) {
      const std::string base(around ? std::string_view(resources_[*around].url) : kSchemaUrl);
      resources_.push_back({&schema, join_url(base, own.id), own.draft, {}});
    }
    resource_of_.emplace(&schema, index);
    if (schema.find("$ref") != nullptr) {
      references_.push_back(&schema);
    }
    for (std::string& anchor : anchors_of(schema, resources_[index].draft)) {
      resources_[index].anchors.emplace(std::move(anchor), &schema);
    }
    for_each_subschema(schema, resources_[index].draft,
                       [&](const Node& below, const SubschemaKeyword& /*keyword*/,
                           const std::string& /*pointer*/) { add(below, index, depth + 1); });
  }

  size_t index_of(const Node& schema) const {
    const auto found = resource_of_.find(&schema);
    return found != resource_of_.end() ? found->second : 0;
  }

  Target resolve(const Node& schema) const {
    const auto reference = schema_text(schema, "$ref");
    if (!reference) {
      return {};
    }
    const SplitUrl split = split_fragment(*reference);
    const std::string url = join_url(resources_[index_of(schema)].url, split.url);
    const auto found = std::ranges::find(resources_, url, &Resource::url);
    if (found == resources_.end() && url != kSchemaUrl) {
      return {};
    }
    const size_t index =
        found == resources_.end() ? 0 : static_cast<size_t>(found - resources_.begin());
    if (split.fragment.empty() || split.fragment.front() == '/') {
      return at_pointer(index, split.fragment);
    }
    const auto& anchors = resources_[index].anchors;
    const auto anchor = anchors.find(split.fragment);
    return anchor != anchors.end() ? Target{anchor->second, index} : Target{};
  }

  Target at_pointer(size_t resource, std::string_view pointer) const {
    Target at{resources_[resource].root, resource};
    if (pointer.empty()) {
      return at;
    }
    for (const std::string_view token : base::split(pointer.substr(1), '/')) {
      at.schema = at.schema != nullptr ? step(*at.schema, token) : nullptr;
      if (const auto known = resource_of_.find(at.schema); known != resource_of_.end()) {
        at.resource = known->second;
      }
    }
    return at;
  }

  std::vector<const Node*> below(const Node& table, SubschemaForce force) const {
    std::vector<const Node*> found;
    for_each_subschema(
        table, draft(table),
        [&](const Node& one, const SubschemaKeyword& keyword, const std::string& /*pointer*/) {
          if (keyword.force == force && !Tree::is_list(one)) {
            found.push_back(&one);
          }
        });
    return found;
  }

  bool has_dynamic_reference(const Node& schema) const {
    return (draft(schema) >= 2019 && schema.find("$recursiveRef") != nullptr) ||
           (draft(schema) >= 2020 && schema.find("$dynamicRef") != nullptr);
  }

  /// The search for the schemas in force.
  struct PartWalk {
    Through through;
    Parts parts;
    std::map<const Node*, bool> done;  ///< The schemas met, and whether all in force with them are.
    int depth;
  };

  void add_parts(const Node& schema, PartWalk& walk) const {
    const auto [met, is_new] = walk.done.try_emplace(&schema, false);
    const bool is_endless = !is_new && !met->second;
    const bool is_known = Tree::is_map(schema) || Tree::boolean(schema).value_or(false);
    if (is_endless || !is_known || walk.depth > kDepthMax || walk.done.size() > kPartsMax) {
      walk.parts.unread.push_back(&schema);
      return;
    }
    if (is_new && Tree::is_map(schema)) {
      ++walk.depth;
      add_table(schema, walk);
      --walk.depth;
    }
    met->second = true;
  }

  void add_table(const Node& schema, PartWalk& walk) const {
    if (schema_text(schema, "$ref")) {
      if (const Node* referred = target(schema)) {
        add_parts(*referred, walk);
      } else {
        walk.parts.unread.push_back(&schema);
      }
    }
    if (is_only_reference(schema, draft(schema))) {
      return;
    }
    walk.parts.tables.push_back(&schema);
    if (has_dynamic_reference(schema)) {
      walk.parts.unread.push_back(&schema);
    }
    if (walk.through == Through::kReferencesAndAllOf) {
      for (const Node* part : below(schema, SubschemaForce::kAlways)) {
        add_parts(*part, walk);
      }
    }
  }

  std::vector<Resource> resources_;      ///< The first one is the document.
  std::vector<const Node*> references_;  ///< The schemas with a "$ref".
  std::unordered_map<const Node*, size_t> resource_of_;
};

}  // namespace chartwright::helm
