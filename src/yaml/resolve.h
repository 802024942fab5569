// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::yaml {

inline constexpr std::string_view kYamlTagPrefix = "tag:yaml.org,2002:";
inline constexpr std::string_view kYamlBinaryTag = "tag:yaml.org,2002:binary";
inline constexpr std::string_view kYamlMergeTag = "tag:yaml.org,2002:merge";

/// What a YAML scalar turns out to be.
enum class YamlType : uint8_t {
  kNull,
  kBool,
  kInt,        ///< Fits int64.
  kUint,       ///< Fits uint64 only.
  kFloat,      ///< Infinities and NaN included.
  kTimestamp,  ///< Decodes to its own text; matters only for quoting.
  kString,     ///< Also every scalar with an unknown tag.
};

struct YamlScalar {
  YamlType type = YamlType::kString;
  bool boolean = false;
  int64_t integer = 0;
  uint64_t unsigned_integer = 0;
  double number = 0;
};

/// Types a scalar by its text, and by its full tag ("" for none), with the rules of YAML 1.1 as
/// go-yaml understands them. Error: kParse `yaml: cannot decode !!str ... as a !!int` where the
/// text does not fit the tag. Source: go.yaml.in/yaml/v2 resolve.go.
base::Result<YamlScalar> resolve_yaml_scalar(std::string_view tag, std::string_view text);

/// The type of an untagged plain scalar, which no text can fail to have.
YamlScalar resolve_plain_scalar(std::string_view text);

/// True for YAML 1.1's sexagesimal numbers ("12:30:45"): never decoded, but quoted on the way out.
bool is_base60_number(std::string_view text);

}  // namespace chartwright::yaml
