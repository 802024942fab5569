// SPDX-License-Identifier: Apache-2.0
#include "model/memory_server.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/mutex.h"
#include "base/strings.h"
#include "kube/schema_refusal.h"
#include "model/fields.h"
#include "value/compare.h"
#include "value/json.h"
#include "value/merge_patch.h"

namespace chartwright::model {
namespace {

using base::Error;
using base::ErrorCode;
using kube::ObjectRef;
using value::Value;

constexpr std::array<std::string_view, 8> kClusterKinds = {
    "Namespace",        "ClusterRole",  "ClusterRoleBinding", "CustomResourceDefinition",
    "PersistentVolume", "StorageClass", "PriorityClass",      "ClusterWidget"};

Error http_error(ErrorCode code, int status, const std::string& reason, const ObjectRef& ref) {
  return Error(code, ref.to_string() + ": " + reason).with_http(status, reason);
}

Value& metadata_of(Value& object) {
  Value& metadata = object.mutable_dict().at_or_insert("metadata");
  if (!metadata.is_dict()) {
    metadata = Value::dict();
  }
  return metadata;
}

void set_metadata(Value& object, std::string_view key, Value v) {
  metadata_of(object).mutable_dict().set(key, std::move(v));
}

// As PartialObjectMetadata has it.
Value metadata_alone(const Value& object) {
  return Value::dict({{"apiVersion", *object.find("apiVersion")},
                      {"kind", *object.find("kind")},
                      {"metadata", value::deep_copy(*object.find("metadata"))}});
}

// Reports whether the objects are equal, apart from what every write changes.
bool same_content(const Value& a, const Value& b) {
  Value x = value::deep_copy(a);
  Value y = value::deep_copy(b);
  for (Value* v : {&x, &y}) {
    metadata_of(*v).mutable_dict().erase("resourceVersion");
  }
  return value::json_equal(x, y);
}

bool same_spec(const Value& a, const Value& b) {
  const Value* x = a.find("spec");
  const Value* y = b.find("spec");
  return x == nullptr || y == nullptr ? x == y : value::json_equal(*x, *y);
}

Error precondition_failed(const ObjectRef& ref) {
  return http_error(ErrorCode::kConflict, 409, "Conflict", ref);
}

// Checks that the uid and resourceVersion in a body, if any, are those of the object.
base::Status check_identity(const Value& body, const Value& live, const ObjectRef& ref) {
  for (std::string_view key : {"uid", "resourceVersion"}) {
    const std::string_view wanted = body.string_at({"metadata", key});
    if (!wanted.empty() && wanted != live.string_at({"metadata", key})) {
      return precondition_failed(ref);
    }
  }
  return {};
}

// As check_identity, for an apply or a patch: the uid is a value there, which cannot change.
base::Status check_values(const Value& body, const Value& live, const ObjectRef& ref) {
  const std::string_view version = kube::resource_version_of(body);
  if (!version.empty() && version != kube::resource_version_of(live)) {
    return precondition_failed(ref);
  }
  if (!kube::uid_of(body).empty() && kube::uid_of(body) != kube::uid_of(live)) {
    return http_error(ErrorCode::kConflict, 422, "Invalid", ref)
        .with_causes({{"FieldValueInvalid", "Invalid value: field is immutable", "metadata.uid"}});
  }
  return {};
}

bool is_empty(const Value* member) {
  return member != nullptr && ((member->is_dict() && member->as_dict().empty()) ||
                               (member->is_list() && member->as_list().items.empty()));
}

// Removes what is not stored where it is empty. Custom resources keep theirs, but for metadata.
void drop_empty(Value& object, const ObjectRef& ref) {
  for (const std::string_view key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    if (is_empty(object.find_path({"metadata", key}))) {
      metadata_of(object).mutable_dict().erase(key);
    }
  }
  if (ref.gvk.group.empty() && is_empty(object.find("data"))) {
    object.mutable_dict().erase("data");
  }
}

bool is_custom(const kube::Gvk& gvk) {
  return gvk.group.find('.') != std::string::npos && !gvk.group.ends_with(".k8s.io");
}

// Returns `body` with what an update cannot change.
Value updated(const Value& live, const Value& body, const ObjectRef& ref) {
  Value object = value::deep_copy(body);
  for (const std::string_view key : {"managedFields", "deletionTimestamp", "creationTimestamp"}) {
    if (const Value* kept = live.find_path({"metadata", key})) {
      set_metadata(object, key, value::deep_copy(*kept));
    }
  }
  if (is_custom(ref.gvk)) {
    object.mutable_dict().erase("status");
    if (const Value* status = live.find("status")) {
      object.mutable_dict().set("status", *status);
    }
  }
  return object;
}

std::string verb(std::string_view name, kube::DryRun dry_run) {
  return (dry_run == kube::DryRun::kServer ? "dry-" : "") + std::string(name) + " ";
}

}  // namespace

Value MemoryServer::store(const ObjectRef& ref, Value object, kube::DryRun dry_run) {
  auto it = objects_.find(ref);
  Value before = it == objects_.end() ? Value() : it->second;
  if (object.is_nil()) {
    if (it != objects_.end()) {
      objects_.erase(it);
      journal_.push_back({ref, std::move(before), Value(), ++version_});
    }
  } else {
    drop_empty(object, ref);
    set_metadata(object, "uid",
                 Value::string(before.is_nil() ? "uid-" + std::to_string(++uids_)
                                               : std::string(kube::uid_of(before))));
    if (object.find("spec") != nullptr) {
      const int64_t generation = before.is_nil() ? 0 : kube::generation_of(before);
      const bool is_marked = kube::is_deleting(object) && !kube::is_deleting(before);
      const bool grows = before.is_nil() || is_marked || !same_spec(before, object);
      set_metadata(object, "generation", Value::integer(generation + (grows ? 1 : 0)));
    }
    if (!before.is_nil() && same_content(before, object)) {
      return value::deep_copy(before);
    }
    if (dry_run == kube::DryRun::kServer) {
      set_metadata(object, "resourceVersion", Value::string(kube::resource_version_of(before)));
      return value::deep_copy(object);
    }
    set_metadata(object, "resourceVersion", Value::string(std::to_string(++version_)));
    const bool finalized =
        kube::is_deleting(object) && kube::finalizers_of(object).empty() && !before.is_nil();
    if (finalized) {
      set_metadata(object, "resourceVersion", Value::string(kube::resource_version_of(before)));
      objects_.erase(ref);
    } else {
      objects_.insert_or_assign(ref, object);
    }
    journal_.push_back({ref, std::move(before), finalized ? Value() : object, version_});
  }
  changed_.notify_all();
  if (!lag_) {
    await_readers();
  }
  return value::deep_copy(object);
}

const Value* MemoryServer::lookup(const ObjectRef& ref) const {
  auto it = objects_.find(ref);
  return it == objects_.end() ? nullptr : &it->second;
}

Value MemoryServer::put(const Value& object) {
  base::MutexLock lock(mutex_);
  return store(kube::ref_of(object), value::deep_copy(object));
}

void MemoryServer::erase(const ObjectRef& ref) {
  base::MutexLock lock(mutex_);
  store(ref, Value());
}

void MemoryServer::begin_deletion(const ObjectRef& ref) {
  base::MutexLock lock(mutex_);
  const Value* live = lookup(ref);
  if (live == nullptr || kube::finalizers_of(*live).empty()) {
    store(ref, Value());
    return;
  }
  Value object = value::deep_copy(*live);
  set_metadata(object, "deletionTimestamp", Value::string("2026-01-02T03:04:05Z"));
  store(ref, std::move(object));
}

std::optional<Value> MemoryServer::find(const ObjectRef& ref) const {
  base::MutexLock lock(mutex_);
  const Value* live = lookup(ref);
  return live == nullptr ? std::nullopt : std::optional(value::deep_copy(*live));
}

Value MemoryServer::peek(const ObjectRef& ref) const {
  base::MutexLock lock(mutex_);
  const Value* live = lookup(ref);
  return live == nullptr ? Value() : *live;
}

bool MemoryServer::has(const ObjectRef& ref) const {
  base::MutexLock lock(mutex_);
  return lookup(ref) != nullptr;
}

size_t MemoryServer::count(std::string_view kind) const {
  base::MutexLock lock(mutex_);
  return static_cast<size_t>(
      std::count_if(objects_.begin(), objects_.end(),
                    [kind](const auto& item) { return item.first.gvk.kind == kind; }));
}

void MemoryServer::once(std::string what, Event event) {
  base::MutexLock lock(mutex_);
  once_.emplace(std::move(what), std::move(event));
}

void MemoryServer::fail_once(std::string what, Error error) {
  once(std::move(what), [error = std::move(error)] { return std::optional(error); });
}

std::vector<std::string> MemoryServer::disarm() {
  base::MutexLock lock(mutex_);
  const std::set<std::string> lost = std::exchange(lost_, {});
  std::vector<std::string> of(lost.begin(), lost.end());
  for (const auto& [what, event] : std::exchange(once_, {})) {
    of.push_back(what);
  }
  return of;
}

void MemoryServer::fail_always(const std::string& what, std::optional<Error> error) {
  base::MutexLock lock(mutex_);
  always_.erase(what);
  if (error) {
    always_.emplace(what, *error);
  }
}

void MemoryServer::unserve(const std::string& kind) {
  base::MutexLock lock(mutex_);
  unserved_.insert(kind);
}

void MemoryServer::silence(const std::string& kind) {
  base::MutexLock lock(mutex_);
  silent_.insert(kind);
}

void MemoryServer::serve(const std::string& kind) {
  base::MutexLock lock(mutex_);
  served_again_.insert(kind);
}

MemoryServer::Backup MemoryServer::back_up() const {
  base::MutexLock lock(mutex_);
  return {objects_, version_};
}

void MemoryServer::restore(const Backup& backup) {
  base::MutexLock lock(mutex_);
  objects_ = backup.objects;
  version_ = backup.version;
  if (readers_.empty()) {
    journal_.clear();
  }
}

void MemoryServer::serve_status(bool served) {
  base::MutexLock lock(mutex_);
  serves_status_ = served;
}

void MemoryServer::restrict_status(std::set<std::string> members) {
  base::MutexLock lock(mutex_);
  status_members_ = std::move(members);
}

bool MemoryServer::prune_status(Value& object) const {
  const Value* status = object.find("status");
  if (!status_members_ || status == nullptr) {
    return false;
  }
  Value kept = Value::dict();
  for (const auto& [key, member] : status->as_dict()) {
    if (status_members_->contains(std::string(key))) {
      kept.mutable_dict().set(key, member);
    }
  }
  const bool pruned = kept.as_dict().size() < status->as_dict().size();
  object.mutable_dict().set("status", std::move(kept));
  return pruned;
}

std::vector<MemoryServer::Call> MemoryServer::calls() const {
  base::MutexLock lock(mutex_);
  return calls_;
}

std::vector<std::string> MemoryServer::whats() const {
  std::vector<std::string> texts;
  for (const Call& call : calls()) {
    texts.push_back(call.what);
  }
  return texts;
}

MemoryServer::Call MemoryServer::last(std::string_view what) const {
  base::MutexLock lock(mutex_);
  const auto it = std::find_if(calls_.rbegin(), calls_.rend(),
                               [what](const Call& call) { return call.what == what; });
  return it == calls_.rend() ? Call() : *it;
}

void MemoryServer::forget_calls() {
  base::MutexLock lock(mutex_);
  calls_.clear();
}

void MemoryServer::lose_answer_once(std::string what) {
  base::MutexLock lock(mutex_);
  lost_.insert(std::move(what));
}

void MemoryServer::allow_calls(std::optional<size_t> number) {
  base::MutexLock lock(mutex_);
  allowed_ = number;
  refused_ = false;
}

bool MemoryServer::refused_calls() const {
  base::MutexLock lock(mutex_);
  return refused_;
}

void MemoryServer::observe_calls(std::function<void(const std::string&)> observer) {
  base::MutexLock lock(mutex_);
  observer_ = std::move(observer);
}

base::Status MemoryServer::meet(Call call) {
  Event event;
  {
    base::MutexLock lock(mutex_);
    if (observer_) {
      observer_(call.what);
    }
    if (allowed_ && *allowed_ == 0) {
      refused_ = true;
      return Error(ErrorCode::kUnavailable, "the process has ended");
    }
    if (allowed_) {
      --*allowed_;
    }
    auto it = once_.find(call.what);
    if (it != once_.end()) {
      event = std::move(it->second);
      once_.erase(it);
    }
    auto failing = always_.find(call.what);
    std::optional<Error> error =
        failing == always_.end() ? std::nullopt : std::optional(failing->second);
    calls_.push_back(std::move(call));
    if (error) {
      return *std::move(error);
    }
  }
  std::optional<Error> error = event ? event() : std::nullopt;
  if (error) {
    return *std::move(error);
  }
  return {};
}

base::Result<Value> MemoryServer::schema_of(const kube::Gvk& /*gvk*/, const kube::Call& /*call*/) {
  return Value();
}

base::Result<kube::ResourceMapping> MemoryServer::mapping_for(const kube::Gvk& gvk,
                                                              const kube::Call& /*call*/) {
  base::MutexLock lock(mutex_);
  if (silent_.contains(gvk.kind)) {
    return Error(ErrorCode::kUnavailable, gvk.api_version() + " does not answer");
  }
  if (unserved_.contains(gvk.kind)) {
    return Error(ErrorCode::kNotFound, "the server does not serve " + gvk.to_string())
        .with_http(404, std::string(kube::kNoMatchReason));
  }
  const bool cluster =
      std::find(kClusterKinds.begin(), kClusterKinds.end(), gvk.kind) != kClusterKinds.end();
  return kube::ResourceMapping{gvk, gvk.kind,
                               cluster ? kube::Scope::kCluster : kube::Scope::kNamespaced, true};
}

base::Result<kube::ResourceMapping> MemoryServer::preferred_mapping(const kube::GroupKind& kind,
                                                                    const kube::Call& call) {
  return mapping_for({kind.group, "v1", kind.kind}, call);
}

base::Status MemoryServer::refresh_kinds(base::Duration /*age*/, const kube::Call& /*call*/) {
  CW_TRY_VOID(meet({"discover", Value(), ""}));
  base::MutexLock lock(mutex_);
  for (const std::string& kind : served_again_) {
    unserved_.erase(kind);
  }
  served_again_.clear();
  return {};
}

base::Result<Value> MemoryServer::get(const ObjectRef& ref, const kube::Call& /*call*/) {
  CW_TRY_VOID(meet({"get " + ref.to_string(), Value(), ""}));
  base::MutexLock lock(mutex_);
  if (silent_.contains(ref.gvk.kind)) {
    return Error(ErrorCode::kUnavailable, ref.gvk.api_version() + " does not answer");
  }
  const Value* live = lookup(ref);
  if (live == nullptr) {
    return http_error(ErrorCode::kNotFound, 404, "NotFound", ref);
  }
  return value::deep_copy(*live);
}

base::Result<kube::ListPage> MemoryServer::list(const kube::Gvk& gvk,
                                                const kube::ListOptions& options,
                                                const kube::Call& /*call*/) {
  CW_TRY_VOID(meet(
      {"list " + gvk.kind + " " + options.selection.ns + " " + options.selection.label_selector,
       Value(), ""}));
  CW_TRY_VOID(check_selection(options.selection));
  base::MutexLock lock(mutex_);
  kube::ListPage page;
  page.resource_version = std::to_string(version_);
  std::vector<Value> selected;
  for (const auto& [ref, object] : objects_) {
    if (ref.group_kind() == gvk.group_kind() && selects(options.selection, object)) {
      selected.push_back(object);
    }
  }
  const auto skipped = static_cast<size_t>(base::parse_int(options.continue_token).value_or(0));
  const size_t rest = selected.size() - std::min(skipped, selected.size());
  const size_t count =
      options.limit > 0 ? std::min(rest, static_cast<size_t>(options.limit)) : rest;
  if (count < rest) {
    page.continue_token = std::to_string(skipped + count);
  }
  size_t bytes = 0;
  for (size_t i = skipped; i < skipped + count; ++i) {
    page.items.push_back(options.reply == kube::Reply::kMetadata ? metadata_alone(selected[i])
                                                                 : value::deep_copy(selected[i]));
    CW_TRY(const std::string text, value::to_json(page.items.back()));
    bytes += text.size();
  }
  if (bytes > options.bytes_max) {
    return Error(ErrorCode::kBudget,
                 "the response is larger than " + std::to_string(options.bytes_max) + " bytes");
  }
  return page;
}

base::Result<Value> MemoryServer::create(const Value& object, const kube::WriteOptions& options,
                                         const kube::Call& /*call*/) {
  const ObjectRef ref = kube::ref_of(object);
  const std::string what = verb("create", options.dry_run) + ref.to_string();
  CW_TRY_VOID(meet({what, value::deep_copy(object), ""}));
  base::MutexLock lock(mutex_);
  if (lookup(ref) != nullptr) {
    return http_error(ErrorCode::kAlreadyExists, 409, "AlreadyExists", ref);
  }
  Value created = value::deep_copy(object);
  drop_empty(created, ref);
  note_update(Value(), created, options.field_manager);
  return answer(what, store(ref, std::move(created), options.dry_run));
}

base::Result<Value> MemoryServer::update(const Value& object, const kube::WriteOptions& options,
                                         const kube::Call& /*call*/) {
  const ObjectRef ref = kube::ref_of(object);
  const std::string what = verb("update", options.dry_run) + ref.to_string();
  CW_TRY_VOID(meet({what, value::deep_copy(object), ""}));
  base::MutexLock lock(mutex_);
  const Value* live = lookup(ref);
  if (live == nullptr) {
    return http_error(ErrorCode::kNotFound, 404, "NotFound", ref);
  }
  CW_TRY_VOID(check_identity(object, *live, ref));
  if (is_custom(ref.gvk) && kube::resource_version_of(object).empty()) {
    return http_error(ErrorCode::kInvalid, 422, "Invalid", ref);
  }
  Value changed = updated(*live, object, ref);
  drop_empty(changed, ref);
  note_update(*live, changed, options.field_manager);
  return answer(what, store(ref, std::move(changed), options.dry_run));
}

base::Result<kube::Applied> MemoryServer::apply(const Value& object,
                                                const kube::ApplyOptions& options,
                                                const kube::Call& /*call*/) {
  const ObjectRef ref = kube::ref_of(object);
  const bool status = options.subresource == kube::Subresource::kStatus;
  const std::string what =
      verb(status ? "apply-status" : "apply", options.dry_run) + ref.to_string();
  CW_TRY_VOID(meet({what, value::deep_copy(object), ""}));
  base::MutexLock lock(mutex_);
  const Value* live = lookup(ref);
  if (status && !serves_status_) {
    return http_error(ErrorCode::kNotFound, 404, "NotFound", ref);
  }
  if (live == nullptr) {
    if (status) {
      return http_error(ErrorCode::kNotFound, 404, "NotFound", ref);
    }
    if (!kube::uid_of(object).empty()) {
      return precondition_failed(ref);  // "... and no existing object was found".
    }
    return answer(
        what,
        kube::Applied{store(ref, apply_fields(Value(), object, options), options.dry_run), true});
  }
  Value named = object;
  if (status) {  // As for custom resources: the uid in the body is ignored.
    named = value::deep_copy(object);
    metadata_of(named).mutable_dict().erase("uid");
    if (prune_status(named)) {
      return Error(ErrorCode::kInvalid, "field not declared in schema")
          .with_http(500, "")
          .with_causes({{std::string(kube::kUndeclaredField), "", ".status"}});
    }
  }
  CW_TRY_VOID(check_values(named, *live, ref));
  if (options.force == kube::Force::kNo && !conflicting_managers(*live, object, options).empty()) {
    return http_error(ErrorCode::kConflict, 409, "Conflict", ref);
  }
  return answer(
      what,
      kube::Applied{store(ref, apply_fields(*live, object, options), options.dry_run), false});
}

base::Result<Value> MemoryServer::patch(const ObjectRef& ref, const kube::Patch& patch,
                                        const kube::WriteOptions& options,
                                        const kube::Call& /*call*/) {
  const std::string what = verb("patch", options.dry_run) + ref.to_string();
  CW_TRY_VOID(meet({what, value::deep_copy(patch.body), ""}));
  base::MutexLock lock(mutex_);
  const Value* live = lookup(ref);
  if (live == nullptr) {
    return http_error(ErrorCode::kNotFound, 404, "NotFound", ref);
  }
  if (patch.type == kube::PatchType::kJson) {
    CW_TRY(Value changed, replaced(*live, patch.body));
    note_update(*live, changed, options.field_manager);
    return answer(what, store(ref, std::move(changed), options.dry_run));
  }
  CW_TRY_VOID(check_values(patch.body, *live, ref));
  // A copy, since what is stored does not change.
  Value patched = value::deep_copy(value::merge_patched(*live, patch.body));
  prune_status(patched);
  drop_empty(patched, ref);
  note_update(*live, patched, options.field_manager);
  return answer(what, store(ref, std::move(patched), options.dry_run));
}

base::Status MemoryServer::remove(const ObjectRef& ref, const kube::DeleteOptions& options,
                                  const kube::Call& /*call*/) {
  const std::string what = verb("delete", options.dry_run) + ref.to_string();
  CW_TRY_VOID(meet({what, Value(), options.uid, options.propagation}));
  {
    base::MutexLock lock(mutex_);
    const Value* live = lookup(ref);
    if (live == nullptr) {
      return http_error(ErrorCode::kNotFound, 404, "NotFound", ref);
    }
    const std::string& version = options.resource_version;
    if ((!options.uid.empty() && options.uid != kube::uid_of(*live)) ||
        (!version.empty() && version != kube::resource_version_of(*live))) {
      return precondition_failed(ref);
    }
  }
  if (options.dry_run == kube::DryRun::kOff) {
    begin_deletion(ref);
  }
  base::MutexLock lock(mutex_);
  if (auto done = answer(what, true); !done.ok()) {
    return std::move(done).error();
  }
  return {};
}

}  // namespace chartwright::model
