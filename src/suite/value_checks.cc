// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/digest.h"
#include "go/format.h"
#include "go/regexp.h"
#include "helm/funcs/go_value.h"
#include "suite/check.h"
#include "suite/compat.h"
#include "suite/field_differences.h"
#include "suite/paths/json_path.h"
#include "suite/text_diff.h"
#include "suite/typed_yaml.h"
#include "value/compare.h"

namespace chartwright::suite {
namespace {

using value::Value;

// More would bury what they explain.
constexpr size_t kExplainedMax = 3;

/// The values at the path of an assertion, one after the other.
class ValueChecks {
 public:
  ValueChecks(const CheckInput& input, const go::Regexp* pattern)
      : input_(input), a_(input.assertion), negative_(a_.negative()), pattern_(pattern) {}

  CheckResult document(const base::Result<JsonPath>& path, const Value& document, int index) {
    if (!path.ok()) {
      return {false, error_lines({index}, path.error().message())};
    }
    const auto found = a_.path.empty() ? std::vector{document} : path->find(reread(document));
    if (!found.ok()) {
      return {false, error_lines({index}, found.error().message())};
    }
    if (found->empty() && !negative_) {
      const bool quotes = a_.check == Check::kGreater || a_.check == Check::kLess;
      const std::string name = quotes ? "'" + a_.path + "'" : a_.path;
      return {false, error_lines({index}, "unknown path " + name), {{index}}};
    }
    CheckResults results(found->empty());
    for (size_t i = 0; i < found->size(); ++i) {
      const FailurePlace place{index, static_cast<int>(i)};
      CheckResult result = one((*found)[i], place);
      if (!result.passed) {
        result.places = {place};
      }
      if (!results.add(std::move(result), input_.fail_fast)) {
        break;
      }
    }
    return results.take();
  }

  /// The lines for a template without documents. Their place differs by check.
  CheckResult none() const {
    const Value nothing = Value::string("no manifest found");
    switch (a_.check) {
      case Check::kEqual:
        return {false, unequal(nothing, {})};
      case Check::kNullOrEmpty:
        return {false, not_empty(nothing, {})};
      case Check::kContains:
        return {false, not_contained(nothing, {0})};
      case Check::kSubset:
        return {false, no_subset(nothing, {})};
      case Check::kType:
        return {false, other_type(nothing.as_string(), {})};
      case Check::kMatch:
        return {false, no_match(nothing.as_string(), {})};
      default:
        return {false, not_ordered("no manifests found", {})};
    }
  }

 private:
  CheckResult one(const Value& v, FailurePlace place) {
    switch (a_.check) {
      case Check::kEqual:
        return equal(v, place);
      case Check::kNullOrEmpty:
        return helm::funcs::is_empty(v) != negative_ ? passed()
                                                     : CheckResult{false, not_empty(v, place)};
      case Check::kContains:
        return contains(v, place);
      case Check::kSubset:
        return subset(v, place);
      case Check::kType:
        return (go_type(v) == a_.text) != negative_
                   ? passed()
                   : CheckResult{false, other_type(go_type(v), place)};
      case Check::kMatch:
        return match(v, place);
      case Check::kSnapshot:
        return snapshot(v, place);
      default:
        return ordered(v, place);
    }
  }

  static CheckResult passed() { return {true, {}}; }
  static CheckResult failed(FailurePlace place, const std::string& error) {
    return {false, error_lines(place, error)};
  }

  /// A failure with the fields that two structured values do not have alike.
  CheckResult explained(std::vector<std::string> lines, const Value& wanted, const Value& actual) {
    CheckResult result{false, std::move(lines)};
    if (explains()) {
      add_fields(result, "Fields that differ:", field_differences(wanted, actual));
    }
    return result;
  }

  bool explains() const {
    return !negative_ && !input_.copies_mistakes && explained_ < kExplainedMax;
  }

  void add_fields(CheckResult& result, std::string_view heading, FieldDifferences found) {
    explained_ += found.kept.empty() ? 0 : 1;
    std::ranges::move(field_lines(heading, found), std::back_inserter(result.lines));
    result.fields = std::move(found.kept);
  }

  CheckResult equal(const Value& v, FailurePlace place) {
    Value actual = uniform_value(v);
    if (v.is_string() && a_.decode_base64) {
      const auto decoded = base::base64_decode(v.as_string());
      if (!decoded.ok()) {
        return failed(place, "unable to decode base64 expected content " + v.as_string());
      }
      actual = Value::string(uniform(*decoded));
    }
    if (value::deep_equal(a_.value, actual) != negative_) {
      return passed();
    }
    return explained(unequal(actual, place), a_.value, actual);
  }

