// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace grpc {
class Channel;
}

namespace chartwright::rpc {

/// The parameters of one call, in the form of the wire.
struct Outgoing {
  std::string path;  ///< "/package.Service/Method"
  std::vector<std::string> messages;
  std::string authorization;
  std::string idempotency_key;
  int64_t deadline_ms =
      0;                 ///< As now_ms(); also of what the call needs first, such as descriptors.
  size_t bytes_max = 0;  ///< Of all messages of the reply.
  size_t messages_max = 0;
  std::function<bool()> stopped;
};

/// The result of one call.
struct Incoming {
  int code = 0;         ///< Of gRPC, or of ChartwrightGrpcCode.
  bool unsent = false;  ///< The server got nothing of the call.
  std::string message;
  std::vector<std::string> messages;
};

/// Returns the time of a clock that never goes back.
int64_t now_ms();

/// Sends the messages and collects those of the reply. Blocks.
Incoming exchange(const std::shared_ptr<grpc::Channel>& channel, const Outgoing& outgoing);

}  // namespace chartwright::rpc
