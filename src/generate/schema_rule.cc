// SPDX-License-Identifier: Apache-2.0
#include "generate/schema_rule.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "helm/schema/schema.h"
#include "value/json.h"

namespace chartwright::generate {
namespace {

using bundle::all_of;
using bundle::any_of;
using bundle::Cel;
using bundle::cel_literal;
using bundle::exactly_one_of;
using bundle::negated;
using value::Value;
using yaml::DocumentEntry;
using yaml::DocumentNode;
using Condition = std::optional<Cel>;

constexpr int kRuleDepthMax = 20;
/// For all rules of a document: references may make a small schema one of any size.
constexpr size_t kWorkBytesMax = size_t{64} << 20;
constexpr size_t kPatternMax = 1000;
/// A request has at most as many bytes.
constexpr uint64_t kRequestBytesMax = 3'145'728;
/// The type that CEL has for either.
constexpr std::string_view kEither = "integer or string";

template <size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& all, std::string_view key) {
  return std::ranges::find(all, key) != all.end();
}

/// Keywords without an effect on what is valid, and those that are read with "if".
constexpr std::array<std::string_view, 19> kWithoutEffect = {
    "$schema",  "$id",        "id",       "$defs",           "definitions",     "$comment", "title",
    "examples", "default",    "readOnly", "writeOnly",       "description",     "then",     "else",
    "nullable", "deprecated", "$anchor",  "contentEncoding", "contentMediaType"};
constexpr std::array<std::string_view, 13> kOfObjects = {
    "required",      "properties",        "dependentRequired",     "dependentSchemas",
    "dependencies",  "minProperties",     "maxProperties",         "additionalProperties",
    "propertyNames", "patternProperties", "unevaluatedProperties", "minContains",
    "maxContains"};
constexpr std::array<std::string_view, 4> kOfStrings = {"minLength", "maxLength", "pattern",
                                                        "format"};
constexpr std::array<std::string_view, 5> kOfNumbers = {"minimum", "maximum", "exclusiveMinimum",
                                                        "exclusiveMaximum", "multipleOf"};
constexpr std::array<std::string_view, 8> kOfLists = {
    "minItems",    "maxItems", "uniqueItems",     "items",
    "prefixItems", "contains", "additionalItems", "unevaluatedItems"};
/// Strings in these formats have types of their own in CEL.
constexpr std::array<std::string_view, 4> kTypedFormats = {"byte", "duration", "date", "date-time"};

/// Returns the only type of a structural schema; "" if CEL does not see the value.
std::string_view type_at(const Yaml& shape) {
  if (shape.has(kIntOrString)) {
    return kEither;
  }
  const Yaml* type = shape.find("type");
  return type != nullptr ? std::string_view(type->scalar()) : "";
}

/// Reports whether CEL sees a field. Source: k8s.io/apiserver pkg/cel/common/schemas.go.
bool is_visible(const Yaml& shape) {
  const std::string_view type = type_at(shape);
  if (type == "array") {
    const Yaml* items = shape.find("items");
    return items != nullptr && is_visible(*items);
  }
  const Yaml* values = shape.find("additionalProperties");
  return !type.empty() && (values == nullptr || is_visible(*values));
}

bool is_plain_string(const Yaml& shape) {
  const Yaml* format = shape.find("format");
  return format == nullptr || !is_among(kTypedFormats, format->scalar());
}

/// The longest string, in bytes.
uint64_t size_max(const Yaml& shape) {
  const Yaml* longest = shape.find("maxLength");
  const auto number = longest != nullptr ? longest->whole() : std::nullopt;
  return number && *number >= 0 && *number < 500'000 ? static_cast<uint64_t>(*number) * 4
                                                     : kRequestBytesMax;
}

bool has_null(const Value& value) {
  if (value.is_dict()) {
    return std::ranges::any_of(value.as_dict(),
                               [](const auto& member) { return has_null(member.second); });
  }
  if (value.is_list()) {
    return std::ranges::any_of(value.as_list().items, has_null);
  }
  return value.is_nil();
}

/// Reports whether a schema means the same where only its definitions are beside it.
bool stands_alone(const Value& schema) {
  if (schema.is_list()) {
    return std::ranges::all_of(schema.as_list().items, stands_alone);
  }
  if (!schema.is_dict()) {
    return true;
  }
  return std::ranges::all_of(schema.as_dict(), [](const auto& member) {
    const auto& [key, value] = member;
    if (!value.is_string()) {
      return stands_alone(value);
    }
    const std::string& text = value.as_string();
    return key == "$ref" ? text.starts_with("#/$defs/") || text.starts_with("#/definitions/")
                         : key != "$id" && key != "id" && key != "$dynamicRef" &&
                               key != "$recursiveRef" && key != "$dynamicAnchor";
  });
}

uint64_t cost_of_access(std::string_view self) {
  return 2 + static_cast<uint64_t>(std::ranges::count(self, '.'));
}

Cel compare(const RulePlace& place, const std::string& rest, uint64_t cost) {
  return Cel::expression(place.self + rest, cost_of_access(place.self) + cost,
                         Cel::Form::kComparison);
}

}  // namespace

