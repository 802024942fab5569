// SPDX-License-Identifier: Apache-2.0
#include "suite/text_diff.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/strings.h"

namespace chartwright::suite {
namespace {

constexpr size_t kContextLines = 1;
/// Texts of more lines are compared as a whole: the search may take quadratic time.
constexpr size_t kLinesMax = 20'000;
/// From so many lines on, those that are frequent do not start a match.
constexpr size_t kPopularFrom = 200;

using Lines = std::vector<std::string_view>;

/// Equal runs of both texts.
struct Match {
  size_t a, b, size;
};

/// Lines [a_from, a_to) of the first text became [b_from, b_to) of the second one.
struct Change {
  bool equal;
  size_t a_from, a_to, b_from, b_to;
};

/// Finds what two texts have in common by the method of Ratcliff and Obershelp: the longest run of
/// equal lines first, then the same to both sides of it.
class Matcher {
 public:
  Matcher(const Lines& a, const Lines& b) : a_(a), b_(b) {
    for (size_t i = 0; i < b.size(); ++i) {
      places_[b[i]].push_back(i);
    }
    if (b.size() >= kPopularFrom) {
      std::erase_if(places_,
                    [&](const auto& entry) { return entry.second.size() > b.size() / 100 + 1; });
    }
  }

  std::vector<Change> changes() {
    std::vector<Match> matches;
    std::vector<Change> open{{false, 0, a_.size(), 0, b_.size()}};
    while (!open.empty()) {
      const Change range = open.back();
      open.pop_back();
      const Match match = longest(range);
      if (match.size > 0) {
        matches.push_back(match);
        open.push_back({false, range.a_from, match.a, range.b_from, match.b});
        open.push_back({false, match.a + match.size, range.a_to, match.b + match.size, range.b_to});
      }
    }
    std::ranges::sort(matches, {}, &Match::a);
    matches.push_back({a_.size(), b_.size(), 0});
    std::vector<Change> changes;
    size_t a = 0;
    size_t b = 0;
    for (const Match& match : matches) {
      if (a < match.a || b < match.b) {
        changes.push_back({false, a, match.a, b, match.b});
      }
      a = match.a + match.size;
      b = match.b + match.size;
      if (match.size > 0 && !changes.empty() && changes.back().equal) {
        changes.back().a_to = a;
        changes.back().b_to = b;
      } else if (match.size > 0) {
        changes.push_back({true, match.a, a, match.b, b});
      }
    }
    return changes;
  }

 private:
  /// Returns the longest run of equal lines in a range, the earliest of several.
  Match longest(const Change& range) const {
    Match best{range.a_from, range.b_from, 0};
    std::map<size_t, size_t> lengths;  // Of the run that ends at a line of b.
    for (size_t i = range.a_from; i < range.a_to; ++i) {
      std::map<size_t, size_t> next;
      const auto places = places_.find(a_[i]);
      for (const size_t j : places != places_.end() ? places->second : std::vector<size_t>()) {
        if (j < range.b_from || j >= range.b_to) {
          continue;
        }
        const auto before = j > 0 ? lengths.find(j - 1) : lengths.end();
        const size_t length = (before != lengths.end() ? before->second : 0) + 1;
        next[j] = length;
        if (length > best.size) {
          best = {i + 1 - length, j + 1 - length, length};
        }
      }
      lengths = std::move(next);
    }
    while (best.a > range.a_from && best.b > range.b_from && a_[best.a - 1] == b_[best.b - 1]) {
      best = {best.a - 1, best.b - 1, best.size + 1};
    }
    while (best.a + best.size < range.a_to && best.b + best.size < range.b_to &&
           a_[best.a + best.size] == b_[best.b + best.size]) {
      ++best.size;
    }
    return best;
  }

  const Lines& a_;
  const Lines& b_;
  std::map<std::string_view, std::vector<size_t>> places_;
};

/// Splits the changes where more than the context of two of them lies between, and cuts equal runs
/// down to the context.
std::vector<std::vector<Change>> grouped(std::vector<Change> changes) {
  constexpr size_t kJoined = 2 * kContextLines;
  if (!changes.empty() && changes.front().equal) {
    Change& first = changes.front();
    const size_t size = std::min(first.a_to - first.a_from, kContextLines);
    first.a_from = first.a_to - size;
    first.b_from = first.b_to - size;
  }
  if (!changes.empty() && changes.back().equal) {
    Change& last = changes.back();
    const size_t size = std::min(last.a_to - last.a_from, kContextLines);
    last.a_to = last.a_from + size;
    last.b_to = last.b_from + size;
  }
  std::vector<std::vector<Change>> groups(1);
  for (Change change : changes) {
    if (change.equal && change.a_to - change.a_from > kJoined) {
      groups.back().push_back({true, change.a_from, change.a_from + kContextLines, change.b_from,
                               change.b_from + kContextLines});
      groups.emplace_back();
      change.a_from = change.a_to - kContextLines;
      change.b_from = change.b_to - kContextLines;
    }
    groups.back().push_back(change);
  }
  std::erase_if(groups, [](const std::vector<Change>& group) {
    return std::ranges::all_of(group, &Change::equal);
  });
  return groups;
}

std::string range_text(size_t from, size_t to) {
  const size_t length = to - from;
  if (length == 1) {
    return std::to_string(from + 1);
  }
  return std::to_string(length == 0 ? from : from + 1) + "," + std::to_string(length);
}

void append_lines(std::string& out, char mark, const Lines& lines,
                  std::pair<size_t, size_t> range) {
  for (size_t i = range.first; i < range.second; ++i) {
    (out += mark).append(lines[i]) += '\n';
  }
}

}  // namespace

std::string text_diff(std::string_view expected, std::string_view actual) {
  const Lines a = base::split(expected, '\n');
  const Lines b = base::split(actual, '\n');
  std::vector<Change> changes{{false, 0, a.size(), 0, b.size()}};
  if (a.size() <= kLinesMax && b.size() <= kLinesMax) {
    changes = Matcher(a, b).changes();
  }
  std::string out;
  for (const std::vector<Change>& group : grouped(std::move(changes))) {
    out += out.empty() ? "--- Expected\n+++ Actual\n" : "";
    out += "@@ -" + range_text(group.front().a_from, group.back().a_to) + " +" +
           range_text(group.front().b_from, group.back().b_to) + " @@\n";
    for (const Change& change : group) {
      if (change.equal) {
        append_lines(out, ' ', a, {change.a_from, change.a_to});
      } else {
        append_lines(out, '-', a, {change.a_from, change.a_to});
        append_lines(out, '+', b, {change.b_from, change.b_to});
      }
    }
  }
  return out;
}

}  // namespace chartwright::suite
