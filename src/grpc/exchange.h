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
  /// A time as of now_ms(). It also limits what the call needs first, such as descriptors.
  int64_t deadline_ms = 0;
  size_t bytes_max = 0;  ///< The limit of all messages of the reply.
  size_t messages_max = 0;
  std::function<bool()> stopped;
};

/// The result of one call.
struct Incoming {
  int code = 0;         ///< A code of gRPC, or a ChartwrightGrpcCode.
  bool unsent = false;  ///< The server got nothing of the call.
  std::string message;
  std::vector<std::string> messages;
};

/// Returns the time of a clock that never goes back.
int64_t now_ms();

/// Sends the messages and collects those of the reply. Blocks.
Incoming exchange(const std::shared_ptr<grpc::Channel>& channel, const Outgoing& outgoing);

}  // namespace chartwright::rpc
