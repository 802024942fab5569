// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tmpl/ast.h"

namespace chartwright::helm::lint {

/// The way from the root chart's values to one of them.
using Steps = std::vector<std::string>;
/// The step that stands for every key or element.
inline const std::string kEveryStep = "*\n";
/// "image.tag", "hosts[].name".
std::string join_steps(const Steps& steps);

/// What is known of a value that a template handles, before anything is rendered.
struct Shape {
  enum class Kind : uint8_t {
    kUnknown,  ///< Nothing, and no value of values.yaml that is not already counted as used.
    kScope,    ///< The dot of a chart: .Values, .Chart, .Release, ...
    kPath,     ///< A place in the values.
    kDict,     ///< Made by `dict`: known members.
    kList,     ///< Made by `list`: known items.
    kText,     ///< A constant.
    kAny,      ///< One of `items`.
  };
  using Members = std::map<std::string, Shape, std::less<>>;

  Kind kind = Kind::kUnknown;
  bool sure = true;          ///< kPath, kText: it is this and nothing else, whatever the values.
  size_t scope = 0;          ///< kScope: index of the chart.
  Steps path;                ///< kPath.
  std::string text;          ///< kText.
  std::vector<Shape> items;  ///< kList, kAny.
  std::shared_ptr<Members> members;  ///< kDict; shared, as `set` changes it in place.
  const tmpl::Tree* tree = nullptr;  ///< kPath: the template in which it was named, and where.
  size_t pos = 0;

  static Shape unknown() { return {}; }
  static Shape of_scope(size_t scope);
  static Shape constant(std::string text);
  static Shape of_list(std::vector<Shape> items);
  static Shape of_dict();
  /// One of these; unknown if they are too many to follow, which the caller must rule out.
  static Shape any(std::vector<Shape> items);

  bool is(Kind k) const { return kind == k; }
  /// This, but perhaps something else.
  Shape unsure() const;
  /// The same value, in the hands of somebody who need not find it there.
  Shape borrowed() const { return is(Kind::kPath) ? unsure() : *this; }
  /// A text that is known; nullptr for all else.
  const std::string* constant_text() const { return is(Kind::kText) && sure ? &text : nullptr; }
  /// How many shapes and steps this is made of, as a tree; stops counting past `most`, as it must
  /// for a dict within itself.
  size_t weight(size_t most) const;
  /// Equal for shapes that lead to the same uses.
  std::string key(int depth = 0) const;
};

inline constexpr size_t kAlternativesMax = 24;

}  // namespace chartwright::helm::lint
