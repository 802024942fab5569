// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "bundle/watch.h"

namespace chartwright::bundle {

/// Looks up an environment variable; nullopt when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// How the charts of watches.yaml are loaded.
struct ChartLoading {
  size_t memory_max = SIZE_MAX;  ///< Bytes that all charts together may hold.
  /// Loads what schemas refer to where an entry says so; nullptr: nothing is loaded.
  std::shared_ptr<const helm::SchemaSource> network;
};

/// Reads watches.yaml and loads every chart that it names; chart paths are relative to the working
/// directory, as in helm-operator. Override values are expanded ($VAR, then Sprig templates). All
/// charts together may hold three quarters of the available memory. `network` is as in
/// ChartLoading.
///
/// Errors, all with file:line:column: kParse (malformed YAML, unknown key with the probable
/// spelling, wrong type), kInvalidArgument (empty version or kind, duplicate GVK, bad selector, bad
/// duration, chart that cannot be loaded); kNotFound when the file itself cannot be read.
/// Source: operator-framework/operator-sdk internal/helm/watches/watches.go.
base::Result<std::vector<Watch>> load_watches(
    const std::string& file, const base::Clock& clock, const Environment& environment,
    std::shared_ptr<const helm::SchemaSource> network = nullptr);

/// Like load_watches, but parses the contents of a file, `text`; `file` is its name in errors.
base::Result<std::vector<Watch>> parse_watches(const std::string& text, const std::string& file,
                                               const base::Clock& clock,
                                               const Environment& environment,
                                               const ChartLoading& loading = {});

/// Expands $name and ${name} as Go's os.Expand does. Unset variables are empty.
std::string expand_environment(std::string_view text, const Environment& environment);

}  // namespace chartwright::bundle
