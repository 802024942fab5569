// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::helm {

/// A basic string with its quotes. Source: BurntSushi/toml v1.6.0 encode.go dblQuotedReplacer.
std::string toml_quoted(std::string_view text);
/// One part of a key, quoted unless it is bare. Source: BurntSushi/toml v1.6.0 meta.go Key.
std::string toml_key_part(std::string_view part);

}  // namespace chartwright::helm
