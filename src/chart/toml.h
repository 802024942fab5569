// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::chart {

/// Encodes as BurntSushi/toml does: plain members of a table first, then its tables, each indented
/// by two spaces; nulls are left out. Errors: kInvalidArgument "toml: ...", kBudget for values
/// nested too deeply or too large. Source: BurntSushi/toml v1.6.0 encode.go.
base::Result<std::string> to_toml(const value::Value& v);

}  // namespace chartwright::chart
