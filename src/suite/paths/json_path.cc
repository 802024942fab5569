// SPDX-License-Identifier: Apache-2.0
#include "suite/paths/json_path.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "go/format.h"
#include "go/format_float.h"
#include "suite/paths/path_step.h"
#include "yaml/key_order.h"

namespace chartwright::suite {
namespace {

using value::Path;
using value::Value;

constexpr size_t kValuesMax = 1'000'000;
constexpr size_t kPlacesMax = 10'000;

/// Returns the members in the order in which go-yaml writes them.
std::vector<const value::Dict::Entry*> in_order(const value::Dict& dict) {
  std::vector<const value::Dict::Entry*> members;
  for (const auto& entry : dict) {
    members.push_back(&entry);
  }
  std::stable_sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
    return yaml::yaml_key_less(a->first, b->first);
  });
  return members;
}

/// Returns the indices of a slice in a list of that length.
std::vector<size_t> indices(const PathSlice& slice, int64_t length) {
  const auto counted = [length](int64_t index) { return index < 0 ? index + length : index; };
  const int64_t forwards = slice.step > 0 ? 1 : -1;
  int64_t from = counted(slice.from.value_or(forwards > 0 ? 0 : -1));
  int64_t to = forwards > 0 ? length : -1;
  if (slice.to) {
    to = counted(*slice.to);
  }
  if (slice.single) {
    to = from + 1;
  }
  // Bounds far outside of the list must not cost time.
  from = forwards > 0 ? std::max<int64_t>(from, slice.single ? from : 0) : std::min(from, length);
  to = forwards > 0 ? std::min(to, length) : std::max<int64_t>(to, -1);
  std::vector<size_t> found;
  for (int64_t i = from; forwards > 0 ? i < to : i > to; i += slice.step) {
    if (i >= 0 && i < length) {
      found.push_back(static_cast<size_t>(i));
    }
    if (slice.step > length || slice.step < -length) {
      break;  // The next index is outside, and might overflow.
    }
  }
  return found;
}

/// A selected value.
struct Selected {
  Value value;
  std::vector<Path::Step> steps = {};  ///< Where it is; empty unless places are asked for.
};

enum class Places : uint8_t { kForget, kKeep };

class Finder {
 public:
  explicit Finder(const Value& root, Places places = Places::kForget)
      : root_(root), places_(places) {}

  base::Result<std::vector<Selected>> find(const Value& start, const std::vector<PathStep>& steps) {
    std::vector<Selected> values{{start}};
    for (const PathStep& step : steps) {
      std::vector<Selected> next;
      for (const Selected& v : values) {
        CW_TRY_VOID(take(step, v, next));
      }
      values = std::move(next);
    }
    return values;
  }

 private:
  using Found = std::vector<Selected>;

  base::Status add(Selected v, Found& into) {
    if (++found_ > (places_ == Places::kKeep ? kPlacesMax : kValuesMax)) {
      return base::Error(base::ErrorCode::kBudget, "path selects too many values");
    }
    into.push_back(std::move(v));
    return {};
  }

  /// Returns a value in `around`, or one that stands for it there.
  Selected in(const Selected& around, Path::Step step, const Value& v) const {
    Selected inner{v};
    if (places_ == Places::kKeep) {
      inner.steps = around.steps;
      inner.steps.push_back(std::move(step));
    }
    return inner;
  }

  base::Status take(const PathStep& step, const Selected& at, Found& into) {
    const Value& v = at.value;
    switch (step.kind) {
      case PathStep::Kind::kMembers:
        for (const std::string& name : step.names) {
          if (const Value* member = v.find(name)) {
            CW_TRY_VOID(add(in(at, name, *member), into));
          }
        }
        return {};
      case PathStep::Kind::kAll:
        return children(at, into);
      case PathStep::Kind::kSlices:
        for (const PathSlice& slice : step.slices) {
          if (v.is_list()) {
            const auto& items = v.as_list().items;
            for (const size_t i : indices(slice, static_cast<int64_t>(items.size()))) {
              CW_TRY_VOID(add(in(at, i, items[i]), into));
            }
          }
        }
        return {};
      case PathStep::Kind::kDescend:
        return descend(at, into);
      case PathStep::Kind::kFilter:
        if (v.is_list()) {
          for (size_t i = 0; i < v.as_list().items.size(); ++i) {
            CW_TRY_VOID(add_accepted(*step.filter, in(at, i, v.as_list().items[i]), into));
          }
          return {};
        }
        return add_accepted(*step.filter, at, into);
      case PathStep::Kind::kFilterSelf:
        return add_accepted(*step.filter, at, into);
      case PathStep::Kind::kNames:
        return names(step, at, into);
    }
    return {};
  }

