// SPDX-License-Identifier: Apache-2.0
#include "subject/render_queue.h"

#include "base/digest.h"

namespace chartwright::op {

RenderQueue::RenderQueue(const Subject& subject, const Inputs& inputs)
    : subject_(subject),
      inputs_(inputs),
      memory_(subject.watch.render_memory.value_or(subject.services.render_resources.memory.bytes)),
      turn_(subject.services.render_resources, memory_, subject.context.stop) {}

// Lookups do not count: after a restart they are not known, and the same render must have the same
// mark then.
host::MarkKey RenderQueue::mark_of(host::Source source) const {
  constexpr size_t kDigits = 32;
  std::string text =
      inputs_.spec_key + retry_requests(subject_.cr) + " " CW_VERSION " " + std::to_string(memory_);
  if (pin_holds(subject_, inputs_)) {
    text += " revision " + std::to_string(subject_.progress.pinned_revision());
  }
  return {subject_.owner.ref(), subject_.owner.uid, source,
          base::sha256_hex(text).substr(0, kDigits)};
}

}  // namespace chartwright::op
