// SPDX-License-Identifier: Apache-2.0
#include "runtime/watcher.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "runtime/pause.h"

namespace chartwright::runtime {
namespace {

using base::Error;
using base::ErrorCode;
using base::Status;
using value::Value;

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
/// A watch that ends sooner than this without an event was not useful.
constexpr base::Duration kShortWatch = std::chrono::seconds(1);
/// Some servers respond to an outdated resourceVersion with such watches instead of 410
/// (kubernetes/kubernetes#104171).
constexpr int kMaxShortWatches = 3;
constexpr base::Duration kListTimeout = std::chrono::seconds(60);

/// For errors that a person is about to remove: a CRD that is applied, or a role that is bound,
/// after the operator starts. Retries are cheap: all watchers share one discovery, and a refusal
/// needs no storage.
constexpr StreamBackoffLimits kDeniedLimits = {std::chrono::milliseconds(800),
                                               std::chrono::seconds(5), std::chrono::minutes(2)};

/// For a server that fills its own cache of a kind: how often it is asked, and how long without a
/// word. After that it is a server that is not well.
constexpr base::Duration kFillingPause = std::chrono::milliseconds(200);
constexpr base::Duration kFillingMax = std::chrono::seconds(5);

/// Reports whether the server only begins to serve the kind, as it does right after its CRD was
/// made, or when it has just started ("storage is (re)initializing"). A server that has too much to
/// do refuses a request without a Status, and so without a reason, or for longer.
bool is_filling(const Error& error) {
  return error.code() == ErrorCode::kTooManyRequests && error.reason() == "TooManyRequests" &&
         error.retry_after_s() <= 1;
}

bool needs_person(ErrorCode code) {
  return code == ErrorCode::kNotFound || code == ErrorCode::kForbidden ||
         code == ErrorCode::kUnauthorized;
}

/// Reports whether the server works, and refuses this watch. Without valid credentials it would
/// refuse every request, like a server that is down.
bool refuses_watch(ErrorCode code) {
  return needs_person(code) && code != ErrorCode::kUnauthorized;
}

uint32_t seed_or_random(uint32_t seed) { return seed != 0 ? seed : base::random_seed(); }

/// Reports whether the server (or a proxy in front of it) does not stream lists, as opposed to
/// being unreachable or busy. Source: client-go reflector, which falls back on all errors but 429
/// and refused connections.
bool refuses_streamed_list(const Error& error) {
  return error.code() == ErrorCode::kInvalid || error.code() == ErrorCode::kForbidden ||
         error.code() == ErrorCode::kTimeout || error.code() == ErrorCode::kInternal;
}

}  // namespace

struct Watcher::Progress {
  base::MonotonicTime started = {};
  /// Where the next watch continues; empty before the list's end.
  std::string resource_version = {};
  bool listed = false;    ///< All existing objects have been reported.
  bool accepted = false;  ///< The server has accepted the watch.
  int frames = 0;         ///< The number of frames since then.
};

Watcher::Watcher(WatcherOptions options, kube::Client& client, base::Clock& clock,
                 const base::Logger& log)
    : options_(std::move(options)),
      client_(client),
      clock_(clock),
      log_(log.with(
          {{"gvk", options_.gvk.to_string()}, {"watch_namespace", options_.selection.ns}})),
      backoff_(options_.backoff, seed_or_random(options_.seed)),
      denied_backoff_(kDeniedLimits, seed_or_random(options_.seed)),
      random_(seed_or_random(options_.seed)),
      healthy_(clock.monotonic()) {}

base::Duration Watcher::staleness() const { return clock_.monotonic() - healthy_.load(); }

std::optional<Error> Watcher::last_error() const {
  base::MutexLock lock(error_mutex_);
  return last_error_;
}

void Watcher::note_success() {
  filling_since_.reset();
  healthy_.store(clock_.monotonic());
  base::MutexLock lock(error_mutex_);
  last_error_.reset();
}

void Watcher::note_failure(const Error& error) {
  if (refuses_watch(error.code())) {
    healthy_.store(clock_.monotonic());
  }
  base::MutexLock lock(error_mutex_);
  last_error_ = error;
}

void Watcher::back_off(const Error& error, const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return;
  }
  if (is_filling(error)) {
    const base::MonotonicTime since = filling_since_.value_or(clock_.monotonic());
    filling_since_ = since;
    if (clock_.monotonic() - since < kFillingMax) {
      pause(clock_, kFillingPause, stop);
      return;
    }
  }
  note_failure(error);
  const base::Duration asked = std::chrono::seconds(error.retry_after_s());
  StreamBackoff& backoff = needs_person(error.code()) ? denied_backoff_ : backoff_;
  const base::Duration delay = std::max(backoff.next(clock_.monotonic()), asked);
  log_.warn("Watch failed", {{"error", error.to_string()},
                             {"code", base::to_string(error.code())},
                             {"retry_in_s", std::chrono::duration<double>(delay).count()}});
  pause(clock_, delay, stop);
}

