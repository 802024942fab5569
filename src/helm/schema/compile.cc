// SPDX-License-Identifier: Apache-2.0
// Compiles a decoded schema document, and those that it refers to, into a graph of nodes.
// Source: santhosh-tekuri/jsonschema v6 compiler.go, objcompiler.go.

#include "go/quote.h"
#include "helm/schema/documents.h"
#include "helm/schema/graph.h"
#include "helm/schema/meta.h"
#include "helm/schema/reference.h"
#include "helm/schema/resources.h"
#include "value/json_pointer.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr size_t kNodesMax = 100'000;

base::Error schema_error(std::string message) {
  return base::Error(base::ErrorCode::kSchema, std::move(message));
}

JsonTypes types_of(const Value& v) {
  JsonTypes types = 0;
  const auto add = [&types](const Value& name) {
    for (int bit = kNullType; bit <= kObjectType; bit *= 2) {
      if (name.is_string() && name.as_string() == json_type_name(static_cast<JsonType>(bit))) {
        types = static_cast<JsonTypes>(types | bit);
      }
    }
  };
  if (v.is_list()) {
    for (const Value& item : v.as_list().items) {
      add(item);
    }
  } else {
    add(v);
  }
  return types;
}

std::vector<std::string> strings_of(const Value& list) {
  std::vector<std::string> strings;
  for (const Value& item : list.as_list().items) {
    if (item.is_string()) {
      strings.push_back(item.as_string());
    }
  }
  return strings;
}

/// A subschema: a document and a JSON pointer into it.
struct Subschema {
  SchemaDocument* document;
  std::string pointer;
};

/// Reports whether the document is one of the drafts' own, which are taken as valid.
bool is_meta_schema(std::string_view url) {
  return url.starts_with("http://json-schema.org/") || url.starts_with("https://json-schema.org/");
}

class Compiler {
 public:
  Compiler(SchemaKind kind, const SchemaRules& rules, const SchemaSource* source)
      : kind_(kind), rules_(rules), documents_(source), graph_(std::make_shared<SchemaGraph>()) {}

  base::Result<std::shared_ptr<const SchemaGraph>> compile(const Value& content) {
    SchemaDocument& own = documents_.add(content, std::string(kSchemaUrl));
    CW_TRY_VOID(collect(own, ""));
    graph_->root = node_at(own, "");
    for (size_t done = 0; done < queue_.size(); ++done) {
      if (queue_.size() > kNodesMax) {
        return base::Error(base::ErrorCode::kBudget,
                           "values.schema.json has more than 100000 subschemas");
      }
      const Subschema place = queue_[done];
      CW_TRY_VOID(collect(*place.document, place.pointer));
      CW_TRY(const Value* source, place.document->resources.schema_at(place.pointer));
      CW_TRY_VOID(compile_node(*source, place, *place.document->nodes[place.pointer]));
    }
    return std::shared_ptr<const SchemaGraph>(graph_);
  }

 private:
  /// Collects the resources at `pointer` on the first visit, and checks the subschema against the
  /// meta-schema of its draft.
  base::Status collect(SchemaDocument& document, const std::string& pointer) {
    SchemaResources& resources = document.resources;
    if (resources.has_visited(pointer)) {
      return {};
    }
    CW_TRY_VOID(resources.collect(pointer));
    if (kind_ == SchemaKind::kMeta || is_meta_schema(resources.url())) {
      return {};
    }
    CW_TRY(const Value* schema, resources.schema_at(pointer));
    return check_against_meta_schema(*schema, pointer, resources, rules_.release);
  }

  /// Returns the node for a subschema, which is compiled later.
  SchemaNode* node_at(SchemaDocument& document, const std::string& pointer) {
    SchemaNode*& node = document.nodes[pointer];
    if (node == nullptr) {
      graph_->nodes.push_back(std::make_unique<SchemaNode>());
      node = graph_->nodes.back().get();
      node->location = document.resources.location(pointer);
      queue_.push_back({&document, pointer});
    }
    return node;
  }

