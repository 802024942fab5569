// SPDX-License-Identifier: Apache-2.0
#include "tmpl/compare.h"

#include <algorithm>
#include <string>

#include "go/complex.h"
#include "go/format.h"
#include "go/type_name.h"
#include "value/compare.h"

namespace chartwright::tmpl {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using value::IntType;
using value::Kind;
using value::Value;

enum class Basic : uint8_t { kNone, kBool, kComplex, kInt, kFloat, kString, kUint };

Error comparison_error(std::string message) {
  return Error(ErrorCode::kTemplate, std::move(message));
}

Error incompatible(const Value& a, const Value& b) {
  return comparison_error("incompatible types for comparison: " + go::type_name(a) + " and " +
                          go::type_name(b));
}

Basic basic_kind(const Value& value) {
  switch (value.kind()) {
    case Kind::kBool:
      return Basic::kBool;
    case Kind::kInt:
      return value.int_type() == IntType::kUint8 || value.int_type() == IntType::kUint64
                 ? Basic::kUint
                 : Basic::kInt;
    case Kind::kFloat:
      return Basic::kFloat;
    case Kind::kString:
      return Basic::kString;
    case Kind::kNative:
      return go::as_complex(value) != nullptr ? Basic::kComplex : Basic::kNone;
    default:
      return Basic::kNone;
  }
}

// Returns reflect.Kind, as precisely as needed to distinguish values without a basic kind.
std::string go_kind(const Value& value) {
  if (value.is_native()) {
    return std::string(value.as_native().go_kind());
  }
  return value.is_dict() ? "map" : "slice";
}

uint64_t as_unsigned(const Value& value) { return static_cast<uint64_t>(value.as_int()); }

// Reports whether Go can compare the value: not a map, a slice or a value that contains one.
bool is_comparable(const Value& value) {
  if (!value.is_native()) {
    return !value.is_dict() && !value.is_list() && !value.is_bytes();
  }
  const value::Native& native = value.as_native();
  if (native.underlying() != nullptr || native.go_kind() == "ptr") {
    return native.underlying() == nullptr;
  }
  const auto members = native.members();
  return std::all_of(members.begin(), members.end(),
                     [](const auto& member) { return is_comparable(member.value); });
}

// Compares two values without a basic kind.
Result<bool> equal_composites(const Value& a, const Value& b) {
  if (!a.is_nothing() && !b.is_nothing() && go_kind(a) != go_kind(b)) {
    const Value operands[] = {a, Value::string(go::type_name(a)), Value::string(go::type_name(b)),
                              b};
    return comparison_error(go::sprintf("non-comparable types %s: %v, %s: %v", operands));
  }
  if (value::is_null(a) || value::is_null(b)) {
    return value::is_null(a) == value::is_null(b);
  }
  if (!is_comparable(b)) {
    const Value operands[] = {b, Value::string(go::type_name(b))};
    return comparison_error(go::sprintf("non-comparable type %s: %v", operands));
  }
  return a.shared_native() == b.shared_native() ||
         (b.as_native().go_kind() != "ptr" && go::type_name(a) == go::type_name(b) &&
          a.as_native().to_plain_string() == b.as_native().to_plain_string());
}

}  // namespace

Result<bool> equal(const Value& first, const Value& second) {
  const Value a = go::opened_integer(first);
  const Value b = go::opened_integer(second);
  const Basic kind = basic_kind(a);
  const Basic other = basic_kind(b);
  if (kind == Basic::kInt && other == Basic::kUint) {
    return a.as_int() >= 0 && as_unsigned(a) == as_unsigned(b);
  }
  if (kind == Basic::kUint && other == Basic::kInt) {
    return b.as_int() >= 0 && as_unsigned(a) == as_unsigned(b);
  }
  if (kind != other) {
    return a.is_nothing() || b.is_nothing() ? Result<bool>(false) : incompatible(first, second);
  }
  switch (kind) {
    case Basic::kBool:
      return a.as_bool() == b.as_bool();
    case Basic::kComplex:
      return go::as_complex(a)->number() == go::as_complex(b)->number();
    case Basic::kFloat:
      return a.as_float() == b.as_float();
    case Basic::kInt:
    case Basic::kUint:
      return a.as_int() == b.as_int();
    case Basic::kString:
      return a.as_string() == b.as_string();
    case Basic::kNone:
      break;
  }
  return equal_composites(a, b);
}

Result<bool> not_equal(const Value& a, const Value& b) {
  CW_TRY(const bool same, equal(a, b));
  return !same;
}

Result<bool> less(const Value& first, const Value& second) {
  const Value a = go::opened_integer(first);
  const Value b = go::opened_integer(second);
  const Basic kind = basic_kind(a);
  const Basic other = basic_kind(b);
  if (kind == Basic::kNone || other == Basic::kNone) {
    return comparison_error("invalid type for comparison");
  }
  if (kind == Basic::kInt && other == Basic::kUint) {
    return a.as_int() < 0 || as_unsigned(a) < as_unsigned(b);
  }
  if (kind == Basic::kUint && other == Basic::kInt) {
    return b.as_int() >= 0 && as_unsigned(a) < as_unsigned(b);
  }
  if (kind != other) {
    return incompatible(first, second);
  }
  switch (kind) {
    case Basic::kFloat:
      return a.as_float() < b.as_float();
    case Basic::kInt:
      return a.as_int() < b.as_int();
    case Basic::kUint:
      return as_unsigned(a) < as_unsigned(b);
    case Basic::kString:
      return a.as_string() < b.as_string();
    default:
      return comparison_error("invalid type for comparison");
  }
}

// As in Go, "<=" is "<" or "==", ">" is the negation of "<=", and ">=" the negation of "<". The
// difference is visible with NaN.
Result<bool> less_or_equal(const Value& a, const Value& b) {
  CW_TRY(const bool is_less, less(a, b));
  return is_less ? Result<bool>(true) : equal(a, b);
}

Result<bool> greater(const Value& a, const Value& b) {
  CW_TRY(const bool holds, less_or_equal(a, b));
  return !holds;
}

Result<bool> greater_or_equal(const Value& a, const Value& b) {
  CW_TRY(const bool holds, less(a, b));
  return !holds;
}

}  // namespace chartwright::tmpl
