// SPDX-License-Identifier: Apache-2.0
#include "tmpl/written_dicts.h"

#include <new>
#include <string>
#include <unordered_map>
#include <utility>

namespace chartwright::tmpl {
namespace {

using value::Value;

/// Traverses all reachable containers, each once, and finds the dict entries that lead back to a
/// container on the current path: removing them breaks all cycles. Not recursive, since values may
/// be as deep as memory allows.
class CycleSearch {
 public:
  void walk(const Value& root) {
    open(root);
    while (!way_.empty()) {
      step();
    }
  }
  /// Sets the entries found to nil.
  void cut() {
    std::vector<Value> removed;  // Freed at the end: each may own dicts of other entries.
    for (const auto& [dict, key] : closing_) {
      if (Value* member = dict.mutable_dict().find(key)) {
        removed.push_back(std::exchange(*member, Value::nil()));
      }
    }
  }

 private:
  enum class State : uint8_t { kOpen, kDone };
  /// A container on the path from a root to the current position.
  struct Place {
    Value container;
    std::vector<value::Native::Member> native_members;
    size_t next = 0;  // Of a list or native.
    value::Dict::const_iterator member = {};
    const value::Dict::Entry* entered = nullptr;  // The member of a dict on the way.
  };

  static const void* identity(const Value& v) {
    if (v.is_dict()) {
      return &v.as_dict();
    }
    if (v.is_list()) {
      return &v.as_list();
    }
    return v.is_native() ? &v.as_native() : nullptr;
  }

  void open(const Value& v) {
    const void* id = identity(v);
    if (id == nullptr) {
      return;
    }
    const auto [seen, fresh] = states_.try_emplace(id, State::kOpen);
    if (fresh) {
      way_.push_back(
          {v, v.is_native() ? v.as_native().members() : std::vector<value::Native::Member>()});
      if (v.is_dict()) {
        way_.back().member = v.as_dict().begin();
      }
    } else if (seen->second == State::kOpen) {
      note_closing();
    }
  }

  void step() {
    Place& place = way_.back();
    if (place.container.is_dict() && place.member != place.container.as_dict().end()) {
      place.entered = &*place.member;
      // open may move `place`, but not the entry, which is in the dict.
      open((place.member++)->second);
      return;
    }
    const size_t at = place.next++;
    if (place.container.is_list() && at < place.container.as_list().items.size()) {
      open(place.container.as_list().items[at]);
    } else if (at < place.native_members.size()) {
      open(Value(place.native_members[at].value));
    } else {
      states_[identity(place.container)] = State::kDone;
      way_.pop_back();
    }
  }

  // Lists and natives are built from existing values only, so every cycle contains a dict, and the
  // innermost dict on the path belongs to this cycle.
  void note_closing() {
    for (size_t i = way_.size(); i-- > 0;) {
      if (way_[i].container.is_dict()) {
        closing_.emplace_back(way_[i].container, way_[i].entered->first);
        return;
      }
    }
  }

  std::vector<Place> way_;
  std::unordered_map<const void*, State> states_;
  std::vector<std::pair<Value, std::string>> closing_;
};

}  // namespace

void WrittenDicts::note(const Value& dict, const Value& member) {
  if (!member.is_dict() && !member.is_list() && !member.is_native()) {
    return;
  }
  std::weak_ptr<value::Dict> written = dict.shared_dict();
  const bool again = !dicts_.empty() && !dicts_.back().owner_before(written) &&
                     !written.owner_before(dicts_.back());
  if (again) {
    return;
  }
  if (dicts_.size() >= sweep_at_) {
    std::erase_if(dicts_, [](const auto& one) { return one.expired(); });
    sweep_at_ = 2 * dicts_.size() + 1024;
  }
  dicts_.push_back(std::move(written));
}

WrittenDicts::~WrittenDicts() {
  try {
    CycleSearch search;
    for (const auto& written : dicts_) {
      if (auto dict = written.lock()) {
        search.walk(Value::dict(std::move(dict)));
      }
    }
    search.cut();
  } catch (const std::bad_alloc&) {
    // Without memory for the search, empty all dicts: every cycle contains one of them, and only
    // strings outlive a render.
    for (const auto& written : dicts_) {
      if (const auto dict = written.lock()) {
        value::Dict emptied;
        std::swap(*dict, emptied);
      }
    }
  }
}

}  // namespace chartwright::tmpl