  base::Status compile_node(const Value& source, const Subschema& place, SchemaNode& node) {
    const SchemaResource& resource = place.document->resources.of(place.pointer);
    node.draft = resource.draft;
    node.resource = node_at(*place.document, resource.pointer);
    if (node.draft >= 2020 && resource.pointer == place.pointer) {
      for (const std::string& anchor : resource.dynamic_anchors) {
        node.dynamic_anchors[anchor] =
            node_at(*place.document, resource.anchors.find(anchor)->second);
      }
    }
    if (source.is_bool()) {
      node.boolean = source.as_bool();
    } else if (source.is_dict()) {
      if (source.as_dict().empty()) {
        node.boolean = true;
      } else {
        CW_TRY_VOID(ObjectCompiler(*this, source, place, node).run());
      }
    }
    node.all_props_evaluated = node.additional_properties.index() != 0;
    node.all_items_evaluated =
        node.items != nullptr || (node.draft < 2020 && node.additional_items.index() != 0);
    node.items_evaluated = node.positional_items.size();
    node.release = rules_.release;
    return {};
  }

  base::Result<const SchemaNode*> resolve(const std::string& reference, const Subschema& place) {
    const SchemaResources& resources = place.document->resources;
    const SplitUrl split = split_fragment(reference);
    const std::string url = join_url(resources.of(place.pointer).id, split.url);
    const SchemaResource* target = url == resources.url() ? &resources.of("") : resources.find(url);
    return target != nullptr ? resolve_in(*place.document, *target, split.fragment)
                             : resolve_foreign(url, split.fragment);
  }

  base::Result<const SchemaNode*> resolve_in(SchemaDocument& document, const SchemaResource& target,
                                             const std::string& fragment) {
    if (fragment.empty() || fragment.front() == '/') {
      const std::string at = target.pointer + fragment;
      CW_TRY_DISCARD(document.resources.schema_at(at));
      return node_at(document, at);
    }
    const auto anchor = target.anchors.find(fragment);
    if (anchor == target.anchors.end()) {
      return schema_error("anchor in " + go::quote(target.id + "#" + fragment) +
                          " not found in schema " + go::quote(document.resources.url()));
    }
    return node_at(document, anchor->second);
  }

  /// Resolves a reference to another document. A URN allows anything, if the rules say so.
  base::Result<const SchemaNode*> resolve_foreign(const std::string& url,
                                                  const std::string& fragment) {
    if (url.starts_with("urn:") && rules_.urns == UrnRule::kAnything) {
      graph_->nodes.push_back(std::make_unique<SchemaNode>());
      SchemaNode& anything = *graph_->nodes.back();
      anything.location = url + "#";
      anything.resource = &anything;
      anything.boolean = true;
      return &anything;
    }
    CW_TRY(SchemaDocument* const document, documents_.at(url));
    CW_TRY_VOID(collect(*document, ""));
    return resolve_in(*document, document->resources.of(""), fragment);
  }

  base::Result<std::shared_ptr<const go::Regexp>> regex(const std::string& text,
                                                        const std::string& location) {
    auto compiled = patterns_.compile(text);
    if (!compiled.ok()) {
      return schema_error("invalid regex " + go::quote(text) + " at " + go::quote(location) + ": " +
                          compiled.error().message());
    }
    return std::make_shared<const go::Regexp>(std::move(compiled).value());
  }

  /// Reads the keywords of one object schema.
  class ObjectCompiler {
   public:
    ObjectCompiler(Compiler& compiler, const Value& source, const Subschema& place,
                   SchemaNode& node)
        : compiler_(compiler), source_(source), place_(place), node_(node) {}

    base::Status run() {
      CW_TRY(node_.ref, reference("$ref"));
      if (node_.draft < 2019 && node_.ref != nullptr) {
        return {};  // all other members of a "$ref" object are ignored
      }
      applicators();
      CW_TRY_VOID(object_keywords());
      array_keywords();
      number_keywords();
      CW_TRY_VOID(value_keywords());
      return later_drafts();
    }

   private:
    const Value* member(std::string_view key) const { return source_.find(key); }

    const Value* member(std::string_view key, JsonType type) const {
      const Value* found = source_.find(key);
      return found != nullptr && json_type_of(*found) == type ? found : nullptr;
    }

