// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/error.h"
#include "release/hook.h"

namespace chartwright::op {

/// The result of the first dry run of a failed attempt, once that was undone.
enum class DryRun : uint8_t {
  kPending,
  kRefused,   ///< It reproduces the failure, so that later ones show when to retry.
  kAccepted,  ///< It does not reproduce the failure, so it cannot show when to retry.
};

std::string_view to_string(DryRun result);  ///< "Pending", ...

/// An attempt that failed, and that the policy for failures undoes.
struct FailedAttempt {
  int revision = 0;  ///< The number of its record.
  std::string why;
  DryRun dry_run = DryRun::kPending;
};

/// The revision in force is that of the spec, or on its way there.
struct Unpinned {};
/// A person asked for the revision in force.
struct RolledBack {
  std::string rejected_inputs;
};
/// An attempt has failed, and is being undone.
struct Undoing {
  std::string rejected_inputs;
  FailedAttempt failed;
};
/// It was rolled back, or what it had installed is deleted.
struct Undone {
  std::string rejected_inputs;
  FailedAttempt failed;
};

/// Whether another revision than that of the spec is in force: it stays while the spec and the
/// chart have the digest `rejected_inputs`. Lookups are not part of that digest: only a change by
/// the user ends a rollback.
using Pin = std::variant<Unpinned, RolledBack, Undoing, Undone>;

/// The work on a revision, or on the uninstall of one, from before its first effect to its end. It
/// is stored, so that another process goes on with the same manifest and the same hooks.
struct Attempt {
  int revision = 0;    ///< The number of its record.
  std::string digest;  ///< The keyed digest of its inputs and of all that it does.
  /// The keyed digest of its manifest and hooks, as the history has it in the end; empty: not
  /// known.
  std::string content;
  std::string phase;  ///< For people: "pre-upgrade", ...
  release::HookProgress hooks;
  std::string failure;  ///< The failure of a hook that ended it; empty: it goes on.
  int tidied = 0;       ///< Hook objects whose policy was followed. In memory only.
  std::string held;     ///< Why it is held, as its record says. In memory only.
};

/// The part of the work that an error ended. It decides which condition reports the error.
enum class Phase : uint8_t {
  kRender,   ///< Values, schema, templates: nothing was sent.
  kInstall,  ///< The first revision could not be applied.
  kUpgrade,  ///< A later one.
  kRepair,   ///< The one in force could not be restored: nothing new is asked for.
  kUninstall,
  kExternal,  ///< An object outside the cluster.
  kSetAside,  ///< Not rendered, because rendering it has ended the process before.
};

struct Failure {
  Phase phase = Phase::kRender;
  base::Error error;
  std::string attempt = {};   ///< The inputs and requests that failed.
  bool looked_up = false;     ///< The chart had looked up objects, which may change.
  bool half_applied = false;  ///< Part of a new manifest may be in force.
  std::string rollback = {};  ///< The request whose hook failed; the failure ends with it.
  bool undoing = false;       ///< An earlier failure could not be undone.
  /// The failed inputs are not retried before this time; nullopt: never.
  std::optional<base::MonotonicTime> retry_at = base::MonotonicTime();

  /// Reports whether there was nothing to apply.
  bool before_apply() const { return phase == Phase::kRender || phase == Phase::kSetAside; }
};

/// Whether there may be a record of a revision that the status does not name.
enum class LaterRecord : uint8_t {
  kNone,
  kPossible,  ///< An earlier process may have ended before its status said so.
  kLikely,    ///< A record was begun, and has not been reported.
};

/// The revision of a release in force, and the work on the next one. It changes by the events below
/// alone, which leave no state that nothing leads out of: each says what becomes of the pin, the
/// attempt and the answer to a request together. See docs/design/010-progress.md.
/// Pure; not thread-safe.
class Progress {
 public:
  /// The part that the status stores.
  struct Stored {
    int revision = 0;    ///< In force; 0: none yet.
    std::string inputs;  ///< Digest of the inputs that it was rendered from.
    Pin pin;
    std::optional<Attempt> attempt;
    std::string handled_rollback;  ///< The value of rollback-to that was answered last.
    std::string rollback_refusal;  ///< Why that request was refused; empty if it was not.
  };

  Progress() = default;
  explicit Progress(Stored stored) : stored_(std::move(stored)) {}

