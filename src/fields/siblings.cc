// SPDX-License-Identifier: Apache-2.0
#include "fields/siblings.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/strings.h"
#include "fields/managed_fields.h"
#include "fields/projection.h"
#include "value/merge_patch.h"

namespace chartwright::fields {
namespace {

using value::Path;
using value::Value;

constexpr size_t kSiblingsMax = 32;
constexpr size_t kStepsMax = 100;
constexpr std::string_view kNoFields[] = {"apiVersion", "kind", "metadata", "status"};

/// A step of a field's path; nullopt for an item of a list.
using FieldStep = std::optional<std::string>;

/// Reads "spec.ports[1].name", or "metadata.annotations[example.com/a]" with the key of a map.
std::vector<FieldStep> steps_of(std::string_view field) {
  std::vector<FieldStep> steps;
  while (!field.empty() && steps.size() < kStepsMax) {
    if (field.front() == '[') {
      const std::string_view key = field.substr(1, field.find(']') - 1);
      const bool is_index = key.find_first_not_of("0123456789") == std::string_view::npos;
      steps.push_back(is_index ? FieldStep() : FieldStep(key));
      field.remove_prefix(std::min(key.size() + 2, field.size()));
    } else {
      const std::string_view name = field.substr(0, field.find_first_of(".["));
      steps.emplace_back(name);
      field.remove_prefix(name.size());
    }
    field.remove_prefix(field.starts_with('.') ? 1 : 0);
  }
  return steps;
}

/// A place in a live object and in its desired form, with what the sets of fields of all managers
/// have there.
struct Place {
  const Value& live;
  const Value& desired;
  std::vector<const Value*> sets;
};

/// Whether the objects that a path names are searched, those below a name that nobody has, or all.
enum class Aim : uint8_t { kNamed, kUnknown, kAll };

class Search {
 public:
  explicit Search(Aim aim) : aim_(aim) {}
  void find(const Place& place, std::span<const FieldStep> steps);
  std::vector<Siblings> take() { return std::move(found_); }

 private:
  void find_in_items(const Place& place, std::span<const FieldStep> steps);
  void find_below(const Place& place);
  void go_on(std::string key, Path::Step step, Place below, std::span<const FieldStep> steps);
  void add(const Value& live, const Value& desired);

