// SPDX-License-Identifier: Apache-2.0
#include "helm/objects/object_faults.h"

#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "go/base_encoding.h"
#include "go/quote.h"
#include "value/json.h"
#include "value/path.h"
#include "yaml/events.h"

namespace chartwright::helm {
namespace {

using TypeKind = ObjectTypes::Kind;
using Reason = ObjectFault::Reason;
using value::Path;
using value::Value;

constexpr int kObjectDepthMax = 200;
constexpr size_t kObjectFaultsMax = 100;
constexpr size_t kKeyTextMax = 100;

/// Returns the name of a value's type in the words of object schemas.
std::string_view type_name(const Value& v) {
  if (v.is_int()) {
    return "an integer";
  }
  return v.is_nil() ? "nothing" : value::kind_noun(v.kind());
}

std::string_view wanted_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::kAny:
      return "anything";
    case TypeKind::kString:
      return "a string";
    case TypeKind::kBytes:
      return "base64";
    case TypeKind::kInteger:
    case TypeKind::kInt32:
      return "an integer";
    case TypeKind::kNumber:
      return "a number";
    case TypeKind::kBoolean:
      return "a boolean";
    case TypeKind::kQuantity:
      return "a quantity";
    case TypeKind::kInt32OrString:
    case TypeKind::kIntOrString:
      return "an integer or a string";
    case TypeKind::kList:
      return "a list";
    case TypeKind::kMap:
    case TypeKind::kObject:
      break;
  }
  return "an object";
}

bool is_whole(const Value& v) {
  return v.is_int() || (v.is_float() && std::trunc(v.as_float()) == v.as_float());
}

bool fits(TypeKind kind, const Value& v) {
  switch (kind) {
    case TypeKind::kAny:
      return true;
    case TypeKind::kString:
    case TypeKind::kBytes:
      return v.is_string();
    case TypeKind::kInteger:
    case TypeKind::kInt32:
      return is_whole(v);
    case TypeKind::kNumber:
      return v.is_number();
    case TypeKind::kBoolean:
      return v.is_bool();
    case TypeKind::kQuantity:
      return v.is_string() || v.is_number();
    case TypeKind::kInt32OrString:
    case TypeKind::kIntOrString:
      return v.is_string() || is_whole(v);
    case TypeKind::kList:
      return v.is_list();
    case TypeKind::kMap:
    case TypeKind::kObject:
      break;
  }
  return v.is_dict();
}

/// Returns the number of bits that a whole number of a type has, with its sign; 0 if any fits.
int bits_of(TypeKind kind) {
  if (kind == TypeKind::kInteger) {
    return 64;
  }
  return kind == TypeKind::kInt32 || kind == TypeKind::kInt32OrString ? 32 : 0;
}

bool fits_bits(const Value& number, int bits) {
  if (bits == 0 || (number.is_int() && bits == 64)) {
    return true;
  }
  const double limit = std::ldexp(1.0, bits - 1);
  const double d = number.is_int() ? static_cast<double>(number.as_int()) : number.as_float();
  return -limit <= d && d < limit;
}

/// Returns what is wrong with a value by itself; "" if its type takes it.
std::string problem_of(TypeKind kind, const Value& v) {
  if (!fits(kind, v)) {
    return "expected " + std::string(wanted_name(kind)) + ", got " + std::string(type_name(v));
  }
  if (kind == TypeKind::kBytes) {
    const auto decoded = go::decode_base64(v.as_string());
    return decoded.ok() ? "" : "expected base64: " + decoded.error().message();
  }
  const int bits = v.is_number() ? bits_of(kind) : 0;
  return fits_bits(v, bits) ? "" : "the number does not fit into " + std::to_string(bits) + " bits";
}

/// The key of a list item.
struct ItemKey {
  std::string identity;  ///< Equal for the same keys only.
  std::string text;      ///< "name: a"; empty in a set, whose items are values.
};

/// Returns a scalar as JSON, in which numbers are equal whatever their type; nullopt for others.
std::optional<std::string> scalar_json(const Value& v) {
  if (v.is_dict() || v.is_list()) {
    return std::nullopt;
  }
  auto json = value::to_json(v);
  return json.ok() ? std::optional(std::move(json).value()) : std::nullopt;
}

