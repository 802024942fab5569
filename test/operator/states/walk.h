// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/strings.h"
#include "operator/reconcile.h"
#include "test/operator/helms.h"
#include "test/operator/hooked.h"

namespace chartwright::op::testing {

inline const std::string kApplyNew = "apply ConfigMap shop/new";
inline const std::string kSpecRed = R"({"color":"red","extra":"old"})";
inline const std::string kSpecGreen = R"({"color":"green","extra":"new"})";
inline const std::string kSpecBroken = R"({"broken":true})";

inline Files walked_chart() {
  return with(widget_chart(),
              {{"templates/hooks.yaml",
                hook_job("before", "\"pre-install,pre-upgrade,pre-rollback\"") +
                    hook_job("after", "\"post-install,post-upgrade,post-rollback\"")}});
}

/// The events so far that the promises are about.
struct Past {
  std::map<std::string, int> runs;  ///< Of hooks, by record and name.
  int asked = 0;                    ///< How often a rollback was asked for.
  std::set<int> rollbacks;          ///< The records of those that began and were not given up.
};

/// A custom resource at one time: what the server has, and what the process remembers.
struct Moment {
  model::MemoryServer::Backup server;
  std::optional<CrState> memory;  ///< nullopt: the process has just started.
  base::MonotonicTime now;
  bool refuses = false;
  Past past;
  Calls way;  ///< The events that led here.
};

/// Names revisions by their age, so that a state does not differ from one that was reached earlier.
class Ages {
 public:
  explicit Ages(int newest) : newest_(newest) {}
  std::string of(int number) const {
    return number == 0 ? "none" : std::to_string(newest_ - number);
  }
  /// Replaces the numbers of a text, which are those of revisions.
  std::string in(const std::string& text) const {
    std::string aged;
    for (size_t i = 0; i < text.size();) {
      const size_t end = std::min(text.find_first_not_of("0123456789", i), text.size());
      if (const auto number = base::parse_int(std::string_view(text).substr(i, end - i))) {
        aged += "~" + of(static_cast<int>(*number));
      } else {
        aged += text[i];
      }
      i = std::max(end, i + 1);
    }
    return aged;
  }

 private:
  const int newest_;
};

/// A custom resource whose time goes forward event by event, and back to any moment.
class Walk : public Hooked {
 public:
  Walk() : Hooked(walked_chart()) { spec(kSpecRed); }

  Moment moment() const {
    const auto memory = memory_ == nullptr ? std::nullopt : std::optional(*memory_);
    return {api.back_up(), memory, clock.monotonic(), refuses_, past_, way_};
  }
  void go_back(const Moment& to) {
    stop();
    api.restore(to.server);
    lose_memory();
    if (to.memory) {
      memory_ = states_.get(ref(), cr());
      *memory_ = *to.memory;
    }
    clock.advance(to.now - clock.monotonic());
    past_ = to.past;
    way_ = to.way;
    refuse(to.refuses);
    start();
  }

  /// Installs the release as Helm does, whose upgrade then fails, and asks for it anew.
  void begin_as_failed_release_of_helm() {
    for (int i = 0; i < 8; ++i) {
      advance();
      end_jobs("Complete");
    }
    release::Revision failed = record(*this, 1);
    failed.number = 2;
    failed.status = release::RevisionStatus::kFailed;
    failed.description = "Upgrade \"w\" failed: the server was away";
    put_helms_record(*this, failed);
    give_to_helm(*this, {"w", "old"});
    for (const std::string& name : jobs()) {
      api.erase(job(name));  // One of Helm has no owner, and would be in the way.
    }
    lose_memory();
    past_ = {};
  }

  // Events.

