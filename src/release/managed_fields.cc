// SPDX-License-Identifier: Apache-2.0
#include "release/managed_fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "kube/object_json.h"
#include "release/owner.h"
#include "release/projection.h"

namespace chartwright::release {
namespace {

using value::Value;

struct Manager {
  std::string_view name;
  std::string_view operation;
};

// Helm names itself by its binary; from Helm 4 on it applies. Sources: helm/helm pkg/kube/client.go
// getManagedFieldsManager, fluxcd/helm-controller main.go.
constexpr std::array<Manager, 5> kPredecessors = {{{"helm-operator", "Update"},
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
  if (const Value* fields = entry.find("fieldsV1")) {
    copy.mutable_dict().set("fieldsV1", kube::decode_fields(*fields));
  }
  return copy;
}

}  // namespace

Value managed_fields_after_takeover(const Value& live) {
  const Value* entries = live.find_path({"metadata", "managedFields"});
  if (entries == nullptr || !entries->is_list()) {
    return {};
  }
  std::vector<Value> kept;
  std::optional<Value> ours;
  std::vector<Value> theirs;
  for (const Value& entry : entries->as_list().items) {
    Value decoded = with_decoded_fields(entry);
    if (is_of_predecessor(entry)) {
      theirs.push_back(std::move(decoded));
    } else if (is_entry_of(entry, {kFieldManager, "Apply"})) {
      ours = std::move(decoded);
    } else {
      kept.push_back(std::move(decoded));
    }
  }
  if (theirs.empty()) {
    return {};
  }
  Value united = ours ? *std::move(ours) : theirs.front();
  const std::string_view version = united.string_at({"apiVersion"});
  Value fields = Value::dict();
  if (const Value* first = united.find("fieldsV1")) {
    unite(fields.mutable_dict(), *first, 0);
  }
  for (const Value& entry : theirs) {
    if (entry.string_at({"apiVersion"}) != version) {
      return {};
    }
    if (const Value* set = entry.find("fieldsV1")) {
      unite(fields.mutable_dict(), *set, 0);
    }
  }
  united.mutable_dict().set("manager", Value::string(kFieldManager));
  united.mutable_dict().set("operation", Value::string("Apply"));
  united.mutable_dict().set("fieldsV1", std::move(fields));
  kept.push_back(std::move(united));
  return Value::list(std::move(kept));
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

}  // namespace chartwright::release
