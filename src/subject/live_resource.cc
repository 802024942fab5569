// SPDX-License-Identifier: Apache-2.0
#include "subject/live_resource.h"

#include <algorithm>
#include <utility>

#include "health/conditions.h"
#include "kube/schema_refusal.h"
#include "release/small_writes.h"
#include "resource/failure_policy.h"
#include "resource/status_signature.h"
#include "resource/status_size.h"
#include "subject/child_states.h"
#include "subject/news.h"
#include "value/compare.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

namespace {

// Reports whether the API server refuses an apply for fields that the schema lacks.
bool lacks_schema(const Error& error) {
  return std::ranges::any_of(error.causes(), [](const base::ErrorCause& cause) {
    return cause.reason == kube::kUndeclaredField;
  });
}

Error overtaken() {
  return {ErrorCode::kConflict,
          "another process has gone on with the release, or a backup was restored"};
}

bool is_empty(const Value& status) { return status.is_dict() && status.as_dict().empty(); }

// The message of the condition Paused; "" if there is none.
std::string pause_in(const Value& status) {
  const Value* c = health::find_condition(status.find("conditions"), "Paused");
  return c == nullptr ? "" : std::string(c->string_at({"message"}));
}

// Returns a merge patch that removes from `kept` what `wanted` has not; nil: nothing.
Value strays_patch(const Value& kept, const Value& wanted) {
  if (!kept.is_dict()) {
    return {};
  }
  Value patch = Value::dict();
  for (const auto& [name, member] : kept.as_dict()) {
    const Value* same = wanted.find(name);
    if (same == nullptr) {
      patch.mutable_dict().set(name, Value());
    } else if (const Value inner = strays_patch(member, *same); !inner.is_nil()) {
      patch.mutable_dict().set(name, inner);
    }
  }
  return is_empty(patch) ? Value() : patch;
}

}  // namespace

Error LiveResource::mark_gone() {
  gone_ = true;
  return Error(ErrorCode::kCancelled, "the custom resource is gone");
}

Error LiveResource::mark_overtaken(const Value& live) {
  stored_.overtaken = kube::resource_version_of(live);
  return overtaken();
}

// Reads are consistent: only the storage can have gone back.
bool LiveResource::shows_restore(const Value& live) const {
  const std::string_view version = kube::resource_version_of(live);
  return kube::is_older_version(version, kube::resource_version_of(subject_.cr)) ||
         kube::is_older_version(version, stored_.version);
}

base::Status LiveResource::confirm() {
  if (!stored_.overtaken.empty()) {
    return overtaken();
  }
  auto live = subject_.services.client.get(subject_.owner.ref(), subject_.call);
  if (!live.ok() && live.error().code() != ErrorCode::kNotFound) {
    return std::move(live).error();
  }
  if (live.ok() && shows_restore(*live)) {
    subject_.services.caches.note_restore();
    return mark_overtaken(*live);
  }
  if (!live.ok() || kube::uid_of(*live) != subject_.owner.uid || kube::is_deleting(*live)) {
    return mark_gone();
  }
  const Value* status = live->find("status");
  if (status != nullptr && has_moved_on(stored_.status.unpack(), *status)) {
    return mark_overtaken(*live);
  }
  note_status(stored_, *live);
  note(*live);
  confirmed_ = true;
  return {};
}

void LiveResource::note(const Value& live) {
  newest_ = live;
  stored_.version = kube::resource_version_of(live);
}

runtime::Failed LiveResource::unwritten(Error error) {
  const base::Duration at_most = classify(error.code()).at_most;
  return {std::move(error), runtime::Retry::kBackoff, at_most};
}

runtime::Outcome LiveResource::farewell() const {
  return gone_ ? runtime::Outcome(runtime::Done{}) : runtime::Failed{overtaken()};
}

base::Status LiveResource::confirm_once() {
  if (confirmed_) {
    return {};
  }
  return confirm();
}