  void refuse(bool refuses) {
    refuses_ = refuses;
    const auto denied =
        refuses ? std::optional(
                      base::Error(base::ErrorCode::kInvalid, "not today").with_http(422, "Invalid"))
                : std::nullopt;
    api.fail_always(kApplyNew, denied);
    api.fail_always("dry-" + kApplyNew, denied);
  }
  bool refuses() const { return refuses_; }
  void ask_for_rollback() {
    ++past_.asked;
    annotate(kRollbackTo, "previous");
  }
  void ask_again() {
    ++past_.asked;
    annotate(kReconcileRequestedAt, annotation(kReconcileRequestedAt) == "a" ? "b" : "a");
  }
  std::string annotation(std::string_view key) const {
    return std::string(kube::annotation_of(cr(), key).value_or(""));
  }
  std::string spec_now() const { return value::to_json(*cr().find("spec")).value_or(""); }
  bool runs(const std::string& name) const {
    const value::Value live = api.peek(job(name));
    return !live.is_nil() && live.find("status") == nullptr;
  }
  void end_jobs(const std::string& condition) {
    for (const std::string& name : jobs()) {
      if (runs(name)) {
        end_job(name, condition);
      }
    }
  }
  void lose_memory() {
    states_.forget(ref());
    memory_.reset();
  }
  void note(const std::string& event) { way_.push_back(event); }
  const Calls& way() const { return way_; }

  /// One reconcile, by the process of now.
  runtime::Outcome advance() {
    api.forget_calls();
    if (!api.has(ref())) {
      lose_memory();
      return runtime::Done{};
    }
    const value::Value now = cached();
    api.forget_calls();
    const auto uids = job_uids();
    const base::Signer signer = CW_MUST(base::Signer::make(master_key, kube::uid_of(now)));
    memory_ = states_.get(ref(), now, &signer);
    if (!memory_->stored.overtaken.empty()) {
      return runtime::RequeueAfter{std::chrono::seconds(1)};
    }
    const runtime::ReconcileContext of = context();
    runtime::Outcome outcome = Reconcile(watch, services(), of, now, *memory_).run();
    remember(uids);
    return outcome;
  }

  // Readers.

  const Past& past() const { return past_; }
  /// The status and the description of each record.
  std::map<int, std::string> record_lines() const {
    std::map<int, std::string> found;
    for (int number = 1; number < 60; ++number) {
      const value::Value object = api.peek(secret(number));
      if (!object.is_nil()) {
        std::string& text = texts_[std::string(object.string_at({"data", "release"}))];
        if (text.empty()) {
          const release::Revision one = CW_MUST(release::decode_revision(object));
          text = std::string(to_string(one.status)) + " " + one.description;
        }
        found.emplace(number, text);
      }
    }
    return found;
  }
  size_t deployed() const {
    const auto all = record_lines();
    return static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const auto& one) {
      return one.second.starts_with("deployed ");
    }));
  }
  Calls config_maps() const {
    Calls there;
    for (const std::string name : {"w", "old", "new"}) {
      if (exists(name)) {
        there.push_back(name + "=" + color(name));
      }
    }
    return there;
  }
  bool at_rest() const {
    const Calls sent = calls();
    return std::none_of(sent.begin(), sent.end(), [](const std::string& call) {
      return !call.starts_with("get ") && !call.starts_with("list ") && !call.starts_with("dry-");
    });
  }
  enum class Lines : uint8_t { kAll, kInForce };
  /// Everything that the next reconcile depends on. Without a rollback, that is of the history only
  /// what is in force.
  std::string name(Lines lines = Lines::kAll) const;

 private:
  std::map<std::string, std::string> job_uids() const {
    std::map<std::string, std::string> uids;
    for (const std::string& name : jobs()) {
      uids[name] = kube::uid_of(api.peek(job(name)));
    }
    return uids;
  }
  void remember(const std::map<std::string, std::string>& before) {
    const int number = memory_->progress.attempt() ? memory_->progress.attempt()->revision : 0;
    for (const auto& [name, uid] : job_uids()) {
      const auto known = before.find(name);
      if (known == before.end() || known->second != uid) {
        ++past_.runs[std::to_string(number) + "/" + name];
      }
    }
    for (const auto& [number, text] : record_lines()) {
      if (text.find(" Rollback to ") != std::string::npos) {
        past_.rollbacks.insert(number);
      } else {
        past_.rollbacks.erase(number);  // It was given up for other inputs.
      }
    }
  }

  StateMap states_;
  std::shared_ptr<CrState> memory_;  ///< Null: the process has just started.
  bool refuses_ = false;
  Past past_;
  Calls way_;
  mutable std::unordered_map<std::string, std::string> texts_;  ///< Of records, by their data.
};

