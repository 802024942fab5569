// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/error.h"
#include "helm/version/profile.h"

// Rewords template errors as Helm shows them, with the source line as help.
namespace chartwright::helm {

/// Rewords a parse error to "parse error at (F:1): ...". `source` is the text that was parsed.
/// Source: helm/helm v3 pkg/engine/engine.go cleanupParseError.
base::Error clean_parse_error(base::Error error, std::string_view source);

/// Rewords an error of `fail` or `required` to "execution error at (F:1:3): message". Other
/// execution errors keep Go's message or are formatted as a trace, depending on `rule`.
/// Source: helm/helm v3 pkg/engine/engine.go cleanupExecError, v4 reformatExecErrorMsg.
base::Error clean_exec_error(base::Error error, ErrorRule rule = ErrorRule::kChain);

}  // namespace chartwright::helm
