// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace chartwright::runtime {

struct HttpRequest {
  std::string method;
  std::string target;  ///< Path and query, still escaped.
  /// In the order in which they were sent. Names are in lower case.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  /// The common name of the client's certificate, which an authority of the server has signed;
  /// nullopt if the client has shown none.
  std::optional<std::string> client_name;
  /// Requested when the client has gone: nobody waits for the reply. Only where workers answer.
  std::stop_token stop;

  /// Returns the target without its query.
  std::string_view path() const;
  /// Returns the first value of a header (its name in lower case), or "".
  std::string_view header(std::string_view name) const;
};

/// A response that is produced while it is sent. Used by the server's network thread only.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  /// Returns the next bytes; "" if there are none at present; nullopt at the end. Must not block.
  virtual std::optional<std::string> next() = 0;
  /// Has `wake` called, from any thread, when next() may have more.
  virtual void on_more(std::function<void()> wake) = 0;
};

struct HttpReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::unique_ptr<HttpStream> stream;  ///< Instead of a body.
  /// The stream ends after this time, or when the server drains. 0: only at its own end; if it is
  /// cut off, so is the connection, because a part would pass for the whole.
  base::Duration stream_max{};
};

/// Returns a reply of plain text.
HttpReply text_reply(int status, std::string body);

/// Answers requests. With workers it is called on those, may block, and must be thread-safe;
/// without, on the network thread, where every other connection waits until it returns.
using HttpHandler = std::function<HttpReply(const HttpRequest& request)>;

/// Why the server replies in place of the handler.
enum class HttpRefusal : uint8_t {
  kTooManyRequests,  ///< There is no capacity for the request, or for its stream.
  kBodyTooLarge,
  kEnding,  ///< The server drains.
  kFailed,  ///< The handler has thrown.
};

/// Returns the reply to a refused request as plain text.
HttpReply plain_refusal(HttpRefusal why);

}  // namespace chartwright::runtime