inline bool is_past(std::string_view text) {
  return text.starts_with("superseded") || text.starts_with("failed");
}

inline std::string retry_of(const Failure& failure, base::MonotonicTime now) {
  if (!failure.retry_at) {
    return "never";
  }
  return *failure.retry_at <= now ? "due" : "later";
}

inline std::string name_of(const CrState& state, const Ages& ages, base::MonotonicTime now) {
  const Progress& progress = state.progress;
  std::string text = "in force " + ages.of(progress.revision()) + " of " + progress.inputs();
  if (progress.is_pinned()) {
    text += "\npinned " + ages.of(progress.pinned_revision()) + " against " +
            *progress.rejected_inputs();
    if (const FailedAttempt* failed = progress.failed_attempt()) {
      text += " failed " + ages.of(failed->revision) + " " + failed->why + " " +
              std::string(to_string(failed->dry_run)) + (progress.is_undoing() ? "" : " undone");
    }
  }
  if (state.progress.attempt()) {
    const Attempt& attempt = *state.progress.attempt();
    text += "\nattempt " + ages.of(attempt.revision) + " " + attempt.phase + " " +
            std::to_string(attempt.hooks.done) + (attempt.hooks.uid.empty() ? "" : " runs") + " " +
            attempt.failure + " " + attempt.held;
  }
  text += "\nanswered " + state.progress.handled_rollback() + " " +
          ages.in(state.progress.rollback_refusal());
  if (state.progress.failure()) {
    const Failure& failure = *state.progress.failure();
    text += "\nfailure " + std::to_string(static_cast<int>(failure.phase)) + " " +
            failure.error.message() + " of " + failure.attempt + " " + failure.rollback + " " +
            std::to_string(static_cast<int>(failure.undoing)) +
            std::to_string(static_cast<int>(failure.half_applied)) + retry_of(failure, now);
  }
  text += "\n" + std::to_string(static_cast<int>(state.progress.is_unrecorded())) +
          std::to_string(static_cast<int>(state.progress.later_record())) +
          std::to_string(static_cast<int>(state.record_search));
  for (const auto& [ref, entry] : state.inventory) {
    text += "\n" + ref.to_string();
  }
  return text;
}

inline std::string name_of(const std::vector<HistoryItem>& history, const Ages& ages) {
  std::string text;
  for (const HistoryItem& item : history) {
    text += "\n" + ages.of(item.revision) + " " + item.status + " " + ages.in(item.description);
  }
  return text;
}

inline std::string Walk::name(Lines lines) const {
  const value::Value object = api.peek(ref());
  if (object.is_nil()) {
    return "gone: " + base::join(config_maps(), " ") + base::join(jobs(), " ");
  }
  const auto all = record_lines();
  const Ages ages(all.empty() ? 0 : all.rbegin()->first);
  std::string text = spec_now() + " " + annotation(kRollbackTo) + " " +
                     annotation(kReconcileRequestedAt) +
                     (kube::is_deleting(object) ? " deleted" : "") + (refuses_ ? " refuses" : "");
  text += "\n" + base::join(config_maps(), " ");
  for (const std::string& hook : jobs()) {
    const value::Value live = api.peek(job(hook));
    const value::Value* status = live.find("status");
    text += "\n" + hook + " " +
            (status == nullptr
                 ? "runs"
                 : std::string(status->find("conditions")->as_list().items[0].string_at({"type"})));
  }
  const base::Signer signer = CW_MUST(base::Signer::make(master_key, kube::uid_of(object)));
  const CrState stored = state_from_status(object, &signer);
  for (const auto& [number, one] : all) {
    if (lines == Lines::kAll || number == stored.progress.revision() || !is_past(one)) {
      text += "\n" + ages.of(number) + " " + ages.in(one);
    }
  }
  if (lines == Lines::kAll) {
    text += name_of(stored.history, ages) + (memory_ ? name_of(memory_->history, ages) : "");
  }
  text += "\nstatus: " + name_of(stored, ages, clock.monotonic());
  if (memory_) {
    text += "\nmemory: " + name_of(*memory_, ages, clock.monotonic());
  }
  return text;
}

}  // namespace chartwright::op::testing
