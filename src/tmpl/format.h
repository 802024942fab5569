// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tmpl/quote.h"
#include "value/value.h"

// Go's fmt package over Values. nil and "no value" both print as nil does there. All functions are
// total: a verb that does not fit its operand prints Go's %!verb(type=value) form.
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

/// As %T prints it: "float64", "map[string]interface {}", "[]uint8"; "<nil>" for nil.
std::string go_type_name(const value::Value& value);

/// strconv.FormatFloat(d, verb, precision, 64) for the verbs b e E f g G x X; precision -1 asks for
/// the fewest digits that read back the same; 'g' then has an exponent below 1e-4 and from 1e+06.
std::string format_float(double d, char verb, int precision);

}  // namespace chartwright::tmpl
