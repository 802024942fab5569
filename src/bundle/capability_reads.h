// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "helm/render/capabilities.h"
#include "helm/render/renderable_chart.h"

namespace chartwright::bundle {

/// The server serves it.
struct Served {};
/// The server has said that it does not.
struct Absent {};
/// The server that would know has not answered yet.
struct Unknown {
  std::string version;  ///< "group/version"
  std::string why;
};
/// The knowledge about a kind or a version.
using Presence = std::variant<Served, Absent, Unknown>;

/// The capabilities of a cluster as read at one time. Immutable and thread-safe; shared by renders.
class CapabilitySet {
 public:
  /// The reasons why kinds are not known. The key is their "group/version".
  using UnknownVersions = std::map<std::string, std::string, std::less<>>;

  explicit CapabilitySet(helm::Capabilities capabilities, UnknownVersions unknown = {});
  const helm::Capabilities& capabilities() const { return capabilities_; }
  /// Returns what is known of NAME in `.Capabilities.APIVersions.Has NAME`.
  Presence presence(std::string_view name) const;
  const UnknownVersions& unknown() const { return unknown_; }
  /// Returns a digest of all API versions that are known to be served.
  const std::string& digest() const { return digest_; }
  bool operator==(const CapabilitySet& other) const;

 private:
  const helm::Capabilities capabilities_;
  const UnknownVersions unknown_;
  std::set<std::string, std::less<>> names_;
  std::string digest_;
};

/// The API versions that texts read of `.Capabilities`, found without a render. A read that cannot
/// be followed counts as one of the whole list, so that nothing is missed.
class CapabilityReads {
 public:
  /// Adds the reads of a template, or of a text that a template may evaluate.
  void add(std::string_view text);
  bool any() const { return whole_ || !asked_.empty(); }
  /// Returns a digest of what is read of `set`; empty if nothing is. It is the same for what is
  /// absent and what is unknown: ask for that first.
  std::string digest(const CapabilitySet& set) const;
  /// Returns the first version that is read of `set` and is not known; nullopt: none.
  std::optional<Unknown> unknown(const CapabilitySet& set) const;

 private:
  bool whole_ = false;                        ///< More is read than the answers to `asked_`.
  std::set<std::string, std::less<>> asked_;  ///< X of `APIVersions.Has "X"`.
};

/// Returns the reads of all files of a chart, its subcharts and its operator/ folder that templates
/// can evaluate.
CapabilityReads capability_reads(const helm::RenderableChart& chart);

}  // namespace chartwright::bundle
