// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "value/path.h"

namespace chartwright::yaml {

enum class YamlDocuments : uint8_t { kFirst, kAll };

/// The place (without a file) of a member of a YAML stream.
struct YamlPlace {
  size_t depth;  ///< Steps that lead to it.
  base::SourcePos pos;
};

/// The place that sets the member at `steps` or, where nothing does, the nearest member around it;
/// nullopt where not even the first step is there. Otherwise as locate_in_yaml.
std::optional<YamlPlace> nearest_in_yaml(std::string_view text,
                                         std::span<const value::Path::Step> steps,
                                         YamlDocuments documents = YamlDocuments::kFirst);

/// The place (without a file) that sets the member at `steps` in a YAML stream: its key, or the
/// list element itself. Of equal keys and of documents laid over each other the last one counts.
/// What an alias or a merge key brings is placed there where it is used. nullopt where nothing sets
/// it, and in text that is not YAML. Keys are compared as written.
std::optional<base::SourcePos> locate_in_yaml(std::string_view text,
                                              std::span<const value::Path::Step> steps,
                                              YamlDocuments documents = YamlDocuments::kFirst);

}  // namespace chartwright::yaml
