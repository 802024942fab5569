// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/status.h"
#include "kube/watch_frame.h"

namespace chartwright::kube {

/// Cuts a watch stream into its frames (one JSON document per line) and hands them on. Not
/// thread-safe.
class WatchDecoder {
 public:
  /// Longest frame; etcd stores nothing near it.
  static constexpr size_t kMaxFrameBytes = size_t{32} << 20;
  /// Both must outlive the decoder (`asked` is copied but for its verb).
  WatchDecoder(Asked asked, const WatchSink& sink);

  /// Takes the next bytes, cut anywhere. Errors: what the sink returns; an ERROR frame's own;
  /// kUnavailable for a frame that is no watch event; kBudget for one that is too long.
  base::Status feed(std::string_view chunk);
  /// The stream has ended. kUnavailable when it ended inside a frame.
  base::Status finish();

 private:
  base::Status decode(std::string_view line);

  const Asked asked_;
  const WatchSink& sink_;
  std::string partial_;  ///< The frame whose end has not arrived yet.
};

}  // namespace chartwright::kube
