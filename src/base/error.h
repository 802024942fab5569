// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chartwright::base {

/// What went wrong, in the few classes that callers tell apart. Whether a failed reconcile is
/// retried, backed off or parked follows from this code alone, never from a message.
enum class ErrorCode : uint8_t {
  kInvalidArgument,  ///< A flag, file or field given by the user is wrong; permanent until edited.
  kNotFound,         ///< A file, object, function or template does not exist.
  kAlreadyExists,    ///< Create met an existing object.
  kParse,            ///< Text is not well-formed (YAML, JSON, template, semver, ...).
  kTemplate,         ///< A template failed while executing.
  kSchema,           ///< Values do not meet the chart's values.schema.json.
  kBudget,           ///< A limit on steps, bytes, depth or time was exceeded.
  kConflict,         ///< 409: resourceVersion, uid or field-manager conflict.
  kOwnership,        ///< An object belongs to somebody else and is left alone.
  kForbidden,        ///< 403: RBAC or admission denies the request.
  kUnauthorized,     ///< 401: credentials missing or expired.
  kInvalid,    ///< 422 or 400: the API server rejects the body; permanent until inputs change.
  kImmutable,  ///< 422 whose every cause names an immutable field.
  kExpired,    ///< 410: a resourceVersion or continue token is too old.
  kTooManyRequests,  ///< 429.
  kUnavailable,      ///< Connection refused or reset, TLS failure, 5xx.
  kTimeout,          ///< A deadline passed on our side or on the server's.
  kCancelled,        ///< Stopped because the process is shutting down.
  kInternal,         ///< A bug of ours that was contained.
};

/// The code's stable lower-case name, as logged ("not_found").
std::string_view to_string(ErrorCode code);

/// A place in a text: file or template name, 1-based line, 1-based column (0 = unknown).
struct SourcePos {
  std::string file;
  int line = 0;
  int column = 0;
  /// "file:line:column", leaving out what is unknown ("line:column" without a file).
  std::string to_string() const;
};

/// One cause that an API server gave beside its message (metav1.StatusCause).
struct ErrorCause {
  std::string reason;
  std::string message;
  std::string field;
};

/// An error: a code, a message for people and, where there is one, a place. Boxed, so that
/// Result<T> stays small. Copyable and immutable but for the setters used while it is built.
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message);

  ErrorCode code() const { return data_->code; }
  /// The message without the place.
  const std::string& message() const { return data_->message; }
  const std::optional<SourcePos>& pos() const { return data_->pos; }
  /// HTTP status of the API reply, 0 when the error did not come from one.
  int http_status() const { return data_->http_status; }
  /// metav1.Status.reason, e.g. "AlreadyExists"; empty when unknown.
  const std::string& reason() const { return data_->reason; }
  const std::vector<ErrorCause>& causes() const { return data_->causes; }
  /// Server-requested delay (Retry-After), seconds; 0 = none.
  int retry_after_s() const { return data_->retry_after_s; }
  /// Longer help printed under the message (source snippet with caret, suggestion); may be empty.
  const std::string& help() const { return data_->help; }

  Error&& at(SourcePos pos) &&;
  Error&& with_http(int status, std::string reason) &&;
  Error&& with_causes(std::vector<ErrorCause> causes) &&;
  Error&& with_retry_after(int seconds) &&;
  Error&& with_help(std::string help) &&;
  /// Prefixes the message: "context: message". Keeps code, place and causes.
  Error&& wrap(std::string_view context) &&;

  /// "file:line:column: message", the form printed to users; help follows on its own lines.
  std::string to_string() const;

 private:
  struct Data {
    ErrorCode code;
    std::string message;
    std::optional<SourcePos> pos;
    int http_status = 0;
    int retry_after_s = 0;
    std::string reason;
    std::vector<ErrorCause> causes;
    std::string help;
  };
  // Shared and copied on write: errors travel by value through Result<T> but are rarely modified.
  Data& edit();
  std::shared_ptr<Data> data_;
};

}  // namespace chartwright::base
