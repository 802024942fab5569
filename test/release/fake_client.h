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

namespace chartwright::release::testing {

/// An API server in memory with as much of the real one as reconciles rely on: uids,
/// resourceVersions, generations, preconditions, field ownership of server-side apply, finalizers,
/// selectors, streamed lists and watches. Real servers prove the engine; this one lets a test put a
/// fault or a race between any two calls. Thread-safe.
class FakeClient final : public kube::Client {
 public:
  /// One call of an engine, as "verb Kind.group ns/name": get, list, create, update, apply, patch,
  /// delete; a write of the status subresource is "apply-status". Watches are not recorded.
  struct Call {
    std::string what;
    value::Value body;  ///< What was sent; nil for reads.
    std::string uid;    ///< A delete's precondition.
  };
  /// What happens in place of a call, or before it: nullopt lets the call go on.
  using Event = std::function<std::optional<base::Error>()>;

  // As a user, or another controller: nothing is recorded, no precondition holds.

  /// Creates `object`, or replaces it keeping its uid; returns what is stored.
  value::Value put(const value::Value& object) CW_EXCLUDES(mutex_);
  /// Removes at once, finalizers or not. A missing object is fine.
  void erase(const kube::ObjectRef& ref) CW_EXCLUDES(mutex_);
  /// Deletes as kubectl does: an object with finalizers only gets its deletionTimestamp.
  void begin_deletion(const kube::ObjectRef& ref) CW_EXCLUDES(mutex_);
  /// The object as stored.
  std::optional<value::Value> find(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  size_t count(std::string_view kind) const CW_EXCLUDES(mutex_);

  // Faults.

  /// The next call whose text is `what` meets `event`.
  void once(std::string what, Event event) CW_EXCLUDES(mutex_);
  /// The next call whose text is `what` fails.
  void fail_once(std::string what, base::Error error) CW_EXCLUDES(mutex_);
  /// From now on every call whose text is `what` fails; nullopt ends that.
  void fail_always(const std::string& what, std::optional<base::Error> error) CW_EXCLUDES(mutex_);
  /// `kind` is not served.
  void unserve(const std::string& kind) CW_EXCLUDES(mutex_);
  /// It is again, which is known once refresh_kinds asks.
  void serve(const std::string& kind) CW_EXCLUDES(mutex_);
  /// Watches of `kind` fail from now on.
  void refuse_watches(const std::string& kind, base::Error error) CW_EXCLUDES(mutex_);

  // What was asked.

  std::vector<Call> calls() const CW_EXCLUDES(mutex_);
  /// Their texts.
  std::vector<std::string> whats() const CW_EXCLUDES(mutex_);
  /// The last call with that text; aborts when there is none.
  Call last(std::string_view what) const CW_EXCLUDES(mutex_);
  void forget_calls() CW_EXCLUDES(mutex_);
  /// Blocks until every running watch has told everything that happened.
  void settle() CW_EXCLUDES(mutex_);

  base::Result<kube::ResourceMapping> mapping_for(const kube::Gvk& gvk,
                                                  const kube::Call& call) override;
  base::Status refresh_kinds(base::Duration age, const kube::Call& call) override;
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
    size_t told = 0;  ///< Entries of journal_ that its sink has returned from.
  };
  class Stream;

  base::Status meet(Call call) CW_EXCLUDES(mutex_);
  /// Stores `object` (nil removes), as a new version unless nothing changes; returns what is
  /// stored.
  value::Value store(const kube::ObjectRef& ref, value::Value object) CW_REQUIRES(mutex_);
  const value::Value* lookup(const kube::ObjectRef& ref) const CW_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::map<kube::ObjectRef, value::Value> objects_ CW_GUARDED_BY(mutex_);
  std::vector<Entry> journal_ CW_GUARDED_BY(mutex_);
  std::list<Reader> readers_ CW_GUARDED_BY(mutex_);
  std::vector<Call> calls_ CW_GUARDED_BY(mutex_);
  std::multimap<std::string, Event> once_ CW_GUARDED_BY(mutex_);
  std::map<std::string, base::Error> always_ CW_GUARDED_BY(mutex_);
  std::map<std::string, base::Error> refused_watches_ CW_GUARDED_BY(mutex_);
  std::set<std::string> unserved_ CW_GUARDED_BY(mutex_);
  std::set<std::string> served_again_ CW_GUARDED_BY(mutex_);
  uint64_t version_ CW_GUARDED_BY(mutex_) = 100;
  uint64_t uids_ CW_GUARDED_BY(mutex_) = 0;
};

}  // namespace chartwright::release::testing
