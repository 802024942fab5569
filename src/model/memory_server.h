// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "kube/client.h"

namespace chartwright::model {

/// An in-memory API server with what reconciles rely on: uids, resourceVersions, generations,
/// preconditions, field ownership of server-side apply, finalizers, selectors, streamed lists and
/// watches. It knows no schemas, no admission and no other versions of a kind. A fault or a race
/// can be inserted between any two calls. It keeps everything that it was sent: who sends requests
/// for others limits them, as ClientTransport does. Thread-safe.
class MemoryServer final : public kube::Client {
 public:
  /// A recorded call of the engine. `what` is "verb Kind.group ns/name", with the verb get, list,
  /// create, update, apply, apply-status (of the status subresource), patch or delete, after
  /// "dry-" for one. Watches are not recorded.
  struct Call {
    std::string what;
    value::Value body;                   ///< The request's body; nil for reads.
    std::string uid;                     ///< A delete's precondition.
    kube::Propagation propagation = {};  ///< The policy of a delete.
  };
  /// Runs before a call. An error becomes the call's result; nullopt lets the call proceed.
  using Event = std::function<std::optional<base::Error>()>;

  // Writes of a user or another controller: not recorded, and without preconditions.

  /// Creates `object`, or replaces it and keeps its uid. Returns the stored object.
  value::Value put(const value::Value& object) CW_EXCLUDES(mutex_);
  /// Removes an object at once, regardless of finalizers. It may be missing.
  void erase(const kube::ObjectRef& ref) CW_EXCLUDES(mutex_);
  /// Deletes an object as kubectl does: one with finalizers only gets a deletionTimestamp.
  void begin_deletion(const kube::ObjectRef& ref) CW_EXCLUDES(mutex_);
  /// Returns the stored object.
  std::optional<value::Value> find(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  /// Like find, without a copy: the object must not be changed. Returns nil if there is none.
  value::Value peek(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  bool has(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  size_t count(std::string_view kind) const CW_EXCLUDES(mutex_);

  // Faults.

  /// Everything that the server stores.
  struct Backup {
    std::map<kube::ObjectRef, value::Value> objects;
    uint64_t version = 0;
  };
  Backup back_up() const CW_EXCLUDES(mutex_);
  /// Goes back to `backup`: versions, too, are given out again. As on a real server, running
  /// watches do not show it.
  void restore(const Backup& backup) CW_EXCLUDES(mutex_);

  /// Runs `event` before the next call `what`.
  void once(std::string what, Event event) CW_EXCLUDES(mutex_);
  /// Makes the next call `what` fail.
  void fail_once(std::string what, base::Error error) CW_EXCLUDES(mutex_);
  /// Carries out the next write `what`, of which the client hears only that the connection is lost.
  void lose_answer_once(std::string what) CW_EXCLUDES(mutex_);
  /// Forgets what once, fail_once and lose_answer_once were told and has not happened; returns of
  /// which calls.
  std::vector<std::string> disarm() CW_EXCLUDES(mutex_);
  /// Makes every call `what` fail from now on, until called with nullopt.
  void fail_always(const std::string& what, std::optional<base::Error> error) CW_EXCLUDES(mutex_);
  /// Lets `number` more calls through; all later ones fail and are not recorded, as if the process
  /// had ended. nullopt: lets all through.
  void allow_calls(std::optional<size_t> number) CW_EXCLUDES(mutex_);
  /// Reports whether a call has failed for that.
  bool refused_calls() const CW_EXCLUDES(mutex_);
  /// Stops serving `kind`.
  void unserve(const std::string& kind) CW_EXCLUDES(mutex_);
  /// The server that may serve `kind` does not answer from now on.
  void silence(const std::string& kind) CW_EXCLUDES(mutex_);
  /// Serves `kind` again; clients see that after refresh_kinds.
  void serve(const std::string& kind) CW_EXCLUDES(mutex_);
  /// From now on, the schema of every status has only these members.
  void restrict_status(std::set<std::string> members) CW_EXCLUDES(mutex_);
  /// Whether custom resources have a status subresource from now on.
  void serve_status(bool served) CW_EXCLUDES(mutex_);
  /// Makes watches of `kind` fail from now on.
  void refuse_watches(const std::string& kind, base::Error error) CW_EXCLUDES(mutex_);

  /// Runs `observer` before every call that is recorded, on the thread of the call.
  void observe_calls(std::function<void(const std::string& what)> observer) CW_EXCLUDES(mutex_);

  // Recorded calls.

  std::vector<Call> calls() const CW_EXCLUDES(mutex_);
  /// Returns `what` of each call.
  std::vector<std::string> whats() const CW_EXCLUDES(mutex_);
  /// Returns the last call `what`; one without a name if there is none.
  Call last(std::string_view what) const CW_EXCLUDES(mutex_);
  void forget_calls() CW_EXCLUDES(mutex_);
  /// Keeps back the events of all watches from now on, or sends them all.
  void hold_watches(bool held) CW_EXCLUDES(mutex_);
  /// Keeps back those of one kind, until all are sent by hold_watches(false).
  void hold_watches_of(const kube::GroupKind& kind) CW_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    kinds_held_.insert(kind);
  }
  /// Ends the running watches of one kind, as when their connections are lost.
  void cut_watches_of(const kube::GroupKind& kind) CW_EXCLUDES(mutex_);
  /// From now on, no watch can begin at the versions that there have been: 410.
  void forget_changes() CW_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    compacted_ = ++version_;
  }
  /// From now on, writes do not wait for the watches: they send events when their threads run.
  void let_watches_lag() CW_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    lag_ = true;
  }
  /// Blocks until every running watch has sent all events that are not held, for at most 10 s.
  void settle() CW_EXCLUDES(mutex_);

