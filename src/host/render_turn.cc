// SPDX-License-Identifier: Apache-2.0
#include "host/render_turn.h"

#include <utility>

#include "base/release_memory.h"

namespace chartwright::host {
namespace {

using base::Error;
using base::ErrorCode;

Error set_aside_error() {
  return Error(ErrorCode::kBudget,
               "the operator was killed twice while it rendered this custom resource, the second "
               "time with no other render beside it; it is not rendered again until its spec or "
               "chart changes, or the annotation chartwright.io/reconcile-requested-at");
}

}  // namespace

RenderTurn::~RenderTurn() { resources_.gate.drop({kept_bytes_, 0}); }

// A result that was dropped since the last render is no longer charged.
base::Result<RenderGate::Place> RenderTurn::begin(const MarkKey& key) {
  const Permit permit = resources_.marks.permit(key);
  if (permit == Permit::kRefused) {
    set_aside_ = true;
    return set_aside_error();
  }
  if (const size_t held = meter_.held(); held < kept_bytes_) {
    resources_.gate.drop({std::exchange(kept_bytes_, held), held});
  }
  const auto company =
      permit == Permit::kAlone ? RenderGate::Company::kAlone : RenderGate::Company::kOthers;
  CW_TRY(const RenderGate::Place place,
         resources_.gate.enter({share_bytes_ + kStackBytes, kept_bytes_, company}, stop_));
  resources_.marks.set(key);
  return place;
}

// Charges the results of all renders so far that are still in use.
void RenderTurn::end(const Visit& visit) {
  base::release_unused_stack();
  resources_.marks.clear(visit.key);
  const size_t held = meter_.held();
  const size_t results = kept_bytes_ + held - std::min(held, visit.held_before);
  const size_t in_use = std::min(held, results);
  const size_t kept = std::min(in_use, share_bytes_);
  const bool has_room = resources_.gate.leave(visit.place, {kept_bytes_, kept});
  refused_bytes_ = has_room && in_use <= share_bytes_ ? 0 : in_use;
  kept_bytes_ = has_room ? kept : kept_bytes_;
}

Error RenderTurn::no_room() const {
  if (refused_bytes_ > share_bytes_) {
    return explain(Error(ErrorCode::kBudget, "the results of several renders have more than " +
                                                 std::to_string(share_bytes_) +
                                                 " bytes of memory"));
  }
  return Error(ErrorCode::kUnavailable, "there is no memory to keep what was rendered (" +
                                            memory_text(refused_bytes_) + ")" + others())
      .with_http(0, std::string(kNoRoom));
}

Error RenderTurn::too_short() const {
  return Error(ErrorCode::kUnavailable, "the render needs more memory than there is now" + others())
      .with_http(0, std::string(kNoRoom));
}

std::string RenderTurn::others() const {
  return ": reconciles that wait for servers keep " + memory_text(resources_.gate.kept());
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
