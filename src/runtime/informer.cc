// SPDX-License-Identifier: Apache-2.0
#include "runtime/informer.h"

#include <algorithm>
#include <utility>

#include "base/mutex.h"

namespace chartwright::runtime {

Informer::Informer(const WatcherOptions& options, Transform transform, kube::Client& client,
                   base::Clock& clock, const base::Logger& log)
    : gvk_(options.gvk), store_(std::move(transform)), watcher_(options, client, clock, log) {}

Informer::~Informer() {
  request_stop();
  join();
}

std::optional<base::Error> Informer::last_error() const {
  {
    base::MutexLock lock(mutex_);
    if (start_error_) {
      return start_error_;
    }
  }
  return watcher_.last_error();
}

void Informer::start(std::function<void()> on_synced) {
  if (began_) {
    return;
  }
  auto thread =
      base::Thread::start("watch:" + gvk_.kind, base::kDefaultStackBytes,
                          [this, on_synced = std::move(on_synced)] { follow(on_synced); });
  began_ = thread.ok();
  base::MutexLock lock(mutex_);
  start_error_.reset();
  if (began_) {
    thread_ = *std::move(thread);
  } else {
    start_error_ = thread.error();
  }
}

void Informer::relist(Outdated why) {
  store_.expect_list(why);  // A list that the watcher begins before it is stopped will do.
  std::stop_source run;
  {
    base::MutexLock lock(mutex_);
    run = run_;
  }
  run.request_stop();  // Without the lock, which its callbacks might need.
}

void Informer::request_stop() {
  std::stop_source run;
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    run = run_;
  }
  run.request_stop();
}

std::optional<std::stop_token> Informer::begin_run() {
  base::MutexLock lock(mutex_);
  if (stopped_) {
    return std::nullopt;
  }
  run_ = std::stop_source();
  return run_.get_token();
}

void Informer::follow(const std::function<void()>& on_synced) {
  const EventSink sink = [&](WatchEvent event) {
    const bool listed = event.type == WatchEvent::Type::kInitDone;
    store_.apply(std::move(event));
    if (listed && on_synced) {
      on_synced();
    }
  };
  while (auto run = begin_run()) {
    watcher_.run(*std::move(run), sink);
  }
}

InformerSet::InformerSet(kube::Client& client, base::Clock& clock, base::Logger log)
    : client_(client), clock_(clock), log_(std::move(log)) {}

InformerSet::~InformerSet() { stop(); }

std::shared_ptr<Informer> InformerSet::get(const InformerKey& key, const Transform& transform) {
  base::MutexLock lock(mutex_);
  std::shared_ptr<Informer>& slot = informers_[key];
  if (slot == nullptr) {
    WatcherOptions options;
    options.gvk = key.gvk;
    options.selection = key.selection;
    slot = std::make_shared<Informer>(options, transform, client_, clock_, log_);
  }
  start(*slot);
  return slot;
}

void InformerSet::end(const InformerKey& key) {
  std::shared_ptr<Informer> ended;  // Let go without the lock, which its thread takes.
  base::MutexLock lock(mutex_);
  const auto found = informers_.find(key);
  if (found != informers_.end()) {
    ended = std::move(found->second);
    informers_.erase(found);
    ended_setbacks_ += ended->store().setbacks();
    ended_proven_ += ended->store().proven_setbacks();
  }
}

void InformerSet::start(Informer& informer) {
  if (!stopped_) {
    informer.start([this] {
      base::MutexLock synced_lock(mutex_);
      changed_.notify_all();
    });
  }
}

std::shared_ptr<Informer> InformerSet::open(const kube::Gvk& gvk, const kube::Selection& selection,
                                            const Transform& transform) {
  WatcherOptions options;
  options.gvk = gvk;
  options.selection = selection;
  auto informer = std::make_shared<Informer>(options, transform, client_, clock_, log_);
  base::MutexLock lock(mutex_);
  std::erase_if(opened_, [](const std::weak_ptr<Informer>& one) { return one.expired(); });
  opened_.push_back(informer);
  start(*informer);
  return informer;
}

std::vector<std::shared_ptr<Informer>> InformerSet::opened() const {
  std::vector<std::shared_ptr<Informer>> all;
  base::MutexLock lock(mutex_);
  for (const std::weak_ptr<Informer>& one : opened_) {
    if (auto informer = one.lock()) {
      all.push_back(std::move(informer));
    }
  }
  return all;
}

bool InformerSet::has_synced() const {
  base::MutexLock lock(mutex_);
  return std::ranges::all_of(informers_,
                             [](const auto& entry) { return entry.second->has_synced(); });
}

std::string InformerSet::unsynced(const std::set<kube::Gvk>* kinds) const {
  std::string text;
  for (const auto& [key, informer] : informers_) {
    if (informer->has_synced() || (kinds != nullptr && !kinds->contains(key.gvk))) {
      continue;
    }
    text += (text.empty() ? "" : "; ") + key.gvk.to_string();
    if (const auto error = informer->last_error()) {
      text += " (" + error->to_string() + ")";
    }
  }
  return text;
}

