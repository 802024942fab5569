// SPDX-License-Identifier: Apache-2.0
#include "generate/fields.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "defaults/credential.h"
#include "defaults/described_value.h"
#include "generate/json_schema.h"
#include "generate/markdown.h"
#include "value/json.h"

namespace chartwright::generate {
namespace {

using defaults::Secrecy;
using value::Value;
using yaml::DocumentNode;

constexpr size_t kFieldsMax = 500;
constexpr int kPlaceDepthMax = 12;
constexpr int kTypeDepthMax = 4;
constexpr size_t kValueShownMax = 80;
constexpr size_t kPatternShownMax = 160;
constexpr size_t kChoicesMax = 20;
constexpr size_t kExpressionsMax = 5;

bool is_true(const DocumentNode& schema, std::string_view key) {
  return text_at(schema, key) == "true";
}

/// Returns the schema of the values of a map whose keys are free; nullptr if it is not one.
const DocumentNode* values_of(const DocumentNode& schema) {
  const DocumentNode* others = schema.find("additionalProperties");
  return others != nullptr && others->kind == DocumentNode::Kind::kMap ? others : nullptr;
}

// Types in words.

enum class Form : uint8_t { kOne, kMany };

std::string type_of(const DocumentNode& schema, Form form, int depth) {
  const bool many = form == Form::kMany;
  const std::string_view type = text_at(schema, "type");
  if (is_true(schema, kIntOrString)) {
    return many ? "integers or strings" : "integer or string";
  }
  if (type.empty() || depth > kTypeDepthMax) {
    return "anything";
  }
  const std::string plural = many ? "s" : "";
  if (type == "array") {
    const DocumentNode* items = schema.find("items");
    const std::string what =
        items != nullptr ? type_of(*items, Form::kMany, depth + 1) : std::string("anything");
    return "list" + plural + " of " + what;
  }
  if (type == "object") {
    if (const DocumentNode* values = values_of(schema)) {
      return "map" + plural + " of " + type_of(*values, Form::kMany, depth + 1);
    }
    const bool is_free = is_true(schema, kPreserveUnknown) && schema.find("properties") == nullptr;
    return (is_free ? "free-form object" : "object") + plural;
  }
  const std::string_view format = text_at(schema, "format");
  return markdown_text(type) + plural + (format.empty() ? "" : " (" + markdown_text(format) + ")");
}

// Constraints in words.

using Rules = std::vector<std::string>;

void add_bounds(const DocumentNode& schema, Rules& rules) {
  struct Bound {
    std::string_view key;
    std::string_view exclusive;
    std::string_view or_equal;
    std::string_view beyond;
  };
  constexpr Bound kBounds[] = {{"minimum", "exclusiveMinimum", "≥ ", "&gt; "},
                               {"maximum", "exclusiveMaximum", "≤ ", "&lt; "}};
  for (const Bound& bound : kBounds) {
    if (const DocumentNode* limit = schema.find(bound.key)) {
      const bool is_beyond = is_true(schema, bound.exclusive);
      rules.push_back(std::string(is_beyond ? bound.beyond : bound.or_equal) +
                      markdown_code(limit->text, kValueShownMax));
    }
  }
  if (const DocumentNode* factor = schema.find("multipleOf")) {
    rules.push_back("a multiple of " + markdown_code(factor->text, kValueShownMax));
  }
}

void add_sizes(const DocumentNode& schema, Rules& rules) {
  struct Size {
    std::string_view key;
    std::string_view relation;
    std::string_view unit;
  };
  constexpr Size kSizes[] = {
      {"minLength", "at least", "character"}, {"maxLength", "at most", "character"},
      {"minItems", "at least", "item"},       {"maxItems", "at most", "item"},
      {"minProperties", "at least", "key"},   {"maxProperties", "at most", "key"}};
  for (const Size& size : kSizes) {
    if (const DocumentNode* count = schema.find(size.key)) {
      rules.push_back(std::string(size.relation) + " " + markdown_text(count->text) + " " +
                      std::string(size.unit) + (count->text == "1" ? "" : "s"));
    }
  }
}

/// Adds the rules in CEL: the message of each, or the expression.
void add_expressions(const DocumentNode& schema, Rules& rules) {
  const DocumentNode* all = schema.find("x-kubernetes-validations");
  if (all == nullptr) {
    return;
  }
  for (size_t i = 0; i < std::min(all->items.size(), kExpressionsMax); ++i) {
    const std::string_view message = text_at(all->items[i], "message");
    rules.push_back(message.empty()
                        ? markdown_code(text_at(all->items[i], "rule"), kPatternShownMax)
                        : markdown_text(message));
  }
}

std::string rules_of(const DocumentNode& schema, bool is_required) {
  Rules rules;
  if (is_required) {
    rules.emplace_back("required");
  }
  // The enum of a field that may be null is within allOf.
  const DocumentNode* parts = schema.find("allOf");
  const bool has_parts = parts != nullptr && !parts->items.empty();
  if (const DocumentNode* allowed = (has_parts ? parts->items.front() : schema).find("enum")) {
    std::vector<std::string> choices;
    for (const DocumentNode& choice : allowed->items) {
      choices.push_back(choice.text);
    }
    rules.push_back((choices.size() == 1 ? "only " : "one of ") +
                    markdown_codes(choices, kChoicesMax));
  }
  add_bounds(schema, rules);
  add_sizes(schema, rules);
  if (const DocumentNode* pattern = schema.find("pattern")) {
    rules.push_back("matches " + markdown_code(pattern->text, kPatternShownMax));
  }
  if (text_at(schema, "x-kubernetes-list-type") == "set") {
    rules.emplace_back("no duplicates");
  }
  if (is_true(schema, "nullable")) {
    rules.emplace_back("may be null");
  }
  if (is_true(schema, kPreserveUnknown) && schema.find("properties") != nullptr) {
    rules.emplace_back("other fields are kept");
  }
  add_expressions(schema, rules);
  return base::join(rules, ", ");
}

// Defaults.

bool has_parts(const Value& value) {
  const auto is_table = [](const Value& v) { return v.is_dict() || v.is_list(); };
  if (!value.is_list()) {
    return value.is_dict() && !value.as_dict().empty();
  }
  const auto& items = value.as_list().items;
  return std::any_of(items.begin(), items.end(), is_table);
}

/// Returns the default of a field as its cell. One that may be a credential is not shown.
std::string usual_of(const DocumentNode& schema, Secrecy secrecy, const Value& value) {
  if (value.is_nil() || (value.is_dict() && schema.find("properties") != nullptr)) {
    return "";
  }
  if (has_parts(value)) {
    return "in values.yaml";
  }
  const auto json = value::to_json(value, value::JsonEscape::kNone);
  const auto shown =
      value::to_json(defaults::without_credentials(secrecy, value), value::JsonEscape::kNone);
  if (!json.ok() || !shown.ok()) {
    return "";
  }
  return *json == *shown ? markdown_code(*json, kValueShownMax) : "not shown";
}

std::string step(const std::string& key) {
  const bool is_plain = !key.empty() && key.find_first_of(".[]\"*") == std::string::npos;
  if (is_plain) {
    return "." + key;
  }
  return "[" + value::to_json(Value::string(key), value::JsonEscape::kNone).value_or("") + "]";
}

// Where a schema is: the path to it, and what is known from above.
struct Place {
  std::string path;
  Secrecy secrecy = Secrecy::kNone;
  const Value* usual = nullptr;  ///< nullptr: none.
  bool is_required = false;
  int depth = 0;

