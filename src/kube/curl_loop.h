// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "kube/config.h"
#include "kube/exchange.h"
#include "kube/transport.h"

namespace chartwright::kube {

/// Carries exchanges to one server on a thread of its own. Thread-safe.
class CurlLoop {
 public:
  /// Both references must outlive the loop. Error: kInternal when libcurl cannot be initialised.
  static base::Result<std::unique_ptr<CurlLoop>> make(const Config& config,
                                                      const TransportOptions& options,
                                                      std::string thread_name);
  /// Cancels what is on its way; every exchange is finished afterwards.
  virtual ~CurlLoop() = default;
  virtual void start(ExchangePtr exchange) = 0;
  /// The caller has stopped waiting: ends the transfer.
  virtual void abandon(const ExchangePtr& exchange) = 0;
};

}  // namespace chartwright::kube
