// SPDX-License-Identifier: Apache-2.0
#include "host/render_gate.h"

#include <algorithm>
#include <string>

#include "base/machine_memory.h"
#include "base/mutex.h"

namespace chartwright::host {

using base::Error;
using base::ErrorCode;

namespace {

// To measure takes as long as a part of a small render.
constexpr base::Duration kBasePause = std::chrono::seconds(1);

// The part of what a reconcile keeps for which there may be no room.
size_t beyond_free(size_t kept_bytes) {
  return kept_bytes - std::min(kept_bytes, RenderMemory::kLeftBytes);
}

}  // namespace

RenderGate::RenderGate(const RenderMemory& memory, base::Clock& clock, base::Duration patience)
    : bytes_(memory.gate_bytes()),
      one_bytes_(memory.one_render_bytes()),
      plan_bytes_(memory.gate_bytes() + memory.left_bytes),
      usable_bytes_(memory.usable_bytes),
      clock_(clock),
      patience_(patience) {}

// Returns the bytes for renders and for what is kept. The plan may ask for more than the process
// may use, if somebody chose the size of a render.
size_t RenderGate::all_bytes() const {
  if (base_ == 0) {
    return plan_bytes_;
  }
  const size_t others = base_ + RenderMemory::page_bytes(usable_bytes_);
  const size_t rest = usable_bytes_ - std::min(usable_bytes_, others);
  return std::clamp(rest, std::min(one_bytes_, plan_bytes_), plan_bytes_);
}

// Returns what a render gets once no other runs.
size_t RenderGate::offer(const Waiter& waiter) const {
  return std::min(waiter.bytes, all_bytes() - std::min(kept_, all_bytes()));
}

// Reports whether it would have no room even then.
bool RenderGate::is_held_up(const Waiter& waiter) const {
  return offer(waiter) < waiter.least_bytes;
}

// Reports whether those who asked earlier can all not be helped by waiting for them.
bool RenderGate::is_next(std::list<Waiter>::const_iterator waiter) const {
  for (auto earlier = queue_.begin(); earlier != waiter; ++earlier) {
    if (!is_held_up(*earlier)) {
      return false;
    }
  }
  return true;
}

bool RenderGate::may_enter(std::list<Waiter>::const_iterator waiter) const {
  const size_t bytes = offer(*waiter);
  const size_t taken = waiter->company == Company::kAlone ? bytes_ : bytes;
  return !is_held_up(*waiter) && taken <= bytes_ - taken_ &&
         kept_ + taken_ + bytes <= all_bytes() && is_next(waiter);
}

Error RenderGate::impatient(const Waiter& waiter) const {
  return Error(ErrorCode::kUnavailable,
               "waited " + base::format_go_duration(patience_) + " for " +
                   memory_text(waiter.bytes) + " of memory to render: of " +
                   memory_text(all_bytes()) + ", running renders have " + memory_text(taken_) +
                   ", and reconciles that wait for servers keep " + memory_text(kept_))
      .with_http(0, std::string(kNoRoom));
}

// While no render runs, everything that is not kept is the base.
void RenderGate::measure_base() {
  const base::MonotonicTime now = clock_.monotonic();
  size_t kept = 0;
  {
    base::MutexLock lock(mutex_);
    if (taken_ > 0 || now < base_due_) {
      return;
    }
    base_due_ = base::after(now, kBasePause);
    kept = kept_;
  }
  if (const auto allocated = base::allocated_memory()) {
    note_base(*allocated - std::min(*allocated, kept));
  }
}

base::Result<RenderGate::Place> RenderGate::enter(const Ask& ask, const std::stop_token& stop) {
  measure_base();
  const base::WakeOnStop wake(stop, mutex_, changed_);
  // The memory that its own reconcile keeps does not become free while it waits.
  Waiter wanted;
  wanted.bytes = std::min({ask.bytes, bytes_, plan_bytes_ - std::min(ask.kept_bytes, plan_bytes_)});
  wanted.least_bytes = std::min(wanted.bytes, (wanted.bytes + RenderMemory::kStackBytes) / 2);
  wanted.company = ask.company;
  const base::MonotonicTime deadline = base::after(clock_.monotonic(), patience_);
  base::MutexLock lock(mutex_);
  const auto waiter = queue_.insert(queue_.end(), wanted);
  while (!may_enter(waiter) && !stop.stop_requested() && clock_.monotonic() < deadline) {
    clock_.wait_until(changed_, mutex_, deadline);
  }
  const bool entered = may_enter(waiter);
  const size_t bytes = offer(*waiter);
  queue_.erase(waiter);
  if (!queue_.empty()) {
    changed_.notify_all();  // Another caller is first now.
  }
  if (entered) {
    const Place place{bytes, ask.company == Company::kAlone ? bytes_ : bytes, bytes < wanted.bytes};
    taken_ += place.taken;
    return place;
  }
  return stop.stop_requested() ? Error(ErrorCode::kCancelled, "stopped while waiting to render")
                               : impatient(wanted);
}

bool RenderGate::leave(const Place& place, const Kept& kept) {
  base::MutexLock lock(mutex_);
  taken_ -= place.taken;
  const bool has_room = has_room_for(kept);
  if (has_room) {
    charge(kept);
  }
  if (!queue_.empty()) {
    changed_.notify_all();
  }
  return has_room;
}

void RenderGate::drop(const Kept& kept) {
  base::MutexLock lock(mutex_);
  charge(kept);
  if (!queue_.empty()) {
    changed_.notify_all();
  }
}

// The only reconcile that keeps much may always go on.
bool RenderGate::has_room_for(const Kept& kept) const {
  const size_t of_others = large_ - beyond_free(kept.before);
  // All may be less than the plan has, but never less than one render needs.
  const size_t large_max = std::min(all_bytes(), bytes_) - std::min(all_bytes(), one_bytes_);
  return kept.now <= kept.before || of_others == 0 ||
         of_others + beyond_free(kept.now) <= large_max;
}

void RenderGate::charge(const Kept& kept) {
  large_ = large_ - beyond_free(kept.before) + beyond_free(kept.now);
  kept_ = kept_ - kept.before + kept.now;
}

void RenderGate::note_base(size_t base_bytes) {
  base::MutexLock lock(mutex_);
  base_ = base_bytes;
  if (!queue_.empty()) {
    changed_.notify_all();
  }
}

size_t RenderGate::base_bytes() const {
  base::MutexLock lock(mutex_);
  return base_;
}

size_t RenderGate::taken() const {
  base::MutexLock lock(mutex_);
  return taken_;
}

size_t RenderGate::kept() const {
  base::MutexLock lock(mutex_);
  return kept_;
}

size_t RenderGate::waiting() const {
  base::MutexLock lock(mutex_);
  return queue_.size();
}

}  // namespace chartwright::host
