// SPDX-License-Identifier: Apache-2.0
#include "resource/progress.h"

#include <utility>

namespace chartwright::op {
namespace {

struct RejectedInputs {
  const std::string* operator()(const Unpinned& /*none*/) const { return nullptr; }
  template <typename Pinned>
  const std::string* operator()(const Pinned& pin) const {
    return &pin.rejected_inputs;
  }
};

Undone end_of(Undoing undoing) {
  return {std::move(undoing.rejected_inputs), std::move(undoing.failed)};
}

}  // namespace

std::string_view to_string(DryRun result) {
  switch (result) {
    case DryRun::kPending:
      return "Pending";
    case DryRun::kRefused:
      return "Refused";
    case DryRun::kAccepted:
      return "Accepted";
  }
  return "";
}

const std::string* Progress::rejected_inputs() const {
  return std::visit(RejectedInputs(), stored_.pin);
}

const FailedAttempt* Progress::failed_attempt() const {
  if (const auto* undoing = std::get_if<Undoing>(&stored_.pin)) {
    return &undoing->failed;
  }
  const auto* undone = std::get_if<Undone>(&stored_.pin);
  return undone == nullptr ? nullptr : &undone->failed;
}

void Progress::begin(Attempt attempt) { stored_.attempt = std::move(attempt); }

void Progress::put_in_force(int revision, std::string inputs, Pin after, std::string request) {
  unrecorded_ = false;
  stored_.revision = revision;
  stored_.inputs = std::move(inputs);
  stored_.pin = std::move(after);
  if (auto* undoing = std::get_if<Undoing>(&stored_.pin)) {
    stored_.pin = end_of(std::move(*undoing));
  } else if (std::holds_alternative<RolledBack>(stored_.pin)) {
    stored_.handled_rollback = std::move(request);
    stored_.rollback_refusal.clear();
  }
}

void Progress::keep_for(std::string inputs) {
  stored_.inputs = std::move(inputs);
  stored_.pin = Unpinned();
  stored_.attempt.reset();
}

void Progress::take_over_rollback(std::string rejected_inputs, std::string inputs) {
  stored_.pin = RolledBack{std::move(rejected_inputs)};
  stored_.inputs = std::move(inputs);
}

void Progress::reject(std::string inputs, FailedAttempt failed, Phase phase) {
  if (phase == Phase::kInstall) {
    stored_.revision = 0;
    stored_.inputs.clear();
  }
  stored_.pin = Undoing{std::move(inputs), std::move(failed)};
  stored_.attempt.reset();
}

void Progress::undo_install() { stored_.pin = end_of(std::get<Undoing>(std::move(stored_.pin))); }

void Progress::note_dry_run(DryRun result) {
  std::get<Undone>(stored_.pin).failed.dry_run = result;
}

Attempt& Progress::current() { return stored_.attempt.value(); }

void Progress::refuse_rollback(std::string request, std::string why) {
  stored_.handled_rollback = std::move(request);
  stored_.rollback_refusal = std::move(why);
}

void Progress::withdraw_rollback() {
  stored_.handled_rollback.clear();
  stored_.rollback_refusal.clear();
}

void Progress::withdraw_failed_rollback() {
  failure_.reset();
  stored_.attempt.reset();
}

}  // namespace chartwright::op
