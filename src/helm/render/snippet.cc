// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/unicode.h"
#include "helm/render/diagnosis.h"

namespace chartwright::helm {
namespace {

constexpr size_t kLineBytesMax = 120;
constexpr size_t kLeadBytes = 80;  // Shown before the column if the line is cut.
constexpr std::string_view kEllipsis = "…";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string_view line_of(std::string_view source, int line) {
  for (int at = 1; at < line; ++at) {
    const size_t end = source.find('\n');
    if (end == std::string_view::npos) {
      return {};
    }
    source.remove_prefix(end + 1);
  }
  return source.substr(0, source.find('\n'));
}

/// Text without control characters, which could move a terminal's cursor, and a blank string of the
/// same width.
struct Shown {
  std::string text;
  std::string blank;

  void add(std::string_view raw) {
    while (!raw.empty()) {
      const base::DecodedRune decoded = base::decode_rune(raw);
      const bool is_tab = decoded.rune == '\t';
      const bool is_broken = decoded.size == 1 && static_cast<unsigned char>(raw[0]) >= 0x80;
      const bool is_shown = is_tab || (base::is_print(decoded.rune) && !is_broken);
      text += is_shown ? raw.substr(0, decoded.size) : kReplacement;
      blank += is_tab ? '\t' : ' ';
      raw.remove_prefix(decoded.size);
    }
  }
};

}  // namespace

std::string snippet(const base::SourcePos& pos, std::string_view source) {
  std::string out = pos.to_string();
  std::string_view line = pos.line > 0 ? line_of(source, pos.line) : std::string_view();
  while (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
  }
  if (line.empty()) {
    return out;
  }
  const size_t column = pos.column > 0 ? static_cast<size_t>(pos.column) - 1 : 0;
  size_t begin = line.size() <= kLineBytesMax || column <= kLeadBytes ? 0 : column - kLeadBytes;
  begin = std::min(begin, line.size());
  while (begin < line.size() && base::is_utf8_continuation(line[begin])) {
    ++begin;
  }
  size_t end = std::min(begin + kLineBytesMax, line.size());
  while (end < line.size() && base::is_utf8_continuation(line[end])) {
    ++end;
  }
  Shown before;
  if (begin > 0) {
    before.add(kEllipsis);
  }
  const size_t caret = std::clamp(column, begin, end);
  before.add(line.substr(begin, caret - begin));
  Shown after;
  after.add(line.substr(caret, end - caret));
  const std::string number = std::to_string(pos.line);
  out += "\n" + number + " | " + before.text + after.text;
  out += end < line.size() ? kEllipsis : "";
  if (pos.column > 0) {
    out += "\n" + std::string(number.size(), ' ') + " | " + before.blank + "^";
  }
  return out;
}

}  // namespace chartwright::helm
