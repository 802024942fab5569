// SPDX-License-Identifier: Apache-2.0
#include "go/regexp.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "base/memory_limit.h"
#include "base/strings.h"
#include "base/unicode.h"

namespace chartwright::go {
namespace {

// Returns Go's name of an error that both implementations detect.
std::string_view go_error_name(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge:
      return "expression too large";
    default:
      return "regexp/syntax: internal error";
  }
}

base::Error parse_error(std::string_view name, std::string_view part) {
  return base::Error(base::ErrorCode::kParse, "error parsing regexp: " + std::string(name) + ": `" +
                                                  std::string(part) + "`");
}

// The start of a named group. Go accepts both forms, this version of RE2 only its own.
constexpr std::string_view kGoGroup = "(?<";
constexpr std::string_view kRe2Group = "(?P<";

// Translates the syntax of named groups for RE2, and rejects \C, which Go does not have. RE2
// detects all other errors.
base::Result<std::string> to_re2_syntax(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  bool in_quote = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (in_quote) {
      in_quote = !rest.starts_with("\\E");
    } else if (rest[0] == '\\') {
      if (rest.starts_with("\\C")) {
        return parse_error("invalid escape sequence", "\\C");
      }
      in_quote = rest.starts_with("\\Q");
      out += rest.substr(0, 2);
      i += 1;
      continue;
    } else if (in_class) {
      in_class = rest[0] != ']';
    } else if (rest[0] == '[') {
      // A ']' in first position is an ordinary member of the class.
      const size_t first = rest.starts_with("[^") ? 2 : 1;
      const size_t skip = rest.substr(first).starts_with(']') ? first : first - 1;
      out += rest.substr(0, skip);
      i += skip;
      out += rest.substr(skip, 1);
      in_class = true;
      continue;
    } else if (rest.starts_with(kGoGroup)) {
      out += kRe2Group;
      i += kGoGroup.size() - 1;
      continue;
    }
    out += rest[0];
  }
  return out;
}

// Returns the part of the pattern that Go's error message quotes.
std::string go_error_part(std::string_view pattern, const re2::RE2& failed) {
  if (failed.error_code() == re2::RE2::ErrorBadUTF8) {
    while (!pattern.empty()) {
      const base::DecodedRune next = base::decode_rune(pattern);
      if (next.rune == base::kRuneError && next.size == 1) {
        break;
      }
      pattern.remove_prefix(next.size);
    }
    return std::string(pattern);
  }
  const std::string& part = failed.error_arg();
  if (part == failed.pattern()) {
    return std::string(pattern);
  }
  const std::string in_go = base::replace_all(part, kRe2Group, kGoGroup);
  return pattern.find(part) == std::string_view::npos ? in_go : part;
}

using Compiled = std::shared_ptr<const re2::RE2>;

// RE2's memory limit (max_mem) for a pattern that is kept: its program and the automaton that
// matching builds. RE2's default is 8 MiB.
constexpr int64_t kKeptBytesMax = int64_t{256} << 10;

// RE2 rejects nearly all longer patterns, but first writes a line to standard error for each part
// after the millionth.
constexpr size_t kPatternBytesMax = 1'000'000;
// Memory that RE2 uses per byte of a pattern before its own limit applies: a node for each
// character, and lists.
constexpr size_t kParsedBytesPerByte = 256;

base::Result<Compiled> compiled_within(std::string_view pattern, std::optional<int64_t> bytes_max) {
  if (pattern.size() > kPatternBytesMax) {
    return parse_error(go_error_name(re2::RE2::ErrorPatternTooLarge), "");
  }
  if (!base::MemoryLimit::allows(pattern.size() * kParsedBytesPerByte)) {
    return base::Error(base::ErrorCode::kBudget, "a regexp of " + std::to_string(pattern.size()) +
                                                     " bytes needs too much memory");
  }
  CW_TRY(const std::string translated, to_re2_syntax(pattern));
  const base::MemoryLimitLifted lifted;  // RE2 has its own limit and cannot be interrupted.
  re2::RE2::Options options;
  options.set_log_errors(false);
  if (bytes_max) {
    options.set_max_mem(*bytes_max);
  }
  auto compiled = std::make_shared<const re2::RE2>(translated, options);
  if (bytes_max && compiled->error_code() == re2::RE2::ErrorPatternTooLarge) {
    return Compiled();
  }
  if (!compiled->ok()) {
    return parse_error(go_error_name(compiled->error_code()), go_error_part(pattern, *compiled));
  }
  return Compiled(std::move(compiled));
}

/// The bytes of U+FFFD beyond the one that it stands for.
constexpr size_t kRepairGrowth = 2;

/// The only assertion that RE2 finds to be true between the bytes of a character.
constexpr std::string_view kWithinRunes = "\\B";

/// Moves `at` to the next character if it is within one. Reports whether it was.
bool skip_rest_of_rune(std::string_view text, size_t& at) {
  const size_t before = at;
  while (at < text.size() && base::is_utf8_continuation(text[at])) {
    ++at;
  }
  return at != before;
}

}  // namespace

SearchedText::SearchedText(std::string_view text) : text_(text) {
  if (base::is_valid_utf8(text)) {
    return;
  }
  for (size_t at = 0; at < text.size();) {
    const base::DecodedRune next = base::decode_rune(text.substr(at));
    if (next.rune == base::kRuneError && next.size == 1) {
      invalid_.push_back(at);
    }
    base::append_rune(repaired_, next.rune);
    at += next.size;
  }
}

