// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "value/path.h"

namespace chartwright::value {

enum class YamlDocuments : uint8_t { kFirst, kAll };

/// The place (without a file) that sets the member at `steps` in a YAML stream: its key, or the
/// list element itself. Of equal keys and of documents laid over each other the last one counts.
/// What an alias or a merge key brings is placed there where it is used. nullopt where nothing sets
/// it, and in text that is not YAML. Keys are compared as written.
std::optional<base::SourcePos> locate_in_yaml(std::string_view text,
                                              std::span<const Path::Step> steps,
                                              YamlDocuments documents = YamlDocuments::kFirst);

}  // namespace chartwright::value
