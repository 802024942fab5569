// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tmpl/ast.h"

namespace chartwright::helm::analysis {

struct Output;  // helm/analysis/output.h

/// The path from the root chart's values to one of them.
using Steps = std::vector<std::string>;
/// The step that means any key or element.
inline const std::string kEveryStep = "*\n";
/// The member of a dict that stands for others, which are not known one by one: those of a text
/// that was decoded, or of a value that was merged into the dict. It is a kList of these.
inline const std::string kOthersStep = "\n";
/// Returns a path for display: "image.tag", "hosts[].name".
std::string join_steps(const Steps& steps);

/// A value that a template handles, as far as static analysis knows it.
struct AbstractValue {
  enum class Kind : uint8_t {
    kUnknown,  ///< Unknown; any part of values.yaml in it is already counted as used.
    kScope,    ///< The dot of a chart: .Values, .Chart, .Release, ...
    kPath,     ///< A place in the values.
    kDict,     ///< A dict with known members, and those of kEveryStep and kOthersStep.
    kList,     ///< A list with known items, made by `list`.
    kText,     ///< A constant string.
    kWritten,  ///< The text that a template writes.
    kAny,      ///< One of `items`.
  };
  using Members = std::map<std::string, AbstractValue, std::less<>>;

  Kind kind = Kind::kUnknown;
  bool sure = true;     ///< kPath, kText: whether it is never anything else, for any values.
  bool chosen = false;  ///< kPath: for some values only, such as one element of several.
  bool open = false;    ///< Whether it may also be something that is not known.
  size_t scope = 0;     ///< kScope: index of the chart.
  Steps path;           ///< kPath.
  std::string text;     ///< kText.
  std::vector<AbstractValue> items;      ///< kList, kAny.
  std::shared_ptr<Members> members;      ///< kDict; shared, as `set` changes it in place.
  std::shared_ptr<const Output> output;  ///< kWritten.
  const tmpl::Tree* tree = nullptr;      ///< kPath: the template that names it.
  size_t pos = 0;                        ///< kPath: the position in `tree`.

  static AbstractValue unknown() { return {}; }
  static AbstractValue of_scope(size_t scope);
  static AbstractValue constant(std::string text);
  static AbstractValue of_list(std::vector<AbstractValue> items);
  static AbstractValue of_dict();
  static AbstractValue written(std::shared_ptr<const Output> output);
  /// Returns a value that is one of `items`; unknown if all items are. The caller must check that
  /// there are at most kAlternativesMax.
  static AbstractValue any(std::vector<AbstractValue> items);

  bool is(Kind k) const { return kind == k; }
  /// Returns the same value, which may also be something else.
  AbstractValue unsure() const;
  /// Returns the same value as handed to code that need not find it: a path becomes unsure.
  AbstractValue borrowed() const { return is(Kind::kPath) ? unsure() : *this; }
  /// Returns the same value, which is used for some values only.
  AbstractValue as_chosen() const;
  /// Returns the string if this is a constant for certain, otherwise nullptr.
  const std::string* constant_text() const { return is(Kind::kText) && sure ? &text : nullptr; }
  /// Returns the number of abstract values and path steps in this one, counted as a tree. Stops
  /// counting above `most`, since a dict may contain itself.
  size_t weight(size_t most) const;
  /// Returns a key that is equal for values that lead to the same uses.
  std::string key(int depth = 0) const;
};

/// Maximum number of alternatives that are followed.
inline constexpr size_t kAlternativesMax = 24;

}  // namespace chartwright::helm::analysis
