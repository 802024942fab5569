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
/// while it runs, and may hold no more memory than the share. Memory that earlier renders of the
/// reconcile still hold is charged to the same share; a reconcile that holds much keeps its turn
/// until it ends. Not thread-safe.
class RenderTurn {
 public:
  RenderTurn(const RenderResources& resources, size_t share_bytes, const std::stop_token& stop)
      : resources_(resources), share_bytes_(share_bytes), stop_(stop) {}
  ~RenderTurn();
  RenderTurn(const RenderTurn&) = delete;
  RenderTurn& operator=(const RenderTurn&) = delete;

  /// Runs `work`, which returns a Result or a Status. Errors besides those of `work`: kBudget past
  /// the share, or because this render has killed the process before; kCancelled.
  template <typename Work>
  std::invoke_result_t<Work> run(const MarkKey& key, Work work) {
    CW_TRY_VOID(begin(key));
    const uint64_t refusals = base::MemoryLimit::refusals();
    Visit visit(*this, key);
    auto result = [this, &visit, &work] {
      const base::MemoryLimit counted(SIZE_MAX);
      auto made = base::within_memory(share_bytes_ - kept_bytes_, work);
      visit.kept_bytes = counted.held();
      return made;
    }();
    if (!result.ok() && base::MemoryLimit::refusals() != refusals) {
      return explain(std::move(result).error());
    }
    return result;
  }

  /// Reports whether a render was refused because it has killed the process before.
  bool set_aside() const { return set_aside_; }

 private:
  /// Calls `end` for a successful `begin`, even when an exception escapes.
  struct Visit {
    Visit(RenderTurn& of, const MarkKey& marked) : turn(of), key(marked) {}
    ~Visit() { turn.end(key, kept_bytes); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    RenderTurn& turn;
    const MarkKey& key;
    size_t kept_bytes = 0;
  };

  base::Status begin(const MarkKey& key);
  void end(const MarkKey& key, size_t kept_bytes);
  base::Error explain(base::Error error) const;

  const RenderResources& resources_;
  const size_t share_bytes_;
  const std::stop_token stop_;
  size_t taken_ = 0;       ///< Bytes taken from the gate; 0 while it is not our turn.
  size_t kept_bytes_ = 0;  ///< Bytes that earlier renders still hold.
  bool set_aside_ = false;
};

}  // namespace chartwright::host
