// SPDX-License-Identifier: Apache-2.0
#include "fields/managed_fields.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/strings.h"
#include "fields/manager.h"
#include "fields/projection.h"
#include "kube/object_json.h"

namespace chartwright::fields {
namespace {

using value::Value;

struct Manager {
  std::string_view name;
  std::string_view operation;
};

constexpr Manager kShared = {kFieldManager, "Apply"};
// Helm names itself by its binary; from Helm 4 on it applies. Sources: helm/helm pkg/kube/client.go
// getManagedFieldsManager, fluxcd/helm-controller main.go.
constexpr std::array<Manager, 6> kPredecessors = {{kShared,
                                                   {"helm-operator", "Update"},
                                                   {"helm", "Update"},
                                                   {"helm", "Apply"},
                                                   {"helm-controller", "Update"},
                                                   {"helm-controller", "Apply"}}};
// The API server's limit on object depth is far lower; this only protects our own stack.
constexpr int kDepthMax = 256;

bool is_entry_of(const Value& entry, const Manager& manager) {
  return entry.string_at({"manager"}) == manager.name &&
         entry.string_at({"operation"}) == manager.operation &&
         entry.string_at({"subresource"}).empty();
}

bool is_of_predecessor(const Value& entry) {
  return std::ranges::any_of(
      kPredecessors, [&entry](const Manager& manager) { return is_entry_of(entry, manager); });
}

// Adds to a set of fields those of another; both are trees of dicts.
void unite(value::Dict& fields, const Value& others, int depth) {
  if (!others.is_dict() || depth > kDepthMax) {
    return;
  }
  for (const auto& [key, inner] : others.as_dict()) {
    Value& own = fields.at_or_insert(key);
    if (!own.is_dict()) {
      own = Value::dict();
    }
    unite(own.mutable_dict(), inner, depth + 1);
  }
}

Value with_decoded_fields(const Value& entry) {
  Value copy = value::deep_copy(entry);
  if (const Value* fields = copy.find("fieldsV1")) {  // Fields that are decoded are not copied.
    copy.mutable_dict().set("fieldsV1", kube::decode_fields(*fields));
  }
  return copy;
}

// The entries of an object by manager, decoded.
struct Managers {
  std::optional<Value> ours;
  std::vector<Value> theirs;  // Of predecessors.
  std::vector<Value> others;
};

Managers managers_of(const Value& live, std::string_view manager) {
  Managers managers;
  for (Value& entry : decoded_entries(live)) {
    if (is_of_predecessor(entry)) {
      managers.theirs.push_back(std::move(entry));
    } else if (is_applied_by(entry, manager)) {
      managers.ours = std::move(entry);
    } else {
      managers.others.push_back(std::move(entry));
    }
  }
  return managers;
}

std::string version_of(const Value& entry) { return std::string(entry.string_at({"apiVersion"})); }

// Returns an entry like `entry`, of other fields and of another manager.
Value applied_by(std::string_view manager, const Value& like, Value fields) {
  Value entry = value::deep_copy(like);
  entry.mutable_dict().set("manager", Value::string(manager));
  entry.mutable_dict().set("operation", Value::string("Apply"));
  entry.mutable_dict().set("fieldsV1", std::move(fields));
  return entry;
}

// Returns all entries, with the fields of predecessors in ours, that of `manager`; nil if there are
// none. All have one version.
Value moved_to(std::string_view manager, Managers managers) {
  if (managers.theirs.empty()) {
    return {};
  }
  Value united = managers.ours ? *managers.ours : managers.theirs.front();
  if (managers.ours) {
    managers.theirs.push_back(*managers.ours);
  }
  Value fields = Value::dict();
  for (const Value& entry : managers.theirs) {
    if (const Value* set = entry.find("fieldsV1")) {
      unite(fields.mutable_dict(), *set, 0);
    }
  }
  managers.others.push_back(applied_by(manager, united, std::move(fields)));
  return Value::list(std::move(managers.others));
}

bool has_fields(const Value& entry) {
  const Value* fields = entry.find("fieldsV1");
  return fields != nullptr && fields->is_dict() && !fields->as_dict().empty();
}

// Keys of a set of fields; an empty one stands for all items of a list.
using Way = std::span<const std::string>;

// The way to the innermost list of "spec.containers[0].ports[1].name": f:spec, f:containers, "",
// f:ports. A set of fields names items by their keys, not by number.
std::vector<std::string> way_to_list(std::string_view field) {
  std::vector<std::string> way;
  for (const std::string_view part : base::split(field.substr(0, field.rfind('[')), '.')) {
    way.push_back("f:" + std::string(part.substr(0, part.find('['))));
    way.resize(way.size() + static_cast<size_t>(std::ranges::count(part, '[')));
  }
  return way;
}

// An associative list names its items by key, a set by value.
std::vector<std::string> items_of(const Value& fields) {
  std::vector<std::string> items;
  for (const auto& [key, inner] : fields.as_dict()) {
    if (key.starts_with("k:") || key.starts_with("v:")) {
      items.push_back(key);
    }
  }
  return items;
}

bool move_items(const Value& theirs, const Value& ours, Way way, int depth);

// Goes on with one member; one that we lack is made if something is moved there.
bool move_within(const std::string& key, const Value& theirs, const Value& ours, Way way,
                 int depth) {
  const Value* from = theirs.find(key);
  if (from == nullptr || !from->is_dict()) {
    return false;
  }
  const Value* known = ours.find(key);
  const Value to = known != nullptr && known->is_dict() ? *known : Value::dict();
  if (!move_items(*from, to, way, depth + 1)) {
    return false;
  }
  ours.mutable_dict().set(key, to);
  if (from->as_dict().empty()) {
    theirs.mutable_dict().erase(key);
  }
  return true;
}

// Moves the items that only `theirs` has of the list at the end of the way. Returns whether there
// were any.
bool move_items(const Value& theirs, const Value& ours, Way way, int depth) {
  bool moved = false;
  if (way.empty()) {
    for (const std::string& item : items_of(theirs)) {
      if (ours.find(item) == nullptr) {
        ours.mutable_dict().set(item, *theirs.find(item));
        theirs.mutable_dict().erase(item);
        moved = true;
      }
    }
    return moved;
  }
  if (depth > kDepthMax) {
    return false;
  }
  if (!way.front().empty()) {
    return move_within(way.front(), theirs, ours, way.subspan(1), depth);
  }
  for (const std::string& item : items_of(ours)) {
    moved = move_within(item, theirs, ours, way.subspan(1), depth) || moved;
  }
  return moved;
}

// Returns the member of `partial` that a key of a set of fields names; nullptr if there is none.
const Value* member_named(std::string_view key, const Value& partial) {
  return key.starts_with("f:") ? partial.find(key.substr(2)) : find_item(partial, key);
}

// Moves the fields that `partial` has from one set to another. An item of a list that keeps fields
// of others stays in the first one, too.
void move_held(const Value& partial, const Value& from, const Value& to, int depth) {
  std::vector<std::string> keys;
  for (const auto& [key, inner] : from.as_dict()) {
    keys.push_back(key);
  }
  for (const std::string& key : keys) {
    const Value* wanted = member_named(key, partial);
    if (wanted == nullptr || depth > kDepthMax) {
      continue;
    }
    const Value inner = *from.find(key);
    const bool is_leaf = !inner.is_dict() || inner.as_dict().empty();
    const bool has_members = wanted->is_dict() || wanted->is_list();
    const Value moved = Value::dict();
    if (!is_leaf && has_members) {
      move_held(*wanted, inner, moved, depth + 1);
    }
    if (is_leaf || !moved.as_dict().empty()) {
      to.mutable_dict().set(key, is_leaf ? inner : moved);
    }
    if (is_leaf || inner.as_dict().empty()) {
      from.mutable_dict().erase(key);
    }
  }
  if (!to.as_dict().empty() && from.find(".") != nullptr) {
    to.mutable_dict().set(".", Value::dict());
  }
  if (from.as_dict().size() == 1 && from.find(".") != nullptr) {
    from.mutable_dict().erase(".");
  }
}

// "spec.ports[1].name", but not "metadata.annotations[example.com/a]", an entry of a map.
bool is_in_list(const base::ErrorCause& cause) {
  const std::string& field = cause.field;
  for (size_t open = field.find('['); open != std::string::npos; open = field.find('[', open + 1)) {
    const size_t close = field.find_first_not_of("0123456789", open + 1);
    if (close != std::string::npos && close > open + 1 && field[close] == ']') {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Value> decoded_entries(const Value& live) {
  std::vector<Value> entries;
  const Value* found = live.find_path({"metadata", "managedFields"});
  if (found != nullptr && found->is_list()) {
    for (const Value& entry : found->as_list().items) {
      entries.push_back(with_decoded_fields(entry));
    }
  }
  return entries;
}

bool is_applied_by(const Value& entry, std::string_view manager) {
  return is_entry_of(entry, {manager, "Apply"});
}

Value managed_fields_with_shared(const Value& live, const Value& partial,
                                 std::string_view manager) {
  std::vector<Value> entries = decoded_entries(live);
  const auto is_whole = [](const Manager& of) {
    return [of](const Value& entry) { return is_entry_of(entry, of) && has_fields(entry); };
  };
  const auto shared = std::ranges::find_if(entries, is_whole(kShared));
  const auto own = std::ranges::find_if(entries, is_whole({manager, "Apply"}));
  if (shared == entries.end() ||
      (own != entries.end() && version_of(*own) != version_of(*shared))) {
    return {};
  }
  Value moved = Value::dict();
  move_held(partial, *shared->find("fieldsV1"), moved, 0);
  if (moved.as_dict().empty()) {
    return {};
  }
  if (own != entries.end()) {
    unite(moved.mutable_dict(), *own->find("fieldsV1"), 0);
  }
  Value entry = applied_by(manager, *shared, std::move(moved));
  if (own != entries.end()) {
    *own = std::move(entry);
  } else {
    entries.push_back(std::move(entry));
  }
  std::erase_if(entries, [](const Value& one) { return !has_fields(one); });
  return Value::list(std::move(entries));
}

Value managed_fields_without(const Value& live, std::string_view manager) {
  std::vector<Value> others = live.items_at({"metadata", "managedFields"});
  const bool had_any = std::erase_if(others, [manager](const Value& entry) {
                         return is_applied_by(entry, manager);
                       }) > 0;
  if (!had_any) {
    return {};
  }
  if (others.empty()) {
    others.push_back(Value::dict());  // An empty list would leave managedFields unchanged.
  }
  return Value::list(std::move(others));
}

Value managed_fields_with_items(const Value& live, std::string_view manager,
                                const std::vector<std::string>& fields) {
  std::vector<Value> entries = decoded_entries(live);
  const auto ours = std::ranges::find_if(entries, [manager](const Value& entry) {
    return is_applied_by(entry, manager) && has_fields(entry);
  });
  if (ours == entries.end()) {
    return {};
  }
  bool moved = false;
  for (auto theirs = entries.begin(); theirs != entries.end(); ++theirs) {
    const bool may_move = theirs != ours && has_fields(*theirs) &&
                          theirs->string_at({"subresource"}).empty() &&
                          theirs->string_at({"apiVersion"}) == ours->string_at({"apiVersion"});
    for (size_t i = 0; may_move && i < fields.size(); ++i) {
      moved = move_items(*theirs->find("fieldsV1"), *ours->find("fieldsV1"), way_to_list(fields[i]),
                         0) ||
              moved;
    }
  }
  if (!moved) {
    return {};
  }
  std::erase_if(entries, [](const Value& entry) { return !has_fields(entry); });
  return Value::list(std::move(entries));
}

Value managed_fields_after_takeover(const Value& live, std::string_view manager) {
  Managers managers = managers_of(live, manager);
  const bool has_one_version = std::ranges::all_of(managers.theirs, [&](const Value& entry) {
    const Value& other = managers.ours ? *managers.ours : managers.theirs.front();
    return version_of(entry) == version_of(other);
  });
  return has_one_version ? moved_to(manager, std::move(managers)) : Value();
}

Value managed_fields_after_apply(const Value& live, std::string_view manager) {
  Managers managers = managers_of(live, manager);
  if (managers.theirs.empty()) {
    return {};
  }
  const std::string version = version_of(managers.theirs.front());
  const auto is_of_version = [&](const Value& entry) { return version_of(entry) == version; };
  if (managers.ours && !is_of_version(*managers.ours)) {
    managers.ours.reset();
  }
  std::ranges::remove_copy_if(managers.theirs, std::back_inserter(managers.others), is_of_version);
  std::erase_if(managers.theirs, [&](const Value& entry) { return !is_of_version(entry); });
  return moved_to(manager, std::move(managers));
}

bool is_of_list_items(const base::Error& refusal) {
  return refusal.code() == base::ErrorCode::kInvalid && !refusal.causes().empty() &&
         std::ranges::all_of(refusal.causes(), is_in_list);
}

bool holds(const Value& live, const Value& desired) {
  if (desired.is_list()) {
    const auto& wanted = desired.as_list().items;
    return live.is_list() && live.as_list().items.size() == wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), live.as_list().items.begin(),
                      [](const Value& want, const Value& has) { return holds(has, want); });
  }
  if (!desired.is_dict()) {
    return already_holds(live, desired);
  }
  return std::all_of(desired.as_dict().begin(), desired.as_dict().end(), [&live](const auto& item) {
    const Value* found = live.find(item.first);
    return found != nullptr && holds(*found, item.second);
  });
}

}  // namespace chartwright::fields
