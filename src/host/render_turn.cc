// SPDX-License-Identifier: Apache-2.0
#include "host/render_turn.h"

#include <utility>

#include "base/release_memory.h"

namespace chartwright::host {
namespace {

using base::Error;
using base::ErrorCode;

// The memory that a reconcile may hold without keeping its turn: enough for the objects of most
// releases. RenderMemory reserves it for each worker.
constexpr size_t kKeptFreely = RenderMemory::kLeftBytes;

Error set_aside_error() {
  return Error(ErrorCode::kBudget,
               "the operator was killed twice while it rendered this custom resource, the second "
               "time with no other render beside it; it is not rendered again until its spec or "
               "chart changes, or the annotation chartwright.io/reconcile-requested-at");
}

}  // namespace

RenderTurn::~RenderTurn() {
  if (taken_ > 0) {
    resources_.gate.leave(taken_);
  }
}

base::Status RenderTurn::begin(const MarkKey& key) {
  const Verdict verdict = resources_.marks.verdict(key);
  if (verdict == Verdict::kGuilty) {
    set_aside_ = true;
    return set_aside_error();
  }
  const size_t wanted = verdict == Verdict::kSuspect ? resources_.gate.bytes()
                                                     : share_bytes_ + RenderMemory::kStackBytes;
  if (taken_ < std::min(wanted, resources_.gate.bytes())) {
    resources_.gate.leave(std::exchange(taken_, 0));  // Holds nothing while it waits.
    CW_TRY(taken_, resources_.gate.enter(wanted, stop_));
  }
  resources_.marks.set(key);
  return {};
}

void RenderTurn::end(const MarkKey& key, size_t kept_bytes) {
  base::release_unused_stack();
  resources_.marks.clear(key);
  kept_bytes_ = std::min(share_bytes_, kept_bytes_ + kept_bytes);
  if (kept_bytes_ <= kKeptFreely) {
    resources_.gate.leave(std::exchange(taken_, 0));
  }
}

// The error's message is about the chart; the help explains why the limit has this value.
Error RenderTurn::explain(Error error) const {
  if (error.code() != ErrorCode::kBudget && error.code() != ErrorCode::kTemplate) {
    return error;
  }
  std::string help = error.help();
  help += help.empty() ? "" : "\n";
  help += resources_.memory.explanation(share_bytes_);
  return std::move(error).with_help(std::move(help));
}

}  // namespace chartwright::host
