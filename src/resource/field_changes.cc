// SPDX-License-Identifier: Apache-2.0
#include "resource/field_changes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "fields/manager.h"
#include "fields/projection.h"
#include "kube/object.h"
#include "resource/annotations.h"
#include "value/differences.h"

namespace chartwright::op {
namespace {

using value::Path;
using value::Value;

constexpr std::array<std::string_view, 8> kBookkeeping = {
    "managedFields",     "resourceVersion", "generation", "uid",
    "creationTimestamp", "selfLink",        "name",       "namespace"};

bool is_left_out(const std::vector<Path::Step>& steps, bool is_new) {
  const auto* first = std::get_if<std::string>(&steps.front());
  if (steps.size() == 1) {
    return *first == "apiVersion" || *first == "kind" || *first == "status";
  }
  const auto* second = std::get_if<std::string>(&steps[1]);
  if (steps.size() != 2 || *first != "metadata" || second == nullptr) {
    return false;
  }
  return std::ranges::find(kBookkeeping, *second) != kBookkeeping.end() ||
         (is_new && *second == "ownerReferences");
}

}  // namespace

bool is_secret_field(const kube::Gvk& kind, const std::vector<Path::Step>& steps) {
  if (!kube::is_secret(kind) || steps.empty()) {
    return false;
  }
  const auto* first = std::get_if<std::string>(&steps.front());
  const auto* last = std::get_if<std::string>(&steps.back());
  const bool is_content = first != nullptr && (*first == "data" || *first == "stringData");
  return is_content || (last != nullptr && *last == kLastApplied);
}

FieldChanges compare_fields(const Value& before, const Value& after, std::string_view own_manager) {
  const bool is_new = before.is_nil();
  const kube::Gvk kind = kube::gvk_of(is_new ? after : before);
  const fields::FieldManagers managers(before);
  FieldChanges changes;
  const auto visit = [&](const value::Difference& found) {
    if (changes.kept.size() == kFieldsMax) {
      ++changes.left_out;
      return;
    }
    FieldChange change;
    change.path = found.path;
    if (found.first != nullptr) {
      change.before = *found.first;
      change.managers = managers.of(Path(found.steps));
      std::erase_if(change.managers, [own_manager](const std::string& manager) {
        return manager == own_manager || manager == fields::kFieldManager;
      });
    }
    if (found.second != nullptr) {
      change.after = *found.second;
    }
    change.secret = is_secret_field(kind, found.steps);
    changes.kept.push_back(std::move(change));
  };
  const auto skips = [is_new](const std::vector<Path::Step>& steps) {
    return is_left_out(steps, is_new);
  };
  value::compare_members(is_new ? nullptr : &before, after.is_nil() ? nullptr : &after,
                         {.skips = skips, .visit = visit});
  return changes;
}

}  // namespace chartwright::op
