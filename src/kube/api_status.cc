// SPDX-License-Identifier: Apache-2.0
#include "kube/api_status.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kube/schema_refusal.h"
#include "value/json.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCause;
using base::ErrorCode;
using value::Value;

/// The parts of a metav1.Status that we use.
struct ApiStatus {
  int code = 0;
  int retry_after_s = 0;
  std::string reason;
  std::string message;
  std::vector<ErrorCause> causes;
};

// The API server answers an object that does not fit its schema, or cannot be decoded, with 500
// (kubernetes/kubernetes#119178): only the message distinguishes it from an outage.
// Source: k8s.io/apimachinery pkg/util/managedfields/internal/structuredmerge.go.
constexpr std::array<std::string_view, 6> kFieldManagerFailures = {
    "failed to create typed patch object (", "failed to create typed live object (",
    "failed to convert new object (",        "failed to convert new typed object (",
    "failed to convert live object (",       "failed to convert to unversioned (",
};
// The webhook that converts a custom resource may come back.
// Source: k8s.io/apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go.
/// Source: k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go, Forbidden.
constexpr std::string_view kLackOfRight = "is forbidden: User \"";
constexpr std::string_view kConversionWebhook = "conversion webhook for ";

bool is_refused_by_field_manager(std::string_view message) {
  return message.find(kConversionWebhook) == std::string_view::npos &&
         std::ranges::any_of(kFieldManagerFailures, [&](std::string_view beginning) {
           return message.starts_with(beginning);
         });
}

// Validation has no code for "this field is immutable"; these are the messages of its rules. The
// table is closed: an unknown message makes an update fail visibly, and never recreates an object
// by mistake.
constexpr std::array<std::string_view, 12> kImmutableTexts = {
    "field is immutable",
    "may not change once set",
    "cannot change roleRef",
    "may not be changed in an update.",
    "updates to statefulset spec for fields other than",
    "field can not be less than status.capacity",
    "field can not be less than previous value",
    "spec is immutable after creation except",
    "spec.persistentvolumesource is immutable after creation",
    "pod updates may not ",
    "existing toleration can not be modified",
    "must be less than or equal to previous value",
};
constexpr std::string_view kForbiddenUpdatesPrefix = "updates to ";
constexpr std::string_view kForbiddenUpdatesSuffix = " are forbidden.";

bool names_immutable_field(const ErrorCause& cause) {
  const std::string_view text = cause.message;
  const bool listed = std::ranges::any_of(
      kImmutableTexts, [&](std::string_view rule) { return text.find(rule) != text.npos; });
  return listed || (text.find(kForbiddenUpdatesPrefix) != text.npos &&
                    text.find(kForbiddenUpdatesSuffix) != text.npos);
}

// A uid in an apply or a merge patch is a precondition to its sender. The server takes it for a
// value, and refuses to change that of the object which has the name now.
bool names_another_object(const ApiStatus& status) {
  return std::ranges::any_of(status.causes, [](const ErrorCause& cause) {
    return cause.field == "metadata.uid" && names_immutable_field(cause);
  });
}

ErrorCode invalid_or_immutable(const ApiStatus& status) {
  if (names_another_object(status)) {
    return ErrorCode::kConflict;
  }

  const bool immutable =
      !status.causes.empty() && std::ranges::all_of(status.causes, names_immutable_field);
  return immutable ? ErrorCode::kImmutable : ErrorCode::kInvalid;
}

ErrorCode code_of(const ApiStatus& status) {
  switch (status.code) {
    case 401:
      return ErrorCode::kUnauthorized;
    case 403:
      return ErrorCode::kForbidden;
    case 404:
      return ErrorCode::kNotFound;
    case 408:
    case 504:
      return ErrorCode::kTimeout;
    case 409:
      return status.reason == "AlreadyExists" ? ErrorCode::kAlreadyExists : ErrorCode::kConflict;
    case 410:
      return ErrorCode::kExpired;
    case 422:
      return invalid_or_immutable(status);
    case 429:
      return ErrorCode::kTooManyRequests;
    default:
      break;
  }
  if (status.code == 500 && is_refused_by_field_manager(status.message)) {
    return ErrorCode::kInvalid;
  }
  return status.code >= 400 && status.code < 500 ? ErrorCode::kInvalid : ErrorCode::kUnavailable;
}

int int_at(const Value& dict, std::initializer_list<std::string_view> path) {
  const Value* found = dict.find_path(path);
  if (found == nullptr || !found->is_int() || found->as_int() < 0) {
    return 0;
  }
  return static_cast<int>(std::min<int64_t>(found->as_int(), 1'000'000));
}