Value LiveResource::compose(const Value& previous, const StatusReport& report) const {
  StatusInput input;
  input.release = subject_.owner.name;
  input.selector = subject_.watch.label_selector;
  input.uninstallation = report.uninstallation;
  input.generation = kube::generation_of(subject_.cr);
  input.activity = report.activity;
  input.waiting = report.waiting;
  input.waiting_cause = report.waiting_cause;
  input.children = child_states(subject_);
  if (const Value* spec = subject_.cr.find("spec"); spec != nullptr) {
    input.unread_keys = subject_.watch.bundle.unread_keys(*spec);
  }
  input.unused_annotations = unused_annotations(subject_.cr);
  input.author = report.author;
  input.failure = report.failure;
  input.leaves_revision = report.leaves_revision;
  input.now = subject_.services.clock.wall();
  input.previous = previous;
  return build_status(subject_.state, input);
}

base::Status LiveResource::write_status(const StatusReport& report) {
  if (!report.failure && report.activity == Activity::kSettled) {
    forget_failure(subject_);
    generation_ = subject_.progress.revision() > 0 ? kube::generation_of(subject_.cr) : 0;
  }
  const Value previous = stored_.status.unpack();
  const Value composed = compose(previous, report);
  CW_TRY(const Value status, to_send(composed, Signing::kAnew));
  base::Status written;
  if (status_differs(previous, status)) {
    auto sent = deliver(composed, status, Signing::kAnew, kube::Reply::kMetadata);
    if (!sent.ok()) {
      written = std::move(sent).error();
    }
  }
  stored_.lacks_children = stored_.lacks_children && !written.ok();
  if (report.failure && !lost()) {  // All the more where the status cannot say so.
    tell_failure(subject_, previous, composed);
  }
  return written;
}

base::Status LiveResource::write_paused(std::string message) {
  const Value previous = stored_.status.unpack();
  const Value paused = paused_status(previous, std::move(message), kube::generation_of(subject_.cr),
                                     subject_.services.clock.wall());
  const Value status = without_members(paused, stored_.dropped);
  if (!status_differs(previous, status)) {
    return {};
  }
  subject_.context.log.info("Paused", {{"release", subject_.owner.name}});
  CW_TRY_DISCARD(send_status(status, Signing::kNone, kube::Reply::kMetadata));
  const std::string now = pause_in(status);
  if (now != pause_in(previous)) {
    tell(subject_, NoticeType::kNormal, "Paused", now);
  }
  return {};
}

// An apply leaves what others have put beside our entries under a field manager of their own.
base::Result<Value> LiveResource::remove_strays(Value stored, const Value& externals) {
  const Value* kept = stored.find_path({"status", "externals"});
  const Value strays = kept == nullptr ? Value() : strays_patch(*kept, externals);
  if (strays.is_nil()) {
    return stored;
  }
  CW_TRY(Value written, merge_status(Value::dict({{"externals", strays}}), {}));
  note(written);
  return written;
}

// Entries that others have written into the status are not signed along with it.
base::Status LiveResource::write_externals() {
  Value status = stored_.status.unpack();
  if (subject_.signer != nullptr && status.find("resources") != nullptr) {
    CW_TRY(const bool is_ours, is_signed(status, *subject_.signer));
    if (!is_ours) {
      CW_TRY_VOID(write_progress());
      status = stored_.status.unpack();
    }
  }
  if (!status.is_dict()) {
    status = Value::dict();
  }
  const Value externals = external::to_status(subject_.state.externals);
  if (externals.is_nil()) {
    status.mutable_dict().erase("externals");
  } else {
    status.mutable_dict().set("externals", externals);
  }
  CW_TRY(Value sent, send_status(status, Signing::kAnew, kube::Reply::kObject));
  CW_TRY(const Value stored, remove_strays(std::move(sent), externals));
  const Value* kept = stored.find_path({"status", "externals"});
  if (!externals.is_nil() && (kept == nullptr || !value::json_equal(*kept, externals))) {
    return Error(ErrorCode::kInvalid,
                 "the API server does not keep status.externals, without which an object could be "
                 "created twice: the CRD needs it in its schema, as `chartwright generate crd` "
                 "writes it");
  }
  return {};
}

