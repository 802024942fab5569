// SPDX-License-Identifier: Apache-2.0
#include "test/sim/oracles.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/strings.h"
#include "kube/object.h"
#include "revision/revision.h"
#include "test/sim/subject_stage.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::sim {
namespace {

using kube::ObjectRef;
using value::Value;
using Objects = std::map<ObjectRef, Value>;
using Finding = std::optional<std::string>;

constexpr std::string_view kGroup = "example.com";
constexpr std::string_view kRecordPrefix = "sh.helm.release.v1.";

bool is_cr(const ObjectRef& ref) { return ref.gvk.group == kGroup; }

bool is_record(const ObjectRef& ref) {
  return ref.gvk.kind == "Secret" && ref.name.starts_with(kRecordPrefix);
}

/// Objects of the operator itself, which are not of any custom resource.
bool is_own(const ObjectRef& ref) { return ref.ns == kOwnNamespace || ref.gvk.kind == "Event"; }

bool is_lease(const ObjectRef& ref) { return ref.gvk.kind == "Lease"; }

/// The part of an object that its chart decides.
Value content_of(const Value& object) {
  Value content = value::deep_copy(object);
  Value metadata = Value::dict();
  for (const std::string_view key : {"labels", "annotations"}) {
    if (const Value* found = content.find("metadata")->find(key)) {
      found->mutable_dict().erase("chartwright.io/hook-run");  // It holds chance.
      metadata.mutable_dict().set(key, *found);
    }
  }
  content.mutable_dict().set("metadata", std::move(metadata));
  return content;
}

Objects children_of(const Objects& all) {
  Objects children;
  for (const auto& [ref, object] : all) {
    if (!is_cr(ref) && !is_record(ref) && !is_own(ref)) {
      children.emplace(ref, content_of(object));
    }
  }
  return children;
}

Finding comes_to_an_end(const Record& run, const Record& /*undisturbed*/) {
  return run.stuck.empty() ? Finding() : Finding(run.stuck);
}

Finding ends_as_undisturbed(const Record& run, const Record& undisturbed) {
  const Objects is = children_of(run.end.objects);
  const Objects wanted = children_of(undisturbed.end.objects);
  for (const auto& [ref, object] : wanted) {
    const auto found = is.find(ref);
    if (found == is.end()) {
      return ref.to_string() + " is missing";
    }
    if (!value::json_equal(found->second, object)) {
      return ref.to_string() + " is " + CW_MUST(value::to_json(found->second)) + " and not " +
             CW_MUST(value::to_json(object));
    }
  }
  for (const auto& [ref, object] : is) {
    if (!wanted.contains(ref)) {
      return ref.to_string() + " is left";
    }
  }
  return std::nullopt;
}

std::string status_of(const Value& cr, std::string_view type) {
  if (const Value* status = cr.find("status"); status != nullptr) {
    if (const Value* conditions = status->find("conditions"); conditions != nullptr) {
      for (const Value& one : conditions->as_list().items) {
        if (one.string_at({"type"}) == type) {
          return std::string(one.string_at({"status"}));
        }
      }
    }
  }
  return "absent";
}

/// The member of a status that a chart decides (see subject.cc).
std::string_view shown_by(const Value& cr) { return cr.string_at({"status", "shown"}); }

Finding is_ready(const Record& run, const Record& undisturbed) {
  std::set<ObjectRef> there;
  for (const auto& [ref, object] : run.end.objects) {
    if (!is_cr(ref)) {
      continue;
    }
    there.insert(ref);
    if (!undisturbed.end.objects.contains(ref)) {
      return ref.to_string() + " is left";
    }
    const std::string ready = status_of(object, "Ready");
    if (ready != status_of(undisturbed.end.objects.at(ref), "Ready")) {
      return ref.to_string() + ": Ready is " + ready;
    }
    if (shown_by(object) != shown_by(undisturbed.end.objects.at(ref))) {
      return ref.to_string() + ": its status shows " + std::string(shown_by(object));
    }
  }
  for (const auto& [ref, object] : undisturbed.end.objects) {
    if (is_cr(ref) && !there.contains(ref)) {
      return ref.to_string() + " is missing";
    }
  }
  return std::nullopt;
}

Finding rests(const Record& run, const Record& /*undisturbed*/) {
  const auto rest = std::ranges::find(run.journal, Row::What::kRest, &Row::what);
  const auto late = std::find_if(rest, run.journal.end(), [](const Row& row) {
    return row.what == Row::What::kCall && !is_lease(row.ref);
  });
  return late == run.journal.end() ? Finding() : Finding("at rest it sends: " + late->call);
}

/// "1 superseded" of each record of a custom resource, by number.
std::map<int64_t, std::string> records_of(const Objects& all, const ObjectRef& cr) {
  std::map<int64_t, std::string> records;
  const std::string prefix = std::string(kRecordPrefix) + cr.name + ".v";
  for (const auto& [ref, object] : all) {
    if (is_record(ref) && ref.ns == cr.ns && ref.name.starts_with(prefix)) {
      const auto revision = release::decode_revision(object);
      const auto number = base::parse_int(ref.name.substr(prefix.size()));
      records[number.value_or(0)] =
          revision.ok() ? std::string(to_string(revision->status)) : revision.error().to_string();
    }
  }
  return records;
}

std::string to_text(const std::map<int64_t, std::string>& statuses) {
  std::string text;
  for (const auto& [number, status] : statuses) {
    text += " " + std::to_string(number) + " " + status;
  }
  return text;
}

Finding judge_records(const ObjectRef& cr, const std::map<int64_t, std::string>& records,
                      const Value& object) {
  int deployed = 0;
  int64_t expected = records.empty() ? 0 : records.begin()->first;
  for (const auto& [number, status] : records) {
    if (number != expected++) {
      return cr.to_string() + ": record " + std::to_string(expected - 1) + " is missing";
    }
    deployed += status == "deployed" ? 1 : 0;
    if (status != "deployed" && status != "superseded" && status != "failed") {
      return cr.to_string() + ": record " + std::to_string(number) + " is " + status;
    }
  }
  if (deployed != 1) {
    return cr.to_string() + ": " + std::to_string(deployed) + " records are deployed";
  }
  std::map<int64_t, std::string> told;
  if (const Value* history = object.find("status")->find("history")) {
    for (const Value& item : history->as_list().items) {
      told[item.find("revision")->as_int()] = std::string(item.string_at({"status"}));
    }
  }
  return told == records ? Finding()
                         : Finding(cr.to_string() + ": status.history has" + to_text(told) +
                                   ", and the records are" + to_text(records));
}

Finding keeps_records(const Record& run, const Record& /*undisturbed*/) {
  std::set<std::string> prefixes;
  for (const auto& [ref, object] : run.end.objects) {
    if (is_cr(ref) && object.find("status") != nullptr) {
      prefixes.insert(std::string(kRecordPrefix) + ref.name + ".v");
      if (auto finding = judge_records(ref, records_of(run.end.objects, ref), object)) {
        return finding;
      }
    }
  }
  for (const auto& [ref, object] : run.end.objects) {
    const bool has_cr = std::ranges::any_of(
        prefixes, [&ref = ref](const std::string& prefix) { return ref.name.starts_with(prefix); });
    if (is_record(ref) && !has_cr) {
      return ref.to_string() + " is left";
    }
  }
  return std::nullopt;
}

Finding guards_deletes(const Record& run, const Record& /*undisturbed*/) {
  for (const Row& row : run.journal) {
    if (row.what == Row::What::kCall && row.call.starts_with("delete ") &&
        row.preconditions.uid.empty()) {
      return row.call + " names no uid";
    }
  }
  return std::nullopt;
}

/// Whether the process made an object again that it had removed, and nobody else had done anything
/// since.
Finding does_not_flap(const Record& run, const Record& /*undisturbed*/) {
  std::set<ObjectRef> removed;
  for (const Row& row : run.journal) {
    const bool is_step = row.what == Row::What::kUser && row.thread != "controllers";
    if (is_step) {
      removed.clear();
    }
    if (row.what != Row::What::kCommit || is_record(row.ref) || row.ref.gvk.kind == "Job") {
      continue;
    }
    if (row.after.is_nil()) {
      removed.insert(row.ref);
    } else if (row.before.is_nil() && removed.contains(row.ref)) {
      return row.ref.to_string() + " is removed and made again";
    }
  }
  return std::nullopt;
}

/// Whether a child gets a content again that was replaced already, and nobody has asked for it
/// since: somebody acts by what was once so.
Finding does_not_go_back(const Record& run, const Record& /*undisturbed*/) {
  std::map<ObjectRef, std::set<std::string>> replaced;
  for (const Row& row : run.journal) {
    if (row.what == Row::What::kUser && row.thread != "controllers") {
      replaced.clear();
    }
    const bool is_write_of_child = row.what == Row::What::kCommit && !is_cr(row.ref) &&
                                   !is_record(row.ref) && !is_own(row.ref) &&
                                   !row.before.is_nil() && !row.after.is_nil() &&
                                   !kube::owner_references_of(row.before).empty();
    if (!is_write_of_child) {
      continue;
    }
    const auto text = [](const Value& object) {
      const Value* data = object.find("data");
      return data == nullptr ? std::string() : CW_MUST(value::to_json(*data));
    };
    std::set<std::string>& earlier = replaced[row.ref];
    if (text(row.before) == text(row.after)) {
      continue;
    }
    if (earlier.contains(text(row.after))) {
      return row.ref.to_string() + " goes back to " + text(row.after);
    }
    earlier.insert(text(row.before));
  }
  return std::nullopt;
}

std::map<ObjectRef, int> hooks_of(const Journal& journal) {
  std::map<ObjectRef, int> count;
  for (const Row& row : journal) {
    if (row.what == Row::What::kCommit && row.ref.gvk.kind == "Job" && row.before.is_nil()) {
      ++count[row.ref];
    }
  }
  return count;
}

Finding runs_hooks_once(const Record& run, const Record& undisturbed) {
  const std::map<ObjectRef, int> wanted = hooks_of(undisturbed.journal);
  for (const auto& [ref, count] : hooks_of(run.journal)) {
    const auto found = wanted.find(ref);
    const int most = found == wanted.end() ? 0 : found->second;
    if (count > most) {
      return ref.to_string() + " ran " + std::to_string(count) + " times, undisturbed " +
             std::to_string(most);
    }
  }
  return std::nullopt;
}

/// The uid of the custom resource that a row removes; empty if it removes none.
std::string_view removed_owner(const Row& row) {
  const bool removes = row.what == Row::What::kCommit || row.what == Row::What::kUser;
  return removes && is_cr(row.ref) && !row.before.is_nil() && row.after.is_nil()
             ? kube::uid_of(row.before)
             : std::string_view();
}

/// A custom resource may go while a child of it is made. The next one shows that nobody looked.
Finding makes_nothing_for_the_gone(const Record& run, const Record& /*undisturbed*/) {
  std::set<std::string_view> gone;
  std::set<ObjectRef> made;
  for (const Row& row : run.journal) {
    gone.insert(removed_owner(row));
    const bool is_new = row.what == Row::What::kCommit && row.before.is_nil();
    const auto owners =
        is_new ? kube::owner_references_of(row.after) : std::vector<kube::OwnerReference>();
    if (!owners.empty() && gone.contains(owners.front().uid) && !made.insert(row.ref).second) {
      return row.ref.to_string() + " is made again and again for an owner that is gone";
    }
  }
  return std::nullopt;
}

/// When the process last wrote the status of each custom resource.
std::map<ObjectRef, base::MonotonicTime> settled_at(const Journal& journal) {
  std::map<ObjectRef, base::MonotonicTime> times;
  for (const Row& row : journal) {
    if (row.what == Row::What::kCommit && is_cr(row.ref)) {
      times[row.ref] = row.at;
    }
  }
  return times;
}

/// How much later a custom resource may settle for an incident. A call for another one does not
/// concern it; calls whose objects do not have a name that begins with that of their owner may be.
base::Duration delay_by(const Incident& incident, const ObjectRef& cr) {
  const std::string& call = incident.when.call;
  const auto is_of = [&call](const std::string& name) {
    return call.ends_with("/" + name) || call.find("/" + name + "-") != std::string::npos ||
           call.find(std::string(kRecordPrefix) + name + ".v") != std::string::npos;
  };
  const bool is_of_other = !is_of(cr.name) && (is_of("w") || is_of("v") || is_of("g"));
  switch (incident.kind) {
    case Incident::Kind::kCrash:
      return std::chrono::seconds(2);
    case Incident::Kind::kDelay:
      return is_of_other ? base::Duration() : incident.delay;
    case Incident::Kind::kFreeze:
      return incident.delay;  // Of all custom resources.
    case Incident::Kind::kStep:
      return std::chrono::seconds(90);  // See Campaign: a watch may be held for so long.
    case Incident::Kind::kRefuse:
    case Incident::Kind::kLose:
      return {};
  }
  return {};
}

base::MonotonicTime last_step_at(const Journal& journal) {
  base::MonotonicTime at{};
  for (const Row& row : journal) {
    at = row.what == Row::What::kUser && row.thread == "main" ? row.at : at;
  }
  return at;
}

Finding holds_up_nobody(const Record& run, const Record& undisturbed) {
  const auto wanted = settled_at(undisturbed.journal);
  const base::MonotonicTime last_step = last_step_at(undisturbed.journal);
  for (const auto& [cr, at] : settled_at(run.journal)) {
    const auto found = wanted.find(cr);
    base::Duration allowed = std::chrono::seconds(30);
    for (const Incident& incident : run.plan.incidents) {
      allowed += delay_by(incident, cr);
    }
    if (found != wanted.end() && at > std::max(found->second, last_step) + allowed) {
      return cr.to_string() + " settles at " + base::format_go_duration(at.time_since_epoch()) +
             ", undisturbed at " + base::format_go_duration(found->second.time_since_epoch());
    }
  }
  return std::nullopt;
}

/// A patch may add to an object of somebody else, and take that away again.
bool is_others(const Row& row) {
  return row.what == Row::What::kCommit && !is_cr(row.ref) && !row.before.is_nil() &&
         kube::owner_references_of(row.before).empty();
}

Finding leaves_others_alone(const Record& run, const Record& /*undisturbed*/) {
  for (const Row& row : run.journal) {
    if (is_others(row) &&
        (row.after.is_nil() || !kube::owner_references_of(row.after).empty() ||
         row.before.string_at({"data", "own"}) != row.after.string_at({"data", "own"}))) {
      return row.call + " changes what belongs to somebody else";
    }
  }
  return std::nullopt;
}

/// Nothing is sent by a process after another one has taken the lease. A request that was sent
/// before may arrive at any time. All processes may read, and make the key.
Finding has_one_writer(const Record& run, const Record& /*undisturbed*/) {
  std::string leader;
  for (const Row& row : run.journal) {
    if (row.what == Row::What::kCommit && is_lease(row.ref)) {
      const bool is_held = !row.after.string_at({"spec", "holderIdentity"}).empty();
      leader = is_held ? row.process : leader;
    } else if (row.what == Row::What::kCall && is_write(row.call) && row.ref.ns != kOwnNamespace &&
               !leader.empty() && row.process != leader) {
      return row.process + " sends " + row.call + ", and " + leader + " holds the lease";
    }
  }
  return std::nullopt;
}

}  // namespace

const std::vector<Oracle>& oracles() {
  static const std::vector<Oracle> all = {
      {"end", comes_to_an_end},
      {"guarded", guards_deletes},
      {"others", leaves_others_alone},
      {"gone", makes_nothing_for_the_gone},
      {"records", keeps_records},
      {"flap", does_not_flap},
      {"back", does_not_go_back},
      {"hooks", runs_hooks_once},
      {"one-writer", has_one_writer},
      {"rest", rests},
      {"same-end", ends_as_undisturbed},
      {"bystander", holds_up_nobody},
      {"ready", is_ready},
  };
  return all;
}

std::optional<Violation> judge(const Record& run, const Record& undisturbed) {
  for (const Oracle& oracle : oracles()) {
    if (auto finding = oracle.judge(run, undisturbed)) {
      return Violation{std::string(oracle.name), *std::move(finding)};
    }
  }
  return std::nullopt;
}

}  // namespace chartwright::sim
