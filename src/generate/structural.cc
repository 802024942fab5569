// SPDX-License-Identifier: Apache-2.0
#include "generate/structural.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/strings.h"
#include "generate/choices.h"
#include "generate/credential.h"
#include "generate/json_schema.h"
#include "value/compare.h"
#include "value/json.h"
#include "yaml/document.h"

namespace chartwright::generate {
namespace {

using value::Value;
using yaml::DocumentNode;

constexpr int kDepthMax = 40;
constexpr size_t kNodesMax = 20'000;
/// An API server takes about 1.5 MB.
constexpr size_t kSchemaBytesMax = 1'000'000;
constexpr size_t kNoteValueMax = 80;

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

template <size_t kCount>
bool contains(const std::array<std::string_view, kCount>& all, std::string_view key) {
  return std::find(all.begin(), all.end(), key) != all.end();
}

Yaml truth() { return Yaml::of(Value::boolean(true)); }

/// A place in the spec.
struct SpecPlace {
  const Value* usual;  ///< The value there by default; nullptr: none, or unknown within lists.
  std::string path;    ///< ".db.hosts[].name"; "" for the spec itself.
  int depth;

  SpecPlace below(const std::string& steps, const Value* inner) const {
    return {inner, path + steps, depth + 1};
  }
  SpecPlace member(const std::string& name) const {
    return below("." + name, usual != nullptr ? usual->find(name) : nullptr);
  }
  bool has_usual() const { return usual != nullptr && !usual->is_nil(); }
};

/// Returns a value in words for a note, without credentials.
std::string shown_value(const SpecPlace& place, const Value& value) {
  const std::string_view key = std::string_view(place.path).substr(place.path.rfind('.') + 1);
  const auto json = value::to_json(value, value::JsonEscape::kNone);
  const bool is_shown = json.ok() && json->size() <= kNoteValueMax &&
                        value::json_equal(without_credentials(key, value), value);
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
  /// Deeper levels than `depth_max` are open.
  Converter(const DocumentNode& root, const StructuralOptions& options, int depth_max)
      : root_(root), options_(options), depth_max_(depth_max) {}

  Structural convert() {
    Structural result;
    result.schema = schema_of(root_, {&options_.defaults, "", 0});
    if (is_cut_) {
      note(root_, "is checked by the CRD to a depth of " + std::to_string(depth_max_) +
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
    const DocumentNode* schema = resolved(written, root_);
    if (schema == nullptr || schema->kind != DocumentNode::Kind::kMap) {
      const bool allows_all = written.kind == DocumentNode::Kind::kScalar;
      if (!allows_all) {
        note(written, "is not checked by the CRD: it refers elsewhere");
      }
      return anything();
    }
    is_large_ = is_large_ || ++nodes_ > kNodesMax;
    if (is_large_ || place.depth > depth_max_) {
      is_cut_ = true;
      return anything();
    }
    Yaml out;
    for (const DocumentNode* described : {&written, schema}) {
      if (const DocumentNode* text = described->find("description");
          text && !out.has("description")) {
        out.set("description", text->text);
      }
    }
    const SchemaTypes types = types_of(*schema);
    if (types.nullable) {
      out.set("nullable", truth());
    }
    if (!set_type(*schema, types, out)) {
      return out;
    }
    copy_rules(*schema, out);
    convert_default(*schema, place, out);
    if (types.names == std::vector<std::string>{"object"}) {
      convert_object(*schema, place, out);
    } else if (types.names == std::vector<std::string>{"array"}) {
      convert_list(*schema, place, out);
    }
    convert_choices(*schema, place, out);
    report_rest(*schema, out);
    return out;
  }

  /// Writes the type. Returns false if the CRD allows anything here.
  bool set_type(const DocumentNode& schema, const SchemaTypes& types, Yaml& out) {
    const std::vector<std::string> int_or_string = {"integer", "string"};
    if (types.names == int_or_string || is_int_or_string(schema)) {
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
    } else if (schema.find("anyOf") || schema.find("oneOf") || schema.find("allOf")) {
      note(schema, "is not checked by the CRD: no type is given");
    }
    return false;
  }

  /// Reports whether the schema is anyOf or oneOf of an integer and a string.
  bool is_int_or_string(const DocumentNode& schema) const {
    for (std::string_view key : {"anyOf", "oneOf"}) {
      const DocumentNode* choices = schema.find(key);
      if (choices == nullptr || choices->items.size() != 2) {
        continue;
      }
      std::vector<std::string> names;
      for (const DocumentNode& choice : choices->items) {
        const SchemaTypes types = types_of(choice);
        names.insert(names.end(), types.names.begin(), types.names.end());
      }
      std::sort(names.begin(), names.end());
      if (names == std::vector<std::string>{"integer", "string"}) {
        return true;
      }
    }
    return false;
  }

  void copy_rules(const DocumentNode& schema, Yaml& out) {
    for (const yaml::DocumentEntry& entry : schema.entries) {
      const std::string& key = entry.key.text;
      if (contains(kSame, key) || key.starts_with("x-kubernetes-")) {
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
    if (const DocumentNode* constant = schema.find("const")) {
      out.set("enum", Yaml::list({Yaml::of(value_of(*constant))}));
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

  void convert_object(const DocumentNode& schema, const SpecPlace& place, Yaml& out) {
    Yaml properties;
    add_properties(schema, place, properties);
    if (const DocumentNode* all = schema.find("allOf")) {
      for (const DocumentNode& part : all->items) {
        const DocumentNode* inner = resolved(part, root_);
        if (inner != nullptr && inner->find("properties") != nullptr) {
          add_properties(*inner, place, properties);
        } else if (inner == nullptr || inner->find("required") == nullptr) {
          note(part, "is not checked by the CRD");
        }
      }
    }
    add_required(schema, place, out);
    const DocumentNode* others = schema.find("additionalProperties");
    const bool is_closed = others != nullptr && others->text == "false" && others->plain &&
                           schema.find("patternProperties") == nullptr;
    if (!is_closed && options_.open_tables == OpenTables::kPrune) {
      keep_fields_of_branches(schema, properties);
    }
    if (!properties.is_empty()) {
      out.set("properties", std::move(properties));
      if (others != nullptr && others->kind == DocumentNode::Kind::kMap) {
        note(*others, "is not checked by the CRD: it has no rule for other keys beside known ones");
      }
      if (!is_closed && options_.open_tables == OpenTables::kKeep) {
        out.set(kPreserveUnknown, truth());
      }
    } else if (others != nullptr && others->kind == DocumentNode::Kind::kMap) {
      out.set("additionalProperties", schema_of(*others, place.below(".*", nullptr)));
    } else if (!is_closed) {
      out.set(kPreserveUnknown, truth());
    }
  }

  void add_properties(const DocumentNode& schema, const SpecPlace& place, Yaml& into) {
    const DocumentNode* properties = schema.find("properties");
    if (properties == nullptr) {
      return;
    }
    for (const yaml::DocumentEntry& entry : properties->entries) {
      into.set(entry.key.text, schema_of(entry.value, place.member(entry.key.text)));
    }
  }

  /// A field with a default in values.yaml may be left out of a spec.
  static void add_required(const DocumentNode& schema, const SpecPlace& place, Yaml& out) {
    const DocumentNode* required = schema.find("required");
    std::vector<Yaml> names;
    for (const DocumentNode& name :
         required != nullptr ? required->items : std::vector<DocumentNode>()) {
      if (!place.member(name.text).has_usual()) {
        names.push_back(Yaml::text(name.text));
      }
    }
    if (!names.empty()) {
      out.set("required", Yaml::list(std::move(names)));
    }
  }

  void convert_list(const DocumentNode& schema, const SpecPlace& place, Yaml& out) {
    const DocumentNode* items = schema.find("items");
    const bool is_one = items != nullptr && items->kind == DocumentNode::Kind::kMap;
    if (items != nullptr && items->kind == DocumentNode::Kind::kList) {
      note(*items, "is not checked by the CRD: all items of a list have one schema");
    }
    Yaml item = is_one ? schema_of(*items, place.below("[]", nullptr)) : anything();
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
    if (is_int_or_string(schema)) {
      return;
    }
    for (std::string_view key : kChoices) {
      if (schema.find(key) == nullptr) {
        continue;
      }
      auto choice = choice_of({schema, root_, place.usual}, key);
      if (choice) {
        out.set(key, *std::move(choice));
      }
    }
  }

  /// Keeps fields that only a branch specifies, where the API server drops unknown ones.
  void keep_fields_of_branches(const DocumentNode& schema, Yaml& properties) const {
    for (std::string_view key : kChoices) {
      const DocumentNode* choice = schema.find(key);
      if (choice == nullptr) {
        continue;
      }
      for (const DocumentNode& branch : choice->items) {
        const DocumentNode* inner = resolved(branch, root_);
        if (const DocumentNode* fields = inner != nullptr ? inner->find("properties") : nullptr) {
          keep_fields(*fields, properties);
        }
      }
    }
  }

  void keep_fields(const DocumentNode& fields, Yaml& properties) const {
    for (const yaml::DocumentEntry& field : fields.entries) {
      if (!properties.has(field.key.text)) {
        properties.set(field.key.text, anything());
      }
    }
  }

  void report_rest(const DocumentNode& schema, const Yaml& out) {
    for (const yaml::DocumentEntry& entry : schema.entries) {
      const std::string& key = entry.key.text;
      const bool is_choice = contains(kChoices, key) && !is_int_or_string(schema);
      const bool known = contains(kSame, key) || contains(kHandled, key) || key.starts_with("x-") ||
                         key == "exclusiveMinimum" || key == "exclusiveMaximum";
      if (!out.has(key) && (is_choice || !known)) {
        note(entry.key, "\"" + key + "\" is not checked by the CRD");
      }
    }
  }

  const DocumentNode& root_;
  const StructuralOptions& options_;
  const int depth_max_;
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
  // A schema that refers to itself more than once doubles with each level.
  int depth_max = kDepthMax;
  while (true) {
    Converter converter(root, options, depth_max);
    Structural result = converter.convert();
    if (!converter.is_large() || depth_max <= 1) {
      return result;
    }
    depth_max /= 2;
  }
}

}  // namespace chartwright::generate