    bool is_true(std::string_view key) const {
      const Value* found = member(key, kBooleanType);
      return found != nullptr && found->as_bool();
    }

    std::optional<Value> number(std::string_view key) const {
      const Value* found = member(key, kNumberType);
      return found != nullptr ? std::optional(*found) : std::nullopt;
    }

    std::optional<int64_t> whole(std::string_view key) const {
      const Value* found = member(key, kNumberType);
      if (found == nullptr || !is_json_integer(*found)) {
        return std::nullopt;
      }
      return lowest_bits(*found);
    }

    std::string below(std::string_view key) const {
      return place_.pointer + "/" + std::string(key);
    }

    const SchemaNode* node_at(const std::string& pointer) {
      return compiler_.node_at(*place_.document, pointer);
    }

    const SchemaNode* sub(std::string_view key) {
      return member(key) != nullptr ? node_at(below(key)) : nullptr;
    }

    std::vector<const SchemaNode*> sub_list(std::string_view key) {
      std::vector<const SchemaNode*> nodes;
      if (const Value* found = member(key, kArrayType)) {
        for (size_t i = 0; i < found->as_list().items.size(); ++i) {
          nodes.push_back(node_at(below(key) + "/" + std::to_string(i)));
        }
      }
      return nodes;
    }

    template <typename Map>
    void sub_map(std::string_view key, Map& into) {
      if (const Value* found = member(key, kObjectType)) {
        for (const auto& [name, schema] : found->as_dict()) {
          into[name] = node_at(below(key) + "/" + value::escape_pointer_token(name));
        }
      }
    }

    Additional additional(std::string_view key) {
      if (const Value* found = member(key, kBooleanType)) {
        return found->as_bool();
      }
      const SchemaNode* node = sub(key);
      return node != nullptr ? Additional(node) : Additional();
    }

    base::Result<const SchemaNode*> reference(std::string_view key) {
      const Value* found = member(key, kStringType);
      if (found == nullptr) {
        return nullptr;
      }
      return compiler_.resolve(found->as_string(), place_);
    }

    void applicators() {
      node_.all_of = sub_list("allOf");
      node_.any_of = sub_list("anyOf");
      node_.one_of = sub_list("oneOf");
      node_.not_schema = sub("not");
      if (node_.draft < 7) {
        return;
      }
      node_.if_schema = sub("if");
      if (node_.if_schema != nullptr) {
        const Value* constant = member("if", kBooleanType);
        node_.then_schema = constant == nullptr || constant->as_bool() ? sub("then") : nullptr;
        node_.else_schema = constant == nullptr || !constant->as_bool() ? sub("else") : nullptr;
      }
    }

    base::Status object_keywords() {
      node_.max_properties = whole("maxProperties");
      node_.min_properties = whole("minProperties");
      if (const Value* required = member("required", kArrayType)) {
        node_.required = strings_of(*required);
      }
      sub_map("properties", node_.properties);
      node_.additional_properties = additional("additionalProperties");
      if (const Value* patterns = member("patternProperties", kObjectType)) {
        for (const auto& [pattern, schema] : patterns->as_dict()) {
          CW_TRY(auto regex, compiler_.regex(pattern, location("patternProperties")));
          node_.pattern_properties.push_back(
              {std::move(regex),
               node_at(below("patternProperties") + "/" + value::escape_pointer_token(pattern))});
        }
      }
      if (const Value* dependencies = member("dependencies", kObjectType)) {
        for (const auto& [name, rule] : dependencies->as_dict()) {
          if (rule.is_list()) {
            node_.dependencies[name] = strings_of(rule);
          } else {
            node_.dependencies[name] =
                node_at(below("dependencies") + "/" + value::escape_pointer_token(name));
          }
        }
      }
      if (node_.draft >= 6) {
        node_.property_names = sub("propertyNames");
      }
      return {};
    }

