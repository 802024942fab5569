// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::helm {

/// Returns a TOML basic string, with quotes. Source: BurntSushi/toml v1.6.0 encode.go
/// dblQuotedReplacer.
std::string toml_quoted(std::string_view text);
/// Returns one part of a key, quoted if necessary. Source: BurntSushi/toml v1.6.0 meta.go Key.
std::string toml_key_part(std::string_view part);

}  // namespace chartwright::helm