size_t SearchedText::searched_offset(size_t offset) const {
  const auto before = std::lower_bound(invalid_.begin(), invalid_.end(), offset);
  return offset + kRepairGrowth * static_cast<size_t>(before - invalid_.begin());
}

size_t SearchedText::text_offset(size_t searched) const {
  size_t first = 0;
  for (size_t left = invalid_.size(); left > 0;) {  // Of those that begin before the offset.
    const size_t half = left / 2;
    const bool is_before = invalid_[first + half] + kRepairGrowth * (first + half) < searched;
    first = is_before ? first + half + 1 : first;
    left = is_before ? left - half - 1 : half;
  }
  return searched - kRepairGrowth * first;
}

Regexp::Regexp(std::string pattern, std::shared_ptr<const re2::RE2> compiled)
    : pattern_(std::move(pattern)), compiled_(std::move(compiled)) {}
Regexp::Regexp(Regexp&& other) noexcept = default;
Regexp::~Regexp() = default;

base::Result<Regexp> Regexp::compile(std::string_view pattern) {
  CW_TRY(Compiled compiled, compiled_within(pattern, kKeptBytesMax));
  if (compiled == nullptr) {  // Too large; compile with RE2's default limit.
    CW_TRY(compiled, compiled_within(pattern, std::nullopt));
  }
  return Regexp(std::string(pattern), std::move(compiled));
}

base::Result<Regexp> RegexpCache::compile(std::string_view pattern) {
  if (std::optional<Compiled> known = compiled_.find(pattern)) {
    return Regexp(std::string(pattern), *std::move(known));
  }
  CW_TRY(Compiled compiled, compiled_within(pattern, kKeptBytesMax));
  if (compiled == nullptr) {
    CW_TRY(compiled, compiled_within(pattern, std::nullopt));
    return Regexp(std::string(pattern), std::move(compiled));
  }
  compiled_.keep(pattern, compiled);
  return Regexp(std::string(pattern), std::move(compiled));
}

std::string Regexp::literal(std::string_view text) { return re2::RE2::QuoteMeta(text); }

size_t Regexp::compile_work(size_t pattern_bytes) { return 6400 + 640 * pattern_bytes; }

size_t Regexp::search_work(size_t text_bytes) const {
  return text_bytes * static_cast<size_t>(std::max(1, compiled_->ProgramSize()));
}

bool Regexp::matches(std::string_view text) const {
  const SearchedText searched(text);
  return pattern_.find(kWithinRunes) != std::string::npos
             ? find(searched, 0, Groups::kWhole).has_value()
             : match(searched.searched(), 0, {});
}

bool Regexp::match(std::string_view text, size_t from, std::span<re2::StringPiece> found) const {
  const base::MemoryLimitLifted lifted;  // As in compiled_within.
  return compiled_->Match(re2::StringPiece(text.data(), text.size()), from, text.size(),
                          re2::RE2::UNANCHORED, found.data(), static_cast<int>(found.size()));
}

std::optional<Regexp::Match> Regexp::find(const SearchedText& text, size_t from,
                                          Groups groups) const {
  const size_t wanted =
      groups == Groups::kAll ? static_cast<size_t>(compiled_->NumberOfCapturingGroups()) + 1 : 1;
  std::vector<re2::StringPiece> found(wanted);
  const std::string_view searched = text.searched();
  const auto offset_of = [&](const char* at) { return static_cast<size_t>(at - searched.data()); };
  size_t at = text.searched_offset(from);
  do {
    if (!match(searched, at, found)) {
      return std::nullopt;
    }
    at = offset_of(found.front().data());
  } while (skip_rest_of_rune(searched, at));
  Match matched(wanted);
  for (size_t i = 0; i < wanted; ++i) {
    if (const char* begin = found[i].data()) {
      matched[i].begin = text.text_offset(offset_of(begin));
      matched[i].end = text.text_offset(offset_of(begin) + found[i].size());
    }
  }
  return matched;
}

base::Status Regexp::for_each_match(std::string_view text, int64_t limit, Groups groups,
                                    const std::function<base::Status(const Match&)>& visit) const {
  const SearchedText searched(text);
  std::optional<size_t> previous_end;
  size_t at = 0;
  int64_t visited = 0;
  while (at <= text.size() && (limit < 0 || visited < limit)) {
    const std::optional<Match> match = find(searched, at, groups);
    if (!match) {
      break;
    }
    const Span whole = match->front();
    const bool next_to_previous = whole.end == at && whole.begin == previous_end;
    if (whole.end > at) {
      at = whole.end;
    } else {
      at += at < text.size() ? base::decode_rune(text.substr(at)).size : 1;
    }
    previous_end = whole.end;
    if (!next_to_previous) {
      ++visited;
      CW_TRY_VOID(visit(*match));
    }
  }
  return {};
}

std::vector<Regexp::Match> Regexp::find_all(std::string_view text, int64_t limit) const {
  std::vector<Match> matches;
  const auto collect = [&matches](const Match& match) {
    matches.push_back(match);
    return base::Status();
  };
  CW_MUST(for_each_match(text, limit, Groups::kAll, collect));
  return matches;
}

std::optional<size_t> Regexp::group(std::string_view name) const {
  const auto& groups = compiled_->NamedCapturingGroups();
  const auto it = groups.find(std::string(name));
  if (it == groups.end()) {
    return std::nullopt;
  }
  return static_cast<size_t>(it->second);
}

}  // namespace chartwright::go