  int revision() const { return stored_.revision; }
  const std::string& inputs() const { return stored_.inputs; }
  const Pin& pin() const { return stored_.pin; }
  const std::optional<Attempt>& attempt() const { return stored_.attempt; }
  const std::string& handled_rollback() const { return stored_.handled_rollback; }
  const std::string& rollback_refusal() const { return stored_.rollback_refusal; }
  /// The failure of the last attempt. In memory only.
  const std::optional<Failure>& failure() const { return failure_; }
  /// In memory only.
  LaterRecord later_record() const { return later_record_; }
  /// Reports whether the children are, in part, of a candidate that is not recorded. The status
  /// says so by leaving out what was observed of them: a process that does not know the candidate
  /// applies the revision in force. In memory only.
  bool is_unrecorded() const { return unrecorded_; }

  bool is_pinned() const { return !std::holds_alternative<Unpinned>(stored_.pin); }
  bool is_undoing() const { return std::holds_alternative<Undoing>(stored_.pin); }
  /// Returns the inputs that the pin rejects; nullptr without one.
  const std::string* rejected_inputs() const;
  /// Returns the attempt that is being, or was, undone; nullptr where none is.
  const FailedAttempt* failed_attempt() const;
  /// Returns the revision that the pin keeps in force; 0: none, or it is still to come.
  int pinned_revision() const { return is_pinned() && !is_undoing() ? stored_.revision : 0; }
  /// Reports whether an attempt has begun, and no hook has ended it.
  bool has_begun() const { return stored_.attempt && stored_.attempt->failure.empty(); }
  /// Reports whether a hook has ended an attempt.
  bool has_ended() const { return stored_.attempt && !stored_.attempt->failure.empty(); }

  // An attempt. All but `begin` require one.

  void begin(Attempt attempt);
  /// The record has another number, since somebody else has taken the first.
  void renumber_attempt(int revision) { current().revision = revision; }
  void enter_phase(std::string_view phase) { current().phase = phase; }
  void note_hooks(release::HookProgress hooks) { current().hooks = std::move(hooks); }
  void note_tidied(int hooks) { current().tidied = hooks; }
  /// The record says why the attempt is held.
  void hold(std::string why) { current().held = std::move(why); }
  /// A hook has ended it.
  void end_attempt(std::string why) { current().failure = std::move(why); }
  /// It is given up, or was the deletion of what another had installed, which is done. Also without
  /// one.
  void drop_attempt() { stored_.attempt.reset(); }

  // The revision in force.

  /// A candidate is applied and recorded. `after` is the pin that it was made for, and `request`
  /// the rollback that is asked for, if any. The attempt at it stays until `drop_attempt`.
  void put_in_force(int revision, std::string inputs, Pin after, std::string request);
  /// The revision in force is that of other inputs as well: they give the same objects.
  void keep_for(std::string inputs);
  /// It is recorded again, with another number.
  void renumber(int revision) { stored_.revision = revision; }
  /// It was rendered from inputs with that digest; empty: it is not known.
  void note_inputs(std::string inputs) { stored_.inputs = std::move(inputs); }
  /// Another operator, or Helm, has put it in force; 0: none.
  void take_over(int revision) { stored_.revision = revision; }
  /// So it has, by a rollback away from inputs with those digests.
  void take_over_rollback(std::string rejected_inputs, std::string inputs);

  // Failures.

  void fail(Failure failure) { failure_ = std::move(failure); }
  void recover() { failure_.reset(); }
  /// An attempt has failed, and is to be undone. That at an install leaves no revision in force.
  void reject(std::string inputs, FailedAttempt failed, Phase phase);
  /// The objects that the failed install had created are deleted. Requires Undoing.
  void undo_install();
  /// The first dry run of the rejected inputs has had a result. Requires Undone.
  void note_dry_run(DryRun result);

  // Requests for a rollback.

  void answer_rollback(std::string request) { stored_.handled_rollback = std::move(request); }
  void refuse_rollback(std::string request, std::string why);
  /// Nobody asks for one.
  void withdraw_rollback();
  /// It is asked for once more.
  void reopen_rollback() { stored_.handled_rollback.clear(); }
  /// The request whose hook failed was withdrawn: so is the attempt.
  void withdraw_failed_rollback();

  // The record.

  void note_later_record(LaterRecord later) { later_record_ = later; }
  void note_unrecorded(bool unrecorded) { unrecorded_ = unrecorded; }

 private:
  Attempt& current();  ///< Ends the process if there is no attempt.

  Stored stored_;
  std::optional<Failure> failure_;
  LaterRecord later_record_ = LaterRecord::kPossible;
  bool unrecorded_ = false;
};

}  // namespace chartwright::op
