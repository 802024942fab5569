// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/api_status.h"
#include "kube/watch_frame.h"

namespace chartwright::kube {

/// Splits a watch stream into frames (one JSON document per line) and passes them to a sink. Not
/// thread-safe.
class WatchDecoder {
 public:
  /// The maximum size of a frame, far more than an object in etcd can have.
  static constexpr size_t kMaxFrameBytes = size_t{32} << 20;
  /// `sink` and the characters of `asked.verb` must outlive the decoder; `asked` itself is copied.
  WatchDecoder(Asked asked, const WatchSink& sink);

  /// Decodes the next bytes, which may begin and end anywhere. Errors: those of the sink; that of
  /// an ERROR frame; kUnavailable for a frame that is not a watch event; kBudget for one that is
  /// too long.
  base::Status feed(std::string_view chunk);
  /// Decodes what is left when the stream has ended. kUnavailable if it ended inside a frame.
  base::Status finish();

 private:
  base::Status decode(std::string_view line);

  const Asked asked_;
  const WatchSink& sink_;
  std::string partial_;  ///< A frame whose end has not arrived yet.
};

}  // namespace chartwright::kube
