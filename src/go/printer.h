// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "go/format_spec.h"
#include "value/value.h"

namespace chartwright::go {

/// Limits on printing: a value may contain itself, or one shared member many times.
struct PrintLimits {
  size_t bytes_max = size_t{64} << 20;
  int depth_max = 1000;
};

/// Writes operands under one directive, falling back to %!verb(type=value). Source: Go
/// fmt/print.go.
class Printer {
 public:
  explicit Printer(std::string& out, PrintLimits limits = {})
      : out_(out), end_max_(out.size() + limits.bytes_max), depth_max_(limits.depth_max) {}
  FormatSpec& spec() { return spec_; }
  /// Reports whether a limit has been exceeded and the output is therefore incomplete.
  bool is_exhausted() const { return exhausted_ || out_.size() > end_max_; }
  /// Prints a top-level operand, as of Sprintf.
  void print_operand(const value::Value& value, char32_t verb);
  /// Prints "type=value" as in %!(EXTRA ...).
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
  /// `type` is the list's own type or that of a named slice.
  void print_list(const value::Value& value, std::string_view type, char32_t verb);
  void print_dict(const value::Value& value, char32_t verb);
  void print_native(const value::Value& value, char32_t verb);
  void print_nil_pointer(const value::Value& value, char32_t verb);
  bool print_by_method(const value::Native& native, char32_t verb);
  void print_underlying(const value::Native& native, char32_t verb);
  void print_struct(const value::Value& value, const std::vector<value::Native::Member>& members,
                    char32_t verb);
  void bad_verb(const value::Value& value, char32_t verb);
  void write_byte_hex(unsigned char byte);

  std::string& out_;
  size_t end_max_;  // Maximum size of out_.
  int depth_max_;
  FormatSpec spec_;
  bool erroring_ = false;  // Inside %!verb(...), where no methods are called.
  int depth_ = 0;
  bool exhausted_ = false;
};

}  // namespace chartwright::go