void Watcher::run(std::stop_token stop, const EventSink& sink) {
  State state = Empty{};
  while (!stop.stop_requested()) {
    state = contain(state, stop, sink);
  }
}

/// Performs a step. A safety net, as in the controller: there may be no memory for an event, which
/// must not end the process. A new list makes up for the event.
Watcher::State Watcher::contain(const State& state, const std::stop_token& stop,
                                const EventSink& sink) {
  try {
    return step(state, stop, sink);
  } catch (const std::exception& e) {
    back_off(Error(ErrorCode::kInternal, std::string("unexpected exception: ") + e.what()), stop);
    return Empty{};
  }
}

/// Performs one request (or one pause) and returns the next state.
Watcher::State Watcher::step(const State& state, const std::stop_token& stop,
                             const EventSink& sink) {
  if (const auto* listing = std::get_if<Listing>(&state)) {
    return list_page(*listing, stop, sink);
  }
  if (const auto* watching = std::get_if<Watching>(&state)) {
    return watch(*watching, stop, sink);
  }
  return begin(stop, sink);
}

Watcher::State Watcher::begin(const std::stop_token& stop, const EventSink& sink) {
  sink(WatchEvent{WatchEvent::Type::kInit, {}, {}});
  return streams_lists_ ? stream_list(stop, sink) : State(Listing{});
}

kube::WatchOptions Watcher::watch_options(std::string resource_version, Progress& progress) {
  const auto seconds = [](base::Duration d) {
    return std::chrono::duration_cast<std::chrono::seconds>(d).count();
  };
  std::uniform_int_distribution<int64_t> lifetime(seconds(options_.min_watch),
                                                  seconds(options_.max_watch));
  kube::WatchOptions watch;
  watch.selection = options_.selection;
  watch.resource_version = std::move(resource_version);
  watch.timeout_s = lifetime(random_);
  watch.limits.idle = options_.idle;
  watch.on_accepted = [this, &progress] {
    progress.accepted = true;
    note_success();
  };
  return watch;
}

/// Lists and watches in one stream: existing objects, a bookmark that ends the list, then changes.
Watcher::State Watcher::stream_list(const std::stop_token& stop, const EventSink& sink) {
  Progress progress{.started = clock_.monotonic()};
  kube::WatchOptions options = watch_options({}, progress);
  options.send_initial_events = kube::SendInitialEvents::kYes;
  const Status end = client_.watch(options_.gvk, options, stop, [&](kube::WatchFrame frame) {
    return on_frame(std::move(frame), progress, sink);
  });
  return progress.listed ? after_watch(end, progress, stop) : after_failed_stream(end, stop);
}

/// Returns the state after a streamed list that ended before it was complete.
Watcher::State Watcher::after_failed_stream(const Status& end, const std::stop_token& stop) {
  if (end.ok() || refuses_streamed_list(end.error())) {
    // List by pages from now on. If the cause is a different one, the paged list reports it.
    streams_lists_ = false;
    log_.debug("The server does not stream lists");
    return Empty{};
  }
  back_off(end.error(), stop);
  return Empty{};
}

Watcher::State Watcher::list_page(const Listing& state, const std::stop_token& stop,
                                  const EventSink& sink) {
  kube::ListOptions options;
  options.selection = options_.selection;
  options.limit = options_.page_size;
  options.continue_token = state.continue_token;
  options.bytes_max = kube::kCacheListBytes;
  auto page = client_.list(options_.gvk, options, kube::Call{stop, kListTimeout});
  if (!page.ok()) {
    // An expired page token (410) means that the list took too long: start it again.
    back_off(page.error(), stop);
    return Empty{};
  }
  note_success();
  for (Value& item : page->items) {
    sink(WatchEvent{WatchEvent::Type::kInitApply, std::move(item), {}});
  }
  if (!page->continue_token.empty()) {
    return Listing{std::move(page->continue_token)};
  }
  sink(WatchEvent{WatchEvent::Type::kInitDone, {}, page->resource_version});
  return Watching{std::move(page->resource_version)};
}

