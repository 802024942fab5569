// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "kube/client.h"

namespace chartwright::op {

/// How Kubernetes sorts Events.
enum class NoticeType : uint8_t { kNormal, kWarning };

/// News of a custom resource, as `kubectl describe` lists it.
struct Notice {
  kube::ObjectRef about;
  std::string uid;
  std::string resource_version;
  std::string component;  ///< The source: "<lower kind>-controller".
  NoticeType type = NoticeType::kWarning;
  std::string reason;
  std::string message;  ///< Cut after 1024 bytes.

  /// Orders notices by all but the object's version: equal ones are of the same series.
  bool operator<(const Notice& other) const;
};

/// Takes the notices of reconciles. Thread-safe.
class NoticeSink {
 public:
  virtual ~NoticeSink() = default;
  /// Never blocks, never fails.
  virtual void tell(Notice notice) = 0;
};

/// Writes notices as core v1 Events, on a thread of its own. A repeated notice raises the count
/// of its Event. As with client-go, a custom resource gets 25 Events at once and then one every
/// five minutes. A notice that cannot be written is dropped, and the first one for each kind of
/// error is logged: an Event is news, not state.
/// Source: kubernetes/client-go tools/record events_cache.go.
class EventRecorder final : public NoticeSink {
 public:
  /// `waiting` shows how many notices are not yet written. The references must outlive the
  /// recorder.
  EventRecorder(kube::Client& client, base::Clock& clock, base::Gauge& waiting, base::Logger log);
  /// Stops as stop() does.
  ~EventRecorder() override;

  void tell(Notice notice) override CW_EXCLUDES(mutex_);
  /// Writes the notices that are waiting, then ends; `cut_short` ends it at once.
  void stop(std::stop_token cut_short = {}) CW_EXCLUDES(mutex_);

 private:
  /// The Event of a series of equal notices.
  struct Series {
    kube::ObjectRef event;
    int64_t count = 1;
  };
  /// The Events that a custom resource may still get.
  struct Allowance {
    double left = 0;
    base::MonotonicTime as_of;
  };

  void run();
  std::optional<Notice> next() CW_EXCLUDES(mutex_);
  void drop_first() CW_EXCLUDES(mutex_);
  void log_once(std::string_view message, const Notice& notice, const base::Error& error);
  bool allow(const std::string& uid);
  void write(const Notice& notice);
  base::Status raise(Series& series);
  base::Result<kube::ObjectRef> create(const Notice& notice);

  kube::Client& client_;
  base::Clock& clock_;
  base::Gauge& waiting_gauge_;
  const base::Logger log_;
  std::stop_source cut_short_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::deque<Notice> waiting_ CW_GUARDED_BY(mutex_);  ///< The first one is being written.
  bool stopping_ CW_GUARDED_BY(mutex_) = false;
  // Used by the thread only.
  std::map<Notice, Series> series_;
  std::map<std::string, Allowance> allowances_;
  std::set<base::ErrorCode> logged_;
  int64_t last_stamp_ = 0;  ///< In the name of the last Event; no two names have the same one.
  base::Thread thread_;
};

}  // namespace chartwright::op
