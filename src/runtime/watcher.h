// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <variant>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/object.h"
#include "runtime/backoff.h"
#include "value/value.h"

namespace chartwright::runtime {

/// An event of a watcher. All existing objects are reported between kInit and kInitDone.
struct WatchEvent {
  enum class Type : uint8_t {
    kInit,       ///< A complete list begins; discard an unfinished one.
    kInitApply,  ///< An object of that list.
    kInitDone,   ///< The list is complete; objects that are not in it no longer exist.
    kApply,      ///< An object was added or changed.
    kDelete,     ///< An object was deleted; `object` is its last state. May come inside a list.
    kProgress,   ///< Nothing changed up to `resource_version` (a bookmark).
  };
  Type type = Type::kInit;
  value::Value object;           ///< kInitApply, kApply, kDelete.
  std::string resource_version;  ///< kInitDone, kProgress: everything up to here has been seen.
};
using EventSink = std::function<void(WatchEvent event)>;

struct WatcherOptions {
  kube::Gvk gvk;
  kube::Selection selection;
  int64_t page_size = 500;
  /// The server ends each watch after a time drawn evenly from this range.
  base::Duration min_watch = std::chrono::minutes(5);
  base::Duration max_watch = std::chrono::minutes(10);
  /// A watch without a frame for this long is considered dead. Bookmarks arrive about every minute.
  base::Duration idle = std::chrono::seconds(150);
  StreamBackoffLimits backoff;
  uint32_t seed = 0;  ///< For jitter; 0 draws one.
};

/// Follows the objects of one kind: lists them (as a stream if the server supports that), then
/// watches, resumes after an ended or broken stream, and lists again when the resourceVersion to
/// resume from has expired. Lists always ask for the most recent state, so that the events never go
/// back in time. Runs until stopped. One thread runs it; `staleness` and `last_error` may be called
/// from any. Source: client-go tools/cache/reflector.go, kube-rs watcher.
class Watcher {
 public:
  /// References must outlive the watcher.
  Watcher(WatcherOptions options, kube::Client& client, base::Clock& clock,
          const base::Logger& log);

  /// Runs until `stop` is requested. Events go to `sink` on the calling thread.
  void run(std::stop_token stop, const EventSink& sink);
  /// Returns the time since the last sign of life (a watch that is accepted, a frame, a clean end,
  /// a completed list, a 404 or 403), or since the start. It stays below about a minute, the
  /// interval of bookmarks, on a healthy stream without events.
  base::Duration staleness() const;
  /// Returns the error of the last request; nullopt if it succeeded.
  std::optional<base::Error> last_error() const CW_EXCLUDES(error_mutex_);

 private:
  /// Nothing usable is known; everything must be listed.
  struct Empty {};
  /// A list has begun; `continue_token` is for its next page.
  struct Listing {
    std::string continue_token;
  };
  /// In sync as of `resource_version`; a watch continues from there.
  struct Watching {
    std::string resource_version;
  };
  using State = std::variant<Empty, Listing, Watching>;
  /// How far one watch stream has come.
  struct Progress;

  State contain(const State& state, const std::stop_token& stop, const EventSink& sink);
  State step(const State& state, const std::stop_token& stop, const EventSink& sink);
  State begin(const std::stop_token& stop, const EventSink& sink);
  State stream_list(const std::stop_token& stop, const EventSink& sink);
  State list_page(const Listing& state, const std::stop_token& stop, const EventSink& sink);
  State watch(const Watching& state, const std::stop_token& stop, const EventSink& sink);
  State after_failed_stream(const base::Status& end, const std::stop_token& stop);
  State after_watch(const base::Status& end, const Progress& progress, const std::stop_token& stop);
  State after_error(const base::Error& error, const Progress& progress,
                    const std::stop_token& stop);
  base::Status on_frame(kube::WatchFrame frame, Progress& progress, const EventSink& sink);
  base::Status on_bookmark(const value::Value& bookmark, Progress& progress, const EventSink& sink);
  kube::WatchOptions watch_options(std::string resource_version, Progress& progress);
  void back_off(const base::Error& error, const std::stop_token& stop);
  void note_success() CW_EXCLUDES(error_mutex_);
  void note_failure(const base::Error& error) CW_EXCLUDES(error_mutex_);

  const WatcherOptions options_;
  kube::Client& client_;
  base::Clock& clock_;
  base::Logger log_;
  StreamBackoff backoff_;
  StreamBackoff denied_backoff_;  ///< While the kind is not served, or a right is missing.
  std::minstd_rand random_;
  bool streams_lists_ = true;  ///< Whether the server streams lists; assumed until it refuses.
  int expiries_ = 0;           ///< 410 responses in a row, without a useful watch in between.
  int short_watches_ = 0;      ///< Watches in a row that ended at once without an event.
  /// Since when the server has only been filling its cache of the kind.
  std::optional<base::MonotonicTime> filling_since_;

  std::atomic<base::MonotonicTime> healthy_;
  mutable base::Mutex error_mutex_;
  std::optional<base::Error> last_error_ CW_GUARDED_BY(error_mutex_);
};

}  // namespace chartwright::runtime