// The API server refuses to apply a field that the schema lacks. A dry run of another kind of write
// shows all of them: also those that are still to come, if the schema allows our examples.
base::Status LiveResource::learn_schema(const Value& status) {
  const Value all = with_members_to_come(status);
  Value sent = all;
  auto stored = try_status(all);
  if (!stored.ok() && stored.error().code() == ErrorCode::kInvalid) {
    sent = status;
    stored = try_status(status);
  }
  if (!stored.ok()) {
    return std::move(stored).error();
  }
  std::vector<StatusPath>& dropped = stored_.dropped;
  const size_t known = dropped.size();
  add_paths(dropped_members(sent, *stored), dropped);
  if (dropped.size() > known) {
    subject_.context.log.warn("The API server does not keep all of the status",
                              {{"reason", describe_dropped(dropped)}});
  }
  return {};
}

// Only over the version that is known, as apply_status(). Returns the custom resource.
base::Result<Value> LiveResource::merge_status(const Value& status, kube::WriteOptions options) {
  options.field_manager = fields::kFieldManager;
  options.subresource = kube::Subresource::kStatus;
  const Value metadata = Value::dict({{"resourceVersion", Value::string(newest_version())},
                                      {"uid", Value::string(subject_.owner.uid)}});
  return subject_.services.client.patch(
      subject_.owner.ref(),
      {kube::PatchType::kMerge, Value::dict({{"metadata", metadata}, {"status", status}})}, options,
      subject_.call);
}

// Returns the status that a merge patch would leave.
base::Result<Value> LiveResource::try_status(const Value& status) {
  kube::WriteOptions options;
  options.dry_run = kube::DryRun::kServer;
  options.validation = kube::FieldValidation::kIgnore;
  CW_TRY(const Value written, merge_status(status, options));
  const Value* stored = written.find("status");
  return stored == nullptr ? Value() : *stored;
}

// Without the members that the schema lacks, and signed as the API server will have it.
base::Result<Value> LiveResource::to_send(const Value& composed, Signing signing) const {
  CW_TRY(const Value fitted, fitted_status(composed));
  Value status = without_members(fitted, stored_.dropped);
  const bool signs = signing == Signing::kAnew && subject_.signer != nullptr &&
                     subject_.state.is_signed && !is_empty(status);
  if (!signs) {
    return status;
  }
  CW_TRY(status, signed_status(status, *subject_.signer));
  return without_members(status, stored_.dropped);
}

base::Result<Value> LiveResource::send_status(const Value& composed, Signing signing,
                                              kube::Reply reply) {
  CW_TRY(Value status, to_send(composed, signing));
  return deliver(composed, std::move(status), signing, reply);
}

base::Result<Value> LiveResource::deliver(const Value& composed, Value status, Signing signing,
                                          kube::Reply reply) {
  const CrState& state = subject_.state;
  if (!stored_.overtaken.empty()) {
    return overtaken();
  }
  if (is_empty(status)) {
    return Value();
  }
  auto applied = apply_status(status, reply);
  if (!applied.ok() && lacks_schema(applied.error())) {
    CW_TRY_VOID(learn_schema(status));
    if (!stored_.dropped.empty()) {
      CW_TRY(status, to_send(pruned_status(composed, state, kube::generation_of(subject_.cr),
                                           subject_.services.clock.wall()),
                             signing));
      if (is_empty(status)) {
        return Value();
      }
      applied = apply_status(status, reply);
    }
  }
  if (!applied.ok() && applied.error().code() == ErrorCode::kConflict) {
    CW_TRY_VOID(confirm());  // Another client wrote; now the newest version is known.
    applied = apply_status(status, reply);
  }
  if (applied.ok()) {
    stored_.status = value::Packed(status);
    note(applied->object);
    confirmed_ = true;
    return std::move(applied->object);
  }
  if (applied.error().code() == ErrorCode::kNotFound) {
    CW_TRY_VOID(confirm());
    return Error(ErrorCode::kNotFound,
                 "the CRD of " + subject_.owner.gvk.to_string() +
                     " has no status subresource, where the operator keeps its state: each of its "
                     "versions needs `subresources: {status: {}}`, as `chartwright generate crd` "
                     "writes it");
  }
  return std::move(applied).error().wrap("write status");
}

