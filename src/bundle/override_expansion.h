// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace chartwright::bundle {

/// Looks up an environment variable; nullopt when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Expands $name and ${name} as Go's os.Expand does. Unset variables are empty.
std::string expand_environment(std::string_view text, const Environment& environment);

/// The outside of an expansion.
struct ExpansionHost {
  const Environment& environment;
  const base::Clock& clock;
};

/// Returns what an entry of overrideValues, a path and its text, sets: variables are expanded, then
/// the result is executed as a template. Its functions are Sprig's, `env` and `expandenv` included,
/// and those of Helm that Sprig does not have. Errors: those of tmpl::Template.
/// Source: operator-framework/operator-sdk internal/helm/watches/watches.go expandOverrideValues.
base::Result<std::string> expand_override(const std::pair<std::string, std::string>& entry,
                                          const ExpansionHost& host);

}  // namespace chartwright::bundle
