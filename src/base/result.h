// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace chartwright::base {

/// A value or an Error. Ignoring a Result is a compile error. Reading the side that is
/// absent aborts.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  // NOLINTNEXTLINE(google-explicit-constructor): so that a function can `return value;`.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): so that a function can `return Error(...);`.
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    CW_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    CW_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CW_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    CW_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    CW_CHECK(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

  /// Returns the value, or `fallback` if there is an error that does not matter.
  T value_or(T fallback) && { return ok() ? std::move(*this).value() : std::move(fallback); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): so that a function can `return Error(...);`.
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  void value() const { CW_CHECK(ok()); }
  const Error& error() const& {
    CW_CHECK(!ok());
    return *error_;
  }
  Error&& error() && {
    CW_CHECK(!ok());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace chartwright::base

#define CW_CONCAT_INNER(a, b) a##b
#define CW_CONCAT(a, b) CW_CONCAT_INNER(a, b)

/// Evaluates a Status and returns its error, if any, from the enclosing function. CW_TRY_VOID does
/// not compile for a Result with a value, because the value would be lost; use CW_TRY_DISCARD if
/// only success matters.
#define CW_TRY_VOID(expr) CW_TRY_AS(::chartwright::base::Status, expr)
#define CW_TRY_DISCARD(expr) CW_TRY_AS(auto, expr)
#define CW_TRY_AS(type, expr)               \
  do {                                      \
    type cw_result_ = (expr);               \
    if (!cw_result_.ok()) [[unlikely]] {    \
      return std::move(cw_result_).error(); \
    }                                       \
  } while (false)

/// Declares `decl` from a Result's value, or returns its error: `CW_TRY(auto x, parse(text));`.
#define CW_TRY(decl, ...) CW_TRY_INNER(CW_CONCAT(cw_result_, __LINE__), decl, __VA_ARGS__)
#define CW_TRY_INNER(tmp, decl, ...) \
  auto tmp = (__VA_ARGS__);          \
  if (!tmp.ok()) [[unlikely]] {      \
    return std::move(tmp).error();   \
  }                                  \
  decl = std::move(tmp).value()

/// Returns a Result's value where an error can only be a bug. Aborts on an error.
#define CW_MUST(...) ((__VA_ARGS__).value())
