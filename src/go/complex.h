// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

#include "value/value.h"

namespace chartwright::go {

/// A Go complex128. Only a constant in a template makes one, so the data model has no kind for it.
class ComplexValue final : public value::Native {
 public:
  explicit ComplexValue(std::complex<double> number) : number_(number) {}
  std::complex<double> number() const { return number_; }

  std::string_view go_type() const override { return "complex128"; }
  std::string_view go_kind() const override { return "complex128"; }
  bool truth() const override { return number_ != std::complex<double>(); }
  std::optional<value::Value> field(std::string_view /*name*/) const override { return {}; }
  std::string to_string() const override;
  base::Result<value::Value> to_json_value() const override {
    return base::Error(base::ErrorCode::kInvalidArgument, "json: unsupported type: complex128");
  }

 private:
  std::complex<double> number_;
};

/// The complex number that `value` is, or null.
const ComplexValue* as_complex(const value::Value& value);

/// The whole number behind a native of a named integer type (time.Duration, time.Month), any other
/// value as it is: what comparison, index and the integer verbs of fmt work on.
value::Value opened_integer(const value::Value& value);

}  // namespace chartwright::go
