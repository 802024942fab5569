// SPDX-License-Identifier: Apache-2.0
#include "value/differences.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/unicode.h"
#include "value/json.h"

namespace chartwright::value {
namespace {

// Deeper values are compared whole.
constexpr size_t kStepsMax = 64;

// The members that tell the items of lists apart, in Kubernetes' own kinds and in most others.
constexpr std::array<std::string_view, 9> kItemKeys = {
    "name", "key", "mountPath", "containerPort", "port", "ip", "uid", "type", "host"};

constexpr size_t kShortBytesMax = 160;
// The bytes that are shown of what two long texts have in common before their first difference.
constexpr size_t kCommonBytes = 40;

bool is_bare_member_byte(char c) {
  return base::is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '$' || c == '/';
}

std::string identity_json(const Value& v) { return to_json(v, JsonEscape::kNone).value_or("?"); }

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

/// A walk through two values at once.
class MemberWalk {
 public:
  explicit MemberWalk(const DifferenceSearch& how) : how_(how) {}

  void compare(const Value* first, const Value* second);

 private:
  void dicts(const Dict* first, const Dict* second);
  void lists(const Value* first, const Value* second);
  bool keyed(const std::vector<Value>& first, const std::vector<Value>& second,
             std::string_view key);
  void step_into(Path::Step step, const std::string& text, const Value* first, const Value* second);
  void visit(const Value* first, const Value* second) const {
    how_.visit({path_, steps_, first, second});
  }

  const DifferenceSearch& how_;
  std::vector<Path::Step> steps_;  ///< In the first value as it is.
  std::string path_;
};

void MemberWalk::compare(const Value* first, const Value* second) {
  if (first != nullptr && second != nullptr && how_.is_equal(*first, *second)) {
    return;
  }
  if (!steps_.empty() && how_.skips && how_.skips(steps_)) {
    return;
  }
  const auto is_dict = [](const Value* v) { return v == nullptr || v->is_dict(); };
  const auto is_filled = [](const Value* v) {
    return v != nullptr && v->is_dict() && !v->as_dict().empty();
  };
  const auto is_list = [](const Value* v) { return v == nullptr || v->is_list(); };
  if (steps_.size() < kStepsMax && is_dict(first) && is_dict(second) &&
      (is_filled(first) || is_filled(second))) {
    return dicts(first == nullptr ? nullptr : &first->as_dict(),
                 second == nullptr ? nullptr : &second->as_dict());
  }
  if (steps_.size() < kStepsMax && is_list(first) && is_list(second)) {
    return lists(first, second);
  }
  visit(first, second);
}

void MemberWalk::dicts(const Dict* first, const Dict* second) {
  std::set<std::string> names;
  for (const Dict* dict : {first, second}) {
    if (dict != nullptr) {
      for (const auto& [name, member] : *dict) {
        names.insert(name);
      }
    }
  }
  for (const std::string& name : names) {
    const Value* first_member = first == nullptr ? nullptr : first->find(name);
    const Value* second_member = second == nullptr ? nullptr : second->find(name);
    const std::string text = member_text(name);
    const bool dotted = !path_.empty() && !text.starts_with('[');
    step_into(name, (dotted ? "." : "") + text, first_member, second_member);
  }
}

void MemberWalk::lists(const Value* first, const Value* second) {
  const std::vector<Value> none;
  const std::vector<Value>& first_items = first == nullptr ? none : first->as_list().items;
  const std::vector<Value>& second_items = second == nullptr ? none : second->as_list().items;
  const bool empty = first_items.empty() && second_items.empty();
  const bool was_keyed = !empty && std::ranges::any_of(kItemKeys, [&](std::string_view key) {
    return keyed(first_items, second_items, key);
  });
  if (was_keyed) {
    return;
  }
  const auto all_dicts = [](const std::vector<Value>& items) {
    return std::ranges::all_of(items, [](const Value& item) { return item.is_dict(); });
  };
  if (empty || first_items.size() != second_items.size() || !all_dicts(first_items) ||
      !all_dicts(second_items)) {
    return visit(first, second);
  }
  for (size_t i = 0; i < first_items.size(); ++i) {
    step_into(i, "[" + std::to_string(i) + "]", &first_items[i], &second_items[i]);
  }
}

bool MemberWalk::keyed(const std::vector<Value>& first, const std::vector<Value>& second,
                       std::string_view key) {
  const auto firsts = identified_by(key, first);
  const auto seconds = identified_by(key, second);
  if (!firsts || !seconds) {
    return false;
  }
  const auto text_of = [key](const std::string& id) {
    return "[" + std::string(key) + "=" + id + "]";
  };
  for (size_t i = 0; i < first.size(); ++i) {
    const auto at = seconds->places.find(firsts->ids[i]);
    const Value* now = at == seconds->places.end() ? nullptr : &second[at->second];
    step_into(i, text_of(firsts->ids[i]), &first[i], now);
  }
  for (size_t i = 0; i < second.size(); ++i) {
    if (!firsts->places.contains(seconds->ids[i])) {
      step_into(first.size() + i, text_of(seconds->ids[i]), nullptr, &second[i]);
    }
  }
  if (firsts->ids != seconds->ids && has_same_keys(*firsts, *seconds)) {
    const size_t length = path_.size();
    path_ += " (order)";
    const Value first_order = list_of(firsts->ids);
    const Value second_order = list_of(seconds->ids);
    visit(&first_order, &second_order);
    path_.resize(length);
  }
  return true;
}

void MemberWalk::step_into(Path::Step step, const std::string& text, const Value* first,
                           const Value* second) {
  const size_t length = path_.size();
  path_ += text;
  steps_.push_back(std::move(step));
  compare(first, second);
  steps_.pop_back();
  path_.resize(length);
}

/// Returns a place at or before `at` where a character begins.
size_t character_start(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && base::is_utf8_continuation(text[at])) {
    --at;
  }
  return std::min(at, text.size());
}

std::string excerpt(const std::string& text, size_t begin) {
  if (text.size() <= kShortBytesMax) {
    return text;
  }
  const size_t from = character_start(text, std::min(begin, text.size()));
  const size_t end = character_start(text, std::min(from + kShortBytesMax, text.size()));
  return (from > 0 ? "…" : "") + text.substr(from, end - from) + (end < text.size() ? "…" : "") +
         " (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

bool is_bare_member(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_bare_member_byte);
}

std::string member_text(std::string_view name) {
  return is_bare_member(name) ? std::string(name) : "[" + identity_json(Value::string(name)) + "]";
}

std::string item_id(const Value& member) {
  const bool bare = member.is_string() && is_bare_member(member.as_string());
  return bare ? member.as_string() : identity_json(member);
}

void compare_members(const Value* first, const Value* second, const DifferenceSearch& search) {
  MemberWalk(search).compare(first, second);
}

void shorten(DifferentTexts& texts) {
  size_t common = 0;
  if (texts.first && texts.second) {
    const auto [a, b] = std::ranges::mismatch(*texts.first, *texts.second);
    common = static_cast<size_t>(a - texts.first->begin());
  }
  const size_t begin = common > kCommonBytes ? common - kCommonBytes : 0;
  for (std::optional<std::string>* text : {&texts.first, &texts.second}) {
    if (*text) {
      *text = excerpt(**text, begin);
    }
  }
}

}  // namespace chartwright::value
