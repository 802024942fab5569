// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "go/format.h"
#include "go/regexp.h"
#include "suite/check.h"
#include "suite/paths/json_path.h"
#include "suite/text_diff.h"
#include "suite/typed_yaml.h"

namespace chartwright::suite {
namespace {

using value::Value;
using Lines = std::vector<std::string>;

constexpr std::string_view kNoManifest = "no manifest found";

std::string raw_of(const Value& document) {
  const Value* const raw = document.find(kRaw);
  return uniform(raw != nullptr ? go::format_value(*raw) : "<nil>");
}

/// Runs a check over all selected documents. Without any, a negative assertion passes.
template <typename One, typename None>
CheckResult each_document(const CheckInput& input, One one, None none) {
  if (input.selected.empty()) {
    return input.assertion.negative() ? CheckResult{true, {}} : CheckResult{false, none()};
  }
  CheckResults results(false);
  for (size_t i = 0; i < input.selected.size(); ++i) {
    if (!results.add(one(input.selected[i], static_cast<int>(i)), input.fail_fast)) {
      break;
    }
  }
  return results.take();
}

CheckResult check_raw_equal(const CheckInput& input) {
  const Assertion& a = input.assertion;
  const auto lines = [&](const std::string& actual) {
    const std::string wanted = shown(Value::string(a.text));
    if (a.negative()) {
      return failure_lines({}, {{expected(true, " to equal"), wanted}});
    }
    const std::string found = shown(Value::string(actual));
    return failure_lines({}, {{expected(false, " to equal"), wanted},
                              {"Actual:", found},
                              {"Diff:", text_diff(wanted, found)}});
  };
  return each_document(
      input,
      [&](const Value& document, int) {
        const std::string actual = raw_of(document);
        return (actual == a.text) != a.negative() ? CheckResult{true, {}}
                                                  : CheckResult{false, lines(actual)};
      },
      [&] { return lines(std::string(kNoManifest)); });
}

CheckResult check_raw_match(const CheckInput& input) {
  const Assertion& a = input.assertion;
  if (a.text.empty()) {
    return {false, error_lines({}, "expected field 'pattern' to be filled")};
  }
  const auto pattern = go::Regexp::compile(a.text);
  if (!pattern.ok() && !input.selected.empty()) {
    return {false, error_lines({}, pattern.error().message())};
  }
  const auto lines = [&](const std::string& actual) {
    return failure_lines({}, {{expected(a.negative(), " to match"), a.text}, {"Actual:", actual}});
  };
  return each_document(
      input,
      [&](const Value& document, int) {
        const std::string actual = raw_of(document);
        return pattern->matches(actual) != a.negative() ? CheckResult{true, {}}
                                                        : CheckResult{false, lines(actual)};
      },
      [&] { return lines(std::string(kNoManifest)); });
}

CheckResult check_raw_snapshot(const CheckInput& input) {
  const bool negative = input.assertion.negative();
  CheckResults results(!negative);
  for (const Value& document : input.selected) {
    const auto compared = input.snapshots.compare(Value::string(raw_of(document)), {});
    CheckResult one;
    if (!compared.ok()) {
      one.lines = error_lines({}, compared.error().message());
    } else if (compared->passed != negative) {
      one.passed = true;
    } else {
      const std::string what = " to match snapshot " + std::to_string(compared->index);
      one.lines = failure_lines(
          {}, {{expected(negative, what),
                negative ? compared->stored : text_diff(compared->stored, compared->found)}});
    }
    if (!results.add(std::move(one), input.fail_fast)) {
      break;
    }
  }
  return results.take();
}

CheckResult check_exists(const CheckInput& input) {
  const Assertion& a = input.assertion;
  const auto lines = [&](int index) {
    return failure_lines(
        {index}, {{"Path:", a.path + " expected to " + (a.negative() ? "NOT exists" : "exists")}});
  };
  const auto path = JsonPath::compile(a.path);
  return each_document(
      input,
      [&](const Value& document, int index) -> CheckResult {
        const auto found = path.ok() ? path->find(reread(document)) : path.error();
        if (!found.ok()) {
          return {false, error_lines({index}, found.error().message())};
        }
        return found->empty() == a.negative() ? CheckResult{true, {}}
                                              : CheckResult{false, lines(index), {{index}}};
      },
      [&] { return lines(-1); });
}

/// isKind and isAPIVersion.
CheckResult check_identity(const CheckInput& input) {
  const Assertion& a = input.assertion;
  const std::string_view key = a.check == Check::kKind ? "kind" : "apiVersion";
  const auto lines = [&](int index, const Value& actual) {
    std::vector<FailurePart> parts{{expected(a.negative(), " to be " + std::string(key)), a.text}};
    if (!a.negative()) {
      parts.emplace_back("Actual:", shown(actual));
    }
    return failure_lines({index}, parts);
  };
  return each_document(
      input,
      [&](const Value& document, int index) {
        const Value* const actual = document.find(key);
        const bool holds =
            actual != nullptr && actual->is_string() && actual->as_string() == a.text;
        return holds != a.negative()
                   ? CheckResult{true, {}}
                   : CheckResult{
                         false, lines(index, actual != nullptr ? *actual : Value()), {{index}}};
      },
      [&] { return lines(-1, Value::string(kNoManifest)); });
}

CheckResult check_count(const CheckInput& input) {
  const Assertion& a = input.assertion;
  const size_t actual = a.filter_aware ? input.selected.size() : input.documents.size();
  const int64_t wanted = a.count.value_or(0);
  if ((static_cast<int64_t>(actual) == wanted) != a.negative()) {
    return {true, {}};
  }
  std::vector<FailurePart> parts{
      {expected(a.negative(), " documents count to be"), std::to_string(wanted)}};
  if (!a.negative()) {
    parts.emplace_back("Actual:", std::to_string(actual));
  }
  return {false, failure_lines({}, parts)};
}

bool is_document(const Value& document, const Assertion& a) {
  const auto differs = [&](std::initializer_list<std::string_view> keys,
                           const std::string& wanted) {
    const Value* const found = document.find_path(keys);
    return found != nullptr && found->is_string() && found->as_string() != wanted;
  };
  const auto lacks = [&](std::string_view key, const std::string& wanted) {
    return !wanted.empty() && document.string_at({"metadata", key}) != wanted;
  };
  return !differs({"kind"}, a.kind) && !differs({"apiVersion"}, a.api_version) &&
         !lacks("name", a.name) && !lacks("namespace", a.namespace_name);
}

CheckResult check_contains_document(const CheckInput& input) {
  const Assertion& a = input.assertion;
  const auto lines = [&](int index) {
    std::string wanted = "Kind = " + a.kind + ", apiVersion = " + a.api_version;
    wanted += a.name.empty() ? "" : ", Name = " + a.name;
    wanted += a.namespace_name.empty() ? "" : ", Namespace = " + a.namespace_name;
    return failure_lines({index}, {{expected(a.negative(), " to contain document"), wanted}});
  };
  if (input.selected.empty()) {
    return a.negative() ? CheckResult{true, {}} : CheckResult{false, lines(0)};
  }
  CheckResults results(false);
  for (size_t i = 0; i < input.selected.size(); ++i) {
    const bool passes = is_document(input.selected[i], a) != a.negative();
    // With `any`, one document is enough; negated, that is how it is without `any`.
    if (passes && a.any != a.negative()) {
      return {true, {}};
    }
    results.add({passes, passes ? Lines() : lines(static_cast<int>(i))}, false);
    if (!passes && input.fail_fast) {
      break;
    }
  }
  return results.take();
}

/// The lengths of lists at one or several paths.
class LengthCheck {
 public:
  explicit LengthCheck(const CheckInput& input) : input_(input), a_(input.assertion) {}

