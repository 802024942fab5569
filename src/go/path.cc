// SPDX-License-Identifier: Apache-2.0
#include "go/path.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/strings.h"

namespace chartwright::go {
namespace {

base::Error bad_pattern() {
  return base::Error(base::ErrorCode::kInvalidArgument, "syntax error in pattern");
}

/// Returns the size of a UTF-8 character with this first byte, in bytes.
size_t size_by_lead(unsigned char lead) {
  if (lead >= 0xF0) {
    return 4;
  }
  if (lead >= 0xE0) {
    return 3;
  }
  return lead >= 0xC0 ? 2 : 1;
}

/// Returns the size of the UTF-8 character at the start of `text`, in bytes; 1 if it is malformed.
size_t rune_length(std::string_view text) {
  const size_t length = size_by_lead(static_cast<unsigned char>(text.front()));
  return length <= text.size() ? length : 1;
}

std::string_view take_rune(std::string_view& text) {
  std::string_view rune = text.substr(0, rune_length(text));
  text.remove_prefix(rune.size());
  return rune;
}

/// Matches one chunk: the part of a pattern between two stars.
class ChunkMatcher {
 public:
  ChunkMatcher(std::string_view chunk, std::string_view name) : chunk_(chunk), name_(name) {}

  /// Returns the rest of the name after the chunk, or nullopt if it does not match. Checks the
  /// syntax of the whole chunk even after a mismatch.
  base::Result<std::optional<std::string_view>> match() {
    while (!chunk_.empty()) {
      failed_ = failed_ || name_.empty();
      CW_TRY_VOID(step());
    }
    return failed_ ? std::optional<std::string_view>() : std::optional(name_);
  }

 private:
  base::Status step() {
    switch (chunk_.front()) {
      case '[':
        return match_class();
      case '?':
        chunk_.remove_prefix(1);
        if (!failed_) {
          failed_ = name_.front() == '/';
          take_rune(name_);
        }
        return {};
      case '\\':
        chunk_.remove_prefix(1);
        if (chunk_.empty()) {
          return bad_pattern();
        }
        [[fallthrough]];
      default:
        if (!failed_) {
          failed_ = chunk_.front() != name_.front();
          name_.remove_prefix(1);
        }
        chunk_.remove_prefix(1);
        return {};
    }
  }

  // class: '[' ['^'] { lo ['-' hi] } ']'
  base::Status match_class() {
    std::string_view rune;
    if (!failed_) {
      rune = take_rune(name_);
    }
    chunk_.remove_prefix(1);
    const bool negated = !chunk_.empty() && chunk_.front() == '^';
    if (negated) {
      chunk_.remove_prefix(1);
    }
    bool matched = false;
    for (int ranges = 0;; ++ranges) {
      if (!chunk_.empty() && chunk_.front() == ']' && ranges > 0) {
        chunk_.remove_prefix(1);
        break;
      }
      CW_TRY(std::string_view lo, class_rune());
      std::string_view hi = lo;
      if (chunk_.front() == '-') {
        chunk_.remove_prefix(1);
        CW_TRY(hi, class_rune());
      }
      // UTF-8 strings compare in the order of their code points.
      matched = matched || (lo <= rune && rune <= hi);
    }
    failed_ = failed_ || matched == negated;
    return {};
  }

  base::Result<std::string_view> class_rune() {
    if (chunk_.empty() || chunk_.front() == '-' || chunk_.front() == ']') {
      return bad_pattern();
    }
    if (chunk_.front() == '\\') {
      chunk_.remove_prefix(1);
      if (chunk_.empty()) {
        return bad_pattern();
      }
    }
    std::string_view rune = take_rune(chunk_);
    if (chunk_.empty()) {
      return bad_pattern();
    }
    return rune;
  }

  std::string_view chunk_;
  std::string_view name_;
  bool failed_ = false;
};

struct Chunk {
  bool after_star = false;
  std::string_view text;
};

/// Removes and returns the stars at the start of `pattern` and the chunk up to the next star.
Chunk scan_chunk(std::string_view& pattern) {
  Chunk chunk;
  while (!pattern.empty() && pattern.front() == '*') {
    pattern.remove_prefix(1);
    chunk.after_star = true;
  }
  bool in_class = false;
  size_t end = 0;
  for (; end < pattern.size(); ++end) {
    const char c = pattern[end];
    if (c == '\\' && end + 1 < pattern.size()) {
      ++end;
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    } else if (c == '*' && !in_class) {
      break;
    }
  }
  chunk.text = pattern.substr(0, end);
  pattern.remove_prefix(end);
  return chunk;
}

}  // namespace

std::string clean_path(std::string_view path) {
  const bool rooted = path.starts_with('/');
  std::string kept = rooted ? "/" : "";
  size_t fixed = kept.size();  // Prefix that ".." cannot remove: the root or leading ".." elements.
  const auto append = [&kept](std::string_view part) {
    kept.append(kept.empty() || kept == "/" ? "" : "/").append(part);
  };
  kept.reserve(path.size());
  for (std::string_view part : base::split(path, '/')) {
    if (part.empty() || part == ".") {
      continue;
    }
    if (part != "..") {
      append(part);
    } else if (kept.size() > fixed) {
      const size_t slash = kept.rfind('/');
      kept.resize(slash == std::string::npos ? 0 : std::max(fixed, slash));
    } else if (!rooted) {
      append(part);
      fixed = kept.size();
    }
  }
  return kept.empty() ? "." : kept;
}

std::string join_path(std::string_view a, std::string_view b) {
  if (a.empty() && b.empty()) {
    return "";
  }
  if (a.empty() || b.empty()) {
    return clean_path(a.empty() ? b : a);
  }
  return clean_path(std::string(a) + "/" + std::string(b));
}

std::string_view base_name(std::string_view path) {
  if (path.empty()) {
    return ".";
  }
  while (!path.empty() && path.back() == '/') {
    path.remove_suffix(1);
  }
  if (path.empty()) {
    return "/";
  }
  return path.substr(path.rfind('/') + 1);
}

std::string_view extension(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

base::Result<bool> match_path(std::string_view pattern, std::string_view name) {
  while (!pattern.empty()) {
    const Chunk chunk = scan_chunk(pattern);
    if (chunk.after_star && chunk.text.empty()) {
      return name.find('/') == std::string_view::npos;
    }
    CW_TRY(auto rest, ChunkMatcher(chunk.text, name).match());
    // The last chunk must match up to the end of the name; otherwise try a later start.
    if (rest && (rest->empty() || !pattern.empty())) {
      name = *rest;
      continue;
    }
    bool found = false;
    for (size_t skip = 0; chunk.after_star && skip < name.size() && name[skip] != '/'; ++skip) {
      CW_TRY(rest, ChunkMatcher(chunk.text, name.substr(skip + 1)).match());
      if (rest && (!pattern.empty() || rest->empty())) {
        name = *rest;
        found = true;
        break;
      }
    }
    if (found) {
      continue;
    }
    return false;
  }
  return name.empty();
}

}  // namespace chartwright::go
