// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "chart/profile.h"

// Template errors in the words in which Helm shows them, with the source line as help.
namespace chartwright::chart {

/// "parse error at (F:1): what". `source` is the text that was parsed.
/// Source: helm/helm v3 pkg/engine/engine.go cleanupParseError.
base::Error clean_parse_error(base::Error error, std::string_view source);

/// "execution error at (F:1:3): message" for `fail` and `required`; other execution errors keep
/// Go's text, or are laid out as a trace. Source: helm/helm v3 pkg/engine/engine.go
/// cleanupExecError, v4 reformatExecErrorMsg.
base::Error clean_exec_error(base::Error error, ErrorRule rule = ErrorRule::kChain);

/// Adds the source line that the error's position names, with a caret under the column.
base::Error with_snippet(base::Error error, std::string_view source);

/// The source line at `pos` with a caret under its column; "" where there is none.
std::string snippet(const base::SourcePos& pos, std::string_view source);

/// The places that an execution error's text goes through, outermost first: every nested include,
/// template and tpl adds one.
std::vector<base::SourcePos> frames_of(std::string_view message);

}  // namespace chartwright::chart