Watcher::State Watcher::watch(const Watching& state, const std::stop_token& stop,
                              const EventSink& sink) {
  Progress progress{
      .started = clock_.monotonic(), .resource_version = state.resource_version, .listed = true};
  const Status end = client_.watch(
      options_.gvk, watch_options(state.resource_version, progress), stop,
      [&](kube::WatchFrame frame) { return on_frame(std::move(frame), progress, sink); });
  return after_watch(end, progress, stop);
}

Status Watcher::on_frame(kube::WatchFrame frame, Progress& progress, const EventSink& sink) {
  using Frame = kube::WatchFrame::Type;
  using Event = WatchEvent::Type;
  note_success();
  progress.frames += progress.listed ? 1 : 0;
  if (frame.type == Frame::kBookmark) {
    return on_bookmark(frame.object, progress, sink);
  }
  // The initial objects of a streamed list are not ordered by version, so the list's version is
  // known only at its end.
  if (progress.listed) {
    progress.resource_version = kube::resource_version_of(frame.object);
  }
  Event type = progress.listed ? Event::kApply : Event::kInitApply;
  if (frame.type == Frame::kDeleted) {
    type = Event::kDelete;
  }
  sink(WatchEvent{type, std::move(frame.object), {}});
  return {};
}

Status Watcher::on_bookmark(const Value& bookmark, Progress& progress, const EventSink& sink) {
  std::string version(kube::resource_version_of(bookmark));
  if (version.empty()) {
    return {};
  }
  if (progress.listed) {
    progress.resource_version = version;
    sink(WatchEvent{WatchEvent::Type::kProgress, {}, std::move(version)});
    return {};
  }
  if (kube::annotation_of(bookmark, kInitialEventsEnd) == "true") {
    progress.listed = true;
    progress.resource_version = version;
    sink(WatchEvent{WatchEvent::Type::kInitDone, {}, std::move(version)});
    return {};
  }
  // Bookmarks keep the stream from looking dead, but a list that does not end is never usable.
  if (clock_.monotonic() - progress.started >= options_.idle) {
    return Error(ErrorCode::kTimeout, "the streamed list does not end");
  }
  return {};
}

/// Returns the state after a watch that continued from a known version.
Watcher::State Watcher::after_watch(const Status& end, const Progress& progress,
                                    const std::stop_token& stop) {
  const bool was_short =
      progress.frames == 0 && clock_.monotonic() - progress.started < kShortWatch;
  if (!end.ok()) {
    return after_error(end.error(), progress, stop);
  }
  if (!was_short) {
    note_success();
    short_watches_ = 0;
    expiries_ = 0;
    return Watching{progress.resource_version};
  }
  back_off(Error(ErrorCode::kUnavailable, "the watch ended at once"), stop);
  if (++short_watches_ < kMaxShortWatches) {
    return Watching{progress.resource_version};
  }
  short_watches_ = 0;
  return Empty{};
}

Watcher::State Watcher::after_error(const Error& error, const Progress& progress,
                                    const std::stop_token& stop) {
  const bool was_useful =
      progress.frames > 0 || clock_.monotonic() - progress.started >= kShortWatch;
  if (was_useful) {
    expiries_ = 0;
  }
  switch (error.code()) {
    case ErrorCode::kExpired:
      // The server responds, but no longer has our version (after a restart or a compaction). Our
      // copy is stale, so list at once. Back off only if that expires again.
      if (++expiries_ > 1) {
        back_off(error, stop);
      } else {
        log_.debug("The watch expired");
      }
      return Empty{};
    case ErrorCode::kTimeout:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kCancelled:
      // Continue from the same version, as a rule; nothing is lost. A dead watch is replaced at
      // once.
      if (error.code() == ErrorCode::kTimeout && was_useful) {
        note_failure(error);
        log_.warn("Watch was silent", {{"error", error.to_string()}});
      } else {
        back_off(error, stop);
      }
      if (error.code() == ErrorCode::kTimeout && progress.accepted) {
        // It may wait for a version that is far off: that of a storage that was restored since.
        return Empty{};
      }
      return Watching{progress.resource_version};
    default:
      back_off(error, stop);
      return Empty{};
  }
}

}  // namespace chartwright::runtime
