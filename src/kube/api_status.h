// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/error.h"
#include "kube/object.h"
#include "kube/transport.h"
#include "value/value.h"

namespace chartwright::kube {

/// Describes a request in error messages.
struct Asked {
  std::string_view verb;  ///< "apply", "get", ...
  ObjectRef ref;          ///< Name and namespace may be empty (lists).
};

/// Returns the error for a response with a status outside 2xx. This is the only place where HTTP
/// statuses and metav1.Status are converted to an ErrorCode. The error's message is "verb ref: "
/// followed by the server's message. A server message that could quote a Secret is withheld; only
/// the reason and the fields named by the causes remain.
base::Error error_from_response(const Asked& asked, const Response& response);
/// Reports whether the server does not know the path, so has no such kind in that version: it then
/// answers 404 without a Status.
bool is_unknown_path(const base::Error& error);

/// Reports whether the server has refused a request because its user has no right to make it. An
/// admission plugin that forbids an object, or the grant of a right, says something else.
bool lacks_right(const base::Error& error);

/// Reports whether the server has judged the object of a write, and its schema, validation or
/// admission refuses it. Any other error says nothing about the object.
bool refuses_object(const base::Error& error);

/// Likewise for a decoded metav1.Status, as in the ERROR frames of a watch.
base::Error error_from_status(const Asked& asked, const value::Value& status);

/// Returns the error for a response that could not be decoded because of `cause`: kBudget if it
/// exceeds a limit of the decoder, kUnavailable if it is not JSON. Never quotes the response.
base::Error error_from_decoding(const Asked& asked, const base::Error& cause);

}  // namespace chartwright::kube
