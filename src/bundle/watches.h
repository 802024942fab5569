// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "bundle/override_expansion.h"
#include "bundle/watch.h"

namespace chartwright::bundle {

/// How watches.yaml and its charts are loaded.
struct WatchesOptions {
  size_t memory_max = SIZE_MAX;  ///< Bytes that all charts together may hold.
  /// Loads what schemas refer to where an entry says so; nullptr: nothing is loaded.
  std::shared_ptr<const helm::SchemaSource> network = nullptr;
  /// Receives the error of each unknown key of an entry, which is then ignored; nullptr: the first
  /// one is returned. One in a selector is always returned: without it, too much would be selected.
  std::function<void(const base::Error&)> on_unknown_key = nullptr;
};

/// Returns the keys that an entry may have.
std::span<const std::string_view> watch_keys();

/// Reads watches.yaml and loads every chart that it names; chart paths are relative to the working
/// directory, as in helm-operator. Override values are expanded (expand_override). All charts
/// together may hold at most three quarters of the available memory.
///
/// Errors, all with file:line:column: kParse (malformed YAML, unknown key with the probable
/// spelling, wrong type), kInvalidArgument (empty version or kind, a second entry for a kind, bad
/// selector, bad duration, chart that cannot be loaded); kNotFound when the file itself cannot be
/// read. Source: operator-framework/operator-sdk internal/helm/watches/watches.go.
base::Result<std::vector<Watch>> load_watches(const std::string& file, const base::Clock& clock,
                                              const Environment& environment,
                                              WatchesOptions options = {});

/// A chart that watches.yaml names.
struct NamedChart {
  std::string path;                     ///< The path as it is written.
  const helm::Profile* helm = nullptr;  ///< The version of Helm that it is rendered as.
  bool operator==(const NamedChart&) const = default;
};

/// Returns the charts that a watches file names, each once for each version of Helm. Reads nothing
/// else of the file, and no chart. Errors, with file:line:column: kParse, kInvalidArgument;
/// kNotFound when the file itself cannot be read.
base::Result<std::vector<NamedChart>> charts_of_watches(const std::string& file);

/// Like load_watches, but parses the contents of a file, `text`; `file` is its name in errors.
base::Result<std::vector<Watch>> parse_watches(const std::string& text, const std::string& file,
                                               const base::Clock& clock,
                                               const Environment& environment,
                                               const WatchesOptions& options = {});

}  // namespace chartwright::bundle
