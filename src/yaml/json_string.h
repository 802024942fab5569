// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::yaml {

enum class YamlStringRole : uint8_t { kKey, kValue };

/// What a string becomes when encoding/json writes it and go-yaml reads that: invalid UTF-8 turns
/// into U+FFFD, and U+0085, a line break to YAML but nothing special to JSON, is folded away.
/// Error: kInvalidArgument where go-yaml cannot read it (control characters, U+0085 in a key, a key
/// of more than 1024 characters).
base::Result<std::string> yaml_read_back(std::string_view text, YamlStringRole role);

}  // namespace chartwright::yaml