  base::Result<kube::ResourceMapping> mapping_for(const kube::Gvk& gvk,
                                                  const kube::Call& call) override;
  base::Result<kube::ResourceMapping> preferred_mapping(const kube::GroupKind& kind,
                                                        const kube::Call& call) override;
  base::Status refresh_kinds(base::Duration age, const kube::Call& call) override;
  /// Publishes no schema.
  base::Result<value::Value> schema_of(const kube::Gvk& gvk, const kube::Call& call) override;
  base::Result<value::Value> get(const kube::ObjectRef& ref, const kube::Call& call) override;
  base::Result<kube::ListPage> list(const kube::Gvk& gvk, const kube::ListOptions& options,
                                    const kube::Call& call) override;
  base::Status watch(const kube::Gvk& gvk, const kube::WatchOptions& options, std::stop_token stop,
                     const kube::WatchSink& sink) override;
  base::Result<value::Value> create(const value::Value& object, const kube::WriteOptions& options,
                                    const kube::Call& call) override;
  base::Result<value::Value> update(const value::Value& object, const kube::WriteOptions& options,
                                    const kube::Call& call) override;
  base::Result<kube::Applied> apply(const value::Value& object, const kube::ApplyOptions& options,
                                    const kube::Call& call) override;
  base::Result<value::Value> patch(const kube::ObjectRef& ref, const kube::Patch& patch,
                                   const kube::WriteOptions& options,
                                   const kube::Call& call) override;
  base::Status remove(const kube::ObjectRef& ref, const kube::DeleteOptions& options,
                      const kube::Call& call) override;

 private:
  /// A change of an object; `after` is nil for a removal, `before` for an addition.
  struct Entry {
    kube::ObjectRef ref;
    value::Value before;
    value::Value after;
    uint64_t version = 0;
  };
  struct Reader {
    kube::GroupKind kind;
    size_t told = 0;  ///< How many entries of journal_ its sink has handled.
    bool is_cut = false;
  };
  class Stream;

  /// Removes the members of the object's status that its schema lacks. Returns whether it had some.
  bool prune_status(value::Value& object) const CW_REQUIRES(mutex_);
  base::Status meet(Call call) CW_EXCLUDES(mutex_);
  /// Returns the answer to the write `what` that has been carried out: an error if it is lost.
  template <typename Answer>
  base::Result<Answer> answer(const std::string& what, Answer value) CW_REQUIRES(mutex_) {
    if (lost_.erase(what) > 0) {
      return base::Error(base::ErrorCode::kUnavailable, "the connection was closed");
    }
    return value;
  }
  /// Stores `object` (nil removes it), as a new version unless nothing changes. Returns the stored
  /// object once every running watch has sent the change, unless watches are held: a cache that
  /// lags behind at random would make tests depend on the machine's load.
  value::Value store(const kube::ObjectRef& ref, value::Value object,
                     kube::DryRun dry_run = kube::DryRun::kOff) CW_REQUIRES(mutex_);
  void await_readers() CW_REQUIRES(mutex_);
  const value::Value* lookup(const kube::ObjectRef& ref) const CW_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  base::CondVar changed_;
  /// No object is changed once it is here: backups share them.
  std::map<kube::ObjectRef, value::Value> objects_ CW_GUARDED_BY(mutex_);
  std::vector<Entry> journal_ CW_GUARDED_BY(mutex_);
  std::list<Reader> readers_ CW_GUARDED_BY(mutex_);
  std::vector<Call> calls_ CW_GUARDED_BY(mutex_);
  std::multimap<std::string, Event> once_ CW_GUARDED_BY(mutex_);
  std::map<std::string, base::Error> always_ CW_GUARDED_BY(mutex_);
  std::set<std::string> lost_ CW_GUARDED_BY(mutex_);  ///< Writes whose answers get lost.
  std::map<std::string, base::Error> refused_watches_ CW_GUARDED_BY(mutex_);
  std::optional<std::set<std::string>> status_members_ CW_GUARDED_BY(mutex_);
  bool serves_status_ CW_GUARDED_BY(mutex_) = true;
  std::function<void(const std::string&)> observer_ CW_GUARDED_BY(mutex_);
  std::optional<size_t> allowed_ CW_GUARDED_BY(mutex_);
  bool refused_ CW_GUARDED_BY(mutex_) = false;
  bool lag_ CW_GUARDED_BY(mutex_) = false;
  bool watches_held_ CW_GUARDED_BY(mutex_) = false;
  std::set<kube::GroupKind> kinds_held_ CW_GUARDED_BY(mutex_);
  std::set<std::string> unserved_ CW_GUARDED_BY(mutex_);
  std::set<std::string> silent_ CW_GUARDED_BY(mutex_);
  std::set<std::string> served_again_ CW_GUARDED_BY(mutex_);
  uint64_t version_ CW_GUARDED_BY(mutex_) = 100;
  uint64_t compacted_ CW_GUARDED_BY(mutex_) = 0;  ///< No watch can begin before.
  uint64_t uids_ CW_GUARDED_BY(mutex_) = 0;
};

}  // namespace chartwright::model
