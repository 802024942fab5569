// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/mutex.h"
#include "kube/credentials.h"
#include "kube/transport.h"

namespace chartwright::kube {

enum class BodyMode : uint8_t {
  kWhole,   ///< The caller waits for the whole body.
  kStream,  ///< The caller takes pieces as they arrive.
};

/// One request on its way: filled in by the loop's thread, read by the thread that waits.
struct Exchange {
  // Set before the exchange is handed to the loop and not changed until it is finished.
  Request request;
  BodyMode mode = BodyMode::kWhole;
  std::string token;
  std::shared_ptr<const TlsMaterial> tls;

  base::Mutex mutex;
  base::CondVar changed;
  std::string body CW_GUARDED_BY(mutex);  ///< What has arrived and was not taken yet.
  int status CW_GUARDED_BY(mutex) = 0;    ///< 0 until the response's header is complete.
  int retry_after_s CW_GUARDED_BY(mutex) = 0;
  bool finished CW_GUARDED_BY(mutex) = false;  ///< The loop has let go of it.
  bool too_large CW_GUARDED_BY(mutex) = false;
  bool abandoned CW_GUARDED_BY(mutex) = false;  ///< The caller has let go of it.
  std::optional<base::Error> failure CW_GUARDED_BY(mutex);
};
using ExchangePtr = std::shared_ptr<Exchange>;

}  // namespace chartwright::kube