/// A field that a rule is about.
struct SchemaRules::Field {
  RulePlace place{nullptr, nullptr, ""};  ///< Without a shape, CEL does not see it.
  bool is_known = true;      ///< Whether it is there depends on the spec and values.yaml alone.
  bool may_be_null = false;  ///< And null stays null.

  bool has_usual() const { return place.usual != nullptr && !place.usual->is_nil(); }
  Cel is_given() const {
    return Cel::expression("has(" + place.self + ")", cost_of_access(place.self) + 1);
  }
};

Condition SchemaRules::cannot(std::string why) {
  obstacle_ = std::move(why);
  return std::nullopt;
}

/// Reports whether there is work left, and takes some.
bool SchemaRules::may_work(size_t bytes) {
  work_ = std::min(kWorkBytesMax, work_ + bytes);
  return work_ < kWorkBytesMax;
}

SchemaRules::Field SchemaRules::field(const std::string& name, const RulePlace& place) {
  Field found;
  found.place.usual = place.usual != nullptr ? place.usual->find(name) : nullptr;
  const Yaml* fields = place.shape->find("properties");
  const Yaml* shape = fields != nullptr ? fields->find(name) : nullptr;
  const auto escaped = bundle::cel_name(name);
  found.is_known = shape != nullptr && is_visible(*shape) && escaped.has_value();
  if (found.is_known) {
    found.place.shape = shape;
    found.place.self = place.self + "." + *escaped;
    found.may_be_null = shape->has("nullable") && !found.has_usual();
  } else {
    const std::string_view why =
        shape == nullptr ? "is not among the \"properties\" there" : "has no type there";
    obstacle_ = "\"" + name + "\" " + std::string(escaped ? why : "cannot be named in CEL");
  }
  return found;
}

Condition SchemaRules::present(const std::string& name, const RulePlace& place) {
  const Field found = field(name, place);
  if (found.has_usual()) {
    return Cel::constant(true);
  }
  if (found.may_be_null) {
    return cannot("\"" + name + "\" may be null");
  }
  return found.is_known ? Condition(found.is_given()) : std::nullopt;
}

Condition SchemaRules::all_present(const DocumentNode& names, const RulePlace& place) {
  std::vector<Cel> all;
  for (const DocumentNode& name : names.items) {
    Condition one = present(name.text, place);
    if (!one) {
      return std::nullopt;
    }
    all.push_back(*std::move(one));
  }
  return all_of(all);
}

std::optional<bool> SchemaRules::accepts(const DocumentNode& schema, const Value& value) {
  if (!may_work(1)) {
    return std::nullopt;
  }
  Value alone = Value::dict();
  for (std::string_view key : {"$schema", "$defs", "definitions"}) {
    if (const DocumentNode* member = document_.root().find(key)) {
      alone.mutable_dict().set(std::string(key), value_of(*member));
    }
  }
  alone.mutable_dict().set("allOf", Value::list({value_of(schema)}));
  const auto json = value::to_json(alone);
  if (!json.ok() || !may_work(json->size()) || !stands_alone(alone) ||
      (value.is_dict() && has_null(value))) {
    return std::nullopt;
  }
  const auto compiled = helm::Schema::compile(*json);
  if (!compiled.ok()) {
    return std::nullopt;
  }
  const base::Status met = compiled->validate(value);
  const bool is_known = met.ok() || met.error().code() == base::ErrorCode::kSchema;
  return is_known ? std::optional(met.ok()) : std::nullopt;
}

