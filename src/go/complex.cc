// SPDX-License-Identifier: Apache-2.0
#include "go/complex.h"

#include "go/format_float.h"

namespace chartwright::go {

std::string ComplexValue::to_string() const {
  std::string imaginary = format_float(number_.imag(), 'g', -1);
  if (imaginary[0] != '-' && imaginary[0] != '+') {
    imaginary.insert(0, 1, '+');
  }
  return "(" + format_float(number_.real(), 'g', -1) + imaginary + "i)";
}

const ComplexValue* as_complex(const value::Value& value) {
  return value.is_native() ? dynamic_cast<const ComplexValue*>(&value.as_native()) : nullptr;
}

value::Value opened_integer(const value::Value& value) {
  if (!value.is_native() || !value.as_native().go_kind().starts_with("int")) {
    return value;
  }
  return value.as_native().to_json_value().value_or(value);
}

}  // namespace chartwright::go
