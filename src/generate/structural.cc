// SPDX-License-Identifier: Apache-2.0
#include "generate/structural.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "defaults/credential.h"
#include "generate/choices.h"
#include "generate/json_schema.h"
#include "generate/schema_parts.h"
#include "generate/schema_rule.h"
#include "value/compare.h"
#include "value/json.h"
#include "yaml/document.h"

namespace chartwright::generate {
namespace {

using value::Value;
using yaml::DocumentNode;

/// An API server takes about 1.5 MB.
constexpr size_t kSchemaBytesMax = 1'000'000;
constexpr size_t kNoteValueMax = 80;
/// An API server allows twice as much for one rule, and twice as much for all.
constexpr uint64_t kRuleCostMax = 5'000'000;
constexpr uint64_t kAllRulesCostMax = 50'000'000;
constexpr size_t kRuleBytesMax = 10'000;
constexpr size_t kMessageBytesMax = 500;

/// Keywords that mean the same in both.
constexpr std::array<std::string_view, 12> kSame = {
    "format",  "multipleOf", "minimum",  "maximum",       "minLength",     "maxLength",
    "pattern", "minItems",   "maxItems", "minProperties", "maxProperties", "enum"};
/// Keywords without an effect on what is valid, and those that are converted elsewhere.
constexpr std::array<std::string_view, 24> kHandled = {
    "$schema",     "$id",      "id",          "$ref",      "$defs",    "definitions",
    "$comment",    "title",    "description", "examples",  "type",     "properties",
    "items",       "required", "default",     "const",     "nullable", "additionalProperties",
    "uniqueItems", "allOf",    "readOnly",    "writeOnly", "anyOf",    "oneOf"};

/// Keywords that choose among schemas.
constexpr std::array<std::string_view, 3> kChoices = {"anyOf", "oneOf", "not"};
/// Keywords that only a rule in CEL can express.
constexpr std::array<std::string_view, 4> kRuleKeywords = {"if", "dependentRequired",
                                                           "dependentSchemas", "dependencies"};

template <size_t kCount>
bool contains(const std::array<std::string_view, kCount>& all, std::string_view key) {
  return std::find(all.begin(), all.end(), key) != all.end();
}

Yaml truth() { return Yaml::of(Value::boolean(true)); }

/// Names without repetitions.
struct Names {
  std::vector<std::string> ordered = {};
  std::set<std::string> known = {};
};

/// A place in the spec.
struct SpecPlace {
  const Value* usual;  ///< The value there by default; nullptr: none, or unknown within lists.
  std::string path;    ///< ".db.hosts[].name"; "" for the spec itself.
  int depth;
  /// How often it can be in one custom resource; nullopt: any number of times.
  std::optional<uint64_t> count = 1;
  bool is_required = false;  ///< The values must have it.

  SpecPlace below(const std::string& steps, const Value* inner) const {
    return {inner, path + steps, depth + 1, count};
  }
  /// Returns the place of each item of a list or map of at most `most`, the limit in its schema.
  SpecPlace each(const std::string& steps, const Yaml* most) const {
    SpecPlace place = below(steps, nullptr);
    const auto limit = most != nullptr ? most->whole() : std::nullopt;
    const bool is_limited =
        limit && *limit >= 0 && place.count.value_or(kRuleCostMax) < kRuleCostMax;
    place.count =
        is_limited
            ? std::optional(*place.count * std::min(static_cast<uint64_t>(*limit), kRuleCostMax))
            : std::nullopt;
    return place;
  }
  SpecPlace member(const std::string& name) const {
    return below("." + name, usual != nullptr ? usual->find(name) : nullptr);
  }
  bool has_usual() const { return usual != nullptr && !usual->is_nil(); }
  /// Reports whether other fields are added to those of a table there.
  bool adds_fields() const { return has_usual() && usual->is_dict() && !usual->as_dict().empty(); }
  /// Reports whether null is right: Helm removes a default for it, before it checks the schema.
  /// The API server drops it where it is not allowed, as if the field were left out.
  bool may_be_removed() const { return depth > 0 && has_usual() && !is_required; }
};

/// Returns a value in words for a note, without credentials.
std::string shown_value(const SpecPlace& place, const Value& value) {
  const std::string_view key = std::string_view(place.path).substr(place.path.rfind('.') + 1);
  const auto json = value::to_json(value, value::JsonEscape::kNone);
  const bool is_shown =
      json.ok() && json->size() <= kNoteValueMax &&
      value::json_equal(defaults::without_credentials(defaults::secrecy_of(key), value), value);
  return is_shown ? *json : "";
}

bool has_type(const Value& value, const Yaml& schema) {
  const std::string_view type = value::schema_type(value);
  if (schema.has(kIntOrString)) {
    return type == "integer" || type == "string";
  }
  const Yaml* wanted = schema.find("type");
  const std::string name = wanted != nullptr ? wanted->scalar() : "";
  return type == name || (name == "number" && type == "integer");
}

class Converter {
 public:
  using Tables = std::vector<const DocumentNode*>;

