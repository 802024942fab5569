// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace chartwright::yaml {

inline constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";
inline constexpr std::string_view kBinaryTag = "tag:yaml.org,2002:binary";
inline constexpr std::string_view kMergeTag = "tag:yaml.org,2002:merge";

/// The resolved type of a YAML scalar.
enum class Type : uint8_t {
  kNull,
  kBool,
  kInt,        ///< Fits int64.
  kUint,       ///< Fits uint64 only.
  kFloat,      ///< Infinities and NaN included.
  kTimestamp,  ///< Decodes to its own text; matters only for quoting.
  kString,     ///< Also every scalar with an unknown tag.
};

struct Scalar {
  Type type = Type::kString;
  bool boolean = false;
  int64_t integer = 0;
  uint64_t unsigned_integer = 0;
  double number = 0;
};

/// Resolves a scalar by its text and its full tag ("" for none), with the rules of YAML 1.1 as
/// go-yaml implements them. Error: kParse `yaml: cannot decode !!str ... as a !!int` if the text
/// does not fit the tag. Source: go.yaml.in/yaml/v2 resolve.go.
base::Result<Scalar> resolve_yaml_scalar(std::string_view tag, std::string_view text);

/// Resolves an untagged plain scalar, which cannot fail.
Scalar resolve_plain_scalar(std::string_view text);

/// Reports whether the text is a sexagesimal number of YAML 1.1 ("12:30:45"). These are never
/// decoded, but quoted when written.
bool is_base60_number(std::string_view text);

}  // namespace chartwright::yaml
