// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <stop_token>
#include <string>
#include <variant>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object.h"
#include "runtime/backoff.h"
#include "value/value.h"

namespace chartwright::runtime {

/// What a watcher tells about its objects. Between kInit and kInitDone come all that exist.
struct WatchEvent {
  enum class Type : uint8_t {
    kInit,       ///< A complete list begins; forget an unfinished one.
    kInitApply,  ///< An object of that list.
    kInitDone,   ///< The list is complete; what it did not name is gone.
    kApply,      ///< An object was added or changed.
    kDelete,     ///< An object was deleted; `object` is its last state.
    kProgress,   ///< Nothing changed up to `resource_version` (a bookmark).
  };
  Type type = Type::kInit;
  value::Value object;           ///< kInitApply, kApply, kDelete.
  std::string resource_version;  ///< kInitDone, kProgress: seen up to here.
};
using EventSink = std::function<void(WatchEvent event)>;

struct WatcherOptions {
  kube::Gvk gvk;
  kube::Selection selection;
  int64_t page_size = 500;
  /// A watch is ended by the server after a time drawn evenly from this range.
  base::Duration min_watch = std::chrono::minutes(5);
  base::Duration max_watch = std::chrono::minutes(10);
  /// A watch with no frame (bookmarks come about every minute) for this long is taken for dead.
  base::Duration idle = std::chrono::seconds(150);
  StreamBackoffLimits backoff;
  uint32_t seed = 0;  ///< For jitter; 0 draws one.
};

/// Follows the objects of one kind: lists them (as a stream where the server offers that), then
/// watches, resumes after an ended or cut stream, and lists again when the server has forgotten
/// where we were. Never gives up but when stopped. One thread runs it; `has_failed` may be read
/// from any. Source: client-go tools/cache/reflector.go, kube-rs watcher.
class Watcher {
 public:
  /// References must outlive the watcher.
  Watcher(WatcherOptions options, kube::Client& client, base::Clock& clock, base::Logger log);

  /// Runs until `stop`; events go to `sink` on this thread.
  void run(std::stop_token stop, const EventSink& sink);
  /// Time since the stream was last known healthy (a frame, a clean end, a completed list), or
  /// since the start: what tells a stale cache from a quiet one.
  base::Duration staleness() const;

 private:
  /// Nothing known: a full list is needed. `resource_version` is how fresh it must be.
  struct Empty {
    std::string resource_version;
  };
  /// Paging through a list.
  struct Listing {
    std::string resource_version;
    std::string continue_token;
  };
  /// In sync as of `resource_version`; a watch continues from there.
  struct Watching {
    std::string resource_version;
  };
  using State = std::variant<Empty, Listing, Watching>;
  struct StreamProgress;

  /// Performs one request and returns the state after it.
  State step(State state, std::stop_token stop, const EventSink& sink);
  State begin(const Empty& state, std::stop_token stop, const EventSink& sink);
  State stream_list(const Empty& state, std::stop_token stop, const EventSink& sink);
  State list_page(const Listing& state, std::stop_token stop, const EventSink& sink);
  State watch(const Watching& state, std::stop_token stop, const EventSink& sink);
  State after_list_error(const base::Error& error, const std::string& resource_version,
                         std::stop_token stop);
  State after_watch_end(const base::Status& end, const StreamProgress& progress,
                        std::stop_token stop);
  kube::WatchOptions watch_options(const std::string& resource_version);
  void pause(base::Duration duration, std::stop_token stop);
  void touch();

  const WatcherOptions options_;
  kube::Client& client_;
  base::Clock& clock_;
  base::Logger log_;
  StreamBackoff backoff_;
  std::minstd_rand random_;
  bool streams_lists_ = true;        ///< Until the server refuses to stream one.
  std::string last_version_;         ///< Newest resourceVersion seen, for the next list.
  std::atomic<int64_t> healthy_ns_;  ///< Monotonic time of the last sign of health.
};

}  // namespace chartwright::runtime