  Place below(const std::string& steps, const Value* inner) const {
    Place place{path + steps, secrecy, inner, false, depth + 1};
    place.path.erase(0, place.path.starts_with('.') ? 1 : 0);
    return place;
  }
};

class FieldList {
 public:
  Fields list(const DocumentNode& schema, const Value& defaults) {
    add_members(schema, {"", Secrecy::kNone, &defaults, false, 0});
    return std::move(fields_);
  }

 private:
  void add(const DocumentNode& schema, const Place& place) {
    if (fields_.all.size() >= kFieldsMax) {
      fields_.complete = false;
      return;
    }
    Field field;
    field.path = place.path;
    field.type = type_of(schema, Form::kOne, 0);
    field.rules = rules_of(schema, place.is_required);
    field.description =
        markdown_text(defaults::without_default(text_at(schema, "description"), place.usual));
    if (const DocumentNode* usual = schema.find("default")) {
      // The API server fills it in, so that the chart's own never counts.
      auto value = yaml::document_value(*usual, value::Numbers::kInt64);
      field.usual = usual_of(schema, place.secrecy, std::move(value).value_or(Value()));
    } else if (place.usual != nullptr) {
      field.usual = usual_of(schema, place.secrecy, *place.usual);
    }
    fields_.all.push_back(std::move(field));
    add_members(schema, place);
  }

  void add_members(const DocumentNode& schema, const Place& place) {
    const DocumentNode* properties = schema.find("properties");
    const DocumentNode* items = schema.find("items");
    const DocumentNode* values = values_of(schema);
    if (place.depth >= kPlaceDepthMax) {
      fields_.complete = fields_.complete && !properties && !items && !values;
      return;
    }
    if (items != nullptr) {
      add_element(*items, place.below("[]", nullptr));
    }
    if (values != nullptr) {
      add_element(*values, place.below(".*", nullptr));
    }
    for (const yaml::DocumentEntry& entry :
         properties != nullptr ? properties->entries : std::vector<yaml::DocumentEntry>()) {
      const std::string& name = entry.key.text;
      const Value* inner = place.usual != nullptr ? place.usual->find(name) : nullptr;
      Place below = place.below(step(name), inner);
      below.secrecy = defaults::secrecy_of(name, place.secrecy);
      below.is_required = requires_field(schema, name);
      add(entry.value, below);
    }
  }

  /// Adds the elements of a list or map: with a row of their own if there is more to say of them
  /// than their type, which the row of the whole has.
  void add_element(const DocumentNode& schema, const Place& place) {
    if (!text_at(schema, "description").empty() || !rules_of(schema, false).empty()) {
      add(schema, place);
    } else {
      add_members(schema, place);
    }
  }

  Fields fields_;
};

}  // namespace

Fields fields_of(const DocumentNode& schema, const Value& defaults) {
  return FieldList().list(schema, defaults);
}

}  // namespace chartwright::generate
