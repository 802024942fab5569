// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace chartwright::yaml {

// Character classes of libyaml at a byte offset of UTF-8 text; all but the first are false past
// its end.
bool is_yaml_break(std::string_view text, size_t at);
bool is_yaml_printable(std::string_view text, size_t at);
/// Bytes of the character that starts with this byte.
size_t yaml_char_width(char first);

/// How a scalar stands in a YAML text.
enum class YamlStyle : uint8_t { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral };

/// What a scalar's text allows. Source: libyaml yaml_emitter_analyze_scalar.
struct YamlTextTraits {
  bool multiline = false;
  bool plain_allowed = false;
  bool single_quoted_allowed = false;
  bool literal_allowed = false;
};

YamlTextTraits analyze_yaml_text(std::string_view text);

/// The style go-yaml gives a string so that it reads back as a string. Source:
/// go.yaml.in/yaml/v2 encode.go stringv, libyaml yaml_emitter_select_scalar_style.
YamlStyle choose_yaml_style(std::string_view text, const YamlTextTraits& traits);

}  // namespace chartwright::yaml
