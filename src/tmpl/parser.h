// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "tmpl/ast.h"
#include "tmpl/function.h"

namespace chartwright::tmpl {

/// Parenthesised pipelines inside each other, as in Go.
inline constexpr int kParenDepthMax = 10000;
/// Control actions (if, range, with, block) inside each other, `else if` counting one each. Go has
/// no limit; this one keeps parsing and execution within the stack of a render thread.
inline constexpr int kControlDepthMax = 2000;

/// Parses `source` as the template `name`. Returns its tree and those of the definitions inside it,
/// by name. Error: kParse with Go's text "template: NAME:LINE: ..." and the position.
/// Source: Go text/template/parse parse.go.
base::Result<TreeMap> parse_template(const std::string& name,
                                     std::shared_ptr<const std::string> source,
                                     std::shared_ptr<const FunctionMap> functions);

}  // namespace chartwright::tmpl
