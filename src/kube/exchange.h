// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/mutex.h"
#include "kube/transport.h"
#include "kubeconfig/credentials.h"

namespace chartwright::kube {

enum class BodyMode : uint8_t {
  kWhole,   ///< The caller waits for the whole body.
  kStream,  ///< The caller takes pieces as they arrive.
};

/// A request in progress, filled in by the thread that runs the transfer and read by the one that
/// waits for the response.
struct Exchange {
  // Set before the transfer starts and not changed until it has finished.
  Request request;
  BodyMode mode = BodyMode::kWhole;
  std::string token;
  std::shared_ptr<const TlsMaterial> tls;

  base::Mutex mutex;
  base::CondVar changed;
  std::string body CW_GUARDED_BY(mutex);  ///< Received, but not yet taken by the caller.
  int status CW_GUARDED_BY(mutex) = 0;    ///< 0 until the response's header is complete.
  int retry_after_s CW_GUARDED_BY(mutex) = 0;
  std::string location CW_GUARDED_BY(mutex);
  bool finished CW_GUARDED_BY(mutex) = false;  ///< The transfer is over.
  bool too_large CW_GUARDED_BY(mutex) = false;
  bool paused CW_GUARDED_BY(mutex) = false;     ///< A stream, until its caller has taken the body.
  bool abandoned CW_GUARDED_BY(mutex) = false;  ///< The caller no longer waits.
  std::optional<base::Error> failure CW_GUARDED_BY(mutex);
};
using ExchangePtr = std::shared_ptr<Exchange>;

}  // namespace chartwright::kube
