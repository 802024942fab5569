// SPDX-License-Identifier: Apache-2.0
#include "model/fields.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "kube/label_selector.h"
#include "kube/object.h"
#include "value/compare.h"
#include "value/path.h"

namespace chartwright::model {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// Returns the field set of `v` in FieldsV1's grammar, with every list as atomic.
Value fields_of(const Value& v) {
  Value fields = Value::dict();
  if (v.is_dict()) {
    for (const auto& [key, member] : v.as_dict()) {
      fields.mutable_dict().set("f:" + key, fields_of(member));
    }
  }
  return fields;
}

// Erases the fields from `object` that `old_fields` has and `new_fields` lacks, and maps that have
// become empty.
void drop_fields(const Value& old_fields, const Value& new_fields, Value& object) {
  if (!object.is_dict()) {
    return;
  }
  for (const auto& [key, inner] : old_fields.as_dict()) {
    const std::string name = key.substr(2);
    const Value* kept = new_fields.find(key);
    Value* member = object.mutable_dict().find(name);
    if (member == nullptr) {
      continue;
    }
    const bool is_leaf = inner.as_dict().empty();
    if (!is_leaf) {
      drop_fields(inner, kept == nullptr ? Value::dict() : *kept, *member);
    }
    if (kept == nullptr && (is_leaf || (member->is_dict() && member->as_dict().empty()))) {
      object.mutable_dict().erase(name);
    }
  }
}

void merge_into(const Value& body, Value& object) {
  for (const auto& [key, member] : body.as_dict()) {
    Value& target = object.mutable_dict().at_or_insert(key);
    if (member.is_dict() && target.is_dict()) {
      merge_into(member, target);
    } else {
      target = value::deep_copy(member);
    }
  }
}

// Returns `body` without the fields that identify the object.
Value owned_part(const Value& body, bool status) {
  Value part = value::deep_copy(body);
  value::Dict& members = part.mutable_dict();
  if (status) {
    Value only = Value::dict();
    only.mutable_dict().set("status", *part.find("status"));
    return only;
  }
  members.erase("apiVersion");
  members.erase("kind");
  members.erase("status");
  value::Dict& metadata = members.find("metadata")->mutable_dict();
  for (std::string_view key : {"name", "namespace", "uid", "resourceVersion", "generation",
                               "managedFields", "creationTimestamp", "deletionTimestamp"}) {
    metadata.erase(key);
  }
  if (metadata.empty()) {
    members.erase("metadata");
  }
  return part;
}

// Adds the fields of `more` to `all`.
void unite_fields(const Value& all, const Value& more) {
  for (const auto& [key, inner] : more.as_dict()) {
    Value& own = all.mutable_dict().at_or_insert(key);
    if (!own.is_dict()) {
      own = Value::dict();
    }
    unite_fields(own, inner);
  }
}

// Returns `fields` with those that other managers own: no apply of one of them removes these.
Value kept_fields(const Value& fields, const Value& live, const kube::ApplyOptions& options) {
  Value all = value::deep_copy(fields);
  for (const Value& entry : live.items_at({"metadata", "managedFields"})) {
    const bool is_own = entry.string_at({"manager"}) == options.field_manager &&
                        entry.string_at({"operation"}) == "Apply";
    const Value* others = entry.find("fieldsV1");
    if (!is_own && others != nullptr && others->is_dict()) {
      unite_fields(all, *others);
    }
  }
  return all;
}

// Reports whether a set of fields has one that differs between the objects, both of which have it.
bool differs(const Value& fields, const Value* live, const Value* wanted) {
  if (live == nullptr || wanted == nullptr) {
    return false;
  }
  if (fields.as_dict().empty() || !wanted->is_dict()) {
    return !value::json_equal(*live, *wanted);
  }
  return std::ranges::any_of(fields.as_dict(), [&](const auto& field) {
    if (!field.first.starts_with("f:")) {
      return false;
    }
    const std::string name = field.first.substr(2);
    return differs(field.second, live->find(name), wanted->find(name));
  });
}

// Removes from a set of fields those that another one has.
void take_away(const Value& taken, const Value& fields) {
  for (const auto& [key, inner] : taken.as_dict()) {
    const Value* own = fields.find(key);
    if (own == nullptr) {
      continue;
    }
    take_away(inner, *own);
    if (own->as_dict().empty()) {
      fields.mutable_dict().erase(key);
    }
  }
}

// Returns the fields of `fields` whose values differ.
Value changed_part(const Value& fields, const Value& live, const Value& wanted) {
  Value part = Value::dict();
  for (const auto& [key, inner] : fields.as_dict()) {
    const Value* now = live.find(key.substr(2));
    const Value* then = wanted.find(key.substr(2));
    if (now == nullptr || then == nullptr || value::json_equal(*now, *then)) {
      continue;
    }
    part.mutable_dict().set(key, inner.as_dict().empty() || !then->is_dict()
                                     ? inner
                                     : changed_part(inner, *now, *then));
  }
  return part;
}

// Removes from a set of fields those that differ between the objects, or that one of them lacks.
void drop_changed(const Value& fields, const Value* before, const Value* after) {
  std::vector<std::string> dropped;
  for (const auto& [key, inner] : fields.as_dict()) {
    const Value* then = before == nullptr ? nullptr : before->find(key.substr(2));
    const Value* now = after == nullptr ? nullptr : after->find(key.substr(2));
    const bool is_leaf = inner.as_dict().empty();
    if (!is_leaf) {
      drop_changed(inner, then, now);
    }
    const bool is_same = then != nullptr && now != nullptr &&
                         ((then->is_dict() && now->is_dict()) || value::json_equal(*then, *now));
    if (is_leaf ? !is_same : inner.as_dict().empty()) {
      dropped.push_back(key);
    }
  }
  for (const std::string& key : dropped) {
    fields.mutable_dict().erase(key);
  }
}

// Returns the fields that `after` has and `before` has not, or has otherwise.
Value added_part(const Value& fields, const Value* before, const Value* after) {
  Value added = Value::dict();
  for (const auto& [key, inner] : fields.as_dict()) {
    const Value* then = before == nullptr ? nullptr : before->find(key.substr(2));
    const Value* now = after->find(key.substr(2));
    if (inner.as_dict().empty()) {
      if (then == nullptr || !value::json_equal(*then, *now)) {
        added.mutable_dict().set(key, inner);
      }
    } else if (Value below = added_part(inner, then, now); !below.as_dict().empty()) {
      added.mutable_dict().set(key, std::move(below));
    }
  }
  return added;
}

// Removes the entries of those who have no fields any more, and sorts the others, so that no write
// changes their order alone.
void tidy(std::vector<Value>& entries) {
  std::erase_if(entries, [](const Value& entry) {
    const Value* owned = entry.find("fieldsV1");
    return owned != nullptr && owned->is_dict() && owned->as_dict().empty();
  });
  const auto place = [](const Value& entry) {
    return std::tuple(entry.string_at({"operation"}), entry.string_at({"manager"}),
                      entry.string_at({"subresource"}));
  };
  std::ranges::stable_sort(entries, {}, place);
}

bool is_entry_of(const Value& entry, const kube::ApplyOptions& options) {
  const bool status = options.subresource == kube::Subresource::kStatus;
  return entry.string_at({"manager"}) == options.field_manager &&
         entry.string_at({"operation"}) == "Apply" &&
         (entry.string_at({"subresource"}) == "status") == status;
}

}  // namespace

