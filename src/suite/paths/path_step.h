// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "go/regexp.h"

namespace chartwright::suite {

struct PathFilter;

/// A list's elements: [2], or [from:to:step].
struct PathSlice {
  std::optional<int64_t> from;
  std::optional<int64_t> to;
  int64_t step = 1;
  bool single = false;
};

/// One step of a JsonPath.
struct PathStep {
  enum class Kind : uint8_t {
    kMembers,     ///< .name, ["a", "b"]
    kAll,         ///< .*, [*]
    kSlices,      ///< [0], [1:3], [0, 2]
    kDescend,     ///< ..: the value with all values below it, which come first.
    kFilter,      ///< [?(...)]
    kFilterSelf,  ///< A filter after "..": lists are not opened.
    kNames,       ///< .name~, [*]~: the keys themselves.
  };
  Kind kind = Kind::kMembers;
  std::vector<std::string> names = {};  ///< For kNames: none stands for all.
  std::vector<PathSlice> slices = {};
  std::shared_ptr<const PathFilter> filter = nullptr;
};

/// A literal of a filter, or a value that it compares.
struct FilterValue {
  enum class Type : uint8_t { kUnknown, kString, kInt, kFloat, kBool, kNull, kRegexp };
  Type type = Type::kUnknown;
  std::string text = {};
};

/// A side of a comparison: a literal, or the values at a path.
struct FilterTerm {
  enum class Kind : uint8_t { kLiteral, kItem, kRoot };
  Kind kind = Kind::kLiteral;
  FilterValue literal = {};
  std::vector<PathStep> path = {};
};

/// A node of a filter's expression.
struct PathFilter {
  enum class Kind : uint8_t { kAnd, kOr, kNot, kCompare, kMatch, kTerm };
  enum class Operator : uint8_t {
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual
  };
  Kind kind = Kind::kTerm;
  Operator op = Operator::kEqual;
  std::shared_ptr<const PathFilter> left = nullptr;   ///< For kAnd, kOr and kNot.
  std::shared_ptr<const PathFilter> right = nullptr;  ///< For kAnd and kOr.
  FilterTerm first = {};
  FilterTerm second = {};
  std::shared_ptr<const go::Regexp> pattern = nullptr;  ///< For kMatch.
};

/// Parses the text of a path. Errors: as JsonPath::compile.
base::Result<std::vector<PathStep>> parse_path_steps(std::string_view text);

}  // namespace chartwright::suite
