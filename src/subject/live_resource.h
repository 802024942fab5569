// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resource/cr_status.h"
#include "subject/subject.h"

namespace chartwright::op {

/// The part of a status that is not in the state.
struct StatusReport {
  Activity activity = Activity::kSettled;
  std::string waiting = {};  ///< For kWorking: see StatusInput.
  std::string waiting_cause = {};
  value::Value author = {};  ///< From operator/status.yaml: a dict, or nil.
  std::optional<Failure> failure = {};
  bool leaves_revision = false;  ///< See StatusInput.
  Uninstallation uninstallation = Uninstallation::kNone;
};

/// The custom resource on the API server, which may be newer than the cache, or gone. The only
/// writer of its status and finalizers. Blocks.
class LiveResource {
 public:
  /// All must outlive it. `generation` is that of the spec that the revision in force carries out.
  LiveResource(const Subject& subject, StoredStatus& stored, int64_t& generation)
      : subject_(subject), stored_(stored), generation_(generation) {}

  /// Asks the API server whether the custom resource is there, and is not being deleted. Errors:
  /// kCancelled where it is gone, kConflict where another process has gone on with the release or
  /// the API server's storage was restored from a backup, and those of the client.
  base::Status confirm();
  /// Calls confirm(), unless the API server has confirmed it in this reconcile.
  base::Status confirm_once();
  /// Reports whether the API server said that it is gone, or that another one has its name.
  bool gone() const { return gone_; }
  /// Reports whether the reconcile has to end: the custom resource is gone, or the state is not
  /// that of the cluster, since another process has gone on with the release or a backup was
  /// restored.
  bool lost() const { return gone_ || !stored_.overtaken.empty(); }
  /// Returns the outcome of a reconcile that has to end.
  runtime::Outcome farewell() const;
  /// Returns the outcome of a reconcile that could not write its status.
  static runtime::Failed unwritten(base::Error error);

  /// Writes the status if it differs from the one last written. Errors: kCancelled where the
  /// custom resource is gone, kConflict where another process has gone on with the release, and
  /// those of the client.
  base::Status write_status(const StatusReport& report);
  /// Writes the state while work goes on. The author's fields stay as they are until its end.
  /// Errors: as write_status.
  base::Status write_progress() {
    return write_status({.activity = Activity::kWorking, .author = stored_.status.unpack()});
  }
  /// Adds the condition Paused to the status last written. Errors: as write_status.
  base::Status write_paused(std::string message);
  /// Writes the records of externals into the status, and leaves the rest as it was last written.
  /// Errors: as write_status, and kInvalid where the CRD's schema does not let the API server keep
  /// them.
  base::Status write_externals();
  /// Removes helm-operator's copy of the manifest, which may hold Secrets, from the status. Errors:
  /// those of the client.
  base::Status forget_manifest();
  /// Returns the finalizers as this reconcile has read or written them last.
  std::vector<std::string> finalizers() const { return kube::finalizers_of(newest()); }
  /// Replaces all finalizers, over the version of finalizers(). Errors: kConflict when the custom
  /// resource has changed since, and those of the client.
  base::Status write_finalizers(const std::vector<std::string>& finalizers);
  /// Adds a finalizer to those of the newest version, unless it is there. Errors: those of
  /// confirm() and write_finalizers.
  base::Status add_finalizer(std::string_view finalizer);

 private:
  base::Error mark_gone();
  base::Error mark_overtaken(const value::Value& live);
  bool shows_restore(const value::Value& live) const;
  value::Value compose(const value::Value& previous, const StatusReport& report) const;
  /// Only what comes from the state is signed: others may have written into the last status. Of a
  /// release that is still to be confirmed, nothing is.
  enum class Signing : uint8_t { kNone, kAnew };
  base::Result<value::Value> to_send(const value::Value& composed, Signing signing) const;
  base::Status learn_schema(const value::Value& status);
  base::Result<value::Value> try_status(const value::Value& status);
  base::Result<value::Value> send_status(const value::Value& composed, Signing signing,
                                         kube::Reply reply);
  /// `status`: `composed` as to_send has made it.
  base::Result<value::Value> deliver(const value::Value& composed, value::Value status,
                                     Signing signing, kube::Reply reply);
  base::Result<kube::Applied> apply_status(const value::Value& status, kube::Reply reply);
  base::Result<value::Value> merge_status(const value::Value& status, kube::WriteOptions options);
  base::Result<value::Value> remove_strays(value::Value stored, const value::Value& externals);
  std::string newest_version() const;
  const value::Value& newest() const { return newest_.is_nil() ? subject_.cr : newest_; }
  void note(const value::Value& live);

  const Subject& subject_;
  StoredStatus& stored_;
  int64_t& generation_;
  value::Value newest_;  ///< With metadata at least; nil: nothing is newer than the cache.
  bool confirmed_ = false;
  bool gone_ = false;
};

}  // namespace chartwright::op
