// SPDX-License-Identifier: Apache-2.0
#include "report/wait_goal.h"

#include "base/printable.h"
#include "base/strings.h"
#include "go/quote.h"
#include "kube/object.h"
#include "report/summary.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

using value::Value;
using State = WaitVerdict::State;

constexpr size_t kSaysRunes = 1000;

std::string problem_text(const Summary& summary) {
  const std::string& reason = summary.problem->reason;
  const std::string& message = summary.problem->message;
  return cut_to(reason + (message.empty() ? "" : ": " + base::printable(message)), kSaysRunes);
}

bool has_seen_spec(const Value& cr) {
  const Value* seen = cr.find_path({"status", "observedGeneration"});
  return seen != nullptr && seen->is_int() && seen->as_int() == kube::generation_of(cr);
}

WaitVerdict judge_ready(const Value& cr) {
  const Summary summary = summary_of(cr);
  if (summary.ready == "True" && has_seen_spec(cr) && !kube::is_deleting(cr)) {
    return {State::kReached, "is ready, in revision " + std::to_string(summary.revision)};
  }
  return {State::kNotYet,
          "is not ready" + (summary.problem ? ": " + problem_text(summary) : std::string())};
}

WaitVerdict judge_revision(const Value& cr, int64_t wanted) {
  const Summary summary = summary_of(cr);
  const std::string in_force = std::to_string(summary.revision);
  if (summary.revision == wanted) {
    return {State::kReached, "has revision " + in_force + " in force"};
  }
  const std::string says =
      summary.revision > 0 ? "has revision " + in_force + " in force" : "has no revision in force";
  if (summary.revision > wanted) {
    return {State::kNever, says + ", which comes after revision " + std::to_string(wanted)};
  }
  return {State::kNotYet, says + (summary.problem ? ": " + problem_text(summary) : std::string())};
}

}  // namespace

base::Result<WaitGoal> parse_goal(const std::string& text) {
  if (text == "ready") {
    return WaitGoal{WaitGoal::Kind::kReady};
  }
  if (text == "deleted") {
    return WaitGoal{WaitGoal::Kind::kDeleted};
  }
  constexpr std::string_view kRevision = "revision=";
  if (text.starts_with(kRevision)) {
    const std::string number = text.substr(kRevision.size());
    const int64_t revision = base::is_all_digits(number) ? base::parse_int(number).value_or(0) : 0;
    if (revision > 0) {
      return WaitGoal{WaitGoal::Kind::kRevision, revision};
    }
  }
  return base::Error(base::ErrorCode::kInvalidArgument,
                     "--for: " + go::quote(text) + " is not ready, revision=NUMBER or deleted");
}

WaitVerdict judge(const Value& cr, const WaitGoal& goal, std::string_view uid) {
  const bool is_same = kube::uid_of(cr) == uid;
  if (goal.kind == WaitGoal::Kind::kDeleted) {
    if (!is_same) {
      return {State::kReached, "is deleted, and another one is in its place"};
    }
    return {State::kNotYet, kube::is_deleting(cr) ? "is being deleted" : "is not being deleted"};
  }
  if (!is_same) {
    return {State::kNever, "was deleted, and another one is in its place"};
  }
  return goal.kind == WaitGoal::Kind::kReady ? judge_ready(cr) : judge_revision(cr, goal.revision);
}

}  // namespace chartwright::cmd