    void array_keywords() {
      node_.min_items = whole("minItems");
      node_.max_items = whole("maxItems");
      node_.unique_items = is_true("uniqueItems");
      if (node_.draft >= 2020) {
        node_.positional_items = sub_list("prefixItems");
        node_.items = sub("items");
      } else if (member("items", kArrayType) != nullptr) {
        node_.positional_items = sub_list("items");
        node_.additional_items = additional("additionalItems");
      } else {
        node_.items = sub("items");
      }
      if (node_.draft >= 6) {
        node_.contains = sub("contains");
      }
    }

    void number_keywords() {
      node_.multiple_of = number("multipleOf");
      node_.maximum = number("maximum");
      node_.minimum = number("minimum");
      // In draft 4 a bool makes the plain limit exclusive.
      if (is_true("exclusiveMaximum")) {
        node_.exclusive_maximum = std::exchange(node_.maximum, std::nullopt);
      } else {
        node_.exclusive_maximum = number("exclusiveMaximum");
      }
      if (is_true("exclusiveMinimum")) {
        node_.exclusive_minimum = std::exchange(node_.minimum, std::nullopt);
      } else {
        node_.exclusive_minimum = number("exclusiveMinimum");
      }
    }

    base::Status value_keywords() {
      if (const Value* type = member("type")) {
        node_.types = types_of(*type);
      }
      if (const Value* values = member("enum", kArrayType)) {
        node_.enumeration = values->as_list().items;
      }
      if (node_.draft >= 6 && member("const") != nullptr) {
        node_.constant = *member("const");
      }
      node_.min_length = whole("minLength");
      node_.max_length = whole("maxLength");
      if (const Value* pattern = member("pattern", kStringType)) {
        CW_TRY(node_.pattern, compiler_.regex(pattern->as_string(), location("pattern")));
      }
      if (const Value* format = member("format", kStringType);
          format != nullptr && (node_.draft < 2019 || compiler_.kind_ == SchemaKind::kMeta)) {
        node_.format = format->as_string();
      }
      return {};
    }

    base::Status later_drafts() {
      if (node_.draft < 2019) {
        return {};
      }
      CW_TRY(node_.recursive_ref, reference("$recursiveRef"));
      node_.recursive_anchor = is_true("$recursiveAnchor");
      if (node_.contains != nullptr) {
        node_.min_contains = whole("minContains");
        node_.max_contains = whole("maxContains");
      }
      if (const Value* required = member("dependentRequired", kObjectType)) {
        for (const auto& [name, names] : required->as_dict()) {
          if (names.is_list()) {
            node_.dependent_required[name] = strings_of(names);
          }
        }
      }
      sub_map("dependentSchemas", node_.dependent_schemas);
      node_.unevaluated_items = sub("unevaluatedItems");
      node_.unevaluated_properties = sub("unevaluatedProperties");
      return dynamic_reference();
    }

    base::Status dynamic_reference() {
      if (node_.draft < 2020) {
        return {};
      }
      if (const Value* anchor = member("$dynamicAnchor", kStringType)) {
        node_.dynamic_anchor = anchor->as_string();
      }
      CW_TRY(const SchemaNode* target, reference("$dynamicRef"));
      if (target != nullptr) {
        std::string anchor = split_fragment(member("$dynamicRef")->as_string()).fragment;
        if (anchor.starts_with('/')) {
          anchor.clear();
        }
        node_.dynamic_ref = DynamicReference{target, std::move(anchor)};
      }
      return {};
    }

    std::string location(std::string_view keyword) const {
      return node_.location + "/" + std::string(keyword);
    }

    Compiler& compiler_;
    const Value& source_;
    const Subschema& place_;
    SchemaNode& node_;
  };

  const SchemaKind kind_;
  const SchemaRules rules_;
  SchemaDocuments documents_;
  std::shared_ptr<SchemaGraph> graph_;
  std::vector<Subschema> queue_;
  go::RegexpCache patterns_;  ///< Many members of a schema have the same pattern.
};

}  // namespace

base::Result<std::shared_ptr<const SchemaGraph>> compile_schema(const Value& document,
                                                                SchemaKind kind,
                                                                const SchemaRules& rules,
                                                                const SchemaSource* source) {
  return Compiler(kind, rules, source).compile(document);
}

}  // namespace chartwright::helm
