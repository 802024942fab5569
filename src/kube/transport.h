// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace chartwright::kube {

enum class Method : uint8_t { kGet, kPost, kPut, kPatch, kDelete };
/// "GET", ...
std::string_view to_string(Method method);

struct Request {
  Method method = Method::kGet;
  std::string target;        ///< Escaped path and query after the server's prefix; begins with '/'.
  std::string content_type;  ///< Type of the body; unused without one.
  std::string accept = "application/json";
  /// More header lines, "Name: value". An Authorization among them replaces the configured token.
  std::vector<std::string> headers = {};
  /// Sent on a new connection. A request on a kept connection that the server closes without an
  /// answer is sent again by libcurl, although the server may have acted on it.
  bool only_once = false;
  std::string body;
  size_t max_response_bytes = size_t{64} << 20;
};

/// The reason of an error when no part of the request was sent.
inline constexpr std::string_view kNotSent = "NotSent";

struct Response {
  int status = 0;
  int retry_after_s = 0;  ///< Retry-After, 0 when absent.
  std::string body;
  std::string location = {};  ///< Location, as received; redirects are not followed.
};

/// The limits of a blocking call: it returns kCancelled soon after `stop` is requested and kTimeout
/// once `timeout` has passed.
struct Call {
  std::stop_token stop;
  base::Duration timeout = std::chrono::seconds(30);
  base::Duration spent{};  ///< The part of `timeout` that the same operation has already used.
};

/// Returns the limits of `call` for the rest of an operation that began at `began`: an operation
/// has one timeout, however many requests it makes or repeats.
Call rest_of(const Call& call, base::MonotonicTime began, const base::Clock& clock);
/// Returns the time at which `call` times out if it begins now.
base::MonotonicTime deadline_of(const Call& call, const base::Clock& clock);

/// The timeouts of a streamed response.
struct StreamLimits {
  base::Duration idle = std::chrono::seconds(30);      ///< Longest silence before kTimeout.
  base::Duration response = std::chrono::seconds(30);  ///< Longest wait for the status line.
};

/// Receives response bytes as they arrive, on the thread that called `stream`. An error ends the
/// stream and becomes its result.
using ChunkSink = std::function<base::Status(std::string_view chunk)>;

/// Sends requests to one API server. Thread-safe: any number of threads may block in it.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Sends `request` and waits for the whole response, whatever its status. Never retries, except
  /// once after a 401 if the token file holds a newer token or the credential plugin prints other
  /// credentials; `call` limits both attempts together.
  /// Errors: kUnavailable (no connection, TLS failure, connection lost), kTimeout, kCancelled,
  /// kBudget (body larger than allowed), kInvalidArgument (path, query and token larger than any
  /// server accepts).
  virtual base::Result<Response> perform(Request request, const Call& call) = 0;
  /// Sends `request` and passes the body of a 200 response to `sink` until the server ends it
  /// cleanly; the first piece is empty if the header arrives before the body. A response with
  /// another status is returned with its (bounded) body, which does not reach `sink`. Errors: as
  /// perform; kUnavailable when the stream is cut, kTimeout when no data arrives for too long.
  virtual base::Result<Response> stream(Request request, const StreamLimits& limits,
                                        std::stop_token stop, const ChunkSink& sink) = 0;
};

struct TransportOptions {
  base::Duration connect_timeout = std::chrono::seconds(10);
  /// Called once per finished request with its status (0: no response). Must be quick and
  /// thread-safe: it runs on the calling thread or on the transport's.
  std::function<void(Method method, int status)> on_finished;
};

}  // namespace chartwright::kube