// Only over the version that is known: the API server ignores a uid in the status of a custom
// resource, and one that was created anew under the same name must not get the status of this one.
base::Result<kube::Applied> LiveResource::apply_status(const Value& status, kube::Reply reply) {
  const release::Owner& owner = subject_.owner;
  Value metadata = Value::dict({{"name", Value::string(owner.name)},
                                {"uid", Value::string(owner.uid)},
                                {"resourceVersion", Value::string(newest_version())}});
  if (!owner.ns.empty()) {
    metadata.mutable_dict().set("namespace", Value::string(owner.ns));
  }
  const Value body = Value::dict({{"apiVersion", Value::string(owner.gvk.api_version())},
                                  {"kind", Value::string(owner.gvk.kind)},
                                  {"metadata", metadata},
                                  {"status", status}});
  kube::ApplyOptions options;
  options.field_manager = fields::kFieldManager;
  options.force = kube::Force::kYes;
  options.subresource = kube::Subresource::kStatus;
  options.reply = reply;
  return subject_.services.client.apply(body, options, subject_.call);
}

// The watch may not have delivered our last write yet.
std::string LiveResource::newest_version() const {
  const std::string_view cached = kube::resource_version_of(subject_.cr);
  const std::string& written = stored_.version;
  return kube::is_older_version(cached, written) ? written : std::string(cached);
}

base::Status LiveResource::forget_manifest() {
  Value status = stored_.status.unpack();
  if (!status.is_dict() || status.find("deployedRelease") == nullptr) {
    return {};
  }
  const Value metadata = Value::dict({{"resourceVersion", Value::string(newest_version())},
                                      {"uid", Value::string(subject_.owner.uid)}});
  const Value without = Value::dict({{"deployedRelease", Value::nil()}});
  kube::WriteOptions options = release::short_reply();
  options.subresource = kube::Subresource::kStatus;
  auto patched = subject_.services.client.patch(
      subject_.owner.ref(),
      {kube::PatchType::kMerge, Value::dict({{"metadata", metadata}, {"status", without}})},
      options, subject_.call);
  if (!patched.ok()) {
    return std::move(patched).error().wrap("write status");
  }
  status.mutable_dict().erase("deployedRelease");
  stored_.status = value::Packed(status);
  note(*patched);
  return {};
}

base::Status LiveResource::write_finalizers(const std::vector<std::string>& finalizers) {
  // The whole list is replaced, so only over the version it was read from.
  Value metadata =
      Value::dict({{"finalizers", value::list_of(finalizers)},
                   {"resourceVersion", Value::string(kube::resource_version_of(newest()))},
                   {"uid", Value::string(subject_.owner.uid)}});
  kube::WriteOptions options;
  options.field_manager = fields::kFieldManager;
  auto patched = subject_.services.client.patch(
      subject_.owner.ref(), {kube::PatchType::kMerge, Value::dict({{"metadata", metadata}})},
      options, subject_.call);
  if (!patched.ok()) {
    return std::move(patched).error().wrap("write finalizers");
  }
  note(*patched);
  return {};
}

base::Status LiveResource::add_finalizer(std::string_view finalizer) {
  const auto add = [&] {
    std::vector<std::string> all = finalizers();
    if (std::ranges::find(all, finalizer) != all.end()) {
      return base::Status();
    }
    all.emplace_back(finalizer);
    return write_finalizers(all);
  };
  if (kube::is_older_version(kube::resource_version_of(newest()), stored_.version)) {
    CW_TRY_VOID(confirm());  // The watch has not delivered our last write yet.
  }
  base::Status added = add();
  if (!added.ok() && added.error().code() == ErrorCode::kConflict) {
    CW_TRY_VOID(confirm());  // Another client wrote; now the newest version is known.
    added = add();
  }
  return added;
}

}  // namespace chartwright::op
