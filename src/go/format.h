// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"
#include "go/quote.h"
#include "value/value.h"

// Go's fmt package over Values. nil and "no value" both print as nil does there. All functions are
// total: a verb that does not fit its operand prints Go's %!verb(type=value) form. Text is cut
// after 64 MiB and 1000 levels of nesting; where a template decides the size, use the ..._within
// forms.
namespace chartwright::go {

/// fmt.Sprint of one operand: what %v prints.
std::string format_value(const value::Value& value);
void append_value(std::string& out, const value::Value& value);

/// fmt.Sprint: a space between two operands only when neither is a string.
std::string sprint(std::span<const value::Value> operands);
/// fmt.Sprintln: a space between all, a line end after the last.
std::string sprintln(std::span<const value::Value> operands);
/// fmt.Sprintf with every verb, flag and %! form.
std::string sprintf(std::string_view format, std::span<const value::Value> operands);

/// The same, charged to `budget` as allocation. Error: kBudget where the text would
/// be longer than it allows, or a value holds itself.
base::Result<std::string> format_value_within(base::Budget& budget, const value::Value& value);
base::Result<std::string> sprint_within(base::Budget& budget,
                                        std::span<const value::Value> operands);
base::Result<std::string> sprintln_within(base::Budget& budget,
                                          std::span<const value::Value> operands);
base::Result<std::string> sprintf_within(base::Budget& budget, std::string_view format,
                                         std::span<const value::Value> operands);

}  // namespace chartwright::go