  CheckResult run() {
    const bool counts = a_.count.value_or(-1) >= 0;
    if (!a_.path.empty() && !counts) {
      return {false, error_lines({}, "'count' field must be set if 'path' is used")};
    }
    if (!a_.path.empty() && !a_.paths.empty()) {
      return {false, error_lines({}, "'paths' couldn't be used with 'path'")};
    }
    return each_document(
        input_,
        [&](const Value& document, int index) {
          size_t ignored = 0;
          return a_.paths.empty() ? lengths(reread(document), a_.path, index, ignored)
                                  : same(reread(document), index);
        },
        [&] {
          return unequal("", {"", std::string(kNoManifest)}, -1);
        });
  }

 private:
  Lines unequal(const std::string& path, const std::pair<std::string, std::string>& texts,
                int index) const {
    return failure_lines({index}, {{"Path:", path},
                                   {expected(a_.negative(), " to match count"), texts.first},
                                   {"Actual:", texts.second}});
  }

  CheckResult lengths(const Value& document, const std::string& text, int index,
                      size_t& length) const {
    const auto path = JsonPath::compile(text);
    const auto found = path.ok() ? path->find(document) : path.error();
    if (!found.ok()) {
      return {false, error_lines({index}, found.error().message())};
    }
    CheckResults results(found->empty() && a_.negative());
    for (size_t i = 0; i < found->size(); ++i) {
      const Value& v = (*found)[i];
      if (!v.is_list() && !a_.count) {
        results.add({false, error_lines({index, static_cast<int>(i)}, text + " is not array")},
                    false);
        continue;
      }
      length = v.is_list() ? v.as_list().items.size() : 0;
      const bool fails = a_.count && (static_cast<int64_t>(length) == *a_.count) == a_.negative();
      CheckResult one{!fails, {}};
      if (fails) {
        one.lines = unequal(text, {std::to_string(*a_.count), std::to_string(length)}, index);
      }
      if (!results.add(std::move(one), input_.fail_fast)) {
        break;
      }
    }
    return results.take();
  }

