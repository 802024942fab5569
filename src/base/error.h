// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chartwright::base {

/// The classes of errors that callers distinguish. The code alone decides whether a failed
/// reconcile is retried, backed off or parked; the message never does.
enum class ErrorCode : uint8_t {
  kInvalidArgument,  ///< A flag, file or field given by the user is wrong; permanent until edited.
  kNotFound,         ///< A file, object, function or template does not exist.
  kAlreadyExists,    ///< The object to create already exists.
  kParse,            ///< Input is not well-formed (YAML, JSON, template, semver, ...).
  kTemplate,         ///< A template failed while executing.
  kSchema,           ///< Values do not meet the chart's values.schema.json.
  kBudget,           ///< A limit on steps, bytes, depth or time was exceeded.
  kConflict,         ///< 409: resourceVersion, uid or field-manager conflict; 422 for a uid.
  kOwnership,        ///< The object belongs to another owner and is left unchanged.
  kForbidden,        ///< 403: RBAC or admission denies the request.
  kUnauthorized,     ///< 401: credentials missing or expired.
  kInvalid,    ///< 422 or 400: the API server rejects the body; permanent until inputs change.
  kImmutable,  ///< 422 whose every cause names an immutable field.
  kExpired,    ///< 410: a resourceVersion or continue token is too old.
  kTooManyRequests,  ///< 429.
  kUnavailable,      ///< Connection refused or reset, TLS failure, 5xx.
  kTimeout,          ///< A deadline passed, on our side or on the server's.
  kCancelled,        ///< Stopped because the process is shutting down.
  kInternal,         ///< A bug in chartwright, contained.
};

/// Returns the code's stable lower-case name, as logged ("not_found").
std::string_view to_string(ErrorCode code);

/// A position in a text: file or template name, 1-based line, 1-based column (0 = unknown).
struct SourcePos {
  std::string file;
  int line = 0;
  int column = 0;
  /// Returns "file:line:column" without the parts that are unknown ("line:column" without a file).
  std::string to_string() const;
};

/// A cause that the API server returned along with its message (metav1.StatusCause).
struct ErrorCause {
  std::string reason;
  std::string message;
  std::string field;
};

/// An error: a code, a message for people and, if known, a position. The data is on the
/// heap, so that Result<T> stays small. Copyable, and immutable apart from the setters used
/// while building it.
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message);

  ErrorCode code() const { return data_->code; }
  /// The message without the position.
  const std::string& message() const { return data_->message; }
  const std::optional<SourcePos>& pos() const { return data_->pos; }
  /// HTTP status of the API response, or 0 if the error did not come from one.
  int http_status() const { return data_->http_status; }
  /// metav1.Status.reason, e.g. "AlreadyExists"; empty if unknown.
  const std::string& reason() const { return data_->reason; }
  const std::vector<ErrorCause>& causes() const { return data_->causes; }
  /// Delay requested by the server (Retry-After), in seconds; 0 if none.
  int retry_after_s() const { return data_->retry_after_s; }
  /// Longer help, printed below the message (source snippet with caret, suggestion); may be empty.
  const std::string& help() const { return data_->help; }

  Error&& at(SourcePos pos) &&;
  Error&& with_http(int status, std::string reason) &&;
  Error&& with_causes(std::vector<ErrorCause> causes) &&;
  Error&& with_retry_after(int seconds) &&;
  Error&& with_help(std::string help) &&;
  /// Prefixes the message: "context: message". Keeps the code, the position and the causes.
  Error&& wrap(std::string_view context) &&;

  /// Returns "file:line:column: message", the form printed to users. Help follows on
  /// separate lines.
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
