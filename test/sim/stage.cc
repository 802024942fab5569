// SPDX-License-Identifier: Apache-2.0
#include "test/sim/stage.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "kube/object.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::sim {

using base::Error;
using base::ErrorCode;
using base::Status;
using kube::ObjectRef;
using value::Value;

namespace {

constexpr std::string_view kNamespace = "shop";

kube::Gvk gvk_of(const std::string& kind) {
  if (kind == "ConfigMap" || kind == "Secret") {
    return {"", "v1", kind};
  }
  return kind == "Job" ? kube::Gvk{"batch", "v1", kind} : kube::Gvk{"example.com", "v1", kind};
}

Value object_of(const ObjectRef& ref) {
  return Value::dict({{"apiVersion", Value::string(ref.gvk.api_version())},
                      {"kind", Value::string(ref.gvk.kind)},
                      {"metadata", Value::dict({{"namespace", Value::string(ref.ns)},
                                                {"name", Value::string(ref.name)}})}});
}

// The words are KEY=VALUE.
base::Result<Value> spec_of(std::span<const std::string_view> words) {
  Value spec = Value::dict();
  for (const std::string_view word : words) {
    const size_t at = word.find('=');
    if (at == std::string_view::npos) {
      return Error(ErrorCode::kParse, "\"" + std::string(word) + "\" is not KEY=VALUE");
    }
    spec.mutable_dict().set(word.substr(0, at), Value::string(std::string(word.substr(at + 1))));
  }
  return spec;
}

bool is_complete(const Value& job) { return job.find("status") != nullptr; }

}  // namespace

ObjectRef ref_of_step(const std::string& kind, const std::string& name) {
  return {gvk_of(kind), std::string(kNamespace), name};
}

Stage::Stage(const Plan& plan, Scheduler& of) : scheduler(of), script(plan.incidents) {
  server.let_watches_lag();
  controllers_ = base::Thread("controllers", base::kDefaultStackBytes, [this] { control(); });
}

Stage::~Stage() {
  base::MutexLock lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

void Stage::tell(Row row) {
  row.at = scheduler.now();
  row.thread = scheduler.thread();
  journal.push_back(std::move(row));
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

Status Stage::perform(const std::string& step) {
  const std::vector<std::string_view> words = base::split(step, ' ');
  if (words.size() == 2 && (words[0] == "cut" || words[0] == "expire")) {
    server.cut_watches_of(gvk_of(std::string(words[1])).group_kind());
    if (words[0] == "expire") {
      server.forget_changes();
    }
    return {};
  }
  if (words.size() < 3) {
    return Error(ErrorCode::kParse, "\"" + step + "\" is not VERB KIND NAME...");
  }
  if (words[0] == "hold" && words.size() == 4) {
    CW_TRY(const base::Duration length, base::parse_go_duration(words[2]));
    held_of_[{std::string(words[3]), std::string(words[1])}] = scheduler.now() + length;
    return {};
  }
  if (words[0] == "hold") {
    return hold(words[1], words[2]);
  }
  const std::string_view verb = words[0];
  const ObjectRef ref = ref_of_step(std::string(words[1]), std::string(words[2]));
  const std::span<const std::string_view> rest = std::span(words).subspan(3);
  Value object = server.peek(ref);
  object = object.is_nil() ? object_of(ref) : value::deep_copy(object);
  if (verb == "put") {
    CW_TRY(Value spec, spec_of(rest));
    object.mutable_dict().set("spec", std::move(spec));
    change(step, ref, [&] { server.put(object); });
  } else if (verb == "delete") {
    change(step, ref, [&] { server.begin_deletion(ref); });
  } else if (verb == "erase") {
    change(step, ref, [&] { server.erase(ref); });
  } else if (verb == "paint" && rest.size() == 1) {
    if (server.has(ref)) {
      Value data = Value::dict({{"color", Value::string(std::string(rest.front()))}});
      object.mutable_dict().set("data", std::move(data));
      change(step, ref, [&] { server.put(object); });
    }
  } else if (verb == "squat") {
    if (!server.has(ref)) {
      object.find("metadata")
          ->mutable_dict()
          .set("labels", Value::dict({{"app", Value::string(ref.name)}}));
      object.mutable_dict().set("data", Value::dict({{"own", Value::string("theirs")}}));
      change(step, ref, [&] { server.put(object); });
    }
  } else if (verb == "annotate" && rest.size() == 2) {
    if (server.has(ref)) {
      Value& annotations = object.find("metadata")->mutable_dict().at_or_insert("annotations");
      annotations = annotations.is_dict() ? annotations : Value::dict();
      annotations.mutable_dict().set(rest.front(), Value::string(std::string(rest.back())));
      change(step, ref, [&] { server.put(object); });
    }
  } else {
    return Error(ErrorCode::kParse, "\"" + step + "\" is no step");
  }
  return {};
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
          value::testing::json(R"({"conditions":[{"type":"Complete","status":"True"}]})"));
      change("complete " + ref.to_string(), ref, [this, &done] { server.put(done); });
      return true;
    }
  }
  return false;
}

Status Stage::hold(std::string_view kind, std::string_view duration) {
  CW_TRY(const base::Duration length, base::parse_go_duration(duration));
  server.hold_watches_of(gvk_of(std::string(kind)).group_kind());
  base::MutexLock lock(mutex_);
  held_until_ = scheduler.now() + length;
  changed_.notify_all();
  return {};
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