  /// Deeper levels than `depth_max` are open.
  Converter(const WrittenSchema& document, const StructuralOptions& options, int depth_max)
      : document_(document), options_(options), depth_max_(depth_max), rules_(document) {}

  Structural convert() {
    Structural result;
    result.schema = schema_of(document_.root(), {&options_.defaults, "", 0});
    if (is_cut_) {
      note(document_.root(), "is checked by the CRD to a depth of " + std::to_string(depth_max_) +
                                 " only: the schema is too large, or refers to itself");
    }
    is_large_ = is_large_ || result.schema.to_string().size() > kSchemaBytesMax;
    result.notes = std::move(notes_);
    return result;
  }
  /// Reports whether the converted schema is too large for an API server.
  bool is_large() const { return is_large_; }

 private:
  /// A schema that others refer to is met several times.
  void note(const DocumentNode& node, std::string text) {
    std::string place = node.pos.to_string();
    if (noted_.emplace(place, text).second) {
      notes_.push_back({std::move(place), std::move(text)});
    }
  }

  Yaml schema_of(const DocumentNode& written, const SpecPlace& place) {
    is_large_ = is_large_ || ++nodes_ > kNodesMax;
    const DocumentNode* schema = document_.follow(&written);
    if (schema == nullptr) {
      note(written, "is not checked by the CRD: it refers elsewhere");
    }
    if (schema == nullptr || schema->kind != DocumentNode::Kind::kMap) {
      return open_value(place);
    }
    if (is_large_ || place.depth > depth_max_) {
      is_cut_ = true;
      return open_value(place);
    }
    Yaml out;
    for (const DocumentNode* described : {&written, schema}) {
      if (const DocumentNode* text = described->find("description");
          text && !out.has("description")) {
        out.set("description", text->text);
      }
    }
    const FieldTypes types = types_of(document_, *schema);
    if (types.nullable || place.may_be_removed()) {
      out.set("nullable", truth());
    }
    if (!set_type(*schema, types, out)) {
      return out;
    }
    copy_rules(*schema, place, out);
    convert_default(*schema, place, out);
    const auto parts = document_.parts(written);
    if (types.names == std::vector<std::string>{"object"}) {
      convert_object(*schema, parts.tables, place, out);
    } else if (types.names == std::vector<std::string>{"array"}) {
      convert_list(*schema, place, out);
    }
    convert_choices(*schema, place, out);
    add_rules(*schema, parts, place, out);
    report_rest(*schema, out);
    return out;
  }

  static Yaml open_value(const SpecPlace& place) {
    Yaml out;
    if (place.may_be_removed()) {
      out.set("nullable", truth());
    }
    return out.set(kPreserveUnknown, truth());
  }

  /// Writes the type. Returns false if the CRD allows anything here.
  bool set_type(const DocumentNode& schema, const FieldTypes& types, Yaml& out) {
    const std::vector<std::string> int_or_string = {"integer", "string"};
    if (types.names == int_or_string || allows_int_or_string(document_, schema)) {
      out.set(kIntOrString, truth());
      return true;
    }
    if (types.names.size() == 1) {
      out.set("type", types.names.front());
      return true;
    }
    out.set(kPreserveUnknown, truth());
    if (types.names.size() > 1) {
      note(schema, "is not checked by the CRD: a field of a CRD has one type");
    } else if (std::ranges::any_of(schema.entries, [](const yaml::DocumentEntry& entry) {
                 return restricts(entry.key.text);
               })) {
      note(schema, "is not checked by the CRD: no type is given");
    }
    return false;
  }

