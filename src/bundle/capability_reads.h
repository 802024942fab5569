// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "helm/render/capabilities.h"
#include "helm/render/renderable_chart.h"

namespace chartwright::bundle {

/// The capabilities of a cluster as read at one time. Immutable and thread-safe; shared by renders.
class CapabilitySet {
 public:
  explicit CapabilitySet(helm::Capabilities capabilities);
  const helm::Capabilities& capabilities() const { return capabilities_; }
  /// Reports what `.Capabilities.APIVersions.Has NAME` says.
  bool serves(std::string_view name) const { return names_.contains(name); }
  /// Returns a digest of all API versions.
  const std::string& digest() const { return digest_; }
  bool operator==(const CapabilitySet& other) const;

 private:
  const helm::Capabilities capabilities_;
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
  /// Returns a digest of what is read of `set`; empty if nothing is.
  std::string digest(const CapabilitySet& set) const;

 private:
  bool whole_ = false;                        ///< Of more than the answers to `asked_`.
  std::set<std::string, std::less<>> asked_;  ///< X of `APIVersions.Has "X"`.
};

/// Returns the reads of all files of a chart, its subcharts and its operator/ folder that templates
/// can evaluate.
CapabilityReads capability_reads(const helm::RenderableChart& chart);

}  // namespace chartwright::bundle
