// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/object.h"
#include "kube/transport.h"
#include "value/value.h"

namespace chartwright::kube {

/// What was asked, for the texts of errors.
struct Asked {
  std::string_view verb;  ///< "apply", "get", ...
  ObjectRef ref;          ///< Name and namespace may be empty (lists).
};

/// The error for a response with a status outside 2xx: the one place where HTTP statuses and
/// metav1.Status become an ErrorCode. The text is the server's message after "verb ref: "; about a
/// Secret it is only the reason and the fields named by the causes.
base::Error error_from_response(const Asked& asked, const Response& response);

/// The same for a decoded metav1.Status, as ERROR frames of a watch carry it.
base::Error error_from_status(const Asked& asked, const value::Value& status);

/// The error for an answer that could not be decoded, because of `cause`: it is no JSON
/// (kUnavailable), or exceeds a limit of the decoder (kBudget). Never quotes the answer.
base::Error error_from_decoding(const Asked& asked, const base::Error& cause);

}  // namespace chartwright::kube