  /// Reports whether a keyword can make a value wrong.
  static bool restricts(const std::string& key) {
    return (contains(kSame, key) && key != "format") || contains(kChoices, key) ||
           contains(kRuleKeywords, key) || key == "allOf" || key == "const" || key == "type" ||
           key == "required" || key == "exclusiveMinimum" || key == "exclusiveMaximum" ||
           key == "patternProperties" || key == "contains";
  }

  void copy_rules(const DocumentNode& schema, const SpecPlace& place, Yaml& out) {
    for (const yaml::DocumentEntry& entry : schema.entries) {
      const std::string& key = entry.key.text;
      const bool is_of_all =
          key == "minProperties" || key == "maxProperties" || key == "enum" || key == "const";
      if (is_of_all && place.adds_fields() && !out.has(kIntOrString)) {
        note(entry.key, "\"" + key + "\" is not checked by the CRD: values.yaml has fields there");
      } else if (key == "enum" || (key == "const" && document_.draft(schema) >= 6)) {
        set_enum(entry, out);
      } else if (contains(kSame, key) || key.starts_with("x-kubernetes-")) {
        out.set(key, Yaml::of(value_of(entry.value)));
      }
    }
    // A number since draft 6, a bool in draft 4 and in CRDs.
    for (const auto& [exclusive, limit] :
         {std::pair{"exclusiveMinimum", "minimum"}, std::pair{"exclusiveMaximum", "maximum"}}) {
      if (const DocumentNode* bound = schema.find(exclusive)) {
        const Value value = value_of(*bound);
        if (!value.is_bool()) {
          out.set(limit, Yaml::of(value));
        }
        out.set(exclusive, value.is_bool() ? Yaml::of(value) : truth());
      }
    }
  }

  /// No enum of the API server allows null. It does not apply those within allOf to null.
  static void set_enum(const yaml::DocumentEntry& entry, Yaml& out) {
    const Value written = value_of(entry.value);
    const bool is_list = entry.key.text == "enum" && written.is_list();
    std::vector<Yaml> values;
    for (const Value& value : is_list ? written.as_list().items : std::vector<Value>{written}) {
      if (!value.is_nil()) {
        values.push_back(Yaml::of(value));
      }
    }
    if (out.has("nullable") && !values.empty()) {
      out.set("allOf", Yaml::list({Yaml().set("enum", Yaml::list(std::move(values)))}));
    } else if (!values.empty()) {
      out.set("enum", Yaml::list(std::move(values)));
    }
  }

  /// The API server writes a default into the spec, which wins over values.yaml; for Helm it is a
  /// comment. So it is kept only where nothing changes.
  void convert_default(const DocumentNode& schema, const SpecPlace& place, Yaml& out) {
    const DocumentNode* written = schema.find("default");
    const Value value = written != nullptr ? value_of(*written) : Value();
    if (value.is_nil()) {
      return;
    }
    const bool is_table = value.is_dict() && !value.as_dict().empty();
    const std::string reason =
        has_type(value, out) ? reason_against(value, place) : "it is of another type";
    if (reason.empty() && !is_table) {
      out.set("default", Yaml::of(value));
    } else if (!reason.empty()) {
      const std::string shown = shown_value(place, value);
      note(*written, "default" + (shown.empty() ? "" : " " + shown) + " of " +
                         (place.path.empty() ? "the spec" : place.path) +
                         " is not taken over: " + reason);
    }
  }

  /// Returns why a default would change what the chart renders; "" if it does not.
  std::string reason_against(const Value& value, const SpecPlace& place) const {
    if (options_.defaults.is_nil()) {
      return "";
    }
    if (!place.has_usual()) {
      return "values.yaml has no value there";
    }
    const bool adds_nothing = value.is_dict() && value.as_dict().empty() && place.usual->is_dict();
    if (adds_nothing || value::json_equal(value, *place.usual)) {
      return "";
    }
    const std::string shown = shown_value(place, *place.usual);
    return shown.empty() ? "values.yaml has another value" : "values.yaml says " + shown;
  }

