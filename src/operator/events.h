// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "kube/client.h"

namespace chartwright::op {

/// A warning about a custom resource, as `kubectl describe` lists it.
struct Warning {
  kube::ObjectRef about;
  std::string uid;
  std::string resource_version;
  std::string component;  ///< The source: "<lower kind>-controller".
  std::string reason;
  std::string message;  ///< Cut after 1024 bytes.

  /// Orders warnings by all but the object's version: equal ones are of the same series.
  bool operator<(const Warning& other) const;
};

/// Takes the warnings of reconciles. Thread-safe.
class WarningSink {
 public:
  virtual ~WarningSink() = default;
  /// Never blocks, never fails.
  virtual void warn(Warning warning) = 0;
};

/// Writes warnings as core v1 Events, on a thread of its own. A repeated warning raises the count
/// of its Event. As with client-go, a custom resource gets 25 Events at once and then one every
/// five minutes. A warning that cannot be written is logged and dropped: an Event is news, not
/// state.
/// Source: kubernetes/client-go tools/record events_cache.go.
class EventRecorder final : public WarningSink {
 public:
  /// The references must outlive the recorder.
  EventRecorder(kube::Client& client, base::Clock& clock, base::Logger log);
  /// Stops as stop() does.
  ~EventRecorder() override;

  void warn(Warning warning) override CW_EXCLUDES(mutex_);
  /// Writes the warnings that are waiting, then ends; `cut_short` ends it at once.
  void stop(std::stop_token cut_short = {}) CW_EXCLUDES(mutex_);

 private:
  /// The Event of a series of equal warnings.
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
  std::optional<Warning> next() CW_EXCLUDES(mutex_);
  bool allow(const std::string& uid);
  void write(const Warning& warning);
  base::Status raise(Series& series);
  base::Result<kube::ObjectRef> create(const Warning& warning);

  kube::Client& client_;
  base::Clock& clock_;
  const base::Logger log_;
  std::stop_source cut_short_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::deque<Warning> waiting_ CW_GUARDED_BY(mutex_);
  bool stopping_ CW_GUARDED_BY(mutex_) = false;
  // Used by the thread only.
  std::map<Warning, Series> series_;
  std::map<std::string, Allowance> allowances_;
  int64_t last_stamp_ = 0;  ///< In the name of the last Event; no two names have the same one.
  base::Thread thread_;
};

}  // namespace chartwright::op
