// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/clock.h"
#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// Encodes a value as BurntSushi/toml does: the plain members of a table first, then its tables,
/// each indented by two spaces; nulls are omitted. Release 1.5 writes floats without exponents.
/// Errors: kInvalidArgument "toml: ...", kBudget for values nested too deeply or too large. Source:
/// BurntSushi/toml v1.6.0 encode.go.
base::Result<std::string> to_toml(const value::Value& v, TomlRule rule = TomlRule::k1_6);

/// The context of decoding.
struct TomlContext {
  base::Budget& budget;
  base::WallTime now;  ///< Determines the offset of times written without one.
  TomlRule rule = TomlRule::k1_6;
};

/// Decodes a document into a dict of int64, float64, string, bool, time.Time, lists and dicts.
/// Errors: kParse with the library's message ("toml: line 1 (last key "a"): ..."), and kBudget,
/// also for more than 1000 levels of nesting. Release 1.5 supports TOML 1.0, not 1.1.
/// Source: BurntSushi/toml v1.6.0 decode.go Unmarshal.
base::Result<value::Value> from_toml(std::string_view text, const TomlContext& context);

}  // namespace chartwright::helm