  /// `tables` are those in force with `schema`, which is one of them.
  void convert_object(const DocumentNode& schema, const Tables& tables, const SpecPlace& place,
                      Yaml& out) {
    Yaml properties;
    const Names required = required_of(tables);
    for (const DocumentNode* table : tables) {
      add_properties(*table, required, place, properties);
    }
    if (is_partial(place)) {
      is_cut_ = true;
      out.set(kPreserveUnknown, truth());
      return;
    }
    add_required(schema, required, place, out);
    const bool is_closed = WrittenSchema::is_closed(schema);
    if (!is_closed && options_.open_tables == OpenTables::kPrune) {
      keep_fields_of_branches(tables, properties);
    }
    const DocumentNode* others =
        properties.is_empty() ? WrittenSchema::other_members(schema) : nullptr;
    if (others != nullptr) {
      out.set("additionalProperties",
              schema_of(*others, place.each(".*", out.find("maxProperties"))));
      return;
    }
    const DocumentNode* rest = schema.find("additionalProperties");
    if (rest != nullptr && rest->kind == DocumentNode::Kind::kMap) {
      note(*rest, "is not checked by the CRD: it has no rule for other keys beside known ones");
    }
    const bool keeps_others = properties.is_empty() || options_.open_tables == OpenTables::kKeep;
    if (!properties.is_empty()) {
      out.set("properties", std::move(properties));
    }
    if (!is_closed && keeps_others) {
      out.set(kPreserveUnknown, truth());
    }
  }

  /// Reports whether a table is left open, its properties too: many that refer to one of many are
  /// more than can be written.
  bool is_partial(const SpecPlace& place) const { return is_large_ && place.depth > 0; }

  /// Declares the properties that `table` adds to others.
  void add_properties(const DocumentNode& table, const Names& required, const SpecPlace& place,
                      Yaml& into) {
    WrittenSchema::for_each_property(
        table, [&](std::string_view key, const DocumentNode& property) {
          if (is_partial(place) || into.has(key)) {
            return;
          }
          const std::string name(key);
          SpecPlace member = place.member(name);
          const bool is_first = place.depth == 0;
          member.is_required =
              required.known.contains(name) ||
              (is_first && std::ranges::find(options_.required, name) != options_.required.end());
          into.set(name, schema_of(property, member));
        });
  }

  /// Returns the names of the members that a table must have.
  static Names required_of(const Tables& tables) {
    Names names;
    for (const DocumentNode* table : tables) {
      const DocumentNode* required = table->find("required");
      if (required == nullptr) {
        continue;
      }
      for (const DocumentNode& name : required->items) {
        if (names.known.insert(name.text).second) {
          names.ordered.push_back(name.text);
        }
      }
    }
    return names;
  }

  /// A field with a default in values.yaml may be left out of a spec, unless the default is wrong.
  void add_required(const DocumentNode& schema, const Names& required, const SpecPlace& place,
                    Yaml& out) {
    std::vector<Yaml> names;
    for (const std::string& name : required.ordered) {
      if (!place.member(name).has_usual()) {
        names.push_back(Yaml::text(name));
      }
    }
    const DocumentNode* properties = schema.find("properties");
    const bool may_be_wrong = options_.defaults_are_wrong && properties != nullptr;
    for (const yaml::DocumentEntry& entry :
         may_be_wrong ? properties->entries : std::vector<yaml::DocumentEntry>()) {
      const SpecPlace member = place.member(entry.key.text);
      if (member.has_usual() && rules_.accepts(entry.value, *member.usual) == false) {
        names.push_back(Yaml::text(entry.key.text));
      }
    }
    if (!names.empty()) {
      out.set("required", Yaml::list(std::move(names)));
    }
  }

  void convert_list(const DocumentNode& schema, const SpecPlace& place, Yaml& out) {
    const DocumentNode* items = document_.item(schema);
    const bool is_one = items != nullptr && items->kind == DocumentNode::Kind::kMap;
    const DocumentNode* written = schema.find("items");
    if (items == nullptr && written != nullptr && written->kind != DocumentNode::Kind::kScalar) {
      note(*written, "is not checked by the CRD: all items of a list have one schema");
    }
    Yaml item = is_one ? schema_of(*items, place.each("[]", out.find("maxItems"))) : anything();
    const Yaml* type = item.find("type");
    const bool is_scalar = type != nullptr && !item.has("properties") && !item.has("items") &&
                           type->to_string() != "object\n" && type->to_string() != "array\n";
    const DocumentNode* unique = schema.find("uniqueItems");
    const bool is_set = unique != nullptr && unique->text == "true";
    if (is_set && !is_scalar) {
      note(*unique, "is not checked by the CRD: only scalars can be a set");
    }
    if (!out.has("x-kubernetes-list-type")) {
      out.set("x-kubernetes-list-type", is_set && is_scalar ? "set" : "atomic");
    }
    out.set("items", std::move(item));
  }

