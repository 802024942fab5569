// SPDX-License-Identifier: Apache-2.0
#include "operator/externals.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/digest.h"
#include "base/strings.h"
#include "operator/takeover.h"
#include "resource/status_signature.h"
#include "subject/news.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using value::Value;

constexpr base::Duration kDefaultPatience = std::chrono::minutes(1);

// The part of a resync after which it is due: custom resources that were created together must not
// ask the same server at the same moment for ever.
double early_part() {
  constexpr double kLeast = 0.8;
  std::minstd_rand random(base::random_seed());
  return std::uniform_real_distribution<double>(kLeast, 1.0)(random);
}

}  // namespace

external::Runner Externals::runner() {
  return {parts_.subject.watch.bundle.externals,
          parts_.records,
          parts_.memory,
          *this,
          {parts_.subject.services.connections, parts_.subject.services.clock,
           parts_.subject.context.log, parts_.subject.call, parts_.subject.owner.uid,
           parts_.subject.overrides.texts()}};
}

// Templates see labels and annotations too.
std::string Externals::inputs_key() const {
  std::string text = parts_.inputs.spec_key + retry_requests(parts_.subject.cr);
  for (const std::string_view member : {"labels", "annotations"}) {
    const Value* found = parts_.subject.cr.find_path({"metadata", member});
    text += "\n";
    text += found == nullptr ? "" : value::to_json(*found, value::JsonEscape::kNone).value_or("");
  }
  if (pin_holds(parts_.subject, parts_.inputs)) {
    text += "\nrevision " + std::to_string(parts_.subject.progress.pinned_revision());
  }
  return base::sha256_hex(text);
}

// The finalizer comes before any create. An age is a sign, too: a backup may have been restored
// that is older than the create. Most often it is a wrong one. A search is cheap, a person is not.
bool Externals::may_have_begun(const external::External& external) const {
  const Subject& subject = parts_.subject;
  const bool has_lost_status = !has_own_members(subject.state.stored.status.unpack());
  if (has_lost_status && has_uninstall_finalizer(subject.cr)) {
    return true;
  }
  return external.adopt && !is_young(subject) && !kube::is_deleting(subject.cr);
}

void Externals::look_back() {
  const CrState& state = parts_.subject.state;
  if (std::exchange(parts_.memory.was_looked_at, true)) {
    return;
  }
  const Services& services = parts_.subject.services;
  const bool trusts = services.clock.monotonic() < services.trusts_unsigned_until;
  for (const external::External& external : parts_.subject.watch.bundle.externals) {
    if (state.externals.contains(external.name)) {
      continue;
    }
    const auto claimed = state.unsigned_externals.find(external.name);
    const bool is_claimed = claimed != state.unsigned_externals.end();
    if (is_claimed && trusts) {
      parts_.subject.context.log.warn(
          "Trusted the id of an external without a signature, as --trust-unsigned-records asks",
          {{"external", external.name}, {"id", claimed->second.id}});
      parts_.records.insert(*claimed);
    } else if (is_claimed || may_have_begun(external)) {
      parts_.records.emplace(external.name, external::presumed_record(services.clock.wall()));
    }
  }
}

base::Status Externals::bring_about() {
  if (!any()) {
    return {};
  }
  external::Memory& memory = parts_.memory;
  const std::string key = inputs_key();
  if (memory.settled == key && parts_.subject.services.clock.monotonic() < memory.due) {
    return {};
  }
  memory.settled.clear();
  external::Runner run = runner();
  auto done = run.bring_about();
  resync_ = run.resync();
  if (!parts_.live.lost()) {
    base::Status followed = copy_.follow();
    done = done.ok() ? std::move(followed) : std::move(done);
  }
  CW_TRY_VOID(std::move(done));
  memory.settled = key;
  memory.due = base::after(parts_.subject.services.clock.monotonic(),
                           std::chrono::duration_cast<base::Duration>(*resync_ * early_part()));
  return {};
}