base::Status check_selection(const kube::Selection& selection) {
  auto labels = kube::LabelSelector::parse(selection.label_selector);
  if (!labels.ok()) {
    return Error(ErrorCode::kInvalidArgument, labels.error().message())
        .with_http(400, "BadRequest");
  }
  return {};
}

bool selects(const kube::Selection& selection, const Value& object) {
  const std::string_view ns = kube::namespace_of(object);  // None: a cluster-scoped kind.
  if (!selection.ns.empty() && !ns.empty() && selection.ns != ns) {
    return false;
  }
  const auto labels = kube::LabelSelector::parse(selection.label_selector);
  return labels.ok() && labels->matches(object);
}

Value apply_fields(const Value& live, const Value& body, const kube::ApplyOptions& options) {
  const bool status = options.subresource == kube::Subresource::kStatus;
  const Value part = owned_part(body, status);
  const Value fields = fields_of(part);
  Value object = live.is_nil() ? Value::dict({{"apiVersion", *body.find("apiVersion")},
                                              {"kind", *body.find("kind")},
                                              {"metadata", Value::dict()}})
                               : value::deep_copy(live);
  object.mutable_dict().set("apiVersion", *body.find("apiVersion"));  // As if converted.
  value::Dict& metadata = object.mutable_dict().find("metadata")->mutable_dict();
  std::vector<Value> entries;
  if (const Value* managed = metadata.find("managedFields")) {
    for (const Value& entry : managed->as_list().items) {
      if (is_entry_of(entry, options)) {
        drop_fields(*entry.find("fieldsV1"), kept_fields(fields, live, options), object);
      } else {
        Value kept = value::deep_copy(entry);  // Less what is taken by force.
        if (const Value* owned = kept.find("fieldsV1"); owned != nullptr) {
          take_away(changed_part(fields, live, part), *owned);
        }
        entries.push_back(kept);
      }
    }
  }
  merge_into(part, object);
  for (std::string_view key : {"name", "namespace"}) {
    if (const Value* v = body.find_path({"metadata", key})) {
      metadata.set(key, *v);
    }
  }
  if (!fields.as_dict().empty()) {
    Value entry = Value::dict({{"manager", Value::string(options.field_manager)},
                               {"operation", Value::string("Apply")},
                               {"apiVersion", *body.find("apiVersion")},
                               {"fieldsType", Value::string("FieldsV1")},
                               {"fieldsV1", fields}});
    if (status) {
      entry.mutable_dict().set("subresource", Value::string("status"));
    }
    entries.push_back(std::move(entry));
  }
  tidy(entries);
  object.mutable_dict()
      .find("metadata")
      ->mutable_dict()
      .set("managedFields", Value::list(std::move(entries)));
  return object;
}

