// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "grpc/exchange.h"
#include "grpc/interface.h"
#include "grpc/reflection.h"
#include "grpc/schema.h"

namespace chartwright::rpc {

/// The limits on the reply to a call.
struct ReplyLimits {
  size_t bytes_max = 0;  ///< The limit of its messages, and of their JSON.
  size_t messages_max = 0;
};

/// The services of one server, called with JSON. Thread-safe.
class Service {
 public:
  /// `send` reaches the server. Without `descriptors`, its reflection is asked for them.
  Service(Send send, std::string descriptors, ReplyLimits limits)
      : send_(std::move(send)), descriptors_(std::move(descriptors)), limits_(limits) {}

  /// Makes a call; its timeout is for everything, descriptors and conversion too. The message of
  /// the result is JSON if its code is 0.
  Incoming call(const ChartwrightGrpcCall& call);

 private:
  Incoming describe(const std::string& method, const Outgoing& limits,
                    std::shared_ptr<const Schema>& into);
  Incoming fetch(const std::string& service, const Outgoing& limits, Schema& into) const;

  const Send send_;
  const std::string descriptors_;
  const ReplyLimits limits_;
  std::mutex mutex_;
  std::shared_ptr<const Schema> schema_;  ///< Guarded by mutex_.
};

}  // namespace chartwright::rpc
