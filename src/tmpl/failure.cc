// SPDX-License-Identifier: Apache-2.0
#include "tmpl/failure.h"

#include <utility>

namespace chartwright::tmpl {

void Failure::add_frame(FailedFrame frame) {
  if (frames.size() < kFramesMax) {
    frames.push_back(std::move(frame));
    return;
  }
  frames.back() = std::move(frame);
  ++frames_left_out;
}

}  // namespace chartwright::tmpl
