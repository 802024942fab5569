// SPDX-License-Identifier: Apache-2.0
#include "base/openssl_error.h"

#include <openssl/err.h>

#include <limits>
#include <string>

namespace chartwright::base {

Error openssl_error(std::string_view call) {
  // The last error, because errors of earlier calls that were never read precede it.
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  const std::string function(call.substr(0, call.find('(')));
  return Error(ErrorCode::kInternal, function + " of OpenSSL failed: " +
                                         (reason != nullptr ? reason : "no reason given"));
}

Result<int> openssl_length(size_t bytes) {
  constexpr auto kMax = static_cast<size_t>(std::numeric_limits<int>::max());
  if (bytes > kMax) {
    return Error(ErrorCode::kInvalidArgument,
                 std::to_string(bytes) + " bytes; OpenSSL takes " + std::to_string(kMax));
  }
  return static_cast<int>(bytes);
}

}  // namespace chartwright::base