/// Returns the value of a key field for a message, quoted where it is not one plain word.
std::string key_text(const Value& v, const std::string& json) {
  if (!v.is_string()) {
    return json;
  }
  const std::string& text = v.as_string();
  if (text.size() > kKeyTextMax) {
    return go::quote(text.substr(0, kKeyTextMax)) + "...";
  }
  const std::string quoted = go::quote(text);
  const bool is_plain =
      !text.empty() && quoted.size() == text.size() + 2 && text.find(' ') == std::string::npos;
  return is_plain ? text : quoted;
}

/// Returns the key of an item as server-side apply has it; nullopt if it has none.
/// Source: sigs.k8s.io/structured-merge-diff typed/helpers.go, listItemToPathElement.
std::optional<ItemKey> key_of(const Value& item, const ObjectTypes::Type& list) {
  ItemKey key;
  if (list.keys.empty() && !item.is_nil()) {
    key.identity = scalar_json(item).value_or("");
  }
  for (const auto& [field, preset] : list.keys) {
    const Value* found = item.find(field);
    // A key without this field is another one than a key with any value of it.
    if (found == nullptr && preset.is_nil()) {
      continue;
    }
    const Value& v = found != nullptr ? *found : preset;
    const auto json = scalar_json(v);
    if (!json || !item.is_dict()) {
      return std::nullopt;
    }
    key.identity += field + "=" + *json + ",";
    key.text += (key.text.empty() ? "" : ", ") + field + ": " + key_text(v, *json);
  }
  return key.identity.empty() ? std::nullopt : std::optional(std::move(key));
}

/// Compares an object with its type.
class ObjectCheck {
 public:
  ObjectCheck(const ObjectTypes& types, std::vector<ObjectFault>& faults)
      : types_(types), faults_(faults) {}

  void object(const Value& v) {
    if (path_.size() > kObjectDepthMax || faults_.size() >= kObjectFaultsMax) {
      return;
    }
    const Value* items = v.find("items");
    if (v.string_at({"kind"}).ends_with("List") && items != nullptr && items->is_list()) {
      path_.emplace_back("items");
      for (size_t i = 0; i < items->as_list().items.size(); ++i) {
        path_.emplace_back(i);
        object(items->as_list().items[i]);
        path_.pop_back();
      }
      path_.pop_back();
      return;
    }
    const auto* type = types_.find(v.string_at({"apiVersion"}), v.string_at({"kind"}));
    if (type != nullptr && v.is_dict()) {
      check(v, *type);
    }
  }

 private:
  void check(const Value& v, const ObjectTypes::Type& type) {
    if (v.is_nil() || path_.size() > kObjectDepthMax || faults_.size() >= kObjectFaultsMax) {
      return;
    }
    if (const std::string problem = problem_of(type.kind, v); !problem.empty()) {
      note(Reason::kWrongType, problem);
      return;
    }
    if (type.kind == TypeKind::kList) {
      if (type.distinct) {
        check_repeats(v.as_list().items, type);
      }
      for (size_t i = 0; i < v.as_list().items.size(); ++i) {
        inside(Path::Step(i), v.as_list().items[i], type.element);
      }
    } else if (type.kind == TypeKind::kMap) {
      for (const auto& [name, inner] : v.as_dict()) {
        inside(Path::Step(name), inner, type.element);
      }
    } else if (type.kind == TypeKind::kObject) {
      check_fields(v, type);
    }
  }

  void check_repeats(const std::vector<Value>& items, const ObjectTypes::Type& list) {
    std::map<std::string, size_t> first;
    for (size_t i = 0; i < items.size() && faults_.size() < kObjectFaultsMax; ++i) {
      const std::optional<ItemKey> key = key_of(items[i], list);
      if (!key) {
        continue;
      }
      const auto [known, is_new] = first.emplace(key->identity, i);
      if (!is_new) {
        const std::string twin = beside(known->second);
        path_.emplace_back(i);
        note(Reason::kRepeatedItem,
             key->text.empty()
                 ? "the same item as " + twin + "; the last one stays"
                 : "the same key as " + twin + " (" + key->text + "); the last one stays");
        path_.pop_back();
      }
    }
  }

