// SPDX-License-Identifier: Apache-2.0
// `chartwright pause`, `resume`, `reconcile` and `rollback`: requests to the operator, made by the
// annotations that people may set by hand, too.
#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "console/commands.h"
#include "console/rollback_preview.h"
#include "console/wanted.h"
#include "go/quote.h"
#include "health/conditions.h"
#include "report/summary.h"
#include "resource/annotations.h"
#include "resource/cr_state.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using op::kPaused;
using op::kPausedUntil;
using op::kReconcileRequestedAt;
using op::kRollbackTo;
using value::Value;

// Not the manager of kubectl, whose fields Flux takes back.
constexpr std::string_view kFieldManager = "chartwright-cli";
constexpr base::Duration kLookAgain = std::chrono::milliseconds(250);

using Annotations = std::vector<std::pair<std::string_view, std::optional<std::string>>>;

/// Sets annotations, and removes those without a value. Returns the new object.
base::Result<Value> annotate(Connection& connection, const kube::ObjectRef& ref,
                             const Annotations& annotations,
                             kube::DryRun dry_run = kube::DryRun::kOff) {
  Value changed = Value::dict();
  for (const auto& [key, text] : annotations) {
    changed.mutable_dict().set(key, text ? Value::string(*text) : Value());
  }
  const Value patch =
      Value::dict({{"metadata", Value::dict({{"annotations", std::move(changed)}})}});
  return connection.client().patch(
      ref, {kube::PatchType::kMerge, patch},
      {.field_manager = std::string(kFieldManager), .dry_run = dry_run}, connection.call());
}

/// A command that asks the operator of each named custom resource for something.
class RequestCommand : public Command {
 public:
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    declare_own(flags);
    flags.arguments(arguments_, "KIND/NAME|KIND NAME", "the custom resources",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(check());
    CW_TRY(const auto connection, Connection::open(place_));
    CW_TRY(const auto refs, named_objects(arguments_, *connection));
    int code = kExitOk;
    for (const kube::ObjectRef& ref : refs) {
      auto told = request(*connection, ref);
      if (told.ok()) {
        streams.tell(name_text(ref) + " " + *told + "\n");
      } else {
        print_error(told.error(), streams);
        code = kExitError;
      }
    }
    return code;
  }

 protected:
  virtual void declare_own(FlagSet& flags) = 0;
  virtual base::Status check() { return {}; }
  /// Makes the request. Returns the words that follow the name: "paused".
  virtual base::Result<std::string> request(Connection& connection, const kube::ObjectRef& ref) = 0;

 private:
  PlaceFlags place_;
  std::vector<std::string> arguments_;
};

class PauseCommand final : public RequestCommand {
 public:
  std::string_view name() const override { return "pause"; }
  std::string_view summary() const override {
    return "Stop all work on a custom resource, also its deletion";
  }

 protected:
  void declare_own(FlagSet& flags) override {
    flags.text(reason_, {"reason", '\0', "the reason that its condition Paused gives"});
    flags.duration(time_, {.name = "for",
                           .help = "the time after which the pause ends by itself",
                           .default_text = "no end"});
  }
  base::Status check() override {
    if (reason_.empty() || reason_ == "false") {
      return Error(ErrorCode::kInvalidArgument,
                   "--reason: " + go::quote(reason_) + " asks for no pause");
    }
    if (time_ < base::Duration::zero()) {
      return Error(ErrorCode::kInvalidArgument, "--for: the time must not be negative");
    }
    return {};
  }
  base::Result<std::string> request(Connection& connection, const kube::ObjectRef& ref) override {
    std::optional<std::string> until;
    if (time_ > base::Duration::zero()) {
      until = base::format_rfc3339(connection.clock().wall() + time_);
    }
    CW_TRY_DISCARD(annotate(connection, ref, {{kPaused, reason_}, {kPausedUntil, until}}));
    return until ? "paused until " + *until : std::string("paused");
  }

 private:
  std::string reason_ = "by chartwright pause";
  base::Duration time_{};
};

class ResumeCommand final : public RequestCommand {
 public:
  std::string_view name() const override { return "resume"; }
  std::string_view summary() const override { return "End the pause of a custom resource"; }

 protected:
  void declare_own(FlagSet& /*flags*/) override {}
  base::Result<std::string> request(Connection& connection, const kube::ObjectRef& ref) override {
    CW_TRY_DISCARD(
        annotate(connection, ref, {{kPaused, std::nullopt}, {kPausedUntil, std::nullopt}}));
    return std::string("resumed");
  }
};

class ReconcileCommand final : public RequestCommand {
 public:
  std::string_view name() const override { return "reconcile"; }
  std::string_view summary() const override {
    return "Ask for another attempt, also of a spec that has failed";
  }

 protected:
  void declare_own(FlagSet& /*flags*/) override {}
  base::Result<std::string> request(Connection& connection, const kube::ObjectRef& ref) override {
    CW_TRY_DISCARD(
        annotate(connection, ref,
                 {{kReconcileRequestedAt, base::format_rfc3339_micro(connection.clock().wall())}}));
    return std::string("asked for a reconcile");
  }
};

class RollbackCommand final : public RequestCommand {
 public:
  std::string_view name() const override { return "rollback"; }
  std::string_view summary() const override {
    return "Put an earlier revision in force, or the spec again";
  }

