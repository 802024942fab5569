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

namespace chartwright::fields {
namespace {

using value::Path;
using value::Value;

constexpr size_t kSiblingsMax = 32;
constexpr size_t kStepsMax = 100;

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

class Search {
 public:
  void find(const Place& place, std::span<const FieldStep> steps);
  std::vector<Siblings> take() { return std::move(found_); }

 private:
  void find_in_items(const Place& place, std::span<const FieldStep> steps);
  void go_on(std::string key, Path::Step step, Place below, std::span<const FieldStep> steps);
  void add(const Value& live, const Value& desired);

  std::vector<std::string> way_;
  std::vector<Path::Step> place_;
  std::vector<Siblings> found_;
};

void Search::add(const Value& live, const Value& desired) {
  if (!live.is_dict() || !desired.is_dict() || found_.size() == kSiblingsMax) {
    return;
  }
  std::vector<std::string> members;
  for (const auto& [name, member] : live.as_dict()) {
    const Value* wanted = desired.find(name);
    if (wanted == nullptr || wanted->is_nil()) {
      members.push_back(name);
    }
  }
  if (!members.empty()) {
    found_.push_back({way_, Path(place_), desired, std::move(members)});
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
    add(place.live, place.desired);
  } else if (!steps.front()) {
    find_in_items(place, steps.subspan(1));
  } else {
    const std::string& name = *steps.front();
    const Value* live = place.live.find(name);
    const Value* desired = place.desired.find(name);
    if (live != nullptr && desired != nullptr) {
      go_on("f:" + name, name, {*live, *desired, place.sets}, steps.subspan(1));
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
  if (steps.empty() || steps.front() == "metadata") {
    return found;  // Most of its members are the API server's own.
  }
  for (size_t length = steps.size(); length > 0; --length) {
    Search search;
    search.find({live, desired, sets}, std::span(steps).first(length));
    std::ranges::move(search.take(), std::back_inserter(found));
    if (length < steps.size() && !found.empty()) {
      break;
    }
  }
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
  return Value::list({Value::dict({{"op", Value::string("replace")},
                                   {"path", Value::string(pointer_to(one.place))},
                                   {"value", std::move(wanted)}})});
}

Value managed_fields_with_members(const Value& live, std::string_view manager,
                                  const std::vector<Siblings>& chosen) {
  std::vector<Value> entries = decoded_entries(live);
  const auto ours = std::ranges::find_if(
      entries, [manager](const Value& entry) { return is_applied_by(entry, manager); });
  if (ours == entries.end() || ours->find("fieldsV1") == nullptr) {
    return {};
  }
  for (const std::vector<std::string>& way : ways_to(chosen)) {
    for (const Value& entry : entries) {
      const Value* fields = entry.find("fieldsV1");
      if (fields != nullptr && fields->is_dict() && entry.string_at({"subresource"}).empty()) {
        remove_field(*fields, way);
      }
    }
    add_field(*ours->find("fieldsV1"), way);
  }
  std::erase_if(entries, [](const Value& entry) {
    const Value* fields = entry.find("fieldsV1");
    return fields == nullptr || !fields->is_dict() || fields->as_dict().empty();
  });
  return Value::list(std::move(entries));
}

}  // namespace chartwright::fields