  void convert_choices(const DocumentNode& schema, const SpecPlace& place, Yaml& out) const {
    if (allows_int_or_string(document_, schema)) {
      return;
    }
    for (std::string_view key : kChoices) {
      if (schema.find(key) == nullptr) {
        continue;
      }
      auto choice = choice_of({document_, schema, place.usual}, key);
      if (choice) {
        out.set(key, *std::move(choice));
      }
    }
  }

  /// Keeps fields that only a branch specifies, where the API server drops unknown ones.
  void keep_fields_of_branches(Tables tables, Yaml& properties) const {
    std::set<const DocumentNode*> met;
    for (size_t i = 0; i < tables.size(); ++i) {  // Those of branches are added.
      for (const DocumentNode* branch : document_.branches(*tables[i])) {
        if (met.insert(branch).second) {
          const auto parts = document_.parts(*branch);
          keep_fields(parts.tables, properties);
          tables.insert(tables.end(), parts.tables.begin(), parts.tables.end());
        }
      }
    }
  }

  static void keep_fields(const Tables& tables, Yaml& properties) {
    for (const DocumentNode* table : tables) {
      WrittenSchema::for_each_property(*table,
                                       [&](std::string_view name, const DocumentNode& /*schema*/) {
                                         if (!properties.has(name)) {
                                           properties.set(name, anything());
                                         }
                                       });
    }
  }

  /// Adds rules in CEL for what a structural schema cannot say, and names what neither can.
  void add_rules(const DocumentNode& schema, const WrittenSchema::Parts& parts,
                 const SpecPlace& place, Yaml& out) {
    std::vector<Yaml> rules;
    if (const Yaml* own = out.find(kValidations)) {
      rules = own->items();
    }
    const size_t own_count = rules.size();
    const Target target{place, out, rules};
    for (const yaml::DocumentEntry& entry : schema.entries) {
      const std::string& key = entry.key.text;
      const bool is_left = contains(kChoices, key) && !out.has(key) && !is_only_of_types(entry);
      if (is_left || contains(kRuleKeywords, key)) {
        add_rule(schema, entry, target);
      }
    }
    std::set<std::string> declared = names_in(schema);
    for (const DocumentNode* part : parts.tables) {
      if (part != &schema) {
        add_part(*part, target, declared);
      }
    }
    for (const DocumentNode* part : parts.unread) {
      if (part != &schema) {
        note(*part, "is not checked by the CRD");
      }
    }
    if (rules.size() > own_count) {
      out.set(kValidations, Yaml::list(std::move(rules)));
    }
  }

  /// Reports whether a choice is one of types alone, which the type of the field says.
  static bool is_only_of_types(const yaml::DocumentEntry& choice) {
    return !choice.value.items.empty() &&
           std::ranges::all_of(choice.value.items, [](const DocumentNode& branch) {
             return branch.entries.size() == 1 && branch.entries.front().key.text == "type";
           });
  }

  /// Where rules are added.
  struct Target {
    const SpecPlace& place;
    const Yaml& shape;
    std::vector<Yaml>& rules;

    RulePlace rule_place() const { return {&shape, place.usual, "self"}; }
  };

  static std::set<std::string> names_in(const DocumentNode& schema) {
    std::set<std::string> names;
    if (const DocumentNode* properties = schema.find("properties")) {
      for (const yaml::DocumentEntry& entry : properties->entries) {
        names.insert(entry.key.text);
      }
    }
    return names;
  }

  /// Adds the rules of a schema that is in force with another one, whose properties are `declared`.
  void add_part(const DocumentNode& part, const Target& target, std::set<std::string>& declared) {
    const bool is_table = target.shape.find("properties") != nullptr;
    for (const yaml::DocumentEntry& entry : part.entries) {
      const std::string& key = entry.key.text;
      if (key == "properties" && is_table) {
        for (const yaml::DocumentEntry& property : entry.value.entries) {
          if (!declared.insert(property.key.text).second) {
            put(entry, "", rules_.member(property, target.rule_place()), target);
          }
        }
      } else if (key != "$ref" && key != "allOf" && (key != "required" || !is_table)) {
        add_rule(part, entry, target);
      }
    }
  }