  base::Status children(const Selected& at, Found& into) {
    const Value& v = at.value;
    if (v.is_list()) {
      for (size_t i = 0; i < v.as_list().items.size(); ++i) {
        CW_TRY_VOID(add(in(at, i, v.as_list().items[i]), into));
      }
    } else if (v.is_dict()) {
      for (const auto* member : in_order(v.as_dict())) {
        CW_TRY_VOID(add(in(at, member->first, member->second), into));
      }
    }
    return {};
  }

  base::Status names(const PathStep& step, const Selected& at, Found& into) {
    if (!at.value.is_dict()) {
      return {};
    }
    for (const std::string& name : step.names) {
      if (at.value.find(name) != nullptr) {
        CW_TRY_VOID(add(in(at, name, Value::string(name)), into));
      }
    }
    if (step.names.empty()) {
      for (const auto* member : in_order(at.value.as_dict())) {
        CW_TRY_VOID(add(in(at, member->first, Value::string(member->first)), into));
      }
    }
    return {};
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as documents, whose depth is limited.
  base::Status descend(const Selected& at, Found& into) {
    const Value& v = at.value;
    if (v.is_dict()) {
      for (const auto* member : in_order(v.as_dict())) {
        CW_TRY_VOID(add(in(at, member->first, Value::string(member->first)), into));
        CW_TRY_VOID(descend(in(at, member->first, member->second), into));
      }
    } else if (v.is_list()) {
      for (size_t i = 0; i < v.as_list().items.size(); ++i) {
        CW_TRY_VOID(descend(in(at, i, v.as_list().items[i]), into));
      }
    }
    return add(at, into);
  }

  base::Status add_accepted(const PathFilter& filter, const Selected& at, Found& into) {
    CW_TRY(const bool accepted, accepts(filter, at.value));
    if (accepted) {
      CW_TRY_VOID(add(at, into));
    }
    return {};
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the filter, whose depth is limited.
  base::Result<bool> accepts(const PathFilter& filter, const Value& item) {
    switch (filter.kind) {
      case PathFilter::Kind::kNot: {
        CW_TRY(const bool inner, accepts(*filter.left, item));
        return !inner;
      }
      case PathFilter::Kind::kAnd:
      case PathFilter::Kind::kOr: {
        CW_TRY(const bool left, accepts(*filter.left, item));
        return left == (filter.kind == PathFilter::Kind::kOr) ? left : accepts(*filter.right, item);
      }
      case PathFilter::Kind::kTerm: {
        if (filter.first.kind == FilterTerm::Kind::kLiteral) {
          return filter.first.literal.type == FilterValue::Type::kBool &&
                 filter.first.literal.text == "true";
        }
        CW_TRY(const auto values, values_of(filter.first, item));
        return !values.empty();
      }
      case PathFilter::Kind::kMatch: {
        CW_TRY(const auto values, values_of(filter.first, item));
        return !values.empty() && std::ranges::all_of(values, [&](const FilterValue& v) {
          return v.type == FilterValue::Type::kString && filter.pattern->matches(v.text);
        });
      }
      case PathFilter::Kind::kCompare:
        return compare(filter, item);
    }
    return false;
  }

  /// All pairs of both sides must agree, and there must be one.
  base::Result<bool> compare(const PathFilter& filter, const Value& item) {
    CW_TRY(const auto left, values_of(filter.first, item));
    CW_TRY(const auto right, values_of(filter.second, item));
    for (const FilterValue& l : left) {
      for (const FilterValue& r : right) {
        if (!agree(l, r, filter.op)) {
          return false;
        }
      }
    }
    return !left.empty() && !right.empty();
  }

  static bool agree(const FilterValue& l, const FilterValue& r, PathFilter::Operator op) {
    using Type = FilterValue::Type;
    const auto is_number = [](const FilterValue& v) {
      return v.type == Type::kInt || v.type == Type::kFloat;
    };
    std::partial_ordering order = std::partial_ordering::unordered;
    if (is_number(l) && is_number(r)) {
      order = base::parse_double(l.text).value_or(0) <=> base::parse_double(r.text).value_or(0);
    } else if (l.type == r.type && l.type == Type::kString) {
      order = l.text <=> r.text;
    } else if (l.type == r.type &&
               (l.type == Type::kNull || (l.type == Type::kBool && l.text == r.text))) {
      order = std::partial_ordering::equivalent;
    }
    switch (op) {
      case PathFilter::Operator::kEqual:
        return std::is_eq(order);
      case PathFilter::Operator::kNotEqual:
        return !std::is_eq(order);
      case PathFilter::Operator::kLess:
        return std::is_lt(order);
      case PathFilter::Operator::kLessOrEqual:
        return std::is_lteq(order);
      case PathFilter::Operator::kGreater:
        return std::is_gt(order);
      case PathFilter::Operator::kGreaterOrEqual:
        return std::is_gteq(order);
    }
    return false;
  }

  base::Result<std::vector<FilterValue>> values_of(const FilterTerm& term, const Value& item) {
    if (term.kind == FilterTerm::Kind::kLiteral) {
      return std::vector<FilterValue>{term.literal};
    }
    CW_TRY(const auto found, find(term.kind == FilterTerm::Kind::kItem ? item : root_, term.path));
    std::vector<FilterValue> values;
    std::ranges::transform(found, std::back_inserter(values),
                           [](const Selected& v) { return filter_value(v.value); });
    return values;
  }

  static FilterValue filter_value(const Value& v) {
    using Type = FilterValue::Type;
    switch (v.kind()) {
      case value::Kind::kNil:
        return {Type::kNull, "null"};
      case value::Kind::kBool:
        return {Type::kBool, v.as_bool() ? "true" : "false"};
      case value::Kind::kInt:
        return {Type::kInt, go::format_value(v)};
      case value::Kind::kFloat:
        return {Type::kFloat, go::format_float(v.as_float(), 'g', -1)};
      case value::Kind::kString:
        return {Type::kString, v.as_string()};
      default:
        return {};
    }
  }

  const Value& root_;
  const Places places_;
  size_t found_ = 0;
};

std::string nearest_member(const Value& of, std::string_view name) {
  std::vector<std::string_view> members;
  if (of.is_dict()) {
    for (const auto& [member, v] : of.as_dict()) {
      members.emplace_back(member);
    }
  }
  return std::string(base::nearest(name, members));
}

}  // namespace

JsonPath::JsonPath(std::vector<PathStep> steps)
    : steps_(std::make_shared<const std::vector<PathStep>>(std::move(steps))) {}

base::Result<JsonPath> JsonPath::compile(std::string_view text) {
  CW_TRY(std::vector<PathStep> steps, parse_path_steps(text));
  return JsonPath(std::move(steps));
}

base::Result<std::vector<Value>> JsonPath::find(const Value& document) const {
  CW_TRY(std::vector<Selected> found, Finder(document).find(document, *steps_));
  std::vector<Value> values;
  values.reserve(found.size());
  std::ranges::transform(found, std::back_inserter(values),
                         [](Selected& one) { return std::move(one.value); });
  return values;
}

base::Result<std::vector<Path>> JsonPath::places(const Value& document) const {
  CW_TRY(std::vector<Selected> found, Finder(document, Places::kKeep).find(document, *steps_));
  std::vector<Path> places;
  std::ranges::transform(found, std::back_inserter(places),
                         [](Selected& one) { return Path(std::move(one.steps)); });
  return places;
}

std::optional<JsonPath::DeadEnd> JsonPath::dead_end(const Value& document) const {
  Value at = document;
  std::vector<Path::Step> reached;
  for (const PathStep& step : *steps_) {
    const auto found = Finder(document, Places::kKeep).find(at, {step});
    if (!found.ok() || found->size() > 1) {
      return std::nullopt;
    }
    if (found->empty() && (step.kind != PathStep::Kind::kMembers || step.names.size() != 1)) {
      return std::nullopt;
    }
    if (found->empty()) {
      const std::string& missing = step.names.front();
      return DeadEnd{Path(std::move(reached)), missing, nearest_member(at, missing)};
    }
    reached.insert(reached.end(), found->front().steps.begin(), found->front().steps.end());
    at = Value(found->front().value);
  }
  return std::nullopt;
}

}  // namespace chartwright::suite
