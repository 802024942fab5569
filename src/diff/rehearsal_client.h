// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "host/secret_mask.h"
#include "kube/client.h"

namespace chartwright::diff {

/// A write that a reconcile asked for.
struct Write {
  enum class Verb : uint8_t { kCreate, kApply, kPatch, kDelete };
  Verb verb = Verb::kApply;
  kube::ObjectRef ref;
  value::Value sent;    ///< The body; nil for a deletion.
  value::Value before;  ///< The object; nil: there was none.
  value::Value after;  ///< The object after the write; nil: there would be none, or it was refused.
  std::optional<base::Error> refusal;
};

/// Reports whether the write would change more than the API server's own bookkeeping.
bool changes(const Write& write);

/// A client that writes nothing. The API server is asked what each write would do (`dryRun=All`),
/// and the answer is remembered, so that later reads find what would be there by then. Deletions,
/// release records and the custom resource itself are answered here, and so is what the API server
/// cannot answer before earlier writes have happened: objects of kinds that a CRD would define, in
/// namespaces that would be created, and in place of objects that would be deleted. CRDs become
/// established at once, and Jobs and Pods that are created succeed.
///
/// A dry run that the caller asks for is passed on, and is not a write.
///
/// Lists and watches show the cluster as it is. Thread-safe; only one thread may write.
class RehearsalClient final : public kube::Client {
 public:
  /// `client` must outlive it. `cr` is the custom resource as the reconcile is to see it.
  RehearsalClient(kube::Client& client, const value::Value& cr);

  /// Returns the writes so far, in order.
  const std::vector<Write>& writes() const { return writes_; }
  /// Returns the custom resource as it would be.
  value::Value custom_resource() const CW_EXCLUDES(mutex_);
  /// Returns the mask of all Secrets that were read or written. Only for the thread that writes.
  host::SecretMask& secrets() { return secrets_; }

  base::Result<kube::ResourceMapping> mapping_for(const kube::Gvk& gvk,
                                                  const kube::Call& call) override;
  base::Result<kube::ResourceMapping> preferred_mapping(const kube::GroupKind& kind,
                                                        const kube::Call& call) override;
  base::Status refresh_kinds(base::Duration age, const kube::Call& call) override;
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
  /// Returns the object as it is remembered; nil: it would be gone.
  std::optional<value::Value> remembered(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  /// Returns the object as it would be by now, or nil. Errors: those of the client but kNotFound.
  base::Result<value::Value> current(const kube::ObjectRef& ref, const kube::Call& call);
  bool is_answered_here(const value::Value& object) const CW_EXCLUDES(mutex_);
  bool is_new_kind(const kube::Gvk& gvk) const CW_EXCLUDES(mutex_);
  value::Value own_answer(const value::Value& before, const value::Value& sent);
  /// Remembers the write, and returns the object under a version of its own.
  value::Value admit(Write write, const kube::Call& call) CW_EXCLUDES(mutex_);
  base::Error refuse(Write write, base::Error error);
  void learn_kinds(const value::Value& definition, const kube::Call& call) CW_EXCLUDES(mutex_);

  kube::Client& client_;
  const kube::ObjectRef cr_;
  std::vector<Write> writes_;
  host::SecretMask secrets_;
  mutable base::Mutex mutex_;
  std::map<kube::ObjectRef, value::Value> objects_ CW_GUARDED_BY(mutex_);
  /// Objects that the API server does not have as they are remembered: created or deleted here.
  std::set<kube::ObjectRef> unreal_ CW_GUARDED_BY(mutex_);
  std::map<kube::Gvk, kube::ResourceMapping> new_kinds_ CW_GUARDED_BY(mutex_);
  std::set<std::string> new_namespaces_ CW_GUARDED_BY(mutex_);
  uint64_t version_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::diff
