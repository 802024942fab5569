// SPDX-License-Identifier: Apache-2.0
#include "helm/objects/object_faults.h"

#include <cmath>
#include <set>

#include "base/strings.h"
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
    case TypeKind::kInteger:
      return "an integer";
    case TypeKind::kNumber:
      return "a number";
    case TypeKind::kBoolean:
      return "a boolean";
    case TypeKind::kQuantity:
      return "a quantity";
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
      return v.is_string();
    case TypeKind::kInteger:
      return is_whole(v);
    case TypeKind::kNumber:
      return v.is_number();
    case TypeKind::kBoolean:
      return v.is_bool();
    case TypeKind::kQuantity:
      return v.is_string() || v.is_number();
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

/// Compares an object with its type.
class ObjectCheck {
 public:
  ObjectCheck(const ObjectTypes& types, std::vector<ObjectFault>& faults)
      : types_(types), faults_(faults) {}

  void object(const Value& v) {
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
    if (!fits(type.kind, v)) {
      note(Reason::kWrongType, "expected " + std::string(wanted_name(type.kind)) + ", got " +
                                   std::string(type_name(v)));
      return;
    }
    if (type.kind == TypeKind::kList) {
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
    faults_.push_back({reason, Path(path_).to_string() + ": " + problem});
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

std::string path_of(const std::vector<OpenNode>& open) {
  std::vector<Path::Step> steps;
  steps.reserve(open.size());
  for (const OpenNode& node : open) {
    steps.push_back(node.is_map ? Path::Step(node.key) : Path::Step(node.index));
  }
  return Path(std::move(steps)).to_string();
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
          faults.push_back(
              {Reason::kRepeatedKey, path_of(open) + ": this key occurs more than once"});
        }
      }
      end_node(open);
    }
  }
  return faults;
}

}  // namespace chartwright::helm