  static Value uniform_value(const Value& v) {
    if (v.is_string()) {
      return Value::string(uniform(v.as_string()));
    }
    if (v.is_list()) {
      std::vector<Value> items;
      std::ranges::transform(v.as_list().items, std::back_inserter(items), uniform_value);
      return Value::list(std::move(items));
    }
    if (v.is_dict()) {
      Value out = Value::dict();
      for (const auto& [key, member] : v.as_dict()) {
        out.mutable_dict().set(key, uniform_value(member));
      }
      return out;
    }
    return v;
  }

  std::vector<std::string> unequal(const Value& actual, FailurePlace place) const {
    const std::string wanted = shown(a_.value);
    if (negative_) {
      return failure_lines(place, {{"Path:", a_.path}, {expected(true, " to equal"), wanted}});
    }
    return failure_lines(place, {{"Path:", a_.path},
                                 {expected(false, " to equal"), wanted},
                                 {"Actual:", shown(actual)},
                                 {"Diff:", text_diff(wanted, shown(actual))}});
  }

  std::vector<std::string> not_empty(const Value& v, FailurePlace place) const {
    return failure_lines(
        place, {{"Path:", a_.path}, {expected(negative_, " to be null or empty, got"), shown(v)}});
  }

  static bool has_members(const Value& map, const Value& members) {
    return std::all_of(members.as_dict().begin(), members.as_dict().end(), [&](const auto& entry) {
      const Value* const found = map.find(entry.first);
      return value::deep_equal(found != nullptr ? *found : Value(), entry.second);
    });
  }

  bool is_content(const Value& item) const {
    if (a_.any && item.is_dict() && a_.value.is_dict()) {
      return has_members(item, a_.value);
    }
    return value::deep_equal(item, a_.value);
  }

  CheckResult contains(const Value& v, FailurePlace place) {
    if (!v.is_list()) {
      return failed(place, "expect '" + a_.path + "' to be an array, got:\n" + shown(v));
    }
    const auto& items = v.as_list().items;
    const auto count =
        std::ranges::count_if(items, [&](const Value& item) { return is_content(item); });
    const bool found = count > 0;
    const bool holds = a_.count ? found && count == *a_.count : found;
    if (holds != negative_) {
      return passed();
    }
    if (a_.count && found) {
      return failed(place, "expect count " + std::to_string(*a_.count) + " in '" + a_.path +
                               "' to be in array, got " + std::to_string(count) + ":\n" + shown(v));
    }
    CheckResult result{false, not_contained(v, place)};
    const Members members = a_.any ? Members::kExpected : Members::kAll;
    if (const auto nearest = explains() ? nearest_item(items, a_.value, members) : std::nullopt) {
      add_fields(result, "Nearest item, [" + std::to_string(nearest->index) + "], differs in:",
                 nearest->differences);
    }
    return result;
  }

  std::vector<std::string> not_contained(const Value& v, FailurePlace place) const {
    return failure_lines(place,
                         {{"Path:", a_.path},
                          {expected(negative_, " to contain"), shown(Value::list({a_.value}))},
                          {"Actual:", shown(v)}});
  }

  CheckResult subset(const Value& v, FailurePlace place) {
    if (!v.is_dict() || !a_.value.is_dict()) {
      return failed(place, "expect '" + a_.path + "' to be an object, got:\n" + shown(v));
    }
    if (has_members(v, a_.value) != negative_) {
      return passed();
    }
    return explained(no_subset(v, place), a_.value, narrowed(v, a_.value));
  }

  std::vector<std::string> no_subset(const Value& v, FailurePlace place) const {
    return failure_lines(place, {{"Path:", a_.path},
                                 {expected(negative_, " to contain"), shown(a_.value)},
                                 {"Actual:", shown(v)}});
  }

  std::vector<std::string> other_type(const std::string& type, FailurePlace place) const {
    return failure_lines(
        place,
        {{"Path:", a_.path}, {expected(negative_, " to be of type"), a_.text}, {"Actual:", type}});
  }