  /// All paths must have lists of the same length; negated, none as long as the first.
  CheckResult same(const Value& document, int index) const {
    std::map<std::string, size_t> found;
    CheckResult result{true, {}};
    for (const std::string& path : a_.paths) {
      CheckResult one = lengths(document, path, index, found[path]);
      if (!one.passed) {
        result.passed = false;
        result.lines.insert(result.lines.end(), one.lines.begin(), one.lines.end());
      }
    }
    if (!result.passed) {
      return result;
    }
    for (const auto& [path, length] : found) {
      const bool is_first = path == found.begin()->first;
      if (!is_first && (length == found.begin()->second) == a_.negative()) {
        return {false, unequal(path, {"-1", std::to_string(length)}, index)};
      }
    }
    return {!found.empty(), {}};
  }

  const CheckInput& input_;
  const Assertion& a_;
};

/// The expected failure of a render.
class FailureCheck {
 public:
  explicit FailureCheck(const CheckInput& input) : input_(input), a_(input.assertion) {}

  CheckResult run() const {
    if (!a_.error_message.empty() && !a_.error_pattern.empty()) {
      return {false, error_lines({},
                                 "single attribute 'errorMessage' or 'errorPattern' supported at "
                                 "the same time")};
    }
    const bool wants_text = !a_.error_message.empty() || !a_.error_pattern.empty();
    if (input_.render_error) {
      return wants_text ? one(Value::string(*input_.render_error), -1) : CheckResult{true, {}};
    }
    if (input_.selected.empty()) {
      return a_.negative() ? CheckResult{true, {}}
                           : CheckResult{false, lines("No failed document", -1)};
    }
    CheckResults results(true);
    for (size_t i = 0; wants_text && i < input_.selected.size(); ++i) {
      const Value* const raw = input_.selected[i].find(kRaw);
      if (!results.add(one(raw != nullptr ? *raw : Value(), static_cast<int>(i)),
                       input_.fail_fast)) {
        break;
      }
    }
    return results.take();
  }

 private:
  CheckResult one(const Value& raw, int index) const {
    if (!raw.is_string()) {
      // The original compares a missing text with a message, but not with a pattern.
      const bool passes = !a_.error_pattern.empty() || a_.negative();
      return {passes, passes ? Lines() : lines("%!s(<nil>)", index)};
    }
    const std::string& text = raw.as_string();
    const bool holds = a_.error_pattern.empty() ? text == a_.error_message : matches(text);
    return holds != a_.negative() ? CheckResult{true, {}} : CheckResult{false, lines(text, index)};
  }

  /// A pattern that does not match is tried as a literal text, too.
  bool matches(const std::string& text) const {
    const auto pattern = go::Regexp::compile(a_.error_pattern);
    const bool as_pattern = pattern.ok() && pattern->matches(text);
    const bool literally = text.find(a_.error_pattern) != std::string::npos;
    if (!pattern.ok()) {
      return literally;
    }
    constexpr std::string_view kMeta = "\\.+*?()|[]{}^$";
    const bool has_meta = a_.error_pattern.find_first_of(kMeta) != std::string::npos;
    if (a_.negative()) {
      return as_pattern && (!has_meta || literally);
    }
    return as_pattern || (has_meta && literally);
  }

  Lines lines(const std::string& actual, int index) const {
    const bool by_pattern = !a_.error_pattern.empty();
    std::vector<FailurePart> parts{
        {expected(a_.negative(), by_pattern ? " to match" : " to equal"),
         a_.error_message.empty() ? a_.error_pattern : a_.error_message}};
    if (!a_.negative()) {
      parts.emplace_back("Actual:", actual);
    }
    return failure_lines({index}, parts);
  }

  const CheckInput& input_;
  const Assertion& a_;
};

}  // namespace

CheckResult check_documents(const CheckInput& input) {
  switch (input.assertion.check) {
    case Check::kEqualRaw:
      return check_raw_equal(input);
    case Check::kMatchRaw:
      return check_raw_match(input);
    case Check::kSnapshotRaw:
      return check_raw_snapshot(input);
    case Check::kExists:
      return check_exists(input);
    case Check::kKind:
    case Check::kApiVersion:
      return check_identity(input);
    case Check::kDocuments:
      return check_count(input);
    case Check::kContainsDocument:
      return check_contains_document(input);
    case Check::kLength:
      return LengthCheck(input).run();
    default:
      return FailureCheck(input).run();
  }
}

}  // namespace chartwright::suite
