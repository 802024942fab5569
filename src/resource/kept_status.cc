// SPDX-License-Identifier: Apache-2.0
#include "resource/kept_status.h"

#include <algorithm>
#include <set>

#include "base/strings.h"

namespace chartwright::op {
namespace {

using value::Value;

constexpr std::string_view kEach = "[]";
constexpr size_t kDepthMax = 20;
constexpr size_t kNamedFieldsMax = 20;

void compare(const Value& sent, const Value& stored, StatusPath& path,
             std::set<StatusPath>& found) {
  if (path.size() == kDepthMax) {
    return;
  }
  if (sent.is_dict()) {
    for (const auto& [key, member] : sent.as_dict()) {
      path.emplace_back(key);
      if (const Value* kept = stored.find(key)) {
        compare(member, *kept, path, found);
      } else {
        found.insert(path);
      }
      path.pop_back();
    }
  } else if (sent.is_list() && stored.is_list()) {
    const auto& items = sent.as_list().items;
    const auto& kept = stored.as_list().items;
    path.emplace_back(kEach);
    for (size_t i = 0; i < std::min(items.size(), kept.size()); ++i) {
      compare(items[i], kept[i], path, found);
    }
    path.pop_back();
  }
}

Value without(const Value& v, const StatusPath& path, size_t depth) {
  if (v.is_list() && path[depth] == kEach && depth + 1 < path.size()) {
    std::vector<Value> items;
    for (const Value& item : v.as_list().items) {
      items.push_back(without(item, path, depth + 1));
    }
    return Value::list(std::move(items));
  }
  if (!v.is_dict()) {
    return v;
  }
  Value out = Value::dict();
  for (const auto& [key, member] : v.as_dict()) {
    if (key != path[depth]) {
      out.mutable_dict().set(key, member);
    } else if (depth + 1 < path.size()) {
      out.mutable_dict().set(key, without(member, path, depth + 1));
    }
  }
  return out;
}

std::string text_of(const StatusPath& path) {
  std::string text = "status";
  for (const std::string& key : path) {
    text += key == kEach ? "" : ".";
    text += key;
  }
  return text;
}

}  // namespace

std::vector<StatusPath> dropped_members(const Value& sent, const Value& stored) {
  std::set<StatusPath> found;
  StatusPath path;
  compare(sent, stored, path, found);
  return {found.begin(), found.end()};
}

void add_paths(const std::vector<StatusPath>& more, std::vector<StatusPath>& all) {
  std::set<StatusPath> found(all.begin(), all.end());
  found.insert(more.begin(), more.end());
  all.assign(found.begin(), found.end());
}

Value with_members_to_come(const Value& status) {
  const Value text = Value::string("x");
  const Value number = Value::integer(1);
  const Value examples = Value::dict(
      {{"revision", number},
       {"history", Value::list({})},
       {"inputs", text},
       {"lastHandledRollback", text},
       {"deployedRelease", Value::dict({{"name", text}})},
       {"pin", Value::dict({{"revision", number}, {"rejectedInputs", text}})},
       {"attempt", Value::dict({{"revision", number}, {"digest", text}, {"phase", text}})}});
  Value all = Value::dict();
  for (const Value* source : {&examples, &status}) {
    for (const auto& [key, member] : source->as_dict()) {
      all.mutable_dict().set(key, member);
    }
  }
  return all;
}

Value without_members(const Value& status, const std::vector<StatusPath>& paths) {
  Value kept = status;
  for (const StatusPath& path : paths) {
    kept = without(kept, path, 0);
  }
  return kept;
}

std::string describe_dropped(const std::vector<StatusPath>& paths) {
  std::vector<std::string> names;
  for (const StatusPath& path : paths) {
    if (names.size() == kNamedFieldsMax) {
      names.push_back("and " + std::to_string(paths.size() - kNamedFieldsMax) + " more");
      break;
    }
    names.push_back(text_of(path));
  }
  return "the schema of the CRD has no " + base::join(names, ", ") +
         ": the operator does not remember them after a restart. In the CRD, make the schema of "
         "status {type: object, x-kubernetes-preserve-unknown-fields: true}";
}

}  // namespace chartwright::op