Condition SchemaRules::member(const DocumentEntry& property, const RulePlace& place) {
  const std::string& name = property.key.text;
  const Field found = field(name, place);
  const std::string why = obstacle_;
  const auto when_left_out =
      found.has_usual() ? accepts(property.value, *found.place.usual) : std::optional(true);
  const auto when_null = found.may_be_null ? accepts(property.value, Value()) : std::optional(true);
  if (!when_left_out || !when_null || !*when_null) {
    return cannot(found.may_be_null ? "\"" + name + "\" may be null" : "");
  }
  if (!found.is_known) {
    return cannot(why);
  }
  Condition given = condition(property.value, found.place);
  if (!given) {
    return std::nullopt;
  }
  if (given->is(*when_left_out)) {
    return given;
  }
  return *when_left_out ? any_of({negated(found.is_given()), *given})
                        : all_of({found.is_given(), *given});
}

Condition SchemaRules::condition(const DocumentNode& schema, const RulePlace& place) {
  if (schema.kind == DocumentNode::Kind::kScalar && schema.plain) {
    return Cel::constant(schema.text != "false");
  }
  if (schema.kind != DocumentNode::Kind::kMap || ++depth_ > kRuleDepthMax) {
    depth_ = depth_ > kRuleDepthMax ? depth_ - 1 : depth_;
    return cannot("");
  }
  std::vector<Cel> all;
  bool is_complete = true;
  for (const DocumentEntry& entry : schema.entries) {
    const Condition one = keyword(schema, entry, place);
    is_complete = is_complete && one.has_value();
    all.push_back(one.value_or(Cel::constant(true)));
  }
  --depth_;
  return is_complete ? Condition(all_of(all)) : std::nullopt;
}

Condition SchemaRules::keyword(const DocumentNode& schema, const DocumentEntry& entry,
                               const RulePlace& place) {
  constexpr size_t kWorkOfKeyword = 1024;  // And for each of the bytes that are copied.
  constexpr size_t kWorkOfByte = 8;
  Condition found = may_work(kWorkOfKeyword) ? read_keyword(schema, entry, place) : std::nullopt;
  const size_t bytes = found ? found->text().size() : 0;
  return may_work(kWorkOfByte * bytes) ? found : cannot("the schema is too large");
}

Condition SchemaRules::read_keyword(const DocumentNode& schema, const DocumentEntry& entry,
                                    const RulePlace& place) {
  const std::string& key = entry.key.text;
  const int draft = document_.draft(schema);
  const bool is_replaced = key != "$ref" && helm::is_only_reference(schema, draft);
  if (is_replaced || is_among(kWithoutEffect, key) || key.starts_with("x-")) {
    return Cel::constant(true);
  }
  const std::string_view type = type_at(*place.shape);
  if (type.empty()) {
    return cannot("no type is given");
  }
  if (is_among(kOfObjects, key)) {
    return type != "object" ? Cel::constant(true) : on_object(schema, entry, place);
  }
  if (is_among(kOfStrings, key)) {
    return type != "string" && type != kEither ? Cel::constant(true)
                                               : on_string(schema, entry, place);
  }
  if (is_among(kOfNumbers, key)) {
    const bool is_number = type == "integer" || type == "number" || type == kEither;
    return is_number ? on_number(schema, entry, place) : Cel::constant(true);
  }
  if (is_among(kOfLists, key)) {
    return type != "array" ? Cel::constant(true) : on_list(entry, place);
  }
  return on_any(schema, entry, place);
}

Condition SchemaRules::on_any(const DocumentNode& schema, const DocumentEntry& entry,
                              const RulePlace& place) {
  const std::string& key = entry.key.text;
  if (key == "$ref") {
    // The target may have a reference, too, and keywords beside it.
    return document_.follow(&schema) != nullptr ? condition(*document_.target(schema), place)
                                                : cannot("it refers elsewhere");
  }
  if (key == "type") {
    return type_is(schema, place);
  }
  if (key == "enum" || key == "const") {
    const bool is_known = key == "enum" || document_.draft(schema) >= 6;
    return is_known ? equals_one(entry, place) : Cel::constant(true);
  }
  if (key == "if") {
    const bool is_known = document_.draft(schema) >= 7;
    const Condition then = is_known ? branch(schema, "then", place) : Cel::constant(true);
    const Condition other = is_known ? branch(schema, "else", place) : Cel::constant(true);
    return then && other ? Condition(all_of({*then, *other})) : std::nullopt;
  }
  if (key == "not") {
    const Condition inner = condition(entry.value, place);
    return inner ? Condition(negated(*inner)) : std::nullopt;
  }
  if (key != "allOf" && key != "anyOf" && key != "oneOf") {
    return cannot("");
  }
  std::vector<Cel> all;
  for (const DocumentNode& part : entry.value.items) {
    Condition one = condition(part, place);
    if (!one) {
      return std::nullopt;
    }
    all.push_back(*std::move(one));
  }
  if (key == "allOf") {
    return all_of(all);
  }
  return key == "anyOf" ? any_of(all) : exactly_one_of(all);
}

