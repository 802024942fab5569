// SPDX-License-Identifier: Apache-2.0
#include "helm/toml/text.h"

#include <algorithm>

#include "base/ascii.h"

namespace chartwright::helm {
namespace {

bool is_bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return base::is_ascii_alphanumeric(c) || c == '_' || c == '-';
  });
}

}  // namespace

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (byte < 0x20 || byte == 0x7F) {
          constexpr std::string_view kHex = "0123456789abcdef";
          out += "\\u00";
          out += kHex[byte >> 4];
          out += kHex[byte & 0xF];
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string toml_key_part(std::string_view part) {
  return is_bare(part) ? std::string(part) : toml_quoted(part);
}

}  // namespace chartwright::helm
