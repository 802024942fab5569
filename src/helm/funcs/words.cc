// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "base/unicode.h"
#include "helm/funcs/families.h"
#include "helm/funcs/letter_case.h"

// Source: Masterminds/goutils v1.1.1 wordutils.go and stringutils.go, through Sprig's strings.go.
namespace chartwright::helm::funcs {
namespace {

// goutils treats each byte as a code point in nospace and initials. The result is garbled for
// non-ASCII input, and must be here, too.
char32_t byte_as_rune(char c) { return static_cast<unsigned char>(c); }

std::string nospace(std::string_view s) {
  std::string out;
  bool found_space = false;
  for (char c : s) {
    if (base::is_space(byte_as_rune(c))) {
      found_space = true;
    } else {
      base::append_rune(out, byte_as_rune(c));
    }
  }
  return found_space ? out : std::string(s);
}

std::string initials(std::string_view s) {
  std::string out;
  bool at_start = true;
  for (char c : s) {
    const char32_t r = byte_as_rune(c);
    if (base::is_space(r)) {
      at_start = true;
    } else if (at_start) {
      base::append_rune(out, r);
      at_start = false;
    }
  }
  return out;
}

std::string untitle(std::string_view s) {
  std::string out;
  bool at_start = true;
  while (!s.empty()) {
    const base::DecodedRune next = base::decode_rune(s);
    s.remove_prefix(next.size);
    if (base::is_space(next.rune)) {
      at_start = true;
      base::append_rune(out, next.rune);
    } else {
      base::append_rune(out, at_start ? base::to_lower(next.rune) : next.rune);
      at_start = false;
    }
  }
  return out;
}

std::string swapcase(std::string_view s) {
  std::string out;
  bool at_start = true;
  while (!s.empty()) {
    const base::DecodedRune next = base::decode_rune(s);
    s.remove_prefix(next.size);
    char32_t r = next.rune;
    if (base::is_upper(r) || base::is_title(r)) {
      r = base::to_lower(r);
      at_start = false;
    } else if (base::is_lower(r)) {
      r = at_start ? base::to_title(r) : base::to_upper(r);
      at_start = false;
    } else {
      at_start = base::is_space(r);
    }
    base::append_rune(out, r);
  }
  return out;
}

std::string shorten(std::string_view s, int64_t offset, int64_t width) {
  const auto size = static_cast<int64_t>(s.size());
  if (size <= width) {
    return std::string(s);
  }
  offset = std::min(offset, size);
  if (size - offset < width - 3) {
    offset = size - (width - 3);
  }
  const auto kept = static_cast<size_t>(width - 3);
  if (offset <= 4) {
    return std::string(s.substr(0, kept)) + "...";
  }
  if (width < 7) {
    return "";
  }
  if (offset + width - 3 < size) {
    return "..." + shorten(s.substr(static_cast<size_t>(offset)), 0, width - 3);
  }
  return "..." + std::string(s.substr(s.size() - kept));
}

std::string abbrev(int64_t width, std::string_view s) {
  return width < 4 ? std::string(s) : shorten(s, 0, width);
}

std::string abbrevboth(int64_t offset, int64_t width, std::string_view s) {
  if (width < 4 || (offset > 0 && width < 7)) {
    return std::string(s);
  }
  return shorten(s, offset, width);
}

enum class LongWords { kKeep, kCut };

struct WrapOptions {
  size_t width;
  std::string_view line_end;
  LongWords long_words;
};

// The next line: the string to print, and the number of input bytes it consumes.
struct WrappedLine {
  std::string_view text;
  size_t used;
  bool is_last;
};

// `rest` must be longer than the width and must not begin with a space.
WrappedLine next_line(std::string_view rest, const WrapOptions& options) {
  const size_t space = rest.substr(0, options.width + 1).rfind(' ');
  if (space != std::string_view::npos) {
    return {rest.substr(0, space), space + 1, false};
  }
  if (options.long_words == LongWords::kCut) {
    return {rest.substr(0, options.width), options.width, false};
  }
  const size_t word_end = rest.find(' ', options.width);
  if (word_end == std::string_view::npos) {
    return {rest, rest.size(), true};
  }
  return {rest.substr(0, word_end), word_end + 1, false};
}

Result<std::string> wrap_lines(CallContext& ctx, std::string_view rest,
                               const WrapOptions& options) {
  CW_TRY_VOID(ctx.budget.charge_alloc(rest.size()));
  std::string out;
  while (rest.size() > options.width) {
    if (rest[0] == ' ') {
      rest.remove_prefix(1);
      continue;
    }
    const WrappedLine line = next_line(rest, options);
    out += line.text;
    if (!line.is_last) {
      CW_TRY_VOID(ctx.budget.charge_alloc(options.line_end.size()));
      out += options.line_end;
    }
    rest.remove_prefix(line.used);
  }
  out += rest;
  return out;
}

size_t wrap_width(int64_t width) { return width < 1 ? 1 : static_cast<size_t>(width); }

Result<std::string> wrap(CallContext& ctx, int64_t width, std::string_view s) {
  return wrap_lines(ctx, s, {wrap_width(width), "\n", LongWords::kKeep});
}

Result<std::string> wrap_with(CallContext& ctx, int64_t width, std::string_view line_end,
                              std::string_view s) {
  if (line_end.empty()) {
    line_end = "\n";
  }
  return wrap_lines(ctx, s, {wrap_width(width), line_end, LongWords::kCut});
}

std::string snakecase(std::string_view s) { return split_case(s, '_'); }
std::string kebabcase(std::string_view s) { return split_case(s, '-'); }

}  // namespace

void add_words(Table& table) {
  table.add("nospace", nospace);
  table.add("initials", initials);
  table.add("untitle", untitle);
  table.add("swapcase", swapcase);
  table.add("abbrev", abbrev);
  table.add("abbrevboth", abbrevboth);
  table.add("wrap", wrap);
  table.add("wrapWith", wrap_with);
  table.add("camelcase", pascal_case);
  table.add("snakecase", snakecase);
  table.add("kebabcase", kebabcase);
}

}  // namespace chartwright::helm::funcs