Condition SchemaRules::branch(const DocumentNode& schema, std::string_view name,
                              const RulePlace& place) {
  const DocumentNode* wanted = schema.find(name);
  if (wanted == nullptr) {
    return Cel::constant(true);
  }
  const Condition test = condition(*schema.find("if"), place);
  const Condition then = test ? condition(*wanted, place) : std::nullopt;
  return then ? Condition(any_of({name == "then" ? negated(*test) : *test, *then})) : std::nullopt;
}

Condition SchemaRules::depend(const DocumentEntry& entry, const RulePlace& place) {
  std::vector<Cel> all;
  for (const DocumentEntry& rule : entry.value.entries) {
    const bool is_list = rule.value.kind == DocumentNode::Kind::kList;
    const Condition then = is_list ? all_present(rule.value, place) : condition(rule.value, place);
    const Condition test = then && !then->is(true) ? present(rule.key.text, place) : then;
    if (!test) {
      return std::nullopt;
    }
    all.push_back(any_of({negated(*test), *then}));
  }
  return all_of(all);
}

Condition SchemaRules::on_object(const DocumentNode& schema, const DocumentEntry& entry,
                                 const RulePlace& place) {
  const std::string& key = entry.key.text;
  const bool is_late = key == "dependentRequired" || key == "dependentSchemas";
  if (is_late && document_.draft(schema) < 2019) {
    return Cel::constant(true);
  }
  if (is_late || key == "dependencies") {
    return depend(entry, place);
  }
  if (key == "required") {
    return entry.value.kind == DocumentNode::Kind::kList ? all_present(entry.value, place)
                                                         : Cel::constant(true);
  }
  if (key != "properties") {
    const bool allows_all = entry.value.plain && entry.value.text == "true";
    return allows_all ? Condition(Cel::constant(true))
                      : cannot("\"" + key + "\" is among its rules");
  }
  std::vector<Cel> all;
  for (const DocumentEntry& property : entry.value.entries) {
    Condition one = member(property, place);
    if (!one) {
      return std::nullopt;
    }
    all.push_back(*std::move(one));
  }
  return all_of(all);
}

Condition SchemaRules::on_string(const DocumentNode& schema, const DocumentEntry& entry,
                                 const RulePlace& place) {
  const std::string& key = entry.key.text;
  if (key == "format" && document_.draft(schema) >= 2019) {
    return Cel::constant(true);
  }
  const bool is_plain = type_at(*place.shape) == "string" && is_plain_string(*place.shape);
  if (key == "format" || !is_plain || entry.value.text.size() > kPatternMax) {
    return cannot("\"" + key + "\" is among its rules");
  }
  const uint64_t walk = size_max(*place.shape) / 10 + 1;
  if (key == "pattern") {
    const uint64_t cost = walk * (entry.value.text.size() / 4 + 1);
    return Cel::expression(
        place.self + ".matches(" + cel_literal(Value::string(entry.value.text)) + ")",
        cost_of_access(place.self) + cost);
  }
  return Cel::expression(
      "size(" + place.self + (key == "minLength" ? ") >= " : ") <= ") + entry.value.text,
      cost_of_access(place.self) + walk + 2, Cel::Form::kComparison);
}

Condition SchemaRules::on_list(const DocumentEntry& entry, const RulePlace& place) {
  const std::string& key = entry.key.text;
  const bool allows_all = entry.value.plain &&
                          (entry.value.text == "true" || key == "uniqueItems") &&
                          (key != "uniqueItems" || entry.value.text == "false");
  if (allows_all) {
    return Cel::constant(true);
  }
  if ((key != "minItems" && key != "maxItems") || !is_visible(*place.shape)) {
    return cannot("\"" + key + "\" is among its rules");
  }
  return Cel::expression(
      "size(" + place.self + (key == "minItems" ? ") >= " : ") <= ") + entry.value.text,
      cost_of_access(place.self) + 2, Cel::Form::kComparison);
}