  /// Returns the name of an item of the current list: "env[0]".
  std::string beside(size_t index) const {
    auto start = path_.end();
    while (start != path_.begin() && std::holds_alternative<size_t>(*std::prev(start))) {
      --start;
    }
    std::vector<Path::Step> steps(start == path_.begin() ? start : std::prev(start), path_.end());
    steps.emplace_back(index);
    return Path(std::move(steps)).to_string();
  }

  void check_fields(const Value& v, const ObjectTypes::Type& type) {
    for (const auto& [name, inner] : v.as_dict()) {
      const auto field = type.fields.find(name);
      if (field != type.fields.end()) {
        inside(Path::Step(name), inner, field->second);
      } else if (!type.open) {
        unknown_field(name, type);
      }
    }
    for (const std::string& name : type.required) {
      const Value* found = v.find(name);
      if (found == nullptr || found->is_nil()) {
        path_.emplace_back(name);
        note(Reason::kMissingField, "this field is required");
        path_.pop_back();
      }
    }
  }

  void unknown_field(const std::string& name, const ObjectTypes::Type& type) {
    if (faults_.size() >= kObjectFaultsMax) {
      return;
    }
    std::vector<std::string_view> known;
    for (const auto& [field, id] : type.fields) {
      known.push_back(field);
    }
    const std::string near(base::nearest(name, known));
    path_.emplace_back(name);
    note(Reason::kUnknownField,
         "unknown field" + (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
    path_.pop_back();
  }

  void inside(Path::Step step, const Value& v, ObjectTypes::Id id) {
    path_.push_back(std::move(step));
    check(v, types_.at(id));
    path_.pop_back();
  }

  void note(Reason reason, const std::string& problem) {
    faults_.push_back({reason, Path(path_).to_string() + ": " + problem, path_});
  }

  const ObjectTypes& types_;
  std::vector<ObjectFault>& faults_;
  std::vector<Path::Step> path_;
};

/// A map or list of the document whose end is not yet read.
struct OpenNode {
  bool is_map = false;
  bool at_key = true;  ///< For a map: whether a key comes next.
  size_t index = 0;    ///< For a list: the current index.
  std::set<std::string> keys = {};
  std::string key = {};
};

std::vector<Path::Step> steps_of(const std::vector<OpenNode>& open) {
  std::vector<Path::Step> steps;
  steps.reserve(open.size());
  for (const OpenNode& node : open) {
    steps.push_back(node.is_map ? Path::Step(node.key) : Path::Step(node.index));
  }
  return steps;
}

/// Advances the enclosing node after the end of a node.
void end_node(std::vector<OpenNode>& open) {
  if (open.empty()) {
    return;
  }
  OpenNode& around = open.back();
  if (around.is_map) {
    around.at_key = !around.at_key;
  } else {
    ++around.index;
  }
}

}  // namespace

std::vector<ObjectFault> find_object_faults(const ObjectTypes& types, const Value& object) {
  std::vector<ObjectFault> faults;
  ObjectCheck(types, faults).object(object);
  return faults;
}

std::vector<ObjectFault> find_repeated_keys(std::string_view document) {
  std::vector<ObjectFault> faults;
  std::vector<OpenNode> open;
  yaml::Events events(document);
  yaml::Event event;
  using Event = yaml::EventKind;
  while (events.next(event).ok() && event.kind != Event::kStreamEnd &&
         event.kind != Event::kDocumentEnd && faults.size() < kObjectFaultsMax) {
    if (event.kind == Event::kMappingStart || event.kind == Event::kSequenceStart) {
      open.push_back({event.kind == Event::kMappingStart});
    } else if (event.kind == Event::kMappingEnd || event.kind == Event::kSequenceEnd) {
      open.pop_back();
      end_node(open);
    } else if (event.kind == Event::kScalar || event.kind == Event::kAlias) {
      const bool is_key =
          !open.empty() && open.back().is_map && open.back().at_key && event.kind == Event::kScalar;
      if (is_key) {
        open.back().key = event.value;
        if (!open.back().keys.emplace(event.value).second && event.value != "<<") {
          std::vector<Path::Step> steps = steps_of(open);
          faults.push_back({Reason::kRepeatedKey,
                            Path(steps).to_string() + ": this key occurs more than once",
                            std::move(steps)});
        }
      }
      end_node(open);
    }
  }
  return faults;
}

}  // namespace chartwright::helm
