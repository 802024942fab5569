// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text_cache.h"

namespace chartwright::helm {

/// The release of Masterminds/semver. 3.4 limits neither the length of a version nor that of a
/// constraint, lets a number overflow when it is incremented, and does not quote the input in
/// errors. In 3.3, besides, errors begin with capitals, SetPrerelease and SetMetadata accept empty
/// identifiers, and a prerelease satisfies only comparisons that name a prerelease themselves, not
/// all those of an alternative that has one.
enum class SemverRelease : uint8_t { k3_3, k3_4, k3_5 };

/// A semantic version, parsed leniently: a leading v, missing parts and leading zeros are accepted.
/// Source: Masterminds/semver v3.5.0 version.go.
struct Version {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::string prerelease;
  std::string metadata;
  std::string original;                         ///< The string that was parsed.
  SemverRelease release = SemverRelease::k3_5;  ///< The rules by which it was parsed.

  /// Parses a version. Errors, kParse, in the words of the release: `invalid semantic version`,
  /// `version segment starts with 0` (in a prerelease), `version string is too long (max 256
  /// bytes)`, `error parsing version segment: ...`.
  static base::Result<Version> parse(std::string_view text,
                                     SemverRelease release = SemverRelease::k3_5);
  /// Checks a prerelease that is not empty. Errors, kParse: `version segment starts with 0`,
  /// `invalid prerelease string`.
  static base::Status check_prerelease(std::string_view prerelease, SemverRelease release);
  /// Checks metadata that are not empty. Error, kParse: `invalid metadata string`.
  static base::Status check_metadata(std::string_view metadata, SemverRelease release);
  /// Returns the normal form, without a leading v.
  std::string to_string() const;
  /// Returns a negative number, 0 or a positive number; ignores metadata.
  int compare(const Version& other) const;
};

/// One comparison of a constraint, e.g. ">= 1.2".
struct Comparison {
  std::string op;      ///< "" is "=".
  Version version;     ///< Parts that are missing or x are 0.
  bool dirty = false;  ///< Some part is missing or x.
  bool minor_dirty = false;
  bool patch_dirty = false;
};

/// A constraint on versions: alternatives, each a list of comparisons that must all hold.
/// Source: Masterminds/semver v3.5.0 constraints.go.
class Constraints {
 public:
  /// Parses a constraint. Thread-safe. Errors, kParse:
  /// `improper constraint: "..."`, `constraint parser error`, `constraint string is too long (max
  /// 512 bytes)`, `too many constraint groups (max 32)`.
  static base::Result<Constraints> parse(std::string_view text,
                                         SemverRelease release = SemverRelease::k3_5);
  /// Reports whether `version` satisfies the constraint. A prerelease satisfies only alternatives
  /// that name a prerelease themselves; in 3.3, only such comparisons.
  bool check(const Version& version) const;

 private:
  struct Alternative {
    std::vector<Comparison> all_of;
    bool names_prerelease = false;
  };
  static base::Result<std::vector<Alternative>> read(std::string_view text, SemverRelease release);
  Constraints(std::shared_ptr<const std::vector<Alternative>> any_of, SemverRelease release)
      : any_of_(std::move(any_of)), release_(release) {}
  std::shared_ptr<const std::vector<Alternative>> any_of_;  ///< Shared by copies.
  SemverRelease release_;
};

/// Constraints parsed recently: charts use few and check each of them many times. Bounded in number
/// and bytes, thread-safe.
class ConstraintsCache {
 public:
  /// Parses a constraint as Constraints::parse does, or returns it from the cache.
  base::Result<Constraints> parse(std::string_view text, SemverRelease release);

 private:
  base::TextCache<Constraints> of_3_3_{256};
  base::TextCache<Constraints> of_3_4_{256};
  base::TextCache<Constraints> of_3_5_{256};
};

}  // namespace chartwright::helm
