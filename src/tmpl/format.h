// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tmpl/budget.h"
#include "tmpl/quote.h"
#include "value/value.h"

// Go's fmt package over Values. nil and "no value" both print as nil does there. All functions are
// total: a verb that does not fit its operand prints Go's %!verb(type=value) form. Text is cut
// after 64 MiB and 1000 levels of nesting; where a template decides the size, use the ..._within
// forms.
namespace chartwright::tmpl {

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
base::Result<std::string> format_value_within(Budget& budget, const value::Value& value);
base::Result<std::string> sprint_within(Budget& budget, std::span<const value::Value> operands);
base::Result<std::string> sprintln_within(Budget& budget, std::span<const value::Value> operands);
base::Result<std::string> sprintf_within(Budget& budget, std::string_view format,
                                         std::span<const value::Value> operands);

/// As %T prints it: "float64", "map[string]interface {}", "[]uint8"; "<nil>" for nil.
std::string go_type_name(const value::Value& value);
/// The same without a copy; valid as long as `value`.
std::string_view go_type(const value::Value& value);

/// strconv.FormatFloat(d, verb, precision, 64) for the verbs b e E f g G x X; precision -1 asks for
/// the fewest digits that read back the same; 'g' then has an exponent below 1e-4 and from 1e+06.
std::string format_float(double d, char verb, int precision);

}  // namespace chartwright::tmpl