  /// Adds the rule of one keyword: for "if", one for each of "then" and "else".
  void add_rule(const DocumentNode& schema, const yaml::DocumentEntry& entry,
                const Target& target) {
    for (std::string_view branch : {"then", "else"}) {
      const DocumentNode* wanted = schema.find(branch);
      if (entry.key.text == "if" && wanted != nullptr && document_.draft(schema) >= 7) {
        const Yaml text = message_of(*wanted);
        put(entry, text.scalar(), rules_.branch(schema, branch, target.rule_place()), target);
      }
    }
    if (entry.key.text != "if") {
      put(entry, "", rules_.keyword(schema, entry, target.rule_place()), target);
    }
  }

  /// Returns what the author says of a schema, for the users who do not meet it.
  static Yaml message_of(const DocumentNode& schema) {
    for (std::string_view key : {"description", "title", "$comment"}) {
      const DocumentNode* text = schema.find(key);
      if (text != nullptr && !text->text.empty() && text->text.size() <= kMessageBytesMax &&
          text->text.find('\n') == std::string::npos) {
        return Yaml::text(text->text);
      }
    }
    return {};
  }

  void put(const yaml::DocumentEntry& entry, const std::string& message,
           const std::optional<bundle::Cel>& condition, const Target& target) {
    std::string why = condition ? "" : rules_.obstacle();
    if (condition && condition->is(false)) {
      why = "nothing meets it";
    } else if (condition && !condition->is(true)) {
      const uint64_t count = target.place.count.value_or(kRuleCostMax);
      const uint64_t cost = (condition->cost() + 1) * count;
      if (!target.place.count) {
        why = "the list or map around it has no \"maxItems\" or \"maxProperties\"";
      } else if (condition->cost() > kRuleCostMax || cost > kRuleCostMax ||
                 cost_ + cost > kAllRulesCostMax || condition->text().size() > kRuleBytesMax) {
        why = "it is too expensive for the API server";
      } else {
        cost_ += cost;
        Yaml rule = Yaml().set("rule", condition->text());
        target.rules.push_back(message.empty() ? rule : rule.set("message", message));
      }
    }
    if (!condition || !why.empty()) {
      note(entry.key, "\"" + entry.key.text + "\" is not checked by the CRD" +
                          (why.empty() ? "" : ": " + why));
    }
  }

  void report_rest(const DocumentNode& schema, const Yaml& out) {
    for (const yaml::DocumentEntry& entry : schema.entries) {
      const std::string& key = entry.key.text;
      const bool known = contains(kSame, key) || contains(kHandled, key) || key.starts_with("x-") ||
                         contains(kRuleKeywords, key) || key == "not" || key == "then" ||
                         key == "else" || key == "exclusiveMinimum" || key == "exclusiveMaximum";
      if (!out.has(key) && !known) {
        note(entry.key, "\"" + key + "\" is not checked by the CRD");
      }
    }
  }

  const WrittenSchema& document_;
  const StructuralOptions& options_;
  const int depth_max_;
  SchemaRules rules_;
  uint64_t cost_ = 0;  ///< The cost of all rules.
  size_t nodes_ = 0;
  bool is_large_ = false;
  bool is_cut_ = false;  ///< Something is open that the schema does not leave open.
  std::vector<SchemaNote> notes_;
  std::set<std::pair<std::string, std::string>> noted_;
};

}  // namespace

Yaml typed(std::string_view type) { return Yaml().set("type", type); }

Yaml anything() { return Yaml().set(kPreserveUnknown, truth()); }

base::Result<Structural> structural_schema(std::string_view json,
                                           const StructuralOptions& options) {
  // JSON is YAML; this reader keeps the order and the place of every member.
  CW_TRY(const DocumentNode root, yaml::parse_document(json, options.file));
  CW_TRY_VOID(check_schema(json, root));
  const WrittenSchema document(root);
  int depth_max = depth_that_fits(document);
  while (true) {
    Converter converter(document, options, depth_max);
    Structural result = converter.convert();
    if (!converter.is_large() || depth_max <= 1) {
      return result;
    }
    depth_max /= 2;
  }
}

}  // namespace chartwright::generate
