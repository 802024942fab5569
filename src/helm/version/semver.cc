// SPDX-License-Identifier: Apache-2.0
#include "helm/version/semver.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <optional>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/quote.h"

namespace chartwright::helm {
namespace {

constexpr size_t kVersionBytesMax = 256;

base::Error bad_version(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

/// A message in 3.3, and since 3.4.
struct Wording {
  std::string_view old_words;
  std::string_view new_words;
};
constexpr Wording kInvalidVersion = {"Invalid Semantic Version", "invalid semantic version"};
constexpr Wording kLeadingZero = {"Version segment starts with 0", "version segment starts with 0"};
constexpr Wording kBadSegment = {"Error parsing version segment: ",
                                 "error parsing version segment: "};
constexpr Wording kInvalidPrerelease = {"Invalid Prerelease string", "invalid prerelease string"};
constexpr Wording kInvalidMetadata = {"Invalid Metadata string", "invalid metadata string"};

std::string in_words_of(SemverRelease release, const Wording& wording) {
  return std::string(release == SemverRelease::k3_3 ? wording.old_words : wording.new_words);
}

bool is_identifier_byte(char c) { return base::is_ascii_alphanumeric(c) || c == '-'; }

// Removes and returns the longest prefix of `rest` whose bytes satisfy `is_wanted`.
template <typename Predicate>
std::string_view take_while(std::string_view& rest, Predicate is_wanted) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_wanted);
  const std::string_view taken = rest.substr(0, static_cast<size_t>(end - rest.begin()));
  rest.remove_prefix(taken.size());
  return taken;
}

// number: digit+
// numbers: [number] ['.' number ['.' number]]
std::vector<std::string_view> take_numbers(std::string_view& rest) {
  std::vector<std::string_view> numbers;
  numbers.push_back(take_while(rest, base::is_ascii_digit<char>));
  while (numbers.size() < 3 && rest.size() > 1 && rest[0] == '.' && base::is_ascii_digit(rest[1])) {
    rest.remove_prefix(1);
    numbers.push_back(take_while(rest, base::is_ascii_digit<char>));
  }
  return numbers;
}

// suffix: mark identifier ('.' identifier)*; returns "" if there is none.
std::string_view take_suffix(std::string_view& rest, char mark) {
  if (rest.size() < 2 || rest[0] != mark || !is_identifier_byte(rest[1])) {
    return {};
  }
  const char* const start = rest.data() + 1;
  do {
    rest.remove_prefix(1);
    take_while(rest, is_identifier_byte);
  } while (rest.size() > 1 && rest[0] == '.' && is_identifier_byte(rest[1]));
  return {start, static_cast<size_t>(rest.data() - start)};
}

bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Implements Go's strconv.ParseUint for a string of digits.
base::Result<uint64_t> parse_segment(std::string_view digits, SemverRelease release) {
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code != std::errc() || end != digits.data() + digits.size()) {
    return bad_version(in_words_of(release, kBadSegment) + "strconv.ParseUint: parsing " +
                       go::quote(digits) + ": value out of range");
  }
  return number;
}

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

// Reports whether a part between dots is one: empty ones are accepted by 3.3.
bool is_identifier(std::string_view part, SemverRelease release) {
  return (release == SemverRelease::k3_3 || !part.empty()) &&
         std::all_of(part.begin(), part.end(), is_identifier_byte);
}

int sign(std::strong_ordering order) {
  if (order < 0) {
    return -1;
  }
  return order > 0 ? 1 : 0;
}

// Compares parts of a prerelease: a missing part is lowest, a number is lower than a word.
int compare_part(std::string_view a, std::string_view b) {
  if (a == b) {
    return 0;
  }
  if (a.empty() || b.empty()) {
    return a.empty() ? -1 : 1;
  }
  const std::optional<uint64_t> number_a = parse_number(a);
  const std::optional<uint64_t> number_b = parse_number(b);
  if (number_a && number_b) {
    return *number_a > *number_b ? 1 : -1;
  }
  if (!number_a && !number_b) {
    return a > b ? 1 : -1;
  }
  return number_a ? -1 : 1;
}

int compare_prerelease(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> parts_a = base::split(a, '.');
  const std::vector<std::string_view> parts_b = base::split(b, '.');
  for (size_t i = 0; i < std::max(parts_a.size(), parts_b.size()); ++i) {
    const int order = compare_part(i < parts_a.size() ? parts_a[i] : std::string_view(),
                                   i < parts_b.size() ? parts_b[i] : std::string_view());
    if (order != 0) {
      return order;
    }
  }
  return 0;
}

}  // namespace

// version: ["v"] numbers ["-" suffix] ["+" suffix]
base::Result<Version> Version::parse(std::string_view text, SemverRelease release) {
  if (release >= SemverRelease::k3_5 && text.size() > kVersionBytesMax) {
    return bad_version("version string is too long (max 256 bytes)");
  }
  std::string_view rest = text;
  if (rest.starts_with('v')) {
    rest.remove_prefix(1);
  }
  const std::vector<std::string_view> parts = take_numbers(rest);
  Version version;
  version.prerelease = take_suffix(rest, '-');
  version.metadata = take_suffix(rest, '+');
  if (parts[0].empty() || !rest.empty()) {
    return bad_version(in_words_of(release, kInvalidVersion));
  }
  version.original = text;
  version.release = release;
  uint64_t* const numbers[] = {&version.major, &version.minor, &version.patch};
  for (size_t i = 0; i < parts.size(); ++i) {
    CW_TRY(*numbers[i], parse_segment(parts[i], release));
  }
  if (!version.prerelease.empty()) {
    CW_TRY_VOID(check_prerelease(version.prerelease, release));
  }
  return version;
}

base::Status Version::check_prerelease(std::string_view prerelease, SemverRelease release) {
  for (std::string_view part : base::split(prerelease, '.')) {
    if (part.size() > 1 && part[0] == '0' && is_number(part)) {
      return bad_version(in_words_of(release, kLeadingZero));
    }
    if (!is_identifier(part, release)) {
      return bad_version(in_words_of(release, kInvalidPrerelease));
    }
  }
  return {};
}

base::Status Version::check_metadata(std::string_view metadata, SemverRelease release) {
  for (std::string_view part : base::split(metadata, '.')) {
    if (!is_identifier(part, release)) {
      return bad_version(in_words_of(release, kInvalidMetadata));
    }
  }
  return {};
}

std::string Version::to_string() const {
  std::string out =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  if (!prerelease.empty()) {
    out += "-" + prerelease;
  }
  if (!metadata.empty()) {
    out += "+" + metadata;
  }
  return out;
}

int Version::compare(const Version& other) const {
  for (uint64_t Version::*part : {&Version::major, &Version::minor, &Version::patch}) {
    if (this->*part != other.*part) {
      return sign(this->*part <=> other.*part);
    }
  }
  if (prerelease.empty() || other.prerelease.empty()) {
    // A release is higher than its prereleases.
    return sign(prerelease.empty() <=> other.prerelease.empty());
  }
  return compare_prerelease(prerelease, other.prerelease);
}

}  // namespace chartwright::helm
