// SPDX-License-Identifier: Apache-2.0
#include "value/yaml_json_string.h"

#include <algorithm>

#include "base/unicode.h"

namespace chartwright::value {
namespace {

using base::Error;
using base::ErrorCode;

constexpr char32_t kNextLine = 0x85;
// A key without "? " must be followed by its colon within so many characters.
constexpr size_t kMaxSimpleKey = 1024;

// Characters that JSON may hold unescaped and YAML may not hold at all.
bool is_forbidden(char32_t rune) {
  return (rune >= 0x7F && rune < 0xA0 && rune != kNextLine) || rune == 0xFFFE || rune == 0xFFFF;
}

// Characters that encoding/json writes for one of the text.
size_t json_width(char32_t rune) {
  switch (rune) {
    case '"':
    case '\\':
    case '\b':
    case '\f':
    case '\n':
    case '\r':
    case '\t':
      return 2;
    case '<':
    case '>':
    case '&':
    case 0x2028:
    case 0x2029:
      return 6;
    default:
      return rune < 0x20 ? 6 : 1;
  }
}

// The width of the quoted key with both quotes.
size_t json_key_width(std::string_view text) {
  size_t width = 2;
  while (!text.empty()) {
    const auto [rune, size] = base::decode_rune(text);
    width += rune == base::kRuneError && size == 1 ? 6 : json_width(rune);
    text.remove_prefix(size);
  }
  return width;
}

bool starts_document_indicator(std::string_view text) {
  const bool marker = text.starts_with("---") || text.starts_with("...");
  return marker &&
         (text.size() == 3 ? false : text[3] == ' ' || text.substr(3).starts_with("\u0085"));
}

// Folds the line breaks of a double-quoted scalar: U+0085 with the spaces around it becomes one
// space, a run of n of them n - 1 line feeds.
base::Result<std::string> fold_next_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t blank = std::min(text.find(' '), text.find("\u0085"));
    out += text.substr(0, blank);
    text.remove_prefix(std::min(blank, text.size()));
    std::string spaces;
    size_t breaks = 0;
    while (!text.empty()) {
      if (text.front() == ' ') {
        spaces += ' ';
        text.remove_prefix(1);
      } else if (text.starts_with("\u0085")) {
        ++breaks;
        text.remove_prefix(2);
        if (starts_document_indicator(text)) {
          return Error(ErrorCode::kInvalidArgument, "yaml: found unexpected document indicator");
        }
      } else {
        break;
      }
    }
    out += breaks == 0 ? spaces : breaks == 1 ? " " : std::string(breaks - 1, '\n');
  }
  return out;
}

}  // namespace

bool reads_back_unchanged(std::string_view text, YamlStringRole role) {
  constexpr size_t kSurelyShort = (kMaxSimpleKey - 2) / 6;
  return (role == YamlStringRole::kValue || text.size() <= kSurelyShort) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x7F; });
}

base::Result<std::string> yaml_read_back(std::string_view text, YamlStringRole role) {
  bool has_next_line = false;
  std::string valid;
  valid.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const auto [rune, size] = base::decode_rune(rest);
    if (is_forbidden(rune)) {
      return Error(ErrorCode::kInvalidArgument, "yaml: control characters are not allowed");
    }
    has_next_line |= rune == kNextLine;
    base::append_rune(valid, rune);
    rest.remove_prefix(size);
  }
  if (role == YamlStringRole::kKey && (has_next_line || json_key_width(text) > kMaxSimpleKey)) {
    return Error(ErrorCode::kInvalidArgument, "yaml: did not find expected ',' or '}'");
  }
  if (has_next_line) {
    return fold_next_lines(valid);
  }
  return valid;
}

}  // namespace chartwright::value
