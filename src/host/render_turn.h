// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stop_token>
#include <string>
#include <type_traits>

#include "base/memory_limit.h"
#include "host/render_gate.h"
#include "host/render_marks.h"
#include "host/render_memory.h"

namespace chartwright::host {

/// The resources that all renders of the process share.
struct RenderResources {
  RenderGate& gate;
  RenderMarks& marks;
  RenderMemory memory;
};

/// Runs the renders of one reconcile of one custom resource. Each waits for its turn, is marked
/// while it runs, and may hold no more memory than the share. The turn ends with the render: what
/// the reconcile keeps of it is charged to another account, by the bytes that are still in use, so
/// that no reconcile that waits for a server is in the way of renders. Counts the memory of the
/// thread that makes it, which must also use and destroy it.
class RenderTurn {
 public:
  RenderTurn(const RenderResources& resources, size_t share_bytes, const std::stop_token& stop)
      : resources_(resources), share_bytes_(share_bytes), stop_(stop) {}
  ~RenderTurn();
  RenderTurn(const RenderTurn&) = delete;
  RenderTurn& operator=(const RenderTurn&) = delete;

  /// Runs `work`, which returns a Result or a Status. Errors besides those of `work`: kBudget past
  /// the share, or because this render has killed the process before; kUnavailable if there was no
  /// memory to begin, or none to keep the result, for what others keep; kCancelled.
  template <typename Work>
  std::invoke_result_t<Work> run(const MarkKey& key, Work work) {
    CW_TRY(const RenderGate::Place place, begin(key));
    const uint64_t refusals = base::MemoryLimit::refusals();
    const size_t limit = std::min(share_bytes_, place.bytes - std::min(place.bytes, kStackBytes));
    auto result = [this, &place, &key, &work, limit] {
      const Visit visit(*this, place, key, meter_.held());
      return base::within_memory(limit, work);
    }();
    if (!result.ok() && base::MemoryLimit::refusals() != refusals) {
      return place.is_short ? too_short() : explain(std::move(result).error());
    }
    if (result.ok() && refused_bytes_ > 0) {
      return no_room();
    }
    return result;
  }

  /// Reports whether a render was refused because it has killed the process before.
  bool set_aside() const { return set_aside_; }

 private:
  static constexpr size_t kStackBytes = RenderMemory::kStackBytes;

  /// Calls `end` for a successful `begin`, even when an exception escapes.
  struct Visit {
    Visit(RenderTurn& of, const RenderGate::Place& at, const MarkKey& marked, size_t held)
        : turn(of), place(at), key(marked), held_before(held) {}
    ~Visit() { turn.end(*this); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    RenderTurn& turn;
    const RenderGate::Place& place;
    const MarkKey& key;
    const size_t held_before;  ///< Bytes in use, of renders and of everything else.
  };

  base::Result<RenderGate::Place> begin(const MarkKey& key);
  void end(const Visit& visit);
  base::Error no_room() const;
  base::Error too_short() const;
  std::string others() const;
  base::Error explain(base::Error error) const;

  const RenderResources& resources_;
  const size_t share_bytes_;
  const std::stop_token stop_;
  const base::MemoryLimit meter_{SIZE_MAX};  ///< Limits nothing; it counts.
  size_t kept_bytes_ = 0;                    ///< Bytes that are charged for results that are kept.
  size_t refused_bytes_ = 0;  ///< Bytes that the last render would have kept, had there been room.
  bool set_aside_ = false;
};

}  // namespace chartwright::host
