// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/error.h"
#include "helm/version/profile.h"

// Template errors in the words in which Helm shows them, with the source line as help.
namespace chartwright::helm {

/// "parse error at (F:1): what". `source` is the text that was parsed.
/// Source: helm/helm v3 pkg/engine/engine.go cleanupParseError.
base::Error clean_parse_error(base::Error error, std::string_view source);

/// "execution error at (F:1:3): message" for `fail` and `required`; other execution errors keep
/// Go's text, or are laid out as a trace. Source: helm/helm v3 pkg/engine/engine.go
/// cleanupExecError, v4 reformatExecErrorMsg.
base::Error clean_exec_error(base::Error error, ErrorRule rule = ErrorRule::kChain);

}  // namespace chartwright::helm
