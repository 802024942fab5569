// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace chartwright::helm {

/// The release of Masterminds/semver. 3.4 bounds neither the length of a version nor that of a
/// constraint, wraps around where a number is increased past its type, and does not quote what it
/// refuses.
enum class SemverRelease : uint8_t { k3_4, k3_5 };

/// A semantic version, read leniently: a leading v, missing parts and leading zeros are accepted.
/// Source: Masterminds/semver v3.5.0 version.go.
struct Version {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::string prerelease;
  std::string metadata;
  std::string original;                         ///< The text that was parsed.
  SemverRelease release = SemverRelease::k3_5;  ///< What has read it.

  /// Errors, kParse: `invalid semantic version`, `version segment starts with 0` (of a
  /// prerelease), `version string is too long (max 256 bytes)`, `error parsing version segment:
  /// ...`.
  static base::Result<Version> parse(std::string_view text,
                                     SemverRelease release = SemverRelease::k3_5);
  /// The normal form, without a leading v.
  std::string to_string() const;
  /// Negative, 0 or positive; metadata does not count.
  int compare(const Version& other) const;
};

/// One comparison of a constraint, e.g. ">= 1.2".
struct Comparison {
  std::string op;      ///< "" is "=".
  Version version;     ///< Missing and x parts are 0.
  bool dirty = false;  ///< Some part is missing or x.
  bool minor_dirty = false;
  bool patch_dirty = false;
};

/// A constraint on versions: alternatives of comparisons that must all hold.
/// Source: Masterminds/semver v3.5.0 constraints.go.
class Constraints {
 public:
  /// Constraints read lately are remembered. Thread-safe. Errors, kParse: `improper constraint:
  /// "..."`, `constraint parser error`, `constraint string is too long (max 512 bytes)`, `too many
  /// constraint groups (max 32)`.
  static base::Result<Constraints> parse(std::string_view text,
                                         SemverRelease release = SemverRelease::k3_5);
  /// Versions with a prerelease satisfy only alternatives that name a prerelease themselves.
  bool check(const Version& version) const;

 private:
  struct Alternative {
    std::vector<Comparison> all_of;
    bool names_prerelease = false;
  };
  static base::Result<std::vector<Alternative>> read(std::string_view text, SemverRelease release);
  explicit Constraints(std::shared_ptr<const std::vector<Alternative>> any_of)
      : any_of_(std::move(any_of)) {}
  std::shared_ptr<const std::vector<Alternative>> any_of_;  ///< Shared by copies.
};

}  // namespace chartwright::helm
