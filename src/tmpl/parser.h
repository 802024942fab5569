// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "tmpl/ast.h"
#include "tmpl/function.h"

namespace chartwright::tmpl {

/// Maximum nesting of parenthesised pipelines, as in Go.
inline constexpr int kParenDepthMax = 10000;
/// Maximum nesting of control actions (if, range, with, block); each `else if` counts as one level.
/// Go has no limit; this one keeps parsing and execution within the stack of a render thread.
inline constexpr int kControlDepthMax = 2000;

/// Parses `source` as the template `name`. Returns its tree and the trees of the definitions in it,
/// by name. Error: kParse with Go's message "template: NAME:LINE: ..." and the position.
/// Source: Go text/template/parse parse.go.
base::Result<TreeMap> parse_template(const std::string& name,
                                     std::shared_ptr<const std::string> source,
                                     std::shared_ptr<const FunctionMap> functions);

}  // namespace chartwright::tmpl
