// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/glob.h"

namespace chartwright::helm {

namespace {

base::Error malformed(std::string_view why) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::string(why));
}

/// Rewrites a glob as a regular expression, which matches in linear time for any pattern.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) {}

  base::Result<std::string> translate() {
    while (!rest_.empty()) {
      CW_TRY_VOID(item());
    }
    // An unclosed alternative ends at the end of the pattern.
    out_.append(static_cast<size_t>(depth_), ')');
    return std::move(out_);
  }

 private:
  base::Status item() {
    const char c = rest_.front();
    if (c == '{') {
      rest_.remove_prefix(1);
      ++depth_;
      out_ += "(?:";
    } else if (depth_ > 0 && c == ',') {
      rest_.remove_prefix(1);
      out_ += '|';
    } else if (depth_ > 0 && c == '}') {
      rest_.remove_prefix(1);
      --depth_;
      out_ += ')';
    } else if (c == '[') {
      rest_.remove_prefix(1);
      return character_class();
    } else if (c == '?') {
      rest_.remove_prefix(1);
      out_ += "[^/]";
    } else if (c == '*') {
      const bool super = rest_.substr(0, 2) == "**";
      rest_.remove_prefix(super ? 2 : 1);
      out_ += super ? "(?s:.*)" : "[^/]*";
    } else {
      out_ += go::Regexp::literal(text(depth_ > 0 ? "?*[{}," : "?*[{"));
    }
    return {};
  }

  /// Consumes characters up to one of `stops` and resolves escapes.
  std::string text(std::string_view stops) {
    std::string result;
    while (!rest_.empty() && stops.find(rest_.front()) == std::string_view::npos) {
      if (rest_.front() == '\\') {
        rest_.remove_prefix(1);
        if (rest_.empty()) {
          break;
        }
      }
      result += rest_.front();
      rest_.remove_prefix(1);
    }
    return result;
  }

  // class: '[' ['!'] (lo '-' hi | characters) ']'
  base::Status character_class() {
    out_ += '[';
    if (!rest_.empty() && rest_.front() == '!') {
      rest_.remove_prefix(1);
      out_ += '^';
    }
    if (rest_.size() > 2 && rest_[1] == '-') {
      if (static_cast<unsigned char>(rest_[2]) < static_cast<unsigned char>(rest_[0])) {
        return malformed("hi character should be greater than lo");
      }
      out_ +=
          go::Regexp::literal(rest_.substr(0, 1)) + "-" + go::Regexp::literal(rest_.substr(2, 1));
      rest_.remove_prefix(3);
    } else {
      const std::string characters = text("]");
      if (characters.empty()) {
        return malformed("could not parse range");
      }
      out_ += go::Regexp::literal(characters);
    }
    if (rest_.empty() || rest_.front() != ']') {
      return malformed("expected close range character");
    }
    rest_.remove_prefix(1);
    out_ += ']';
    return {};
  }

  std::string_view rest_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

base::Result<Glob> Glob::compile(std::string_view pattern, go::RegexpCache& cache) {
  CW_TRY(const std::string regex, Translator(pattern).translate());
  auto compiled = cache.compile("^(?:" + regex + ")$");
  if (!compiled.ok()) {
    return malformed(compiled.error().message());
  }
  return Glob(std::move(compiled).value());
}

bool Glob::matches(std::string_view name) const { return regexp_.matches(name); }

}  // namespace chartwright::helm
