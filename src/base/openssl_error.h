// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace chartwright::base {

/// Says which call of OpenSSL failed and why, as far as OpenSSL knows: out of memory, or a value
/// that it refuses. `call` is its source text, of which the arguments are left out. Empties the
/// thread's queue of OpenSSL's errors. kInternal.
Error openssl_error(std::string_view call);

/// `bytes` as OpenSSL takes lengths. Error: kInvalidArgument where an int is too small.
Result<int> openssl_length(size_t bytes);

inline bool openssl_succeeded(int code) { return code > 0; }
inline bool openssl_succeeded(const void* made) { return made != nullptr; }

/// Frees what OpenSSL made.
template <auto kFree>
struct OpenSslFree {
  template <typename T>
  void operator()(T* made) const {
    kFree(made);
  }
};

/// An object of OpenSSL's: `OpenSslPtr<BIGNUM, BN_free>`.
template <typename T, auto kFree>
using OpenSslPtr = std::unique_ptr<T, OpenSslFree<kFree>>;

/// The owner of what `call` made, or its error; for CW_TRY_OPENSSL_NEW.
template <auto kFree, typename T>
Result<OpenSslPtr<T, kFree>> openssl_made(std::string_view call, T* made) {
  if (made == nullptr) [[unlikely]] {
    return openssl_error(call);
  }
  return OpenSslPtr<T, kFree>(made);
}

}  // namespace chartwright::base

/// Makes a call of OpenSSL, and returns its error from the enclosing function unless it gives a
/// number above 0, or a pointer: `CW_TRY_OPENSSL(BN_add(sum, a, b));`.
#define CW_TRY_OPENSSL(...)                                     \
  do {                                                          \
    if (!::chartwright::base::openssl_succeeded(__VA_ARGS__)) { \
      return ::chartwright::base::openssl_error(#__VA_ARGS__);  \
    }                                                           \
  } while (false)

/// Declares `decl` as the owner of what a call of OpenSSL makes, or returns the call's error:
/// `CW_TRY_OPENSSL_NEW(const auto number, BN_free, BN_new());`.
#define CW_TRY_OPENSSL_NEW(decl, free, ...) \
  CW_TRY(decl, ::chartwright::base::openssl_made<&free>(#__VA_ARGS__, __VA_ARGS__))
