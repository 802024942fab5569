// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/random_bytes.h"

namespace chartwright::helm::funcs {

base::Result<uint8_t> RandomBytes::next() {
  if (used_ == block_.size()) {
    CW_TRY_VOID(host_.random(block_));
    used_ = 0;
  }
  return block_[used_++];
}

base::Result<uint64_t> random_below(RandomBytes& bytes, uint64_t bound) {
  // 2^64 modulo bound. Smaller draws are repeated, since they would favour small numbers.
  const uint64_t unfair = (0 - bound) % bound;
  uint64_t draw = 0;
  do {
    draw = 0;
    for (int i = 0; i < 8; ++i) {
      CW_TRY(const uint8_t byte, bytes.next());
      draw = (draw << 8U) | byte;
    }
  } while (draw < unfair);
  return draw % bound;
}

}  // namespace chartwright::helm::funcs
