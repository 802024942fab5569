// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace chartwright::yaml {

// Character classes of libyaml at a byte offset of UTF-8 text; false past its end.
bool is_yaml_break(std::string_view text, size_t at);
bool is_yaml_printable(std::string_view text, size_t at);
/// Returns the length in bytes of the character that starts with this byte.
size_t yaml_char_width(char first);

/// The style in which a scalar is written.
enum class Style : uint8_t { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral };

/// The styles that a scalar's text allows. Source: libyaml yaml_emitter_analyze_scalar.
struct TextTraits {
  bool multiline = false;
  bool plain_allowed = false;
  bool single_quoted_allowed = false;
  bool literal_allowed = false;
};

TextTraits analyze_yaml_text(std::string_view text);

/// Returns the style that go-yaml gives a string so that it reads back as a string. Source:
/// go.yaml.in/yaml/v2 encode.go stringv, libyaml yaml_emitter_select_scalar_style.
Style choose_yaml_style(std::string_view text, const TextTraits& traits);

}  // namespace chartwright::yaml