  CheckResult match(const Value& v, FailurePlace place) const {
    if (!v.is_string()) {
      return failed(place, "expect '" + a_.path + "' to be a string, got:\n" + shown(v));
    }
    std::string text = v.as_string();
    if (a_.decode_base64) {
      auto decoded = base::base64_decode(text);
      if (!decoded.ok()) {
        return failed(place, "unable to decode base64 expected content " + text);
      }
      text = *std::move(decoded);
    }
    return pattern_->matches(text) != negative_ ? passed()
                                                : CheckResult{false, no_match(text, place)};
  }

  std::vector<std::string> no_match(const std::string& text, FailurePlace place) const {
    return failure_lines(
        place,
        {{"Path:", a_.path}, {expected(negative_, " to match"), a_.text}, {"Actual:", text}});
  }

  std::string_view comparison() const { return a_.check == Check::kGreater ? "greater" : "less"; }

  CheckResult ordered(const Value& v, FailurePlace place) const {
    if (go_type(v) != go_type(a_.value)) {
      const auto type = [](const Value& of) { return of.is_nil() ? "%!s(<nil>)" : go_type(of); };
      return failed(place, "actual '" + type(v) + "' and expected '" + type(a_.value) +
                               "' types do not match");
    }
    std::partial_ordering order = std::partial_ordering::unordered;
    if (v.is_string()) {
      order = v.as_string() <=> a_.value.as_string();
    } else if (v.is_int()) {
      order = v.as_int() <=> a_.value.as_int();
    } else if (v.is_float()) {
      order = v.as_float() <=> a_.value.as_float();
    } else {
      return {false, not_ordered("unsupported type '" + go_type(v) + "'", place)};
    }
    const bool holds = a_.check == Check::kGreater ? std::is_gteq(order) : std::is_lteq(order);
    const bool passes = input_.copies_mistakes && never_fails(a_);
    if (holds != negative_ || passes) {
      return passed();
    }
    return {false, not_ordered("the actual '" + go::format_value(v) + "' is not " +
                                   std::string(comparison()) + " or equal to the expected '" +
                                   go::format_value(a_.value) + "'",
                               place)};
  }

  std::vector<std::string> not_ordered(const std::string& message, FailurePlace place) const {
    const std::string what = " to be " + std::string(comparison()) + " then or equal to, got";
    return failure_lines(place, {{"Path:", a_.path}, {expected(negative_, what), message}});
  }

  CheckResult snapshot(const Value& v, FailurePlace place) {
    const auto compared = input_.snapshots.compare(v, {a_.match, a_.not_match});
    if (!compared.ok()) {
      return failed(place, compared.error().message());
    }
    if (compared->passed != negative_) {
      return passed();
    }
    if (!compared->message.empty()) {
      return {false,
              failure_lines(place, {{expected(negative_, compared->message), compared->stored}})};
    }
    const std::string what = " to match snapshot " + std::to_string(compared->index);
    const std::string told =
        negative_ ? compared->stored : text_diff(compared->stored, compared->found);
    const auto lines =
        failure_lines(place, {{"Path:", a_.path}, {expected(negative_, what), told}});
    // A file that was written by hand may have something else than YAML as its text.
    return explained(lines, parse_typed_yaml(compared->stored).value_or(Value()),
                     parse_typed_yaml(compared->found).value_or(Value()));
  }

  const CheckInput& input_;
  const Assertion& a_;
  const bool negative_;
  const go::Regexp* const pattern_;
  size_t explained_ = 0;
};

}  // namespace

CheckResult check_values(const CheckInput& input) {
  const Assertion& a = input.assertion;
  std::optional<go::Regexp> pattern;
  if (a.check == Check::kMatch) {
    if (a.text.empty()) {
      return {false, error_lines({}, "expected field 'pattern' to be filled")};
    }
    auto compiled = go::Regexp::compile(a.text);
    if (!compiled.ok() && !input.selected.empty()) {
      return {false, error_lines({}, compiled.error().message())};
    }
    if (compiled.ok()) {
      pattern.emplace(*std::move(compiled));
    }
  }
  ValueChecks checks(input, pattern ? &*pattern : nullptr);
  if (input.selected.empty()) {
    // A snapshot of nothing is the same as ever.
    const bool passes = a.negative() != (a.check == Check::kSnapshot);
    return passes || a.check == Check::kSnapshot ? CheckResult{passes, {}} : checks.none();
  }
  const auto path = JsonPath::compile(a.path);
  CheckResults results(false);
  for (size_t i = 0; i < input.selected.size(); ++i) {
    if (!results.add(checks.document(path, input.selected[i], static_cast<int>(i)),
                     input.fail_fast)) {
      break;
    }
  }
  return results.take();
}

}  // namespace chartwright::suite
