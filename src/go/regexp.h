// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text_cache.h"

namespace re2 {
class RE2;
class StringPiece;
}  // namespace re2

namespace chartwright::go {

/// A text that is searched: each byte that is not UTF-8 counts as U+FFFD, as in Go. It refers to
/// the text. Immutable and thread-safe.
class SearchedText {
 public:
  explicit SearchedText(std::string_view text);

 private:
  friend class Regexp;
  bool is_valid() const { return invalid_.empty(); }
  std::string_view searched() const { return is_valid() ? text_ : std::string_view(repaired_); }
  size_t searched_offset(size_t offset) const;
  size_t text_offset(size_t searched) const;

  std::string_view text_;
  std::string repaired_;         ///< With U+FFFD in place of bytes that are not UTF-8, if any are.
  std::vector<size_t> invalid_;  ///< The offsets of these bytes in the text.
};

/// A compiled regular expression with the semantics of Go's regexp package (RE2 syntax,
/// leftmost-first matching, UTF-8). A search takes time linear in the text. Immutable and
/// thread-safe.
class Regexp {
 public:
  /// Byte offsets in the text; `begin` is npos for a group that did not participate in the match.
  struct Span {
    size_t begin = std::string_view::npos;
    size_t end = std::string_view::npos;
    bool matched() const { return begin != std::string_view::npos; }
    std::string_view in(std::string_view text) const {
      return matched() ? text.substr(begin, end - begin) : std::string_view();
    }
  };
  /// The whole match, followed by the groups in order.
  using Match = std::vector<Span>;

  /// Whether a search locates the groups too, which costs several times the match alone.
  enum class Groups : uint8_t { kWhole, kAll };

  /// Compiles `pattern`, which takes as long as a hundred matches. Thread-safe. Error: kParse with
  /// Go's message, such as "error parsing regexp: missing closing ): `(`".
  static base::Result<Regexp> compile(std::string_view pattern);
  /// Returns a pattern that matches only `text`.
  static std::string literal(std::string_view text);
  /// Returns the maximum cost of compiling a pattern of that size, in bytes for
  /// base::Budget::charge_work: far more than its length, since x{1000} is a thousand x.
  static size_t compile_work(size_t pattern_bytes);
  Regexp(Regexp&& other) noexcept;
  ~Regexp();

  const std::string& pattern() const { return pattern_; }
  /// Returns the maximum cost of searching a text of that size, in bytes for
  /// base::Budget::charge_work: program size times text size, since an automaton that outgrows its
  /// memory is simulated.
  size_t search_work(size_t text_bytes) const;
  /// Returns the leftmost match that begins at or after `from`; ^ and \b see the text before it.
  std::optional<Match> find(const SearchedText& text, size_t from = 0,
                            Groups groups = Groups::kAll) const;
  /// The same for a text that is searched once.
  std::optional<Match> find(std::string_view text, size_t from = 0,
                            Groups groups = Groups::kAll) const {
    return find(SearchedText(text), from, groups);
  }
  bool matches(std::string_view text) const;
  /// Calls `visit` for each match from left to right, at most `limit` times unless `limit` is
  /// negative. Skips an empty match adjacent to the previous one. Stops at the first error that
  /// `visit` returns, and returns it. Source: Go regexp allMatches.
  base::Status for_each_match(std::string_view text, int64_t limit, Groups groups,
                              const std::function<base::Status(const Match&)>& visit) const;
  /// Returns the matches that for_each_match visits. For short texts.
  std::vector<Match> find_all(std::string_view text, int64_t limit) const;
  /// Returns the number of the group called `name`, or nullopt if no group has that name.
  std::optional<size_t> group(std::string_view name) const;

 private:
  friend class RegexpCache;
  Regexp(std::string pattern, std::shared_ptr<const re2::RE2> compiled);
  bool match(std::string_view text, size_t from, std::span<re2::StringPiece> found) const;
  std::string pattern_;
  std::shared_ptr<const re2::RE2> compiled_;
};

/// Patterns compiled recently, for a caller that compiles the same ones again and again. Limited in
/// number and, through RE2's limit for each pattern, in bytes. Thread-safe.
class RegexpCache {
 public:
  /// Compiles `pattern` as Regexp::compile does, or returns it from the cache.
  base::Result<Regexp> compile(std::string_view pattern);

 private:
  base::TextCache<std::shared_ptr<const re2::RE2>> compiled_{64};
};

}  // namespace chartwright::go
