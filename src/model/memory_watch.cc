// SPDX-License-Identifier: Apache-2.0
//
// The watches of MemoryServer.

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/strings.h"
#include "model/fields.h"
#include "model/memory_server.h"

namespace chartwright::model {

using base::Error;
using base::ErrorCode;
using value::Value;

void MemoryServer::refuse_watches(const std::string& kind, Error error) {
  base::MutexLock lock(mutex_);
  refused_watches_.emplace(kind, std::move(error));
}

void MemoryServer::hold_watches(bool held) {
  base::MutexLock lock(mutex_);
  watches_held_ = held;
  kinds_held_.clear();
  changed_.notify_all();
}

void MemoryServer::cut_watches_of(const kube::GroupKind& kind) {
  base::MutexLock lock(mutex_);
  for (Reader& reader : readers_) {
    reader.is_cut = reader.is_cut || reader.kind == kind;
  }
  changed_.notify_all();
}

void MemoryServer::settle() {
  base::MutexLock lock(mutex_);
  await_readers();
}

void MemoryServer::await_readers() {
  base::SystemClock clock;
  const base::MonotonicTime give_up = clock.monotonic() + std::chrono::seconds(10);
  auto behind = [this]() CW_REQUIRES(mutex_) {
    return !watches_held_ && std::any_of(readers_.begin(), readers_.end(),
                                         [this](const Reader& reader) CW_REQUIRES(mutex_) {
                                           return reader.told < journal_.size() &&
                                                  !kinds_held_.contains(reader.kind);
                                         });
  };
  while (behind() && clock.monotonic() < give_up) {
    changed_.wait_until(mutex_, give_up);
  }
}

/// One running watch.
class MemoryServer::Stream {
 public:
  Stream(MemoryServer& client, const kube::Gvk& gvk, const kube::Selection& selection,
         const kube::WatchSink& sink)
      : client_(client), kind_(gvk.group_kind()), selection_(selection), sink_(sink) {}

  base::Status run(const kube::WatchOptions& options, const std::stop_token& stop) {
    std::vector<kube::WatchFrame> frames;
    std::list<Reader>::iterator self;
    size_t next = 0;
    {
      base::MutexLock lock(client_.mutex_);
      const bool resumes = options.send_initial_events == kube::SendInitialEvents::kNo;
      if (resumes && version_of(options.resource_version) < client_.compacted_) {
        return Error(ErrorCode::kExpired, "too old resource version").with_http(410, "Expired");
      }
      self = client_.readers_.insert(client_.readers_.end(), Reader{.kind = kind_});
      if (options.send_initial_events == kube::SendInitialEvents::kYes) {
        frames = everything();
        next = client_.journal_.size();
      } else {
        next = after_version(options.resource_version);
      }
    }
    base::Status status;
    while (status.ok()) {
      for (kube::WatchFrame& frame : frames) {
        status = sink_(std::move(frame));
        if (!status.ok()) {
          break;
        }
      }
      if (!status.ok() || !advance(self, next, frames, stop)) {
        break;
      }
    }
    base::MutexLock lock(client_.mutex_);
    if (status.ok() && self->is_cut) {
      status = Error(ErrorCode::kUnavailable, "the connection was closed");
    }
    client_.readers_.erase(self);
    client_.changed_.notify_all();
    return status;
  }

 private:
  static uint64_t version_of(const std::string& text) {
    return static_cast<uint64_t>(base::parse_int(text).value_or(0));
  }

  // Returns the place in the journal after the last change up to `version`.
  size_t after_version(const std::string& version) const CW_REQUIRES(client_.mutex_) {
    const uint64_t seen = version_of(version);
    const auto last = std::find_if(client_.journal_.rbegin(), client_.journal_.rend(),
                                   [seen](const Entry& entry) { return entry.version <= seen; });
    return static_cast<size_t>(client_.journal_.rend() - last);
  }

  std::vector<kube::WatchFrame> everything() const CW_REQUIRES(client_.mutex_) {
    std::vector<kube::WatchFrame> frames;
    for (const auto& [ref, object] : client_.objects_) {
      if (ref.group_kind() == kind_ && selects(selection_, object)) {
        frames.push_back({kube::WatchFrame::Type::kAdded, value::deep_copy(object)});
      }
    }
    const Value end = Value::dict({{"k8s.io/initial-events-end", Value::string("true")}});
    const Value version = Value::string(std::to_string(client_.version_));
    frames.push_back({kube::WatchFrame::Type::kBookmark,
                      Value::dict({{"metadata", Value::dict({{"resourceVersion", version},
                                                             {"annotations", end}})}})});
    return frames;
  }

  // Notes that everything before `next` has been sent, and waits for more. Returns false when
  // stopped.
  bool advance(std::list<Reader>::iterator self, size_t& next,
               std::vector<kube::WatchFrame>& frames, const std::stop_token& stop) {
    const base::WakeOnStop wake(stop, client_.mutex_, client_.changed_);
    base::MutexLock lock(client_.mutex_);
    self->told = next;
    client_.changed_.notify_all();
    while (!stop.stop_requested() && !self->is_cut &&
           (is_held() || next == client_.journal_.size())) {
      client_.changed_.wait(client_.mutex_);
    }
    if (self->is_cut) {
      return false;
    }
    frames.clear();
    for (; next < client_.journal_.size(); ++next) {
      if (auto frame = frame_of(client_.journal_[next])) {
        frames.push_back(*std::move(frame));
      }
    }
    return !stop.stop_requested();
  }

  bool is_held() const CW_REQUIRES(client_.mutex_) {
    return client_.watches_held_ || client_.kinds_held_.contains(kind_);
  }

  std::optional<kube::WatchFrame> frame_of(const Entry& entry) const {
    if (entry.ref.group_kind() != kind_) {
      return std::nullopt;
    }
    const bool was = !entry.before.is_nil() && selects(selection_, entry.before);
    const bool is = !entry.after.is_nil() && selects(selection_, entry.after);
    if (!was && !is) {
      return std::nullopt;
    }
    using Type = kube::WatchFrame::Type;
    kube::WatchFrame frame{was ? Type::kModified : Type::kAdded,
                           value::deep_copy(is ? entry.after : entry.before)};
    if (!is) {
      frame.type = Type::kDeleted;
    }
    frame.object.find("metadata")
        ->mutable_dict()
        .set("resourceVersion", Value::string(std::to_string(entry.version)));
    return frame;
  }

  MemoryServer& client_;
  const kube::GroupKind kind_;
  const kube::Selection selection_;
  const kube::WatchSink& sink_;
};

base::Status MemoryServer::watch(const kube::Gvk& gvk, const kube::WatchOptions& options,
                                 std::stop_token stop, const kube::WatchSink& sink) {
  {
    base::MutexLock lock(mutex_);
    if (auto it = refused_watches_.find(gvk.kind); it != refused_watches_.end()) {
      return it->second;
    }
  }
  CW_TRY_VOID(check_selection(options.selection));
  return Stream(*this, gvk, options.selection, sink).run(options, stop);
}

}  // namespace chartwright::model
