// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

#include "value/value.h"

namespace chartwright::go {

/// A Go complex128. Only constants in templates have this type, so the data model has no kind for
/// it.
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

/// Returns `value` as a complex number, or nullptr if it is not one.
const ComplexValue* as_complex(const value::Value& value);

/// Returns the integer inside a native of a named integer type (time.Duration, time.Month), and any
/// other value unchanged. Comparison, index and the integer verbs of fmt work on the result.
value::Value opened_integer(const value::Value& value);

}  // namespace chartwright::go
