// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "kube/client.h"
#include "release/foresight.h"
#include "release/inventory.h"
#include "release/plan.h"
#include "release/repair_observer.h"
#include "release/rules.h"

namespace chartwright::release {

struct ObjectError {
  kube::ObjectRef ref;
  base::Error error;
};

/// The result of carrying out a plan.
struct ApplyReport {
  std::vector<ObjectError> errors;      ///< In order of occurrence. If any, nothing was pruned.
  std::vector<const Desired*> created;  ///< Those of the plan that did not exist.
  int writes = 0;                       ///< Requests that changed or could have changed an object.
  bool ok() const { return errors.empty(); }
};

/// Carries out a plan. `inventory` is updated in place, object by object, so that it is correct
/// even when a later object fails. Blocks. An Executor serves one reconcile.
///
/// Errors of single objects: kOwnership (foreign, or unowned and not to be adopted), kImmutable
/// (unless its rule recreates the object), kInvalid, kForbidden (the message names verb and
/// resource), and other errors of the client. After a stage with an error, nothing that is new or
/// changed is written, because it may depend on that stage; objects whose desired form is the one
/// last applied are restored all the same.
class Executor {
 public:
  Executor(kube::Client& client, const kube::Call& call, const Owner& owner, ApplyPolicy policy,
           const base::Logger& log);

  /// `observer`, which sees each write, may be null.
  ApplyReport run(const Plan& plan, Inventory& inventory, RepairObserver* observer = nullptr);
  /// Sends the creates and applies of a plan as dry runs, up to the first whose refusal counts; its
  /// error is the result. With kAll, an object that depends on another one of the plan, such as its
  /// namespace, may be refused for that. Nothing changes.
  base::Status rehearse(const Plan& plan, Inventory inventory, Foresight foresight);

  /// Returns the object of a step that compares, as it is and as a dry run of the repair would make
  /// it. Nothing changes. Errors: those of the client; kConflict where it is gone or replaced.
  base::Result<Repair> compare(Step step);

 private:
  void run_step(const Step& step, Inventory& inventory);
  /// The outcome of a step.
  struct Done {
    Action action;
    Reason reason;
  };
  base::Status apply_step(const Step& step, Inventory& inventory, Done& done);
  base::Status write(const Step& step, Inventory& inventory);
  base::Result<kube::Applied> create(const Step& step, const Inventory& inventory, Held& held);
  base::Result<kube::Applied> overwrite(const Step& step, const Inventory& inventory, Held& held,
                                        PatchContest& contest);
  void note_left_out(InventoryEntry& entry) const;
  base::Result<bool> move_fields(const Step& step, Inventory& inventory);
  /// Whether fields that a predecessor has set in another version of the kind may be left.
  enum class Left : uint8_t { kNothing, kFields };
  Held hold_over(const Desired& desired, const value::Value& live, value::Value& body) const;
  base::Result<kube::Applied> write_over(const Step& step, Held& held, Left left);
  base::Result<kube::Applied> write_part(const Step& step, PatchContest& contest);
  base::Result<kube::Applied> take_left(const Step& step, const value::Value& body,
                                        kube::Applied applied);
  base::Result<value::Value> set_member(const Step& step, const value::Value& live,
                                        std::string_view member, value::Value wanted);
  base::Result<value::Value> set_managers(const Step& step, const value::Value& live,
                                          value::Value managers);
  base::Status drop_stray_reference(const Step& step, value::Value& live);
  base::Result<value::Value> get_present(const kube::ObjectRef& ref);
  base::Result<value::Value> get_same(const Step& step);
  /// Whether the inventory says that we applied the object before.
  enum class Record : uint8_t { kNew, kKnown };
  base::Result<kube::Applied> create_only(const Desired& desired, Record record, Held& held);
  base::Result<kube::Applied> take_over(const Desired& desired, Record record, Held& held);
  base::Result<kube::Applied> apply_with_exclusions(const Step& step, const value::Value& body,
                                                    kube::Force force);
  base::Result<bool> claim_items(const Step& step, const base::Error& refusal);
  base::Result<kube::Applied> apply_over(value::Value body, const std::string& uid,
                                         kube::Force force = kube::Force::kYes);
  base::Result<value::Value> kept_of(const value::Value& body, kube::ApplyOptions options);
  base::Status check_integers(value::Value& body, const kube::ApplyOptions& options);
  base::Result<kube::Applied> send(value::Value body, const kube::ApplyOptions& options);
  kube::ApplyOptions apply_options() const;
  base::Status remove(const Step& step, Inventory& inventory);

  kube::Client& client_;
  const kube::Call& call_;
  const Owner& owner_;
  const std::string manager_;  ///< The field manager of the owner.
  const ApplyPolicy policy_;
  const base::Logger& log_;
  kube::DryRun dry_run_ = kube::DryRun::kOff;
  RepairObserver* observer_ = nullptr;
  std::string found_uid_;  ///< The uid of the object of the step, if it may be replaced.
  bool restores_ = false;  ///< Whether the step brings an object back to what is in force.
  std::vector<std::string> left_out_;  ///< Fields that the last body that was sent lacks.
  ApplyReport report_;
};

}  // namespace chartwright::release
