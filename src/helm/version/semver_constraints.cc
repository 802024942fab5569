// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "go/quote.h"
#include "go/regexp.h"
#include "helm/version/semver.h"

namespace chartwright::helm {
namespace {

constexpr size_t kConstraintBytesMax = 512;
constexpr size_t kAlternativesMax = 32;
/// The limit where 3.4 has none: ranges take time quadratic in the length.
constexpr size_t kUnboundedBytesMax = size_t{64} << 10;

// The grammar of Masterminds/semver, which mistakenly allows '|' in a number. A version has seven
// groups: major, .minor, .patch, -prerelease, prerelease, +metadata, metadata.
const std::string& version_pattern() {
  static const std::string pattern =
      R"(v?([0-9|xX*]+)(\.[0-9|xX*]+)?(\.[0-9|xX*]+)?)"
      R"((-([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?)";
  return pattern;
}

// The empty operator is the second alternative, before the longer operators: leftmost-first
// matching depends on this order.
constexpr std::string_view kOperators = R"(=||!=|>|<|>=|=>|<=|=<|~|~>|\^)";

std::string comparison_pattern() {
  return "(" + std::string(kOperators) + R"()\s*()" + version_pattern() + ")";
}

go::Regexp compiled(const std::string& pattern) { return CW_MUST(go::Regexp::compile(pattern)); }

base::Error bad_constraint(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

base::Error improper(std::string_view text, SemverRelease release) {
  return bad_constraint("improper constraint: " +
                        (release >= SemverRelease::k3_5 ? go::quote(text) : std::string(text)));
}

// Rewrites "1.2 - 1.4" as ">= 1.2, <= 1.4".
std::string rewrite_ranges(std::string_view text) {
  static const go::Regexp range =
      compiled(R"(\s*()" + version_pattern() + R"()\s+-\s+()" + version_pattern() + R"()\s*)");
  std::string out(text);
  for (const go::Regexp::Match& match : range.find_all(text, -1)) {
    const std::string_view whole = match[0].in(text);
    const std::string rewritten =
        ">= " + std::string(match[1].in(text)) + ", <= " + std::string(match[9].in(text)) + " ";
    out.replace(out.find(whole), whole.size(), rewritten);
  }
  return out;
}

std::vector<std::string_view> split_alternatives(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = text.find("||"); at != std::string_view::npos; at = text.find("||")) {
    out.push_back(text.substr(0, at));
    text.remove_prefix(at + 2);
  }
  out.push_back(text);
  return out;
}

bool is_any(std::string_view part) {
  return part.empty() || part == "x" || part == "X" || part == "*" || part == ".x" ||
         part == ".X" || part == ".*";
}

base::Result<Comparison> parse_comparison(std::string_view text, SemverRelease release) {
  static const go::Regexp pattern = compiled(R"(^\s*)" + comparison_pattern() + R"(\s*$)");
  const std::optional<go::Regexp::Match> match = pattern.find(text);
  if (!match) {
    return improper(text, release);
  }
  const std::string_view major = (*match)[3].in(text);
  const std::string_view minor = (*match)[4].in(text);
  const std::string_view patch = (*match)[5].in(text);
  const std::string prerelease((*match)[6].in(text));
  Comparison out;
  out.op = (*match)[1].in(text);
  std::string numbers((*match)[2].in(text));
  if (is_any(major)) {
    numbers = "0.0.0" + prerelease;
  } else if (is_any(minor)) {
    numbers = std::string(major) + ".0.0" + prerelease;
    out.minor_dirty = true;
  } else if (is_any(patch)) {
    numbers = std::string(major) + std::string(minor) + ".0" + prerelease;
    out.patch_dirty = true;
  }
  out.dirty = is_any(major) || out.minor_dirty || out.patch_dirty;
  base::Result<Version> version = Version::parse(numbers, release);
  if (!version.ok()) {
    return bad_constraint(release == SemverRelease::k3_3 ? "constraint Parser Error"
                                                         : "constraint parser error");
  }
  out.version = std::move(version).value();
  return out;
}

bool not_equal(const Version& v, const Comparison& c) {
  if (!c.dirty || (!c.minor_dirty && !c.patch_dirty && v.major == c.version.major &&
                   v.minor == c.version.minor && v.patch == c.version.patch)) {
    return v.compare(c.version) != 0;
  }
  if (v.major != c.version.major || c.minor_dirty) {
    return v.major != c.version.major;
  }
  if (v.minor != c.version.minor) {
    return true;
  }
  if (!c.patch_dirty) {
    return true;  // The patch numbers differ; all other cases have been handled above.
  }
  return v.prerelease != c.version.prerelease;
}

bool greater(const Version& v, const Comparison& c) {
  if (!c.dirty || (!c.minor_dirty && !c.patch_dirty && v.major == c.version.major)) {
    return v.compare(c.version) > 0;
  }
  if (v.major != c.version.major) {
    return v.major > c.version.major;
  }
  return !c.minor_dirty && v.minor > c.version.minor;  // 11.1.0 is not greater than 11.
}

bool less_or_equal(const Version& v, const Comparison& c) {
  if (!c.dirty) {
    return v.compare(c.version) <= 0;
  }
  if (v.major != c.version.major) {
    return v.major < c.version.major;
  }
  return c.minor_dirty || v.minor <= c.version.minor;
}

bool tilde(const Version& v, const Comparison& c) {
  if (v.compare(c.version) < 0) {
    return false;
  }
  const bool zero = c.version.major == 0 && c.version.minor == 0 && c.version.patch == 0;
  if (zero && !c.minor_dirty && !c.patch_dirty) {
    return true;  // ~0.0.0 and ~* accept everything.
  }
  return v.major == c.version.major && (v.minor == c.version.minor || c.minor_dirty);
}

bool caret(const Version& v, const Comparison& c) {
  if (v.compare(c.version) < 0) {
    return false;
  }
  if (c.version.major > 0 || c.minor_dirty) {
    return v.major == c.version.major;
  }
  if (v.major > 0) {
    return false;
  }
  if (c.version.minor > 0 || c.patch_dirty) {
    return v.minor == c.version.minor;
  }
  return v.minor == 0 && v.patch == c.version.patch;
}

bool holds(const Version& v, const Comparison& c) {
  const std::string& op = c.op;
  if (op.empty() || op == "=") {
    return c.dirty ? tilde(v, c) : v.compare(c.version) == 0;
  }
  if (op == "!=") {
    return not_equal(v, c);
  }
  if (op == ">") {
    return greater(v, c);
  }
  if (op == "<") {
    return v.compare(c.version) < 0;
  }
  if (op == ">=" || op == "=>") {
    return v.compare(c.version) >= 0;
  }
  if (op == "<=" || op == "=<") {
    return less_or_equal(v, c);
  }
  return op == "^" ? caret(v, c) : tilde(v, c);
}

// Reports whether a comparison of 3.3 accepts the prerelease in `v`.
bool takes_prerelease(const Version& v, const Comparison& c) {
  return v.prerelease.empty() || !c.version.prerelease.empty() || (c.op == "!=" && !c.dirty);
}

}  // namespace

base::Result<Constraints> Constraints::parse(std::string_view text, SemverRelease release) {
  CW_TRY(std::vector<Alternative> any_of, read(text, release));
  return Constraints(std::make_shared<const std::vector<Alternative>>(std::move(any_of)), release);
}

base::Result<Constraints> ConstraintsCache::parse(std::string_view text, SemverRelease release) {
  base::TextCache<Constraints>* const caches[] = {&of_3_3_, &of_3_4_, &of_3_5_};
  base::TextCache<Constraints>& kept = *caches[static_cast<size_t>(release)];
  if (std::optional<Constraints> known = kept.find(text)) {
    return *std::move(known);
  }
  CW_TRY(Constraints constraints, Constraints::parse(text, release));
  if (text.size() <= kConstraintBytesMax) {
    kept.keep(text, constraints);
  }
  return constraints;
}

base::Result<std::vector<Constraints::Alternative>> Constraints::read(std::string_view text,
                                                                      SemverRelease release) {
  static const go::Regexp comparison = compiled(comparison_pattern());
  static const go::Regexp valid =
      compiled(R"(^(?:\s*)" + comparison_pattern() + R"(\s*)(?:(?:\s+|,\s*))" +
               comparison_pattern() + R"(\s*)*$)");
  const bool bounded = release >= SemverRelease::k3_5;
  if (bounded && text.size() > kConstraintBytesMax) {
    return bad_constraint("constraint string is too long (max 512 bytes)");
  }
  if (text.size() > kUnboundedBytesMax) {
    return base::Error(
        base::ErrorCode::kBudget,
        "constraint string is too long (max " + std::to_string(kUnboundedBytesMax) + " bytes)");
  }
  const std::string rewritten = rewrite_ranges(text);
  const std::vector<std::string_view> alternatives = split_alternatives(rewritten);
  if (bounded && alternatives.size() > kAlternativesMax) {
    return bad_constraint("too many constraint groups (max 32)");
  }
  std::vector<Alternative> out;
  for (std::string_view part : alternatives) {
    if (!valid.matches(part)) {
      return improper(part, release);
    }
    Alternative& alternative = out.emplace_back();
    for (const go::Regexp::Match& match : comparison.find_all(part, -1)) {
      CW_TRY(Comparison parsed, parse_comparison(match[0].in(part), release));
      alternative.names_prerelease |= !parsed.version.prerelease.empty();
      alternative.all_of.push_back(std::move(parsed));
    }
  }
  return out;
}

bool Constraints::check(const Version& version) const {
  for (const Alternative& alternative : *any_of_) {
    const bool by_comparison = release_ == SemverRelease::k3_3;
    bool all_hold = by_comparison || version.prerelease.empty() || alternative.names_prerelease;
    for (const Comparison& comparison : alternative.all_of) {
      all_hold = all_hold && (!by_comparison || takes_prerelease(version, comparison)) &&
                 holds(version, comparison);
    }
    if (all_hold) {
      return true;
    }
  }
  return false;
}

}  // namespace chartwright::helm
