// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace chartwright::go {

/// A compiled regular expression with the semantics of Go's regexp package (RE2 syntax, leftmost
/// first, UTF-8). A search takes time linear in the text. Immutable and thread-safe.
class Regexp {
 public:
  /// Byte offsets in the text; `begin` is npos for a group that took no part in the match.
  struct Span {
    size_t begin = std::string_view::npos;
    size_t end = std::string_view::npos;
    bool matched() const { return begin != std::string_view::npos; }
    std::string_view in(std::string_view text) const {
      return matched() ? text.substr(begin, end - begin) : std::string_view();
    }
  };
  /// The whole match, then the groups by number.
  using Match = std::vector<Span>;

  /// What a search has to tell: where the groups are costs several times the match alone.
  enum class Groups : uint8_t { kWhole, kAll };

  /// Patterns compiled lately are remembered. Thread-safe. Error: kParse with Go's text: "error
  /// parsing regexp: missing closing ): `(`".
  static base::Result<Regexp> compile(std::string_view pattern);
  /// What compiling a pattern of so many bytes may take, in bytes that are looked at: far more than
  /// it is long, since x{1000} is a thousand x.
  static size_t compile_work(size_t pattern_bytes);
  Regexp(Regexp&& other) noexcept;
  ~Regexp();

  const std::string& pattern() const { return pattern_; }
  /// What a search through so many bytes may take, in bytes that are looked at: the size of the
  /// program times the text, since an automaton that outgrows its memory is simulated.
  size_t search_work(size_t text_bytes) const;
  /// The leftmost match that begins at or after `from`; ^ and \b see the text before it.
  std::optional<Match> find(std::string_view text, size_t from = 0,
                            Groups groups = Groups::kAll) const;
  bool matches(std::string_view text) const;
  /// Calls `visit` with the matches from left to right, at most `limit` of them if it is not
  /// negative; an empty match next to the one before it is left out. Error: what `visit` returns,
  /// after which it is not called again. Source: Go regexp allMatches.
  base::Status for_each_match(std::string_view text, int64_t limit, Groups groups,
                              const std::function<base::Status(const Match&)>& visit) const;
  /// The same matches as a list: for short texts.
  std::vector<Match> find_all(std::string_view text, int64_t limit) const;
  /// Number of the group that is called so; nullopt when there is none.
  std::optional<size_t> group(std::string_view name) const;

 private:
  Regexp(std::string pattern, std::shared_ptr<const re2::RE2> compiled);
  std::string pattern_;
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace chartwright::go