base::Status InformerSet::wait_synced(std::stop_token stop, base::Duration timeout) {
  return wait_for(nullptr, stop, timeout);
}

base::Status InformerSet::wait_synced(const std::set<kube::Gvk>& kinds, std::stop_token stop,
                                      base::Duration timeout) {
  return wait_for(&kinds, stop, timeout);
}

base::Status InformerSet::wait_for(const std::set<kube::Gvk>* kinds, const std::stop_token& stop,
                                   base::Duration timeout) {
  const base::MonotonicTime deadline = clock_.monotonic() + timeout;
  const base::WakeOnStop wake(stop, mutex_, changed_);
  base::MutexLock lock(mutex_);
  while (true) {
    const std::string waiting_for = unsynced(kinds);
    if (waiting_for.empty()) {
      return {};
    }
    if (stop.stop_requested()) {
      return base::Error(base::ErrorCode::kCancelled, "stopped");
    }
    if (clock_.monotonic() >= deadline) {
      return base::Error(
          base::ErrorCode::kTimeout,
          "caches did not sync within " + base::format_go_duration(timeout) + ": " + waiting_for);
    }
    clock_.wait_until(changed_, mutex_, deadline);
  }
}

base::Status InformerSet::wait_synced(const std::vector<const Informer*>& awaited,
                                      std::stop_token stop, base::Duration timeout) {
  // A failed list does not wake waiters, so errors are polled at this interval.
  constexpr base::Duration kErrorPoll = std::chrono::milliseconds(50);
  const base::MonotonicTime deadline = clock_.monotonic() + timeout;
  base::MutexLock lock(mutex_);
  while (true) {
    const auto waiting = std::ranges::find_if_not(awaited, &Informer::has_synced);
    if (waiting == awaited.end()) {
      return {};
    }
    if (auto error = (*waiting)->last_error()) {
      return std::move(*error).wrap("watch " + (*waiting)->gvk().to_string());
    }
    if (stop.stop_requested()) {
      return base::Error(base::ErrorCode::kCancelled, "stopped");
    }
    const base::MonotonicTime now = clock_.monotonic();
    if (now >= deadline) {
      return base::Error(base::ErrorCode::kTimeout, "cache of " + (*waiting)->gvk().to_string() +
                                                        " did not sync within " +
                                                        base::format_go_duration(timeout));
    }
    clock_.wait_until(changed_, mutex_, std::min(deadline, now + kErrorPoll));
  }
}

size_t InformerSet::follow_setbacks() {
  size_t all = 0;
  size_t proven = 0;
  bool news = false;
  {
    base::MutexLock lock(mutex_);
    all = ended_setbacks_;
    proven = ended_proven_;
    for (const auto& [key, informer] : informers_) {
      all += informer->store().setbacks();
      proven += informer->store().proven_setbacks();
    }
    news = std::exchange(followed_, proven) != proven;
  }
  if (news) {
    relist(Outdated::kRestored);
  }
  return all;
}

std::pair<base::Duration, std::string> InformerSet::stalest() const {
  std::pair<base::Duration, std::string> stalest{};
  const auto look_at = [&stalest](const Informer& informer) {
    const base::Duration age = informer.staleness();
    if (age > stalest.first) {
      stalest = {age, informer.gvk().to_string()};
    }
  };
  for (const auto& informer : opened()) {
    look_at(*informer);
  }
  base::MutexLock lock(mutex_);
  for (const auto& [key, informer] : informers_) {
    look_at(*informer);
  }
  return stalest;
}

void InformerSet::relist(Outdated why) {
  if (why == Outdated::kRestored) {
    log_.warn("The storage of the API server was restored from a backup: all caches are refilled");
  }
  for (const std::shared_ptr<Informer>& informer : opened()) {
    informer->relist(why);
  }
  std::vector<std::shared_ptr<Informer>> shared;
  {
    base::MutexLock lock(mutex_);
    shared.reserve(informers_.size());
    for (const auto& [key, informer] : informers_) {
      shared.push_back(informer);
    }
  }
  for (const std::shared_ptr<Informer>& informer :
       shared) {  // Without the lock, which their callbacks take.
    informer->relist(why);
  }
}

void InformerSet::stop() {
  std::vector<std::shared_ptr<Informer>> stopping = opened();
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    for (const auto& [key, informer] : informers_) {
      stopping.push_back(informer);
    }
  }
  // Without the lock, which their callbacks take.
  for (const std::shared_ptr<Informer>& informer : stopping) {
    informer->request_stop();
  }
  for (const std::shared_ptr<Informer>& informer : stopping) {
    informer->join();
  }
}

}  // namespace chartwright::runtime
