// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "tmpl/budget.h"
#include "value/value.h"

namespace chartwright::chart {

/// Encodes as BurntSushi/toml does: plain members of a table first, then its tables, each indented
/// by two spaces; nulls are left out. Errors: kInvalidArgument "toml: ...", kBudget for values
/// nested too deeply or too large. Source: BurntSushi/toml v1.6.0 encode.go.
base::Result<std::string> to_toml(const value::Value& v);

/// What decoding uses beside the text.
struct TomlContext {
  tmpl::Budget& budget;
  base::WallTime now;  ///< Decides the offset of times that name none.
};

/// Decodes a document into a dict: int64, float64, text, bool, time.Time, lists and dicts. Errors:
/// kParse, in the words of the library ("toml: line 1 (last key "a"): ..."), and kBudget, also for
/// more than 1000 levels. Source: BurntSushi/toml v1.6.0 decode.go Unmarshal.
base::Result<value::Value> from_toml(std::string_view text, const TomlContext& context);

}  // namespace chartwright::chart