 protected:
  void declare_own(FlagSet& flags) override {
    flags.text(to_, {.name = "to",
                     .help = "the number of a revision, or previous",
                     .takes = {.live = Takes::Live::kRevisions}});
    flags.boolean(dry_run_, {"dry-run", '\0',
                             "show what that would change, by the records, and ask for nothing"});
    flags.boolean(end_, {"end", '\0', "end the rollback: the spec decides again"});
    flags.boolean(wait_, {"wait", '\0', "wait for the answer of the operator"});
    flags.duration(timeout_, {"timeout", '\0', "the longest wait"});
  }
  base::Status check() override {
    const bool is_number =
        base::is_all_digits(to_) && !to_.empty() && base::parse_int(to_).value_or(0) > 0;
    if (to_ != "previous" && !is_number) {
      return Error(ErrorCode::kInvalidArgument,
                   "--to: " + go::quote(to_) + " is neither a revision nor previous");
    }
    if (dry_run_ && end_) {
      return Error(ErrorCode::kInvalidArgument,
                   "--dry-run: without a rollback the spec decides, and `chartwright diff` shows "
                   "what it would change");
    }
    if (dry_run_ && wait_) {
      return Error(ErrorCode::kInvalidArgument,
                   "--wait: with --dry-run nothing is asked for, so that there is no answer");
    }
    return {};
  }
  base::Result<std::string> request(Connection& connection, const kube::ObjectRef& ref) override {
    if (end_) {
      CW_TRY_DISCARD(annotate(connection, ref, {{kRollbackTo, std::nullopt}}));
      return std::string("follows its spec again");
    }
    CW_TRY(const Value cr, connection.client().get(ref, connection.call()));
    const op::CrState state = op::state_from_status(cr);
    CW_TRY(const int number, number_in(state, ref));
    if (dry_run_) {
      return preview(cr, state, number, connection);
    }
    // A request is processed once.
    if (kube::annotation_of(cr, kRollbackTo) == to_) {
      CW_TRY_DISCARD(annotate(connection, ref, {{kRollbackTo, std::nullopt}}));
    }
    CW_TRY_DISCARD(annotate(connection, ref, {{kRollbackTo, to_}}));
    return wait_ ? answer(connection, ref) : "asked for a rollback to " + target();
  }

 private:
  std::string target() const { return to_ == "previous" ? to_ : "revision " + to_; }

  /// Returns the number of the revision that is meant.
  base::Result<int> number_in(const op::CrState& state, const kube::ObjectRef& ref) const {
    std::vector<std::string> numbers;
    std::optional<int> named = to_ == "previous" ? op::previous_revision(state) : std::nullopt;
    for (const op::HistoryItem& item : state.history) {
      numbers.push_back(std::to_string(item.revision));
      if (numbers.back() == to_) {
        named = item.revision;
      }
    }
    if (named) {
      return *named;
    }
    return Error(ErrorCode::kNotFound,
                 name_text(ref) + " has no " +
                     (to_ == "previous" ? "previous revision" : target()) +
                     (numbers.empty() ? "" : "; its history has " + base::join(numbers, ", ")));
  }

  base::Result<std::string> preview(const Value& cr, const op::CrState& state, int number,
                                    Connection& connection) const {
    const kube::ObjectRef ref = kube::ref_of(cr);
    CW_TRY_DISCARD(annotate(connection, ref, {{kRollbackTo, to_}}, kube::DryRun::kServer));
    auto text = rollback_preview(cr, state, number, connection);
    if (!text.ok()) {
      return std::move(text).error().wrap(name_text(ref));
    }
    return "would be rolled back from revision " + std::to_string(state.progress.revision()) +
           " to revision " + std::to_string(number) + ":\n" + std::string(base::trim(*text));
  }

  /// Waits until the operator has done what was asked for, or has refused it.
  base::Result<std::string> answer(Connection& connection, const kube::ObjectRef& ref) const {
    const base::MonotonicTime deadline = base::after(connection.clock().monotonic(), timeout_);
    while (true) {
      CW_TRY(const Value cr, connection.client().get(ref, connection.call()));
      if (cr.string_at({"status", "lastHandledRollback"}) == to_) {
        return outcome_in(cr);
      }
      if (connection.clock().monotonic() >= deadline) {
        return Error(ErrorCode::kTimeout, name_text(ref) + ": no operator has answered within " +
                                              base::format_go_duration(timeout_));
      }
      connection.pause(kLookAgain);
    }
  }
  base::Result<std::string> outcome_in(const Value& cr) const {
    const Value* condition = health::condition_of(cr, "RolledBack");
    const Value* revision = cr.find_path({"status", "revision"});
    if (condition == nullptr || condition->string_at({"status"}) != "True" || revision == nullptr ||
        !revision->is_int()) {
      const std::string why(condition == nullptr ? "" : condition->string_at({"message"}));
      return Error(ErrorCode::kInvalidArgument,
                   name_text(kube::ref_of(cr)) + ": the rollback is refused: " + why);
    }
    return "is rolled back to " + target() + ", as revision " + std::to_string(revision->as_int());
  }

  std::string to_ = "previous";
  bool dry_run_ = false;
  bool end_ = false;
  bool wait_ = false;
  base::Duration timeout_ = std::chrono::minutes(5);
};

}  // namespace

std::unique_ptr<Command> make_pause_command() { return std::make_unique<PauseCommand>(); }
std::unique_ptr<Command> make_resume_command() { return std::make_unique<ResumeCommand>(); }
std::unique_ptr<Command> make_reconcile_command() { return std::make_unique<ReconcileCommand>(); }
std::unique_ptr<Command> make_rollback_command() { return std::make_unique<RollbackCommand>(); }

}  // namespace chartwright::cmd