Condition SchemaRules::on_number(const DocumentNode& schema, const DocumentEntry& entry,
                                 const RulePlace& place) {
  const std::string& key = entry.key.text;
  const Value limit = value_of(entry.value);
  const std::string_view type = type_at(*place.shape);
  if (limit.is_bool()) {
    return Cel::constant(true);  // It makes the plain limit exclusive.
  }
  if (!limit.is_number() || type == kEither) {
    return cannot("\"" + key + "\" is among its rules");
  }
  if (key == "multipleOf") {
    const bool is_whole = type == "integer" && limit.is_int() && limit.as_int() > 0;
    return is_whole ? Condition(compare(place, " % " + cel_literal(limit) + " == 0", 4))
                    : cannot("\"multipleOf\" is among its rules");
  }
  const bool is_least = key == "minimum" || key == "exclusiveMinimum";
  const DocumentNode* exclusive = schema.find(is_least ? "exclusiveMinimum" : "exclusiveMaximum");
  const bool is_exclusive =
      key.starts_with("exclusive") || (exclusive != nullptr && exclusive->text == "true");
  const std::string sign = std::string(is_least ? " >" : " <") + (is_exclusive ? " " : "= ");
  if (type == "integer" && !limit.is_int()) {
    return Cel::expression("double(" + place.self + ")" + sign + cel_literal(limit, true),
                           cost_of_access(place.self) + 3, Cel::Form::kComparison);
  }
  return compare(place, sign + cel_literal(limit, type == "number"), 2);
}

Condition SchemaRules::type_is(const DocumentNode& schema, const RulePlace& place) {
  const FieldTypes wanted = types_of(document_, schema);
  const auto has = [&wanted](std::string_view name) {
    return std::ranges::find(wanted.names, name) != wanted.names.end();
  };
  const std::string_view type = type_at(*place.shape);
  const bool any_number = has("number");
  if (type == kEither) {
    const bool whole = any_number || has("integer");
    if (whole && has("string")) {
      return Cel::constant(true);
    }
    return whole || has("string") ? Condition(Cel::expression(
                                        "type(" + place.self + ") == " + (whole ? "int" : "string"),
                                        cost_of_access(place.self) + 3, Cel::Form::kComparison))
                                  : Cel::constant(false);
  }
  if (has(type) || (type == "integer" && any_number)) {
    return Cel::constant(true);
  }
  return type == "number" && has("integer") ? cannot("\"type\" is among its rules")
                                            : Cel::constant(false);
}

Condition SchemaRules::equals_one(const DocumentEntry& entry, const RulePlace& place) {
  const std::string_view type = type_at(*place.shape);
  const Value written = value_of(entry.value);
  const bool is_one = entry.key.text == "const";
  if (!is_one && !written.is_list()) {
    return cannot("");
  }
  std::vector<std::string> same;
  uint64_t cost = cost_of_access(place.self) + 12;
  const std::vector<Value> all = is_one ? std::vector<Value>{written} : written.as_list().items;
  for (const Value& value : all) {
    const std::string_view own = value::schema_type(value);
    const bool may_be_same = own == type || (own == "integer" && type == "number") ||
                             (type == kEither && (own == "integer" || own == "string"));
    if (!may_be_same) {
      continue;
    }
    if (own == "object" || own == "array" || !is_plain_string(*place.shape)) {
      return cannot("\"" + entry.key.text + "\" is among its rules");
    }
    const Value exact = own == "integer" && value.is_float() && std::abs(value.as_float()) < 1e15
                            ? Value::integer(static_cast<int64_t>(value.as_float()))
                            : value;
    same.push_back(cel_literal(exact, type == "number"));
    cost += same.back().size() / 5 + 4;
  }
  if (same.size() <= 1 || type == kEither || type == "boolean") {
    std::vector<Cel> each;
    each.reserve(same.size());
    for (const std::string& literal : same) {
      each.push_back(compare(place, " == " + literal, cost));
    }
    return any_of(each);
  }
  std::string list;
  for (const std::string& literal : same) {
    list += (list.empty() ? "" : ", ") + literal;
  }
  return compare(place, " in [" + list + "]", cost);
}

}  // namespace chartwright::generate
