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

// Schema documents compiled into nodes that refer to each other. The graph has a cycle where the
// schema is recursive.
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

/// Returns the type of a value. Every number is kNumberType.
JsonType json_type_of(const value::Value& v);
std::string_view json_type_name(JsonType type);

struct SchemaNode;

struct PatternNode {
  std::shared_ptr<const go::Regexp> regex;
  const SchemaNode* node;
};

/// additionalProperties and additionalItems: absent, a bool, or a schema.
using Additional = std::variant<std::monostate, bool, const SchemaNode*>;
/// A member of `dependencies`: names of required members, or a schema.
using DependencyRule = std::variant<std::vector<std::string>, const SchemaNode*>;

struct DynamicReference {
  const SchemaNode* target;
  std::string anchor;  ///< Empty if the reference does not name an anchor.
};

/// A subschema. Absent keywords are null, empty or nullopt.
struct SchemaNode {
  std::string location;  ///< URL with a JSON pointer.
  int draft = 2020;
  const SchemaNode* resource = nullptr;  ///< The enclosing schema with the nearest $id.
  std::map<std::string, const SchemaNode*, std::less<>> dynamic_anchors;  ///< Resources only.
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
  std::string format;  ///< Set only if the draft asserts formats.

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

  std::optional<value::Value> maximum;  ///< kInt or kFloat, like the next four.
  std::optional<value::Value> minimum;
  std::optional<value::Value> exclusive_maximum;
  std::optional<value::Value> exclusive_minimum;
  std::optional<value::Value> multiple_of;
};

/// All nodes of a document and those that it refers to, which it owns. Validation starts at `root`.
struct SchemaGraph {
  std::vector<std::unique_ptr<SchemaNode>> nodes;
  const SchemaNode* root = nullptr;
};

/// Whether a document belongs to a chart or is a meta-schema. Meta-schemas are assumed to be valid,
/// and they assert formats in every draft.
enum class SchemaKind : uint8_t { kUser, kMeta };

class SchemaSource;

/// Compiles a decoded document with those that it refers to, which `source` loads; nullptr: none
/// can be loaded. Errors: kSchema, kBudget; kUnavailable and kTimeout of the source.
base::Result<std::shared_ptr<const SchemaGraph>> compile_schema(
    const value::Value& document, SchemaKind kind, const SchemaRules& rules = {},
    const SchemaSource* source = nullptr);

/// Returns the validation steps that scanning a string of so many bytes costs.
constexpr int64_t text_steps(size_t bytes) { return static_cast<int64_t>(bytes / 64); }
/// Compares two JSON values; returns -1, 0 or 1. Values are equal exactly if the Go library takes
/// them as equal; numbers compare by their shortest decimal form. Adds one step to `steps` for each
/// pair of nested values compared, plus the steps for their strings.
int json_order(const value::Value& a, const value::Value& b, int64_t& steps);
/// Report whether a node of release 6.0.2 accepts `v` as its `const` or as one of its `enum`, which
/// the node must have. In that release a number equals a string that spells it; in an `enum` only
/// if it contains a number. `steps` is charged as in json_order.
bool is_loosely_constant(const SchemaNode& node, const value::Value& v, int64_t& steps);
bool is_loosely_enumerated(const SchemaNode& node, const value::Value& v, int64_t& steps);
/// Compares two numbers; returns -1, 0 or 1.
int compare_json_numbers(const value::Value& a, const value::Value& b);
bool is_json_integer(const value::Value& v);
/// Returns a whole number; of one beyond int64, the lowest 64 bits, as Go's big.Int.Int64 does.
/// Exact for numbers of up to 17 significant digits.
int64_t lowest_bits(const value::Value& v);
/// Reports whether `v` is a multiple of `divisor`, in exact decimal arithmetic on the shortest
/// decimal form of each.
bool is_multiple_of(const value::Value& v, const value::Value& divisor);

/// Returns why `v` does not match the format; nullopt if it matches, if it is not a string, or if
/// the format is unknown. Source: santhosh-tekuri/jsonschema v6 format.go.
std::optional<std::string> format_fault(std::string_view format, const value::Value& v,
                                        SchemaRelease release = SchemaRelease::k6_0_3);

/// Quotes a string in single quotes, as in the validator's messages.
std::string single_quoted(std::string_view text);
/// Formats a number as golang.org/x/text/message prints a float64 in English: "12,345.6", "1×10⁰⁶".
std::string localized_number(const value::Value& v);
std::string localized_integer(int64_t number);

}  // namespace chartwright::helm
