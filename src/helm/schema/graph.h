// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "go/regexp.h"
#include "helm/version/profile.h"
#include "value/value.h"

// A schema document compiled into nodes that refer to each other; cyclic where the schema is.
namespace chartwright::helm {

inline constexpr std::string_view kSchemaUrl = "file:///values.schema.json";

/// A set of JSON types, as bits.
enum JsonType : uint8_t {
  kNullType = 1,
  kBooleanType = 2,
  kNumberType = 4,
  kIntegerType = 8,
  kStringType = 16,
  kArrayType = 32,
  kObjectType = 64,
};
using JsonTypes = uint8_t;

/// The type of a value; numbers are always kNumberType.
JsonType json_type_of(const value::Value& v);
std::string_view json_type_name(JsonType type);

struct SchemaNode;

struct PatternNode {
  std::shared_ptr<const go::Regexp> regex;
  const SchemaNode* node;
};

/// additionalProperties and additionalItems: absent, a bool, or a schema.
using Additional = std::variant<std::monostate, bool, const SchemaNode*>;
/// A member of `dependencies`: names that must be there, or a schema.
using DependencyRule = std::variant<std::vector<std::string>, const SchemaNode*>;

struct DynamicReference {
  const SchemaNode* target;
  std::string anchor;  ///< Empty when the reference names no anchor.
};

/// One subschema. Absent keywords are null, empty or nullopt.
struct SchemaNode {
  std::string location;  ///< URL with JSON pointer.
  int draft = 2020;
  const SchemaNode* resource = nullptr;  ///< The schema that carries the nearest $id.
  std::map<std::string, const SchemaNode*, std::less<>> dynamic_anchors;  ///< Of a resource.
  bool all_props_evaluated = false;
  bool all_items_evaluated = false;
  size_t items_evaluated = 0;

  std::optional<bool> boolean;
  const SchemaNode* ref = nullptr;
  const SchemaNode* recursive_ref = nullptr;
  bool recursive_anchor = false;
  std::optional<DynamicReference> dynamic_ref;
  std::string dynamic_anchor;
  JsonTypes types = 0;
  std::optional<std::vector<value::Value>> enumeration;
  std::optional<value::Value> constant;
  const SchemaNode* not_schema = nullptr;
  std::vector<const SchemaNode*> all_of;
  std::vector<const SchemaNode*> any_of;
  std::vector<const SchemaNode*> one_of;
  const SchemaNode* if_schema = nullptr;
  const SchemaNode* then_schema = nullptr;
  const SchemaNode* else_schema = nullptr;
  std::string format;  ///< Only where the draft asserts formats.

  std::optional<int64_t> max_properties;
  std::optional<int64_t> min_properties;
  std::vector<std::string> required;
  const SchemaNode* property_names = nullptr;
  std::map<std::string, const SchemaNode*, std::less<>> properties;
  std::vector<PatternNode> pattern_properties;
  Additional additional_properties;
  std::map<std::string, DependencyRule> dependencies;
  std::map<std::string, std::vector<std::string>> dependent_required;
  std::map<std::string, const SchemaNode*> dependent_schemas;
  const SchemaNode* unevaluated_properties = nullptr;

  std::optional<int64_t> min_items;
  std::optional<int64_t> max_items;
  bool unique_items = false;
  const SchemaNode* contains = nullptr;
  std::optional<int64_t> min_contains;
  std::optional<int64_t> max_contains;
  const SchemaNode* items = nullptr;                ///< A schema for every item.
  std::vector<const SchemaNode*> positional_items;  ///< prefixItems, or `items` as an array.
  Additional additional_items;
  SchemaRelease release = SchemaRelease::k6_0_3;
  const SchemaNode* unevaluated_items = nullptr;

  std::optional<int64_t> min_length;
  std::optional<int64_t> max_length;
  std::shared_ptr<const go::Regexp> pattern;

  std::optional<value::Value> maximum;  ///< kInt or kFloat, as the next four.
  std::optional<value::Value> minimum;
  std::optional<value::Value> exclusive_maximum;
  std::optional<value::Value> exclusive_minimum;
  std::optional<value::Value> multiple_of;
};

/// All nodes of one document, owned; `root` is where validation starts.
struct SchemaGraph {
  std::vector<std::unique_ptr<SchemaNode>> nodes;
  const SchemaNode* root = nullptr;
};

/// A document of a chart, or one that the drafts define. The latter are taken as valid, and what
/// they say about formats counts in every draft.
enum class SchemaKind : uint8_t { kUser, kMeta };

/// Compiles a decoded document. Errors: kSchema, kBudget.
base::Result<std::shared_ptr<const SchemaGraph>> compile_schema(const value::Value& document,
                                                                SchemaKind kind,
                                                                const SchemaRules& rules = {});

/// Steps of validation that looking through a text takes.
constexpr int64_t text_steps(size_t bytes) { return static_cast<int64_t>(bytes / 64); }
/// -1, 0 or 1: an order in which JSON values are equal that are so for the library, numbers by
/// their shortest decimal form. Adds a step to `steps` for each pair of values within them that it
/// looks at, and those of their texts.
int json_order(const value::Value& a, const value::Value& b, int64_t& steps);
/// Whether a node of release 6.0.2 takes `v` for its constant, which it has, or for one of its
/// enumeration: there a number is equal to a text that writes it, if an enumeration has numbers.
/// Steps as in json_order.
bool is_loosely_constant(const SchemaNode& node, const value::Value& v, int64_t& steps);
bool is_loosely_enumerated(const SchemaNode& node, const value::Value& v, int64_t& steps);
/// -1, 0, 1; both are numbers.
int compare_json_numbers(const value::Value& a, const value::Value& b);
bool is_json_integer(const value::Value& v);
/// Whether `v` divided by `divisor` is whole, in exact decimal arithmetic on the shortest decimal
/// form of each.
bool is_multiple_of(const value::Value& v, const value::Value& divisor);

/// Why `v` is not of the format; nullopt when it is, is no string, or the format is unknown.
/// Source: santhosh-tekuri/jsonschema v6 format.go.
std::optional<std::string> format_fault(std::string_view format, const value::Value& v,
                                        SchemaRelease release = SchemaRelease::k6_0_3);

/// A string in single quotes as the validator's messages have it.
std::string single_quoted(std::string_view text);
/// A number as golang.org/x/text/message prints a float64 in English: "12,345.6", "1×10⁰⁶".
std::string localized_number(const value::Value& v);
std::string localized_integer(int64_t number);

}  // namespace chartwright::helm
