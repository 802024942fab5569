// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <stop_token>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "host/render_memory.h"

namespace chartwright::host {

/// The reason of an error about memory that other renders, or what is kept of them, have now.
inline constexpr std::string_view kNoRoom = "NoRoomToRender";

/// Admits renders as memory for them becomes free, and keeps the account of the memory that
/// reconciles keep of their results. A render is over soon: it waits for no server, but in a
/// `lookup`. Results may stay for as long as a server takes, so they never close the gate: beside
/// all of them, there is room for a render. Thread-safe.
class RenderGate {
 public:
  /// `clock` must outlive the gate. `patience` is the longest wait.
  RenderGate(const RenderMemory& memory, base::Clock& clock, base::Duration patience = kPatience);

  /// Whether other renders may run at the same time.
  enum class Company : uint8_t { kOthers, kAlone };
  /// The memory that a render needs, and what its reconcile keeps of earlier ones.
  struct Ask {
    size_t bytes = 0;  ///< For more than there is, all is taken.
    size_t kept_bytes = 0;
    Company company = Company::kOthers;
  };
  /// The memory that a render got.
  struct Place {
    size_t bytes = 0;       ///< The memory that the render may use.
    size_t taken = 0;       ///< To be given back with `leave`.
    bool is_short = false;  ///< It got less than it asked for, for what others keep.
  };
  /// Waits until a render may begin, in the order in which they ask. It waits for other renders to
  /// end; where others keep so much that it could not have all even then, it gets what is left, if
  /// that is half of what it needs. If it is not, the next one is let in meanwhile. Errors:
  /// kCancelled once `stop` is requested, kUnavailable with the reason kNoRoom once the patience is
  /// over.
  base::Result<Place> enter(const Ask& ask, const std::stop_token& stop) CW_EXCLUDES(mutex_);
  /// The bytes that a reconcile keeps.
  struct Kept {
    size_t before = 0;
    size_t now = 0;
  };
  /// Ends a render, and charges what its reconcile keeps of it. Returns false, and charges no more
  /// than before, if there is no room for that beside what others keep.
  bool leave(const Place& place, const Kept& kept) CW_EXCLUDES(mutex_);
  /// Notes that a reconcile has dropped a part of what it keeps.
  void drop(const Kept& kept) CW_EXCLUDES(mutex_);

  /// Notes what the process uses for everything but renders and their results. Beyond what the plan
  /// reserves, it is taken from renders, but for the place of one.
  void note_base(size_t base_bytes) CW_EXCLUDES(mutex_);
  /// Returns what was noted last; 0 at first.
  size_t base_bytes() const CW_EXCLUDES(mutex_);

  size_t bytes() const { return bytes_; }  ///< For all renders together.
  /// Returns how many bytes the running renders have taken.
  size_t taken() const CW_EXCLUDES(mutex_);
  /// Returns how many bytes are kept by reconciles.
  size_t kept() const CW_EXCLUDES(mutex_);
  /// Returns how many callers are waiting.
  size_t waiting() const CW_EXCLUDES(mutex_);

  static constexpr base::Duration kPatience = std::chrono::minutes(1);

 private:
  struct Waiter {
    size_t bytes = 0;
    size_t least_bytes = 0;
    Company company = Company::kOthers;
  };
  void measure_base() CW_EXCLUDES(mutex_);
  size_t all_bytes() const CW_REQUIRES(mutex_);
  size_t offer(const Waiter& waiter) const CW_REQUIRES(mutex_);
  bool is_held_up(const Waiter& waiter) const CW_REQUIRES(mutex_);
  bool is_next(std::list<Waiter>::const_iterator waiter) const CW_REQUIRES(mutex_);
  bool may_enter(std::list<Waiter>::const_iterator waiter) const CW_REQUIRES(mutex_);
  bool has_room_for(const Kept& kept) const CW_REQUIRES(mutex_);
  void charge(const Kept& kept) CW_REQUIRES(mutex_);
  base::Error impatient(const Waiter& waiter) const CW_REQUIRES(mutex_);

  const size_t bytes_;
  const size_t one_bytes_;   ///< For the place of one render.
  const size_t plan_bytes_;  ///< For renders and what is kept, by the plan.
  const size_t usable_bytes_;
  base::Clock& clock_;
  const base::Duration patience_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  size_t taken_ CW_GUARDED_BY(mutex_) = 0;
  size_t kept_ CW_GUARDED_BY(mutex_) = 0;
  size_t large_ CW_GUARDED_BY(mutex_) = 0;  ///< The part beyond RenderMemory::kLeftBytes each.
  size_t base_ CW_GUARDED_BY(mutex_) = 0;
  base::MonotonicTime base_due_ CW_GUARDED_BY(mutex_);  ///< When base_ is measured again.
  std::list<Waiter> queue_ CW_GUARDED_BY(mutex_);       ///< Oldest first.
};

}  // namespace chartwright::host