base::Status Externals::remove() {
  std::vector<std::string> left;
  for (const auto& [name, record] : parts_.subject.state.externals) {
    const auto& all = parts_.subject.watch.bundle.externals;
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&name = name](const auto& one) { return one.name == name; });
    if (!known || wants_orphans(parts_.subject.cr)) {
      left.push_back(name + " " + (record.id.empty() ? "(id unknown)" : record.id));
    }
  }
  if (!wants_orphans(parts_.subject.cr)) {
    external::Runner run = runner();
    CW_TRY_VOID(run.remove());
    left.insert(left.end(), run.orphans().begin(), run.orphans().end());
  }
  if (!left.empty()) {
    warn_of("ExternalsOrphaned", "left where they are: " + base::join(left, ", "));
  }
  return copy_.remove();  // A namesake would find it before garbage collection does.
}

bool Externals::lack_ids() const {
  const auto& all = parts_.subject.watch.bundle.externals;
  const external::Records& records = parts_.subject.state.externals;
  return std::any_of(all.begin(), all.end(), [&records](const external::External& one) {
    const auto record = records.find(one.name);
    return record == records.end() || record->second.id.empty();
  });
}

std::optional<base::Duration> Externals::due_in() const {
  if (!any()) {
    return std::nullopt;
  }
  constexpr base::Duration kLeast = std::chrono::milliseconds(1);
  const base::Duration rest = parts_.memory.due - parts_.subject.services.clock.monotonic();
  return std::max(rest, kLeast);
}

base::Duration Externals::patience() const { return resync_.value_or(kDefaultPatience); }

base::Result<Value> Externals::scope() {
  bundle::OperatorView view;
  view.cr = parts_.subject.cr;
  if (pin_holds(parts_.subject, parts_.inputs)) {
    CW_TRY(view.release, parts_.view.release());
  } else {  // At the end of a rollback, the values are those of the spec before the chart is.
    view.release = parts_.inputs.release;
    view.release.revision = parts_.subject.progress.revision();
  }
  return parts_.renders.run(host::Source::kOperatorFolder, [this, &view] {
    return parts_.subject.services.renderer.scope(parts_.subject.watch.bundle, std::move(view));
  });
}

base::Status Externals::in_turn(const Work& work) {
  return parts_.renders.run(host::Source::kOperatorFolder, [this, &work] {
    return work(parts_.subject.services.renderer.operator_context());
  });
}

base::Result<Value> Externals::secret(const std::string& name) {
  return parts_.subject.services.client.get(
      {{"", "v1", "Secret"}, parts_.subject.owner.release_namespace(), name}, parts_.subject.call);
}

std::set<std::string> Externals::ids_of_others(const std::string& external) {
  std::set<std::string> ids;
  for (const runtime::Stored& kept :
       parts_.subject.services.caches.custom_resources(parts_.subject.watch.gvk)) {
    if (kube::uid_of(*kept) == parts_.subject.owner.uid) {
      continue;
    }
    const Value cr = observe::unpack_custom_resource(*kept);
    const std::string_view id = cr.string_at({"status", "externals", external, "id"});
    if (!id.empty() && is_believed(cr)) {
      ids.emplace(id);
    }
  }
  return ids;
}

// Anyone who may write a status could otherwise hide an object from its owner, who would make
// another.
bool Externals::is_believed(const Value& cr) const {
  if (parts_.subject.signer == nullptr) {
    return true;
  }
  const auto signer = base::Signer::make(parts_.subject.services.master_key, kube::uid_of(cr));
  const Value* status = cr.find("status");
  return signer.ok() && status != nullptr && is_signed(*status, *signer).value_or(false);
}

std::optional<std::string> Externals::decided_id(const std::string& external) {
  const auto decided =
      kube::annotation_of(parts_.subject.cr, std::string(kExternalId) + "." + external);
  return decided && !decided->empty() ? std::optional<std::string>(*decided) : std::nullopt;
}

bool Externals::trusts_author() const {
  return parts_.subject.watch.adoption == bundle::AdoptionPolicy::kAuthor;
}

void Externals::warn_of(const std::string& reason, const std::string& message) const {
  parts_.subject.context.log.warn("Externals are left",
                                  {{"reason", reason}, {"externals", message}});
  tell(parts_.subject, NoticeType::kWarning, reason, message);
}

}  // namespace chartwright::op