  Aim aim_;
  std::vector<std::string> way_;
  std::vector<Path::Step> place_;
  std::vector<Siblings> found_;
};

std::vector<std::string> members_without(const Value& live, const Value& desired) {
  std::vector<std::string> members;
  for (const auto& [name, member] : live.as_dict()) {
    const Value* wanted = desired.find(name);
    if (wanted == nullptr || wanted->is_nil()) {
      members.push_back(name);
    }
  }
  return members;
}

void Search::add(const Value& live, const Value& desired) {
  if (!live.is_dict() || !desired.is_dict() || found_.size() == kSiblingsMax) {
    return;
  }
  std::vector<std::string> members = members_without(live, desired);
  if (!members.empty()) {
    found_.push_back({way_, Path(place_), desired, {}, std::move(members)});
  }
}

// `below` still has the sets of the place above.
void Search::go_on(std::string key, Path::Step step, Place below,
                   std::span<const FieldStep> steps) {
  std::vector<const Value*> sets;
  for (const Value* set : below.sets) {
    if (const Value* inner = set->find(key)) {
      sets.push_back(inner);
    }
  }
  below.sets = std::move(sets);
  way_.push_back(std::move(key));
  place_.push_back(std::move(step));
  find(below, steps);
  way_.pop_back();
  place_.pop_back();
}

void Search::find(const Place& place, std::span<const FieldStep> steps) {
  if (steps.empty()) {
    if (aim_ == Aim::kAll) {
      find_below(place);
    }
    if (aim_ != Aim::kUnknown) {
      add(place.live, place.desired);
    }
  } else if (!steps.front()) {
    find_in_items(place, steps.subspan(1));
  } else {
    const std::string& name = *steps.front();
    const Value* live = place.live.find(name);
    const Value* desired = place.desired.find(name);
    if (live != nullptr && desired != nullptr) {
      go_on("f:" + name, name, {*live, *desired, place.sets}, steps.subspan(1));
    } else if (live == nullptr && desired == nullptr && aim_ == Aim::kUnknown && !way_.empty()) {
      aim_ = Aim::kAll;
      find_below(place);
      aim_ = Aim::kUnknown;
    }
  }
}

void Search::find_below(const Place& place) {
  if (way_.size() > kStepsMax || found_.size() == kSiblingsMax) {
    return;
  }
  if (!place.live.is_dict() || !place.desired.is_dict()) {
    find_in_items(place, {});
    return;
  }
  for (const auto& [name, live] : place.live.as_dict()) {
    if (const Value* desired = place.desired.find(name)) {
      go_on("f:" + name, name, {live, *desired, place.sets}, {});
    }
  }
}

// A list whose items have no keys is replaced as a whole.
void Search::find_in_items(const Place& place, std::span<const FieldStep> steps) {
  if (!place.live.is_list() || !place.desired.is_list()) {
    return;
  }
  std::set<std::string> keys;
  for (const Value* set : place.sets) {
    for (const auto& [key, inner] : set->as_dict()) {
      if (key.starts_with("k:")) {
        keys.insert(key);
      }
    }
  }
  for (const std::string& key : keys) {
    const Value* live = find_item(place.live, key);
    const Value* desired = find_item(place.desired, key);
    if (live != nullptr && desired != nullptr) {
      const auto index = static_cast<size_t>(live - place.live.as_list().items.data());
      go_on(key, index, {*live, *desired, place.sets}, steps);
    }
  }
}

/// Reports whether a value is a map of texts, such as the data of a ConfigMap.
bool is_map(const Value* v) {
  return v != nullptr && v->is_dict() && std::ranges::all_of(v->as_dict(), [](const auto& member) {
           return member.second.is_string();
         });
}

/// Returns the maps of the whole object with keys that the desired form lacks.
std::vector<Siblings> find_in_maps(const Value& live, const Value& desired) {
  std::vector<Siblings> found;
  for (const auto& [name, map] : live.as_dict()) {
    if (!is_map(&map) || std::ranges::find(kNoFields, name) != std::end(kNoFields)) {
      continue;
    }
    const Value* wanted = desired.find(name);
    Siblings one{
        {"f:" + name}, Path(std::vector<Path::Step>{name}), Value::dict(), Value::dict(), {}};
    if (wanted != nullptr && wanted->is_dict()) {
      one.desired = *wanted;
    }
    for (const auto& [other, member] : desired.as_dict()) {
      if (other != name && std::ranges::find(kNoFields, other) == std::end(kNoFields)) {
        one.beside.mutable_dict().set(other, member);
      }
    }
    one.members = members_without(map, one.desired);
    if (!one.members.empty() && found.size() < kSiblingsMax) {
      found.push_back(std::move(one));
    }
  }
  return found;
}

std::string pointer_to(const Path& place) {
  std::string pointer;
  for (const Path::Step& step : place.steps()) {
    const std::string* name = std::get_if<std::string>(&step);
    pointer += "/";
    if (name != nullptr) {
      pointer += base::replace_all(base::replace_all(*name, "~", "~0"), "/", "~1");
    } else if (const size_t* index = std::get_if<size_t>(&step)) {
      pointer += std::to_string(*index);
    }
  }
  return pointer;
}

Value operation(std::string_view name, const Path& place, Value v) {
  return Value::dict({{"op", Value::string(name)},
                      {"path", Value::string(pointer_to(place))},
                      {"value", std::move(v)}});
}

/// Removes the field at the end of `way` from a set of fields, and the parents that it leaves
/// empty.
void remove_field(const Value& fields, std::span<const std::string> way) {
  const Value* inner = fields.find(way.front());
  if (inner == nullptr) {
    return;
  }
  if (way.size() > 1 && inner->is_dict()) {
    remove_field(*inner, way.subspan(1));
  }
  if (way.size() == 1 || (inner->is_dict() && inner->as_dict().empty())) {
    fields.mutable_dict().erase(way.front());
  }
}

void add_field(const Value& fields, std::span<const std::string> way) {
  Value& inner = fields.mutable_dict().at_or_insert(way.front());
  if (!inner.is_dict()) {
    inner = Value::dict();
  }
  if (way.size() > 1) {
    add_field(inner, way.subspan(1));
  }
}

/// Returns the ways to the chosen members.
std::vector<std::vector<std::string>> ways_to(const std::vector<Siblings>& chosen) {
  std::vector<std::vector<std::string>> ways;
  for (const Siblings& one : chosen) {
    for (const std::string& member : one.members) {
      std::vector<std::string> way = one.way;
      way.push_back("f:" + member);
      ways.push_back(std::move(way));
    }
  }
  return ways;
}

/// Returns the index of the entry of what `manager` applied. Adds one, in the version in which
/// `live` was read, if there is none.
size_t entry_applied_by(std::string_view manager, const Value& live, std::vector<Value>& entries) {
  const auto ours = std::ranges::find_if(
      entries, [manager](const Value& entry) { return is_applied_by(entry, manager); });
  if (ours != entries.end()) {
    return static_cast<size_t>(ours - entries.begin());
  }
  entries.push_back(Value::dict({{"manager", Value::string(manager)},
                                 {"operation", Value::string("Apply")},
                                 {"apiVersion", Value::string(live.string_at({"apiVersion"}))},
                                 {"fieldsType", Value::string("FieldsV1")},
                                 {"fieldsV1", Value::dict()}}));
  return entries.size() - 1;
}

}  // namespace

std::vector<Siblings> find_siblings(const Value& live, const Value& desired,
                                    std::string_view field) {
  const std::vector<Value> entries = decoded_entries(live);
  std::vector<const Value*> sets;
  for (const Value& entry : entries) {
    const Value* fields = entry.find("fieldsV1");
    if (fields != nullptr && fields->is_dict() && entry.string_at({"subresource"}).empty()) {
      sets.push_back(fields);
    }
  }
  const std::vector<FieldStep> steps = steps_of(field);
  std::vector<Siblings> found;
  if (steps.empty() || !steps.front() || steps.front() == "metadata") {
    return found;  // Most of its members are the API server's own.
  }
  const std::string& first = *steps.front();
  if (steps.size() == 2 && field.ends_with("]") &&
      (is_map(live.find(first)) || is_map(desired.find(first)))) {
    return find_in_maps(live, desired);
  }
  for (size_t length = steps.size(); length > 0; --length) {
    Search search(Aim::kNamed);
    search.find({live, desired, sets}, std::span(steps).first(length));
    std::ranges::move(search.take(), std::back_inserter(found));
    if (length < steps.size() && !found.empty()) {
      break;
    }
  }
  Search unknown(Aim::kUnknown);
  unknown.find({live, desired, sets}, steps);
  std::ranges::move(unknown.take(), std::back_inserter(found));
  return found;
}

Value patch_without(const Value& live, const Siblings& one,
                    const std::vector<std::string>& members) {
  Value wanted = value::deep_copy(*one.place.get(live));
  for (const std::string& member : members) {
    wanted.mutable_dict().erase(member);
  }
  for (const auto& [name, member] : one.desired.as_dict()) {
    if (!member.is_nil()) {
      wanted.mutable_dict().set(name, member);
    }
  }
  std::vector<Value> patch{operation("replace", one.place, std::move(wanted))};
  if (one.beside.is_dict()) {
    for (const auto& [name, member] : one.beside.as_dict()) {
      const Value* there = live.find(name);
      Value merged = value::merge_patched(there != nullptr ? *there : Value(), member);
      patch.push_back(operation("add", Path(std::vector<Path::Step>{name}), std::move(merged)));
    }
  }
  return Value::list(std::move(patch));
}

Value managed_fields_with_members(const Value& live, std::string_view manager,
                                  const std::vector<Siblings>& chosen) {
  std::vector<Value> entries = decoded_entries(live);
  const size_t ours = entry_applied_by(manager, live, entries);
  for (const std::vector<std::string>& way : ways_to(chosen)) {
    for (const Value& entry : entries) {
      const Value* fields = entry.find("fieldsV1");
      if (fields != nullptr && fields->is_dict() && entry.string_at({"subresource"}).empty()) {
        remove_field(*fields, way);
      }
    }
    add_field(entries[ours].mutable_dict().at_or_insert("fieldsV1"), way);
  }
  std::erase_if(entries, [](const Value& entry) {
    const Value* fields = entry.find("fieldsV1");
    return fields == nullptr || !fields->is_dict() || fields->as_dict().empty();
  });
  return Value::list(std::move(entries));
}

}  // namespace chartwright::fields
