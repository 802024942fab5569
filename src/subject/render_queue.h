// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "host/render_turn.h"
#include "subject/subject.h"

namespace chartwright::op {

/// Runs the renders of one reconcile: each waits for its turn, within the memory that it may use,
/// and is marked on disk by the inputs it renders. For one thread.
class RenderQueue {
 public:
  /// Both must outlive it. `inputs` are read when a render begins.
  RenderQueue(const Subject& subject, const Inputs& inputs);

  /// Runs `work`, which returns a Result or a Status. Errors: those of `work` and of
  /// host::RenderTurn.
  template <typename Work>
  std::invoke_result_t<Work> run(host::Source source, Work work) {
    return turn_.run(mark_of(source), std::move(work));
  }
  /// Reports whether a render was refused because it has ended the process before.
  bool set_aside() const { return turn_.set_aside(); }

 private:
  host::MarkKey mark_of(host::Source source) const;

  const Subject& subject_;
  const Inputs& inputs_;
  const size_t memory_;  ///< Bytes that one render may hold.
  host::RenderTurn turn_;
};

}  // namespace chartwright::op
