// SPDX-License-Identifier: Apache-2.0
#include "views/api_errors.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "base/unicode.h"

namespace chartwright::views {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

std::string described(const Resource& resource, std::string_view name) {
  return resource.plural + "." + resource.group + " \"" + std::string(name) + "\"";
}

constexpr size_t kMessageHeadBytes = 1024;
constexpr size_t kMessageTailBytes = 3072;

/// Cuts the middle out of a long message: templates that call each other name every call. The
/// source is named at the beginning, and the cause at the end.
std::string without_middle(const std::string& message) {
  if (message.size() <= kMessageHeadBytes + kMessageTailBytes) {
    return message;
  }
  const size_t tail = message.find(' ', message.size() - kMessageTailBytes);
  return base::shortened(message, kMessageHeadBytes) +
         message.substr(std::min(tail, message.size()));
}

Value causes_of(const Error& error) {
  std::vector<Value> causes;
  for (const base::ErrorCause& cause : error.causes()) {
    causes.push_back(Value::dict({{"reason", Value::string(cause.reason)},
                                  {"message", Value::string(cause.message)},
                                  {"field", Value::string(cause.field)}}));
  }
  return Value::list(std::move(causes));
}

}  // namespace

Error bad_request(std::string message) {
  return Error(ErrorCode::kInvalid, std::move(message)).with_http(400, "BadRequest");
}

Error unauthorized(std::string message) {
  return Error(ErrorCode::kUnauthorized, std::move(message)).with_http(401, "Unauthorized");
}

Error forbidden(std::string message) {
  return Error(ErrorCode::kForbidden, std::move(message)).with_http(403, "Forbidden");
}

Error path_not_found() {
  return Error(ErrorCode::kNotFound, "the server could not find the requested resource")
      .with_http(404, "NotFound");
}

Error object_not_found(const Resource& resource, std::string_view name) {
  return Error(ErrorCode::kNotFound, described(resource, name) + " not found")
      .with_http(404, "NotFound");
}

Error method_not_allowed() {
  return Error(ErrorCode::kInvalid,
               "the server does not allow this method on the requested resource")
      .with_http(405, "MethodNotAllowed");
}

Error not_acceptable(std::string message) {
  return Error(ErrorCode::kInvalid, std::move(message)).with_http(406, "NotAcceptable");
}

Error already_exists(const Resource& resource, std::string_view name) {
  return Error(ErrorCode::kAlreadyExists, described(resource, name) + " already exists")
      .with_http(409, "AlreadyExists");
}

Error conflict(const Resource& resource, std::string_view name, std::string message) {
  return Error(ErrorCode::kConflict, "Operation cannot be fulfilled on " +
                                         described(resource, name) + ": " + std::move(message))
      .with_http(409, "Conflict");
}

Error expired(std::string message) {
  return Error(ErrorCode::kExpired, std::move(message)).with_http(410, "Expired");
}

Error too_large() {
  return Error(ErrorCode::kInvalid, "Request entity too large: limit is 3145728")
      .with_http(413, "RequestEntityTooLarge");
}

Error unsupported_media_type(std::string message) {
  return Error(ErrorCode::kInvalid, std::move(message)).with_http(415, "UnsupportedMediaType");
}

Error invalid_object(const Resource& resource, std::string_view name,
                     std::vector<base::ErrorCause> causes) {
  std::vector<std::string> parts;
  parts.reserve(causes.size());
  for (const base::ErrorCause& cause : causes) {
    parts.push_back(cause.field + ": " + cause.message);
  }
  return Error(ErrorCode::kInvalid, resource.kind + "." + resource.group + " \"" +
                                        std::string(name) +
                                        "\" is invalid: " + base::join(parts, ", "))
      .with_http(422, "Invalid")
      .with_causes(std::move(causes));
}

Error too_many_requests(std::string message) {
  return Error(ErrorCode::kTooManyRequests, std::move(message))
      .with_http(429, "TooManyRequests")
      .with_retry_after(1);
}

Error internal_error(const std::string& message) {
  return Error(ErrorCode::kInternal, without_middle(message)).with_http(500, "InternalError");
}

Error too_much(const std::string& limit) {
  return internal_error("the request needs " + limit +
                        ": list in pages (limit=500), or give the server more memory");
}

Error unavailable(std::string message) {
  return Error(ErrorCode::kUnavailable, std::move(message))
      .with_http(503, "ServiceUnavailable")
      .with_retry_after(1);
}

Error source_failure(const View& view, const Error& error) {
  const std::string message =
      "the source of " + view.resource.plural + "." + view.resource.group + ": " + error.message();
  switch (error.code()) {
    case ErrorCode::kExpired:
      return expired(message);
    case ErrorCode::kTooManyRequests:
      return too_many_requests(message);
    case ErrorCode::kTimeout:
      return Error(ErrorCode::kTimeout, message).with_http(504, "Timeout");
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kCancelled:
    case ErrorCode::kNotFound:  // The kind is not served, or no longer.
      return unavailable(message);
    default:
      return internal_error(message);
  }
}

int code_of(const Error& error) { return error.http_status() != 0 ? error.http_status() : 500; }

Value status_of(const Error& error, const View* view, std::string_view name) {
  const std::string reason = error.reason().empty() ? "InternalError" : error.reason();
  const Value details = Value::dict();
  if (view != nullptr) {
    details.mutable_dict().set("group", Value::string(view->resource.group));
    // As in Kubernetes: the kind of an invalid object, otherwise the name of the resource.
    details.mutable_dict().set(
        "kind", Value::string(code_of(error) == 422 ? view->resource.kind : view->resource.plural));
  }
  if (!name.empty()) {
    details.mutable_dict().set("name", Value::string(name));
  }
  if (!error.causes().empty()) {
    details.mutable_dict().set("causes", causes_of(error));
  }
  if (error.retry_after_s() > 0) {
    details.mutable_dict().set("retryAfterSeconds", Value::integer(error.retry_after_s()));
  }
  Value status = Value::dict({{"kind", Value::string("Status")},
                              {"apiVersion", Value::string("v1")},
                              {"metadata", Value::dict()},
                              {"status", Value::string("Failure")},
                              {"message", Value::string(error.message())},
                              {"reason", Value::string(reason)},
                              {"code", Value::integer(code_of(error))}});
  if (!details.as_dict().empty()) {
    status.mutable_dict().set("details", details);
  }
  return status;
}

}  // namespace chartwright::views