void note_update(const Value& before, Value& after, const std::string& manager) {
  const Value added = added_part(fields_of(owned_part(after, false)), &before, &after);
  std::vector<Value> entries;
  bool is_noted = manager.empty();
  for (const Value& entry : after.items_at({"metadata", "managedFields"})) {
    const Value* fields = entries.emplace_back(value::deep_copy(entry)).find("fieldsV1");
    if (fields == nullptr || !fields->is_dict()) {
      continue;
    }
    drop_changed(*fields, &before, &after);
    if (entry.string_at({"manager"}) == manager && entry.string_at({"operation"}) == "Update") {
      unite_fields(*fields, added);
      is_noted = true;
    }
  }
  if (!is_noted) {
    entries.push_back(Value::dict({{"manager", Value::string(manager)},
                                   {"operation", Value::string("Update")},
                                   {"apiVersion", *after.find("apiVersion")},
                                   {"fieldsType", Value::string("FieldsV1")},
                                   {"fieldsV1", added}}));
  }
  tidy(entries);
  value::Dict& metadata = after.find("metadata")->mutable_dict();
  if (entries.empty()) {
    metadata.erase("managedFields");
  } else {
    metadata.set("managedFields", Value::list(std::move(entries)));
  }
}

std::vector<std::string> conflicting_managers(const Value& live, const Value& body,
                                              const kube::ApplyOptions& options) {
  const Value part = owned_part(body, options.subresource == kube::Subresource::kStatus);
  std::vector<std::string> managers;
  for (const Value& entry : live.items_at({"metadata", "managedFields"})) {
    const Value* fields = entry.find("fieldsV1");
    if (fields != nullptr && !is_entry_of(entry, options) && differs(*fields, &live, &part)) {
      managers.emplace_back(entry.string_at({"manager"}));
    }
  }
  return managers;
}

base::Result<Value> replaced(const Value& live, const Value& operations) {
  const auto refused = [](const std::string& problem) {
    return Error(ErrorCode::kInvalid, "a patch of the server in memory " + problem)
        .with_http(422, "Invalid");
  };
  if (!operations.is_list()) {
    return refused("must be a list of operations");
  }
  Value changed = value::deep_copy(live);
  for (const Value& operation : operations.as_list().items) {
    const std::string_view path = operation.string_at({"path"});
    const Value* const wanted = operation.find("value");
    if (operation.string_at({"op"}) != "replace" || !path.starts_with('/') || wanted == nullptr) {
      return refused("can only replace values: {op: replace, path: /a/b, value: ...}");
    }
    std::vector<value::Path::Step> steps;
    for (const std::string_view name : base::split(path.substr(1), '/')) {
      steps.emplace_back(std::string(name));
    }
    if (!value::Path(std::move(steps)).set(changed, *wanted).ok()) {
      return refused("cannot set " + std::string(path));
    }
  }
  return changed;
}

}  // namespace chartwright::model
