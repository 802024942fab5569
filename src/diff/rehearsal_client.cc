// SPDX-License-Identifier: Apache-2.0
#include "diff/rehearsal_client.h"

#include <utility>

#include "base/mutex.h"
#include "external/copy.h"
#include "release/definition.h"
#include "release/hook.h"
#include "value/compare.h"
#include "value/merge_patch.h"

namespace chartwright::diff {
namespace {

using base::Error;
using base::ErrorCode;
using kube::ObjectRef;
using value::Value;

// Newer than any version of an API server, so that caches are known to be older than our writes.
constexpr uint64_t kFirstVersion = uint64_t{1} << 62;
constexpr std::string_view kRecordType = "helm.sh/release.v1";

// A record of a release, or of externals: no object of the chart.
bool is_own_secret(const Value& object) {
  const std::string_view type = object.string_at({"type"});
  return kube::is_secret(kube::gvk_of(object)) &&
         (type == kRecordType || type == external::kCopyType);
}

Error missing(const ObjectRef& ref) {
  return Error(ErrorCode::kNotFound, ref.to_string() + " does not exist")
      .with_http(404, "NotFound");
}

Error conflict(const ObjectRef& ref) {
  return Error(ErrorCode::kConflict, ref.to_string() + " is another one, or has changed")
      .with_http(409, "Conflict");
}

/// Returns a copy whose metadata has that member.
Value with_metadata(const Value& object, std::string_view key, std::string text) {
  const Value change = Value::dict({{key, Value::string(std::move(text))}});
  return value::merge_patched(object, Value::dict({{"metadata", change}}));
}

Value condition(std::string_view type) {
  return Value::dict({{"type", Value::string(type)}, {"status", Value::string("True")}});
}

/// Returns the status that the object has once its controller has done its work.
Value finished_status(const Value& object) {
  const kube::GroupKind kind = kube::gvk_of(object).group_kind();
  if (release::is_definition(kind)) {
    return Value::dict(
        {{"conditions", Value::list({condition("NamesAccepted"), condition("Established")})}});
  }
  if (release::is_waited_for(kind)) {
    return Value::dict({{"phase", Value::string("Succeeded")},
                        {"conditions", Value::list({condition("Complete")})}});
  }
  return {};
}

Value finished(const Value& object) {
  const Value status = finished_status(object);
  return status.is_nil() ? object : value::merge_patched(object, Value::dict({{"status", status}}));
}

/// Reports whether a precondition in `sent` excludes `live`.
bool is_other(const Value& sent, const Value& live) {
  const std::string_view uid = kube::uid_of(sent);
  const std::string_view version = kube::resource_version_of(sent);
  return (!uid.empty() && uid != kube::uid_of(live)) ||
         (!version.empty() && version != kube::resource_version_of(live));
}

// Bookkeeping of the API server, which changes with each write, or with none.
Value content_of(const Value& object) {
  const Value nil;
  const Value bookkeeping =
      Value::dict({{"managedFields", nil}, {"resourceVersion", nil}, {"generation", nil}});
  return value::merge_patched(object, Value::dict({{"metadata", bookkeeping}}));
}

}  // namespace

bool changes(const Write& write) {
  if (write.refusal) {
    return false;
  }
  if (write.before.is_nil() || write.after.is_nil()) {
    return true;
  }
  return !value::json_equal(content_of(write.before), content_of(write.after));
}

RehearsalClient::RehearsalClient(kube::Client& client, const Value& cr)
    : client_(client), cr_(kube::ref_of(cr)), version_(kFirstVersion) {
  objects_[cr_] = cr;
}

Value RehearsalClient::custom_resource() const { return *remembered(cr_); }

std::optional<Value> RehearsalClient::remembered(const ObjectRef& ref) const {
  base::MutexLock lock(mutex_);
  const auto it = objects_.find(ref);
  return it == objects_.end() ? std::nullopt : std::optional(it->second);
}

base::Result<Value> RehearsalClient::current(const ObjectRef& ref, const kube::Call& call) {
  if (auto known = remembered(ref)) {
    return *std::move(known);
  }
  if (is_new_kind(ref.gvk)) {
    return Value();
  }
  auto live = client_.get(ref, call);
  if (!live.ok() && live.error().code() == ErrorCode::kNotFound) {
    return Value();
  }
  if (live.ok() && kube::is_secret(ref.gvk) && !is_own_secret(*live)) {
    secrets_.add(*live);
  }
  return live;
}

bool RehearsalClient::is_new_kind(const kube::Gvk& gvk) const {
  base::MutexLock lock(mutex_);
  return new_kinds_.contains(gvk);
}

bool RehearsalClient::is_answered_here(const Value& object) const {
  const ObjectRef ref = kube::ref_of(object);
  const bool is_record = is_own_secret(object);
  base::MutexLock lock(mutex_);
  return is_record || ref == cr_ || unreal_.contains(ref) || new_kinds_.contains(ref.gvk) ||
         new_namespaces_.contains(ref.ns);
}

Value RehearsalClient::own_answer(const Value& before, const Value& sent) {
  const Value merged = value::merge_patched(before, sent);
  return kube::uid_of(merged).empty() ? with_metadata(merged, "uid", "new") : merged;
}

Value RehearsalClient::admit(Write write, const kube::Call& call) {
  if (kube::is_secret(write.ref.gvk) && !is_own_secret(write.after)) {
    secrets_.add(write.sent);
    secrets_.add(write.after);
  }
  if (release::is_definition(write.ref.group_kind())) {
    learn_kinds(write.after, call);
  }
  base::MutexLock lock(mutex_);
  write.after = with_metadata(write.after, "resourceVersion", std::to_string(++version_));
  if (write.before.is_nil() && write.ref.group_kind() == kube::GroupKind{"", "Namespace"}) {
    new_namespaces_.insert(write.ref.name);
  }
  if (write.before.is_nil()) {
    unreal_.insert(write.ref);
  }
  objects_[write.ref] = finished(write.after);
  Value reply = write.after;
  writes_.push_back(std::move(write));
  return reply;
}

Error RehearsalClient::refuse(Write write, Error error) {
  write.refusal = error;
  writes_.push_back(std::move(write));
  return error;
}

void RehearsalClient::learn_kinds(const Value& definition, const kube::Call& call) {
  const auto read = release::read_definition(definition);
  if (!read.ok()) {
    return;
  }
  const std::string plural(definition.string_at({"spec", "names", "plural"}));
  for (const std::string& version : read->served) {
    const kube::Gvk gvk{read->kind.group, version, read->kind.kind};
    if (!client_.mapping_for(gvk, call).ok()) {
      base::MutexLock lock(mutex_);
      new_kinds_[gvk] = {gvk, plural, read->scope, false};
    }
  }
}

base::Result<kube::ResourceMapping> RehearsalClient::mapping_for(const kube::Gvk& gvk,
                                                                 const kube::Call& call) {
  {
    base::MutexLock lock(mutex_);
    if (const auto it = new_kinds_.find(gvk); it != new_kinds_.end()) {
      return it->second;
    }
  }
  return client_.mapping_for(gvk, call);
}

base::Result<kube::ResourceMapping> RehearsalClient::preferred_mapping(const kube::GroupKind& kind,
                                                                       const kube::Call& call) {
  return client_.preferred_mapping(kind, call);
}

base::Status RehearsalClient::refresh_kinds(base::Duration age, const kube::Call& call) {
  return client_.refresh_kinds(age, call);
}

base::Result<Value> RehearsalClient::schema_of(const kube::Gvk& gvk, const kube::Call& call) {
  return client_.schema_of(gvk, call);
}

base::Result<Value> RehearsalClient::get(const ObjectRef& ref, const kube::Call& call) {
  CW_TRY(Value live, current(ref, call));
  if (live.is_nil()) {
    return missing(ref);
  }
  return value::deep_copy(live);
}

base::Result<kube::ListPage> RehearsalClient::list(const kube::Gvk& gvk,
                                                   const kube::ListOptions& options,
                                                   const kube::Call& call) {
  if (!is_new_kind(gvk)) {
    return client_.list(gvk, options, call);
  }
  kube::ListPage none;
  none.resource_version = "1";
  return none;
}

base::Status RehearsalClient::watch(const kube::Gvk& gvk, const kube::WatchOptions& options,
                                    std::stop_token stop, const kube::WatchSink& sink) {
  if (!is_new_kind(gvk)) {
    return client_.watch(gvk, options, std::move(stop), sink);
  }
  if (options.send_initial_events == kube::SendInitialEvents::kYes) {
    return Error(ErrorCode::kInvalid, "the kind is not served yet");  // It is listed instead.
  }
  base::Mutex waiting;
  base::CondVar stopped;
  const base::WakeOnStop wake(stop, waiting, stopped);
  base::MutexLock lock(waiting);
  while (!stop.stop_requested()) {
    stopped.wait(waiting);
  }
  return {};
}

base::Result<Value> RehearsalClient::create(const Value& object, const kube::WriteOptions& options,
                                            const kube::Call& call) {
  if (options.dry_run == kube::DryRun::kServer) {
    return client_.create(object, options, call);
  }
  Write write{Write::Verb::kCreate, kube::ref_of(object), object, {}, {}, {}};
  if (is_answered_here(object)) {
    CW_TRY(const Value before, current(write.ref, call));
    if (!before.is_nil()) {
      return Error(ErrorCode::kAlreadyExists, write.ref.to_string() + " exists already")
          .with_http(409, "AlreadyExists");
    }
    write.after = own_answer(Value::dict(), object);
    return admit(std::move(write), call);
  }
  kube::WriteOptions asked = options;
  asked.dry_run = kube::DryRun::kServer;
  asked.reply = kube::Reply::kObject;
  auto created = client_.create(object, asked, call);
  if (!created.ok()) {
    return refuse(std::move(write), std::move(created).error());
  }
  write.after = *std::move(created);
  return admit(std::move(write), call);
}

// The engine creates, applies and patches.
base::Result<Value> RehearsalClient::update(const Value& object,
                                            const kube::WriteOptions& /*options*/,
                                            const kube::Call& /*call*/) {
  return Error(ErrorCode::kInternal,
               "an update of " + kube::ref_of(object).to_string() + " cannot be rehearsed");
}

base::Result<kube::Applied> RehearsalClient::apply(const Value& object,
                                                   const kube::ApplyOptions& options,
                                                   const kube::Call& call) {
  if (options.dry_run == kube::DryRun::kServer) {
    return client_.apply(object, options, call);
  }
  Write write{Write::Verb::kApply, kube::ref_of(object), object, {}, {}, {}};
  CW_TRY(write.before, current(write.ref, call));
  const bool is_new = write.before.is_nil();
  if (write.ref == cr_) {  // A status, which is ours as a whole.
    const Value* status = object.find("status");
    write.after = value::deep_copy(write.before);
    write.after.mutable_dict().set("status", status == nullptr ? Value() : *status);
    return kube::Applied{admit(std::move(write), call), false};
  }
  if (is_answered_here(object)) {
    if (!is_new && is_other(object, write.before)) {
      return conflict(write.ref);
    }
    if (is_new && !kube::uid_of(object).empty()) {
      return missing(write.ref);
    }
    write.after = own_answer(is_new ? Value::dict() : write.before, object);
    return kube::Applied{admit(std::move(write), call), is_new};
  }
  kube::ApplyOptions asked = options;
  asked.dry_run = kube::DryRun::kServer;
  asked.reply = kube::Reply::kObject;
  auto applied = client_.apply(object, asked, call);
  // It may fit what an earlier write would have made of the object.
  if (!applied.ok() && applied.error().code() == ErrorCode::kInvalid && remembered(write.ref)) {
    write.after = own_answer(write.before, object);
    return kube::Applied{admit(std::move(write), call), false};
  }
  if (!applied.ok()) {
    return refuse(std::move(write), std::move(applied).error());
  }
  write.after = std::move(applied->object);
  return kube::Applied{admit(std::move(write), call), is_new};
}

base::Result<Value> RehearsalClient::patch(const ObjectRef& ref, const kube::Patch& patch,
                                           const kube::WriteOptions& options,
                                           const kube::Call& call) {
  if (options.dry_run == kube::DryRun::kServer) {
    return client_.patch(ref, patch, options, call);
  }
  Write write{Write::Verb::kPatch, ref, patch.body, {}, {}, {}};
  CW_TRY(write.before, current(ref, call));
  if (write.before.is_nil()) {
    return missing(ref);
  }
  const bool is_written = remembered(ref) || is_answered_here(write.before);
  if (patch.type == kube::PatchType::kMerge && is_written) {
    if (is_other(patch.body, write.before)) {
      return conflict(ref);
    }
    write.after = own_answer(write.before, patch.body);
    return admit(std::move(write), call);
  }
  kube::WriteOptions asked = options;
  asked.dry_run = kube::DryRun::kServer;
  asked.reply = kube::Reply::kObject;
  auto patched = client_.patch(ref, patch, asked, call);
  if (!patched.ok()) {
    return refuse(std::move(write), std::move(patched).error());
  }
  write.after = *std::move(patched);
  return admit(std::move(write), call);
}

base::Status RehearsalClient::remove(const ObjectRef& ref, const kube::DeleteOptions& options,
                                     const kube::Call& call) {
  Write write{Write::Verb::kDelete, ref, {}, {}, {}, {}};
  CW_TRY(write.before, current(ref, call));
  if (write.before.is_nil()) {
    return missing(ref);
  }
  const bool is_another = (!options.uid.empty() && options.uid != kube::uid_of(write.before)) ||
                          (!options.resource_version.empty() &&
                           options.resource_version != kube::resource_version_of(write.before));
  if (is_another) {
    return conflict(ref);
  }
  if (options.dry_run == kube::DryRun::kServer) {
    return {};
  }
  base::MutexLock lock(mutex_);
  objects_[ref] = Value();
  unreal_.insert(ref);
  writes_.push_back(std::move(write));
  return {};
}

}  // namespace chartwright::diff
