// SPDX-License-Identifier: Apache-2.0
// `chartwright wait`: until a custom resource is ready, has a revision, or is gone.
#include <algorithm>
#include <optional>

#include "console/commands.h"
#include "console/wanted.h"
#include "report/summary.h"
#include "report/wait_goal.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using State = WaitVerdict::State;

/// The exit code where nothing failed, but the goal is not reached.
constexpr int kExitNotReached = 3;
constexpr base::Duration kLookAgainAfter = std::chrono::milliseconds(500);

/// Reports whether the same request may succeed a little later.
bool may_pass(const Error& error) {
  return error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kTimeout ||
         error.code() == ErrorCode::kTooManyRequests;
}

class WaitCommand final : public Command {
 public:
  std::string_view name() const override { return "wait"; }
  std::string_view summary() const override {
    return "Wait until a custom resource is ready, has a revision in force, or is deleted";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    flags.text(for_, {.name = "for",
                      .help = "ready, revision=NUMBER or deleted",
                      .takes = {.words = {"ready", "revision=", "deleted"},
                                .live = Takes::Live::kAwaitedRevisions,
                                .live_front = "revision="}});
    flags.duration(timeout_, {"timeout", '\0', "the longest wait; 0s: look once"});
    flags.arguments(arguments_, "KIND/NAME|KIND NAME", "the custom resources",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY(goal_, parse_goal(for_));
    if (timeout_ < base::Duration::zero()) {
      return Error(ErrorCode::kInvalidArgument, "--timeout: the time must not be negative");
    }
    CW_TRY(const auto connection, Connection::open(place_));
    deadline_ = base::after(connection->clock().monotonic(), timeout_);
    CW_TRY(const auto refs, named_objects(arguments_, *connection));
    int code = kExitOk;
    for (const kube::ObjectRef& ref : refs) {
      const auto verdict = wait_for(ref, *connection);
      if (!verdict.ok()) {
        print_error(verdict.error(), streams);
        code = kExitError;
      } else if (verdict->state == State::kReached) {
        streams.tell(name_text(ref) + " " + verdict->says + "\n");
      } else {
        streams.err(name_text(ref) + " " + verdict->says + "\n");
        code = code == kExitOk ? kExitNotReached : code;
      }
    }
    return code;
  }

 private:
  /// Looks again and again, until the goal is reached, can no more be reached, or time is over.
  base::Result<WaitVerdict> wait_for(const kube::ObjectRef& ref, Connection& connection) const {
    std::optional<std::string> uid;
    while (true) {
      const auto cr = connection.client().get(ref, connection.call());
      if (cr.ok()) {
        uid = uid.value_or(std::string(kube::uid_of(*cr)));
      }
      const bool is_over = connection.clock().monotonic() >= deadline_;
      if (!cr.ok() && (is_over || !may_pass(cr.error()))) {
        return without_object(cr.error());
      }
      if (cr.ok()) {
        WaitVerdict verdict = judge(*cr, goal_, *uid);
        if (is_over || verdict.state != State::kNotYet) {
          return verdict;
        }
      }
      connection.pause(
          std::min<base::Duration>(kLookAgainAfter, deadline_ - connection.clock().monotonic()));
    }
  }
  base::Result<WaitVerdict> without_object(const Error& error) const {
    if (error.code() == ErrorCode::kNotFound && goal_.kind == WaitGoal::Kind::kDeleted) {
      return WaitVerdict{State::kReached, "is deleted"};
    }
    return error;
  }

  PlaceFlags place_;
  std::vector<std::string> arguments_;
  std::string for_ = "ready";
  base::Duration timeout_ = std::chrono::minutes(5);
  WaitGoal goal_;
  base::MonotonicTime deadline_;
};

}  // namespace

std::unique_ptr<Command> make_wait_command() { return std::make_unique<WaitCommand>(); }

}  // namespace chartwright::cmd
