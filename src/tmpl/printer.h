// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tmpl/format_spec.h"
#include "value/value.h"

namespace chartwright::tmpl {

/// Writes operands under one directive, falling back to %!verb(type=value). Source: Go
/// fmt/print.go.
class Printer {
 public:
  explicit Printer(std::string& out) : out_(out) {}
  FormatSpec& spec() { return spec_; }
  /// An operand of Sprintf and its like.
  void print_operand(const value::Value& value, char32_t verb);
  /// "type=value" as in %!(EXTRA ...).
  void print_typed(const value::Value& value);

 private:
  void print_element(const value::Value& value, char32_t verb);
  void print(const value::Value& value, char32_t verb);
  void print_bool(const value::Value& value, char32_t verb);
  void print_integer(const value::Value& value, char32_t verb);
  void print_float(const value::Value& value, char32_t verb);
  void print_complex(const value::Value& value, char32_t verb);
  void print_string(const value::Value& value, std::string_view text, char32_t verb);
  void print_bytes(const value::Value& value, char32_t verb);
  void print_byte_elements(const value::Value& value, char32_t verb);
  void print_list(const value::Value& value, char32_t verb);
  void print_dict(const value::Value& value, char32_t verb);
  void print_native(const value::Value& value, char32_t verb);
  void bad_verb(const value::Value& value, char32_t verb);
  void write_byte_hex(unsigned char byte);

  std::string& out_;
  FormatSpec spec_;
  bool erroring_ = false;  // Inside of %!verb(...): no methods are called there.
  int depth_ = 0;
};

}  // namespace chartwright::tmpl
