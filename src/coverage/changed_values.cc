// SPDX-License-Identifier: Apache-2.0
#include "coverage/changed_values.h"

#include "value/compare.h"
#include "value/path.h"

namespace chartwright::coverage {
namespace {

using helm::analysis::KeyUsage;
using helm::analysis::Steps;
using value::Value;

bool is_table(const Value& v) { return v.is_dict() && !v.as_dict().empty(); }

std::string path_text(const Steps& path) {
  return value::Path(std::vector<value::Path::Step>(path.begin(), path.end())).to_string();
}

/// Walks the defaults of a chart.
class DefaultsWalk {
 public:
  DefaultsWalk(const ChangedValues& changed, const KeyUsage& usage)
      : changed_(changed), usage_(usage) {}

  ReadDefaults run() {
    walk(changed_.defaults());
    return std::move(found_);
  }

 private:
  void walk(const Value& table) {
    for (const auto& [key, member] : table.as_dict()) {
      path_.push_back(key);
      if (is_table(member)) {
        walk(member);
      } else if (helm::analysis::is_used(usage_, path_)) {
        look_at();
      }
      path_.pop_back();
    }
  }

  void look_at() {
    ++found_.total;
    if (!changed_.has(path_)) {
      found_.unset.push_back(path_text(path_));
    }
  }

  const ChangedValues& changed_;
  const KeyUsage& usage_;
  Steps path_;
  ReadDefaults found_;
};

}  // namespace

void ChangedValues::note(const Value& given) {
  if (given.is_dict() && defaults_.is_dict()) {
    note(given, defaults_);
  }
}

void ChangedValues::note(const Value& given, const Value& defaults) {
  for (const auto& [key, member] : given.as_dict()) {
    const Value* const known = defaults.find(key);
    if (known == nullptr) {
      continue;
    }
    path_.push_back(key);
    if (member.is_dict() && is_table(*known)) {
      note(member, *known);
    } else if (!value::json_equal(member, *known)) {
      changed_.insert(path_);
    }
    path_.pop_back();
  }
}

void ChangedValues::add(const ChangedValues& other) {
  changed_.insert(other.changed_.begin(), other.changed_.end());
}

bool ChangedValues::has(const Steps& path) const {
  Steps front;
  for (const std::string& step : path) {
    front.push_back(step);
    if (changed_.contains(front)) {
      return true;
    }
  }
  return false;
}

ReadDefaults read_defaults(const ChangedValues& changed, const KeyUsage& usage) {
  return changed.defaults().is_dict() ? DefaultsWalk(changed, usage).run() : ReadDefaults();
}

}  // namespace chartwright::coverage
