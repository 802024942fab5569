// SPDX-License-Identifier: Apache-2.0
#include "yaml/scalar_value.h"

#include <cmath>
#include <utility>

#include "base/digest.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "yaml/float_text.h"

namespace chartwright::yaml {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

Result<std::string> decode_binary(std::string_view text) {
  const std::string one_line = base::replace_all(base::replace_all(text, "\n", ""), "\r", "");
  Result<std::string> data = base::base64_decode(one_line);
  if (!data.ok()) {
    return Error(ErrorCode::kParse, "yaml: !!binary value contains invalid base64 data");
  }
  return base::replace_invalid_utf8(*data);
}

// Returns a float as it is read back from JSON: whole numbers lose their decimal point, and so may
// become integers.
value::Value float_value(double d, value::Numbers numbers) {
  constexpr double kFirstExponent = 1e21;
  if (numbers == value::Numbers::kInt64 && std::fabs(d) < kFirstExponent && d == std::trunc(d)) {
    if (const std::optional<int64_t> whole = base::parse_int(format_float_f(d))) {
      return value::Value::integer(*whole);
    }
  }
  return value::Value::number(d);
}

// Formats a float as go-yaml does where it must be text.
std::string float_text(double d) {
  const std::string text = format_float_g(d, FloatBits::k32);
  if (text == "NaN") {
    return ".nan";
  }
  if (text == "+Inf") {
    return ".inf";
  }
  return text == "-Inf" ? "-.inf" : text;
}

}  // namespace

Result<Scalar> type_yaml_scalar(const WrittenScalar& scalar) {
  if (scalar.tag.empty()) {
    return scalar.implicit ? resolve_plain_scalar(scalar.text) : Scalar{};
  }
  return resolve_yaml_scalar(scalar.tag, scalar.text);
}

Result<value::Value> yaml_scalar_value(const WrittenScalar& scalar, value::Numbers numbers) {
  if (scalar.tag == kBinaryTag) {
    CW_TRY(std::string data, decode_binary(scalar.text));
    return value::Value::string(std::move(data));
  }
  CW_TRY(const Scalar typed, type_yaml_scalar(scalar));
  switch (typed.type) {
    case Type::kNull:
      return value::Value::nil();
    case Type::kBool:
      return value::Value::boolean(typed.boolean);
    case Type::kInt:
      return numbers == value::Numbers::kInt64
                 ? value::Value::integer(typed.integer)
                 : value::Value::number(static_cast<double>(typed.integer));
    case Type::kUint:
      return value::Value::number(static_cast<double>(typed.unsigned_integer));
    case Type::kFloat:
      return float_value(typed.number, numbers);
    case Type::kTimestamp:
    case Type::kString:
      break;
  }
  return value::Value::string(scalar.text);
}

Result<std::optional<std::string>> yaml_key_text(const WrittenScalar& scalar) {
  if (scalar.tag == kBinaryTag) {
    CW_TRY(std::string data, decode_binary(scalar.text));
    return std::optional(std::move(data));
  }
  CW_TRY(const Scalar typed, type_yaml_scalar(scalar));
  switch (typed.type) {
    case Type::kNull:
    case Type::kUint:
      return std::optional<std::string>();
    case Type::kBool:
      return std::optional<std::string>(typed.boolean ? "true" : "false");
    case Type::kInt:
      return std::optional(std::to_string(typed.integer));
    case Type::kFloat:
      return std::optional(float_text(typed.number));
    case Type::kTimestamp:
    case Type::kString:
      break;
  }
  return std::optional(std::string(scalar.text));
}

Result<std::string> yaml_string_field_text(const WrittenScalar& scalar) {
  CW_TRY(std::optional<std::string> text, yaml_key_text(scalar));
  if (scalar.tag == kBinaryTag) {
    return std::move(*text);
  }
  CW_TRY(const Scalar typed, type_yaml_scalar(scalar));
  switch (typed.type) {
    case Type::kNull:
      return std::string();
    case Type::kUint:
      return std::to_string(typed.unsigned_integer);
    case Type::kFloat:
      return format_float_g(typed.number, FloatBits::k32);
    default:
      return std::move(*text);
  }
}

}  // namespace chartwright::yaml
