// SPDX-License-Identifier: Apache-2.0
#include "helm/version/log_line.h"

#include "base/unicode.h"
#include "go/quote.h"

namespace chartwright::helm {
namespace {

/// The only control character of ASCII that Go leaves bare.
constexpr char32_t kDelete = 0x7F;

bool needs_quotes(std::string_view text) {
  if (text.empty()) {
    return true;
  }
  while (!text.empty()) {
    const base::DecodedRune decoded = base::decode_rune(text);
    text.remove_prefix(decoded.size);
    const bool is_broken = decoded.rune == base::kRuneError;
    if (decoded.rune == '"' || decoded.rune == '=' || decoded.rune == ' ' || is_broken ||
        base::is_space(decoded.rune) ||
        (!base::is_print(decoded.rune) && decoded.rune != kDelete)) {
      return true;
    }
  }
  return false;
}

std::string quoted_if_needed(std::string_view text) {
  return needs_quotes(text) ? go::quote(text) : std::string(text);
}

}  // namespace

std::string log_line(const LogMessage& message, const Profile& profile) {
  switch (profile.log) {
    case LogRule::kLines318:
    case LogRule::kLines322: {
      const LogMessage::Place& place = message.place;
      const int line = profile.log == LogRule::kLines318 ? place.line_3_18 : place.line_3_22;
      return std::string(place.file) + ":" + std::to_string(line) + ": " + message.text;
    }
    case LogRule::kRecords:
      break;
  }
  return log_line(message.record.value_or(LogRecord{"INFO", message.text, {}}));
}

std::string log_line(const LogRecord& record) {
  std::string line =
      "level=" + std::string(record.level) + " msg=" + quoted_if_needed(record.message);
  for (const auto& [key, text] : record.attributes) {
    line += " " + quoted_if_needed(key) + "=" + quoted_if_needed(text);
  }
  return line;
}

}  // namespace chartwright::helm
