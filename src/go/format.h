// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"
#include "value/value.h"

// Go's fmt package over Values. nil and "no value" both print as Go's nil. No function fails: a
// verb that does not fit its operand prints Go's %!verb(type=value) form. Output is truncated at
// 64 MiB and at 1000 levels of nesting; where a template decides the size, use the ..._within
// forms.
namespace chartwright::go {

/// Formats one operand as %v does. Source: Go fmt.Sprint.
std::string format_value(const value::Value& value);
void append_value(std::string& out, const value::Value& value);

/// Separates two operands with a space only if neither is a string. Source: Go fmt.Sprint.
std::string sprint(std::span<const value::Value> operands);
/// Separates all operands with spaces and appends a newline. Source: Go fmt.Sprintln.
std::string sprintln(std::span<const value::Value> operands);
/// Supports every verb, flag and %! form. Source: Go fmt.Sprintf.
std::string sprintf(std::string_view format, std::span<const value::Value> operands);

/// The same functions, with the result charged to `budget` as an allocation. Error: kBudget if the
/// result would be longer than the budget allows, or if a value contains itself.
base::Result<std::string> format_value_within(base::Budget& budget, const value::Value& value);
base::Result<std::string> sprint_within(base::Budget& budget,
                                        std::span<const value::Value> operands);
base::Result<std::string> sprintln_within(base::Budget& budget,
                                          std::span<const value::Value> operands);
base::Result<std::string> sprintf_within(base::Budget& budget, std::string_view format,
                                         std::span<const value::Value> operands);

}  // namespace chartwright::go
