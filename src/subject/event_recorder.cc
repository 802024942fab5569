// SPDX-License-Identifier: Apache-2.0
#include "subject/event_recorder.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/printable.h"
#include "base/unicode.h"
#include "fields/manager.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// client-go's limits per object: a burst, then one Event in each interval.
constexpr double kBurst = 25;
constexpr base::Duration kRefill = std::chrono::minutes(5);
constexpr size_t kWaitingMax = 1000;
// Beyond this limit everything remembered is dropped: a repeated notice then begins a new series.
constexpr size_t kRememberedMax = 4096;
constexpr size_t kEventMessageBytesMax = 1024;
constexpr size_t kNameBytesMax = 253;

Value text(std::string_view s) { return Value::string(s); }

// Source: client-go tools/record/util GenerateEventName.
std::string event_name(const std::string& object, int64_t stamp) {
  std::string suffix;
  for (auto left = static_cast<uint64_t>(stamp); left > 0; left >>= 4U) {
    suffix.insert(suffix.begin(), "0123456789abcdef"[left & 15U]);
  }
  std::string head = object.substr(0, kNameBytesMax - suffix.size() - 1);
  head.resize(head.find_last_not_of(".-") + 1);
  return head + "." + suffix;
}

Value event_body(const Notice& notice, const std::string& name, base::WallTime now) {
  const kube::ObjectRef& about = notice.about;
  Value subject = Value::dict({{"apiVersion", text(about.gvk.api_version())},
                               {"kind", text(about.gvk.kind)},
                               {"name", text(about.name)},
                               {"resourceVersion", text(notice.resource_version)},
                               {"uid", text(notice.uid)}});
  if (!about.ns.empty()) {
    subject.mutable_dict().set("namespace", text(about.ns));
  }
  // kubectl looks for the Events of a cluster-scoped object in this namespace.
  const std::string ns = about.ns.empty() ? "default" : about.ns;
  const Value at = text(base::format_rfc3339(now));
  return Value::dict({{"apiVersion", text("v1")},
                      {"kind", text("Event")},
                      {"metadata", Value::dict({{"name", text(name)}, {"namespace", text(ns)}})},
                      {"involvedObject", subject},
                      {"reason", text(notice.reason)},
                      {"message", text(notice.message)},
                      {"source", Value::dict({{"component", text(notice.component)}})},
                      {"reportingComponent", text(notice.component)},
                      {"firstTimestamp", at},
                      {"lastTimestamp", at},
                      {"count", Value::integer(1)},
                      {"type", text(notice.type == NoticeType::kNormal ? "Normal" : "Warning")}});
}

}  // namespace

bool Notice::operator<(const Notice& other) const {
  return std::tie(uid, about, component, type, reason, message) <
         std::tie(other.uid, other.about, other.component, other.type, other.reason, other.message);
}

EventRecorder::EventRecorder(kube::Client& client, base::Clock& clock, base::Gauge& waiting,
                             base::Logger log)
    : client_(client),
      clock_(clock),
      waiting_gauge_(waiting),
      log_(std::move(log)),
      thread_("events", base::kDefaultStackBytes, [this] { run(); }) {}

EventRecorder::~EventRecorder() { stop(); }

void EventRecorder::tell(Notice notice) {
  notice.message = base::shortened(base::printable_lines(notice.message), kEventMessageBytesMax);
  {
    base::MutexLock lock(mutex_);
    if (!stopping_ && waiting_.size() < kWaitingMax) {
      waiting_.push_back(std::move(notice));
      waiting_gauge_.add(1);
      changed_.notify_one();
      return;
    }
  }
  log_.warn("Event is dropped: too many are waiting", {{"reason", notice.reason}});
}

void EventRecorder::stop(std::stop_token cut_short) {
  const std::stop_callback cutting(std::move(cut_short), [this] { cut_short_.request_stop(); });
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

void EventRecorder::run() {
  while (const auto notice = next()) {
    if (!cut_short_.stop_requested() && allow(notice->uid)) {
      write(*notice);
    }
    drop_first();
  }
}

std::optional<Notice> EventRecorder::next() {
  base::MutexLock lock(mutex_);
  while (waiting_.empty() && !stopping_) {
    changed_.wait(mutex_);
  }
  if (waiting_.empty()) {
    return std::nullopt;
  }
  return waiting_.front();
}

void EventRecorder::drop_first() {
  base::MutexLock lock(mutex_);
  waiting_.pop_front();
  waiting_gauge_.add(-1);
}

bool EventRecorder::allow(const std::string& uid) {
  const base::MonotonicTime now = clock_.monotonic();
  if (allowances_.size() >= kRememberedMax && !allowances_.contains(uid)) {
    allowances_.clear();
  }
  Allowance& allowance = allowances_.try_emplace(uid, Allowance{kBurst, now}).first->second;
  const std::chrono::duration<double> passed = now - allowance.as_of;
  const std::chrono::duration<double> refill = kRefill;
  allowance.left = std::min(kBurst, allowance.left + passed / refill);
  allowance.as_of = now;
  if (allowance.left < 1) {
    return false;
  }
  allowance.left -= 1;
  return true;
}

void EventRecorder::write(const Notice& notice) {
  auto known = series_.find(notice);
  if (known != series_.end()) {
    const base::Status raised = raise(known->second);
    if (raised.ok()) {
      return;
    }
    series_.erase(known);  // Events expire: begin a new series.
    if (raised.error().code() != ErrorCode::kNotFound) {
      log_once("Event could not be updated", notice, raised.error());
      return;
    }
  }
  auto created = create(notice);
  if (!created.ok()) {
    log_once("Event could not be written", notice, created.error());
    return;
  }
  if (series_.size() >= kRememberedMax) {
    series_.clear();
  }
  series_.emplace(notice, Series{*std::move(created), 1});
}

// A missing right would fill the log.
void EventRecorder::log_once(std::string_view message, const Notice& notice, const Error& error) {
  if (logged_.insert(error.code()).second) {
    log_.warn(message, {{"reason", notice.reason},
                        {"about", notice.about.to_string()},
                        {"error", error.to_string()}});
  }
}

base::Status EventRecorder::raise(Series& series) {
  const Value body = Value::dict({{"count", Value::integer(series.count + 1)},
                                  {"lastTimestamp", text(base::format_rfc3339(clock_.wall()))}});
  auto patched = client_.patch(series.event, {kube::PatchType::kMerge, body},
                               {.field_manager = std::string(fields::kFieldManager)},
                               {.stop = cut_short_.get_token()});
  if (!patched.ok()) {
    return std::move(patched).error();
  }
  ++series.count;
  return {};
}

base::Result<kube::ObjectRef> EventRecorder::create(const Notice& notice) {
  const base::WallTime now = clock_.wall();
  last_stamp_ = std::max<int64_t>(last_stamp_ + 1, now.time_since_epoch().count());
  const Value body = event_body(notice, event_name(notice.about.name, last_stamp_), now);
  auto created = client_.create(body, {.field_manager = std::string(fields::kFieldManager)},
                                {.stop = cut_short_.get_token()});
  if (!created.ok()) {
    return std::move(created).error();
  }
  return kube::ref_of(body);
}

}  // namespace chartwright::op
