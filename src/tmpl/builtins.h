// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tmpl/function.h"

namespace chartwright::tmpl {

/// Returns the functions that every template has: and or not eq ne lt le gt ge len index slice call
/// print printf println html js urlquery. The bodies of `and`, `or` and `call` are never called:
/// the executor evaluates these itself. Source: Go text/template/funcs.go.
const FunctionMap& builtins();

}  // namespace chartwright::tmpl
