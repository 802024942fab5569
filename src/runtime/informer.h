// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "kube/client.h"
#include "runtime/store.h"
#include "runtime/watcher.h"

namespace chartwright::runtime {

/// Runs a Watcher that fills a Store, on a thread of its own ("watch:<kind>").
class Informer {
 public:
  /// References must outlive the informer.
  Informer(const WatcherOptions& options, Transform transform, kube::Client& client,
           base::Clock& clock, const base::Logger& log);
  /// Stops and waits for the thread.
  ~Informer();

  Store& store() { return store_; }
  const Store& store() const { return store_; }
  const kube::Gvk& gvk() const { return gvk_; }
  bool has_synced() const { return store_.has_synced(); }
  base::Duration staleness() const { return watcher_.staleness(); }
  /// Returns the error of the last request; nullopt if it succeeded.
  std::optional<base::Error> last_error() const CW_EXCLUDES(mutex_);
  /// Starts the thread, unless it has been started. `on_synced` runs on that thread whenever a
  /// complete list is in the store. If the system refuses the thread, last_error() reports this and
  /// the next call tries again. Not thread-safe.
  void start(std::function<void()> on_synced = nullptr) CW_EXCLUDES(mutex_);
  /// Lists everything anew. Until that is done, the store has what it had, and counts as not
  /// synced. Thread-safe.
  void relist(Outdated why) CW_EXCLUDES(mutex_);
  /// Asks the thread to end, without waiting for it. Thread-safe.
  void request_stop() CW_EXCLUDES(mutex_);
  /// Waits for the thread to end.
  void join() { thread_.join(); }

 private:
  /// The thread's body.
  void follow(const std::function<void()>& on_synced) CW_EXCLUDES(mutex_);
  /// Returns what ends the next run of the watcher; nullopt if there is to be none.
  std::optional<std::stop_token> begin_run() CW_EXCLUDES(mutex_);

  const kube::Gvk gvk_;
  Store store_;
  Watcher watcher_;
  bool began_ = false;
  mutable base::Mutex mutex_;
  bool stopped_ CW_GUARDED_BY(mutex_) = false;
  std::stop_source run_ CW_GUARDED_BY(mutex_);  ///< Stops the watcher.
  std::optional<base::Error> start_error_ CW_GUARDED_BY(mutex_);
  base::Thread thread_;
};

/// The reason of an error kBudget: as many sources of a kind are watched as may be. It passes when
/// others end theirs.
inline constexpr std::string_view kTooManyWatches = "TooManyWatches";

/// Identifies an informer. Users of the same source share one.
struct InformerKey {
  kube::Gvk gvk;
  kube::Selection selection;
  std::string kept =
      {};  ///< Names the transform, so that no user gets objects that another reduced.
  auto operator<=>(const InformerKey&) const = default;
};

/// The informers of a process, one per source. Each is started on first use, and kept until its
/// users end it. Thread-safe.
class InformerSet {
 public:
  /// References must outlive the set.
  InformerSet(kube::Client& client, base::Clock& clock, base::Logger log);
  ~InformerSet();

  /// Returns the informer of `key`, creating it with `transform` and starting it if needed. All
  /// users of a key must pass the same transform, which `key.kept` names.
  std::shared_ptr<Informer> get(const InformerKey& key, const Transform& transform = nullptr)
      CW_EXCLUDES(mutex_);
  /// Takes the informer of `key` out of the set. Its thread ends when the last user lets go of it,
  /// which waits for that. The next get() begins anew.
  void end(const InformerKey& key) CW_EXCLUDES(mutex_);
  /// Starts an informer for the caller alone. It counts for stalest and stop, until the caller
  /// releases it, which ends its thread.
  std::shared_ptr<Informer> open(const kube::Gvk& gvk, const kube::Selection& selection,
                                 const Transform& transform) CW_EXCLUDES(mutex_);
  /// Reports whether every shared informer has synced.
  bool has_synced() const CW_EXCLUDES(mutex_);
  /// Waits until every shared informer that exists now has synced. Errors: kTimeout naming the
  /// kinds that have not, kCancelled.
  base::Status wait_synced(std::stop_token stop, base::Duration timeout) CW_EXCLUDES(mutex_);
  /// Like the above, but only for the informers of `kinds`.
  base::Status wait_synced(const std::set<kube::Gvk>& kinds, std::stop_token stop,
                           base::Duration timeout) CW_EXCLUDES(mutex_);
  /// Waits until the informers `awaited`, which belong to the set, have synced. Errors: that of the
  /// first one that fails to list (so that a missing permission is reported at once), kTimeout,
  /// kCancelled.
  base::Status wait_synced(const std::vector<const Informer*>& awaited, std::stop_token stop,
                           base::Duration timeout) CW_EXCLUDES(mutex_);
  /// Returns the sum of Store::setbacks() of the shared informers, ended ones included. If one of
  /// them has proven that the storage was restored, lists anew what all have: their watches may
  /// have gone on as if nothing had happened. Not on the thread of an informer.
  size_t follow_setbacks() CW_EXCLUDES(mutex_);
  /// Returns the longest staleness among the informers, with its kind; zero if there are none.
  std::pair<base::Duration, std::string> stalest() const CW_EXCLUDES(mutex_);
  /// Lists anew what all informers have, see Informer::relist. Does not wait. Not on the thread of
  /// an informer.
  void relist(Outdated why) CW_EXCLUDES(mutex_);
  /// Stops all watches and waits for their threads. Stores stay readable; new informers are not
  /// started.
  void stop() CW_EXCLUDES(mutex_);

 private:
  void start(Informer& informer) CW_REQUIRES(mutex_);
  /// Returns the informers that were opened and are still in use. The caller must let go of them
  /// without the lock: the last owner waits for the thread, which takes it.
  std::vector<std::shared_ptr<Informer>> opened() const CW_EXCLUDES(mutex_);
  /// Lists the kinds that have not synced (of `kinds`, unless null) with their last errors. Empty
  /// if all have.
  std::string unsynced(const std::set<kube::Gvk>* kinds) const CW_REQUIRES(mutex_);
  base::Status wait_for(const std::set<kube::Gvk>* kinds, const std::stop_token& stop,
                        base::Duration timeout) CW_EXCLUDES(mutex_);

  kube::Client& client_;
  base::Clock& clock_;
  base::Logger log_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::map<InformerKey, std::shared_ptr<Informer>> informers_ CW_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<Informer>> opened_ CW_GUARDED_BY(mutex_);
  bool stopped_ CW_GUARDED_BY(mutex_) = false;
  size_t ended_setbacks_ CW_GUARDED_BY(mutex_) = 0;  ///< Those of ended informers.
  size_t ended_proven_ CW_GUARDED_BY(mutex_) = 0;    ///< How many of them were proven.
  size_t followed_ CW_GUARDED_BY(mutex_) = 0;  ///< Proven setbacks after which all were relisted.
};

}  // namespace chartwright::runtime
