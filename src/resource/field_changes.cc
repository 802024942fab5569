// SPDX-License-Identifier: Apache-2.0
#include "resource/field_changes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "fields/manager.h"
#include "fields/projection.h"
#include "kube/object.h"
#include "resource/annotations.h"
#include "resource/field_path.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using value::Path;
using value::Value;

// Deeper values are compared whole.
constexpr size_t kStepsMax = 64;

// The members that tell the items of lists apart, in Kubernetes' own kinds and in most others.
constexpr std::array<std::string_view, 9> kItemKeys = {
    "name", "key", "mountPath", "containerPort", "port", "ip", "uid", "type", "host"};

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

/// The items of a list by what identifies them.
struct Identified {
  std::vector<std::string> ids;  ///< In the order of the items.
  std::map<std::string, size_t> places;
};

/// Returns the items by the member `key`; nullopt if some have none, or the same.
std::optional<Identified> identified_by(std::string_view key, const std::vector<Value>& items) {
  Identified found;
  for (const Value& item : items) {
    const Value* id = item.find(key);
    if (id == nullptr || id->is_dict() || id->is_list()) {
      return std::nullopt;
    }
    found.ids.push_back(item_id(*id));
    if (!found.places.emplace(found.ids.back(), found.places.size()).second) {
      return std::nullopt;
    }
  }
  return found;
}

bool has_same_keys(const Identified& a, const Identified& b) {
  return a.ids.size() == b.ids.size() &&
         std::ranges::all_of(a.ids, [&b](const std::string& id) { return b.places.contains(id); });
}

/// Collects the differences of two objects.
class FieldWalk {
 public:
  FieldWalk(const Value& before, const Value& after, std::string_view own_manager)
      : is_new_(before.is_nil()),
        kind_(kube::gvk_of(is_new_ ? after : before)),
        own_manager_(own_manager),
        managers_(before) {}

  void compare(const Value* before, const Value* after);
  FieldChanges take() { return std::move(changes_); }

 private:
  void dicts(const value::Dict* before, const value::Dict* after);
  void lists(const Value* before, const Value* after);
  bool keyed(const std::vector<Value>& before, const std::vector<Value>& after,
             std::string_view key);
  void step_into(Path::Step step, const std::string& text, const Value* before, const Value* after);
  void add(const Value* before, const Value* after);

  const bool is_new_;
  const kube::Gvk kind_;
  const std::string_view own_manager_;
  const fields::FieldManagers managers_;
  std::vector<Path::Step> steps_;  ///< In the object as it is.
  std::string path_;
  FieldChanges changes_;
};

void FieldWalk::compare(const Value* before, const Value* after) {
  if (before != nullptr && after != nullptr && value::json_equal(*before, *after)) {
    return;
  }
  if (!steps_.empty() && is_left_out(steps_, is_new_)) {
    return;
  }
  const auto is_dict = [](const Value* v) { return v == nullptr || v->is_dict(); };
  const auto is_filled = [](const Value* v) {
    return v != nullptr && v->is_dict() && !v->as_dict().empty();
  };
  const auto is_list = [](const Value* v) { return v == nullptr || v->is_list(); };
  if (steps_.size() < kStepsMax && is_dict(before) && is_dict(after) &&
      (is_filled(before) || is_filled(after))) {
    return dicts(before == nullptr ? nullptr : &before->as_dict(),
                 after == nullptr ? nullptr : &after->as_dict());
  }
  if (steps_.size() < kStepsMax && is_list(before) && is_list(after)) {
    return lists(before, after);
  }
  add(before, after);
}

void FieldWalk::dicts(const value::Dict* before, const value::Dict* after) {
  std::set<std::string> names;
  for (const value::Dict* dict : {before, after}) {
    if (dict != nullptr) {
      for (const auto& [name, member] : *dict) {
        names.insert(name);
      }
    }
  }
  for (const std::string& name : names) {
    const Value* old_member = before == nullptr ? nullptr : before->find(name);
    const Value* new_member = after == nullptr ? nullptr : after->find(name);
    const std::string text = member_text(name);
    const bool dotted = !path_.empty() && !text.starts_with('[');
    step_into(name, (dotted ? "." : "") + text, old_member, new_member);
  }
}

void FieldWalk::lists(const Value* before, const Value* after) {
  const std::vector<Value> none;
  const std::vector<Value>& old_items = before == nullptr ? none : before->as_list().items;
  const std::vector<Value>& new_items = after == nullptr ? none : after->as_list().items;
  const bool empty = old_items.empty() && new_items.empty();
  const bool was_keyed = !empty && std::ranges::any_of(kItemKeys, [&](std::string_view key) {
    return keyed(old_items, new_items, key);
  });
  if (was_keyed) {
    return;
  }
  const auto all_dicts = [](const std::vector<Value>& items) {
    return std::ranges::all_of(items, [](const Value& item) { return item.is_dict(); });
  };
  if (empty || old_items.size() != new_items.size() || !all_dicts(old_items) ||
      !all_dicts(new_items)) {
    return add(before, after);
  }
  for (size_t i = 0; i < old_items.size(); ++i) {
    step_into(i, "[" + std::to_string(i) + "]", &old_items[i], &new_items[i]);
  }
}

bool FieldWalk::keyed(const std::vector<Value>& before, const std::vector<Value>& after,
                      std::string_view key) {
  const auto olds = identified_by(key, before);
  const auto news = identified_by(key, after);
  if (!olds || !news) {
    return false;
  }
  const auto text_of = [key](const std::string& id) {
    return "[" + std::string(key) + "=" + id + "]";
  };
  for (size_t i = 0; i < before.size(); ++i) {
    const auto at = news->places.find(olds->ids[i]);
    const Value* now = at == news->places.end() ? nullptr : &after[at->second];
    step_into(i, text_of(olds->ids[i]), &before[i], now);
  }
  for (size_t i = 0; i < after.size(); ++i) {
    if (!olds->places.contains(news->ids[i])) {
      step_into(before.size() + i, text_of(news->ids[i]), nullptr, &after[i]);
    }
  }
  if (olds->ids != news->ids && has_same_keys(*olds, *news)) {
    const size_t length = path_.size();
    path_ += " (order)";
    const Value old_order = value::list_of(olds->ids);
    const Value new_order = value::list_of(news->ids);
    add(&old_order, &new_order);
    path_.resize(length);
  }
  return true;
}

void FieldWalk::step_into(Path::Step step, const std::string& text, const Value* before,
                          const Value* after) {
  const size_t length = path_.size();
  path_ += text;
  steps_.push_back(std::move(step));
  compare(before, after);
  steps_.pop_back();
  path_.resize(length);
}

void FieldWalk::add(const Value* before, const Value* after) {
  if (changes_.kept.size() == kFieldsMax) {
    ++changes_.left_out;
    return;
  }
  FieldChange change;
  change.path = path_;
  if (before != nullptr) {
    change.before = *before;
    change.managers = managers_.of(Path(steps_));
    std::erase_if(change.managers, [this](const std::string& manager) {
      return manager == own_manager_ || manager == fields::kFieldManager;
    });
  }
  if (after != nullptr) {
    change.after = *after;
  }
  change.secret = is_secret_field(kind_, steps_);
  changes_.kept.push_back(std::move(change));
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
  FieldWalk walk(before, after, own_manager);
  walk.compare(before.is_nil() ? nullptr : &before, after.is_nil() ? nullptr : &after);
  return walk.take();
}

}  // namespace chartwright::op
