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
  int64_t timeout_ms = 0;
  size_t bytes_max = 0;  ///< Of all messages of the reply.
  std::function<bool()> stopped;
};

/// The result of one call.
struct Incoming {
  int code = 0;  ///< Of gRPC, or of ChartwrightGrpcCode.
  bool unsent = false;
  std::string message;
  std::vector<std::string> messages;
};

/// Sends the messages and collects those of the reply. Blocks.
Incoming exchange(const std::shared_ptr<grpc::Channel>& channel, const Outgoing& outgoing);

}  // namespace chartwright::rpc
