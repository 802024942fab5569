// SPDX-License-Identifier: Apache-2.0
#include "sim/stage.h"

#include <algorithm>
#include <utility>

#include "kube/object.h"
#include "value/value.h"

namespace chartwright::sim {

using base::Status;
using kube::ObjectRef;
using value::Value;

namespace {

bool is_complete(const Value& job) { return job.find("status") != nullptr; }

}  // namespace

Stage::Stage(Scheduler& of, std::vector<Incident> incidents)
    : scheduler(of), script(std::move(incidents)) {
  server.let_watches_lag();
  controllers_ = base::Thread("controllers", base::kDefaultStackBytes, [this] { control(); });
}

Stage::~Stage() {
  base::MutexLock lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

Status Stage::perform(const std::string& step) {
  return base::Error(base::ErrorCode::kParse, "\"" + step + "\" is no step");
}

void Stage::tell(Row row) {
  row.at = scheduler.now();
  row.thread = scheduler.thread();
  journal.push_back(std::move(row));
}

void Stage::hold_for(const std::string& process, const std::string& kind, base::Duration length) {
  held_of_[{process, kind}] = scheduler.now() + length;
}

void Stage::hold(const kube::GroupKind& kind, base::Duration length) {
  server.hold_watches_of(kind);
  base::MutexLock lock(mutex_);
  held_until_ = scheduler.now() + length;
  changed_.notify_all();
}

base::Duration Stage::held(const std::string& process, const std::string& kind) const {
  const auto found = held_of_.find({process, kind});
  return found == held_of_.end() ? base::Duration()
                                 : std::max(base::Duration(), found->second - scheduler.now());
}

void Stage::note_change() {
  base::MutexLock lock(mutex_);
  is_changed_ = true;
  changed_.notify_all();
}

void Stage::change(const std::string& step, const ObjectRef& ref,
                   const std::function<void()>& act) {
  const Scheduler::Undisturbed undisturbed(scheduler);
  Row row{.what = Row::What::kUser, .call = step, .ref = ref};
  row.before = server.peek(ref);
  act();
  row.after = server.peek(ref);
  if (has_changed(row.before, row.after)) {
    tell(std::move(row));
    note_change();
  }
}

// An owner is gone if its uid is: another object may have its name. Source: the garbage collector
// of kube-controller-manager, with policy Background.
bool Stage::collect_one() {
  const auto everything = server.back_up();
  for (const auto& [ref, object] : everything.objects) {
    const std::vector<kube::OwnerReference> owners = kube::owner_references_of(object);
    const bool has_owner = std::ranges::any_of(owners, [&](const kube::OwnerReference& owner) {
      return std::ranges::any_of(everything.objects, [&owner](const auto& entry) {
        return kube::uid_of(entry.second) == owner.uid;
      });
    });
    if (!owners.empty() && !has_owner && !kube::is_deleting(object)) {
      change("collect " + ref.to_string(), ref, [this, &of = ref] { server.begin_deletion(of); });
      return true;
    }
  }
  return false;
}

bool Stage::complete_one() {
  for (const auto& [ref, object] : server.back_up().objects) {
    if (ref.gvk.kind == "Job" && !is_complete(object)) {
      Value done = value::deep_copy(object);
      done.mutable_dict().set(
          "status",
          Value::dict(
              {{"conditions", Value::list({Value::dict({{"type", Value::string("Complete")},
                                                        {"status", Value::string("True")}})})}}));
      change("complete " + ref.to_string(), ref, [this, &done] { server.put(done); });
      return true;
    }
  }
  return false;
}

bool Stage::await_change() {
  base::MutexLock lock(mutex_);
  while (!is_changed_ && !ends_) {
    if (!held_until_) {
      changed_.wait(mutex_);
    } else if (scheduler.now() < *held_until_) {
      changed_.wait_until(mutex_, *held_until_);
    } else {
      held_until_.reset();
      server.hold_watches(false);
    }
  }
  is_changed_ = false;
  return !ends_;
}

void Stage::control() {
  while (await_change()) {
    scheduler.point();
    while (collect_one() || complete_one()) {
      scheduler.point();
    }
  }
}

}  // namespace chartwright::sim
