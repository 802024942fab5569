// SPDX-License-Identifier: Apache-2.0
#include "fields/conflicts.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "fields/manager.h"
#include "fields/projection.h"
#include "kube/object_json.h"
#include "value/path.h"

namespace chartwright::fields {
namespace {

using value::Path;
using value::Value;

/// Compares a partial object with the fields of one manager.
class Comparison {
 public:
  void compare(const Value& fields, const Value* live, const Value& wanted);
  std::vector<Path> take() { return std::move(found_); }

 private:
  void step_into(Path::Step step, const Value& fields, const Value* live, const Value& wanted);

  std::vector<Path::Step> steps_;
  std::vector<Path> found_;
};

void Comparison::step_into(Path::Step step, const Value& fields, const Value* live,
                           const Value& wanted) {
  if (steps_.size() == Path::kMaxSteps) {
    return;
  }
  steps_.push_back(std::move(step));
  compare(fields, live, wanted);
  steps_.pop_back();
}

void Comparison::compare(const Value& fields, const Value* live, const Value& wanted) {
  const bool is_leaf = !fields.is_dict() || fields.as_dict().empty();
  if (is_leaf || (!wanted.is_dict() && !wanted.is_list())) {
    if (live == nullptr || !already_holds(*live, wanted)) {
      found_.emplace_back(steps_);
    }
    return;
  }
  for (const auto& [key, inner] : fields.as_dict()) {
    if (key.starts_with("f:")) {
      const std::string name = key.substr(2);
      if (const Value* member = wanted.find(name)) {
        step_into(name, inner, live == nullptr ? nullptr : live->find(name), *member);
      }
      continue;
    }
    // An item of a set is there, or is not: its value cannot differ.
    if (const Value* item = key.starts_with("k:") ? find_item(wanted, key) : nullptr) {
      const auto place = static_cast<size_t>(item - wanted.as_list().items.data());
      step_into(place, inner, live == nullptr ? nullptr : find_item(*live, key), *item);
    }
  }
}

// Erases a field, and the dicts that have become empty: an empty one would be set as a whole.
void leave(const Path& path, Value& body) {
  std::vector<Path::Step> steps = path.steps();
  const Value* parent = nullptr;
  do {
    Path(steps).erase(body);
    steps.pop_back();
    parent = steps.empty() ? nullptr : Path(steps).get(body);
  } while (parent != nullptr && parent->is_dict() && parent->as_dict().empty());
}

}  // namespace

std::vector<FieldConflict> leave_conflicts(const Value& live, std::string_view manager,
                                           Value& body) {
  const Value whole = value::deep_copy(body);
  std::vector<FieldConflict> conflicts;
  std::vector<Path> left;
  for (const Value& entry : live.items_at({"metadata", "managedFields"})) {
    const std::string_view other = entry.string_at({"manager"});
    const Value* fields = entry.find("fieldsV1");
    if (other == manager || !is_manager_of_owner(other) || fields == nullptr) {
      continue;
    }
    Comparison comparison;
    comparison.compare(kube::decode_fields(*fields), &live, whole);
    for (Path& path : comparison.take()) {
      conflicts.push_back({path.to_string(), std::string(other)});
      left.push_back(std::move(path));
    }
  }
  // From the last item of a list to the first, so that places stay valid.
  std::ranges::sort(left, std::greater(), &Path::steps);
  for (const Path& path : left) {
    leave(path, body);
  }
  return conflicts;
}

}  // namespace chartwright::fields
