// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "value/value.h"

namespace chartwright::tmpl {

// Comparison in Go templates: within one basic kind, and between signed and unsigned integers.
// Errors have Go's messages ("incompatible types for comparison: float64 and int", ...). Source: Go
// text/template/funcs.go.
base::Result<bool> equal(const value::Value& first, const value::Value& second);
base::Result<bool> not_equal(const value::Value& a, const value::Value& b);
base::Result<bool> less(const value::Value& first, const value::Value& second);
base::Result<bool> less_or_equal(const value::Value& a, const value::Value& b);
base::Result<bool> greater(const value::Value& a, const value::Value& b);
base::Result<bool> greater_or_equal(const value::Value& a, const value::Value& b);

}  // namespace chartwright::tmpl