ApiStatus read_status(const Value& body) {
  ApiStatus status;
  status.code = int_at(body, {"code"});
  status.retry_after_s = int_at(body, {"details", "retryAfterSeconds"});
  status.reason = body.string_at({"reason"});
  status.message = body.string_at({"message"});
  const Value* causes = body.find_path({"details", "causes"});
  if (causes != nullptr && causes->is_list()) {
    for (const Value& cause : causes->as_list().items) {
      status.causes.push_back({std::string(cause.string_at({"reason"})),
                               std::string(cause.string_at({"message"})),
                               std::string(cause.string_at({"field"}))});
    }
  }
  return status;
}

/// Returns the beginning of a plain-text response, as sent by proxies and dying servers, on one
/// line: enough to recognise it.
std::string excerpt(std::string_view body) {
  constexpr size_t kMaxExcerpt = 200;
  std::string text(body.substr(0, kMaxExcerpt));
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

/// Validation messages quote the values that they reject. For a Secret only the fields are named.
void redact(ApiStatus& status) {
  std::string fields;
  for (ErrorCause& cause : status.causes) {
    if (!names_immutable_field(cause)) {
      cause.message.clear();
    }
    if (!cause.field.empty()) {
      fields += (fields.empty() ? "" : ", ") + cause.field;
    }
  }
  status.message = "the server's message is withheld because it may quote a Secret";
  if (!fields.empty()) {
    status.message += " (fields: " + fields + ")";
  }
}

/// Reports whether the server's message may quote the object that was sent. RBAC's refusals do not,
/// and say what the reader needs to know. An admission webhook's refusal is a 403 too, and may
/// contain anything.
bool may_quote_object(ErrorCode code, const ApiStatus& status) {
  switch (code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kImmutable:
    case ErrorCode::kConflict:
    case ErrorCode::kUnavailable:
      return true;
    case ErrorCode::kForbidden:
      return status.message.find(kLackOfRight) == std::string::npos;
    default:
      return false;
  }
}

Error make_error(const Asked& asked, ApiStatus status) {
  const ErrorCode code = code_of(status);
  if (code == ErrorCode::kInvalid && status.causes.empty()) {
    status.causes = schema_causes(status.message);
  }
  if (is_secret(asked.ref.gvk) && may_quote_object(code, status)) {
    redact(status);
  }
  std::string text = std::string(asked.verb) + " " + asked.ref.to_string() + ": ";
  text += status.message.empty() ? "HTTP status " + std::to_string(status.code) : status.message;
  return Error(code, std::move(text))
      .with_http(status.code, std::move(status.reason))
      .with_causes(std::move(status.causes))
      .with_retry_after(status.retry_after_s);
}

}  // namespace

bool lacks_right(const Error& error) {
  return error.code() == ErrorCode::kForbidden &&
         error.message().find(kLackOfRight) != std::string::npos;
}

bool refuses_object(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kInvalid:
    case ErrorCode::kImmutable:
      return true;
    case ErrorCode::kForbidden:
      return !lacks_right(error);
    default:
      return false;
  }
}

bool is_unknown_path(const Error& error) {
  return error.code() == ErrorCode::kNotFound && error.reason().empty();
}

Error error_from_response(const Asked& asked, const Response& response) {
  ApiStatus status;
  auto body = value::parse_json(response.body, value::Numbers::kInt64);
  if (body.ok() && body->string_at({"kind"}) == "Status") {
    status = read_status(*body);
  } else if (!is_secret(asked.ref.gvk) && !response.body.empty()) {
    status.message =
        "HTTP status " + std::to_string(response.status) + ": " + excerpt(response.body);
  }
  status.code = response.status;
  status.retry_after_s = std::max(status.retry_after_s, response.retry_after_s);
  return make_error(asked, std::move(status));
}

Error error_from_decoding(const Asked& asked, const Error& cause) {
  std::string text = std::string(asked.verb) + " " + asked.ref.to_string() + ": ";
  if (cause.code() == ErrorCode::kBudget) {  // Its message contains only numbers.
    return Error(ErrorCode::kBudget,
                 text + "the server's answer is too large, or nested deeper than " +
                     std::to_string(value::JsonLimits().max_depth) + " levels: " + cause.message());
  }
  // Not the parser's message, which may quote its input.
  return Error(ErrorCode::kUnavailable, text + "the server's answer is not JSON");
}

Error error_from_status(const Asked& asked, const Value& status) {
  return make_error(asked, read_status(status));
}

}  // namespace chartwright::kube
