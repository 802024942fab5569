// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace chartwright::base {

/// Returns a kInternal error that names the failed OpenSSL call and, if OpenSSL knows it, the
/// reason: out of memory, or a rejected value. `call` is the call's source text; its arguments are
/// left out. Clears this thread's queue of OpenSSL errors.
Error openssl_error(std::string_view call);

/// Returns `bytes` as an int, the type in which OpenSSL takes lengths. Error: kInvalidArgument if
/// it does not fit.
Result<int> openssl_length(size_t bytes);

inline bool openssl_succeeded(int code) { return code > 0; }
inline bool openssl_succeeded(const void* made) { return made != nullptr; }

/// Frees an OpenSSL object.
template <auto kFree>
struct OpenSslFree {
  template <typename T>
  void operator()(T* made) const {
    kFree(made);
  }
};

/// Owns an OpenSSL object: `OpenSslPtr<BIGNUM, BN_free>`.
template <typename T, auto kFree>
using OpenSslPtr = std::unique_ptr<T, OpenSslFree<kFree>>;

/// Returns the owner of `made`, or the error of `call` if `made` is null. For CW_TRY_OPENSSL_NEW.
template <auto kFree, typename T>
Result<OpenSslPtr<T, kFree>> openssl_made(std::string_view call, T* made) {
  if (made == nullptr) [[unlikely]] {
    return openssl_error(call);
  }
  return OpenSslPtr<T, kFree>(made);
}

}  // namespace chartwright::base

/// Calls OpenSSL, and returns the call's error from the enclosing function unless it yields a
/// number above 0 or a non-null pointer: `CW_TRY_OPENSSL(BN_add(sum, a, b));`.
#define CW_TRY_OPENSSL(...)                                     \
  do {                                                          \
    if (!::chartwright::base::openssl_succeeded(__VA_ARGS__)) { \
      return ::chartwright::base::openssl_error(#__VA_ARGS__);  \
    }                                                           \
  } while (false)

/// Declares `decl` as the owner of the object that an OpenSSL call creates, or returns the call's
/// error: `CW_TRY_OPENSSL_NEW(const auto number, BN_free, BN_new());`.
#define CW_TRY_OPENSSL_NEW(decl, free, ...) \
  CW_TRY(decl, ::chartwright::base::openssl_made<&free>(#__VA_ARGS__, __VA_ARGS__))
