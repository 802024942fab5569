// SPDX-License-Identifier: Apache-2.0
#include "views/view_writer.h"

#include <utility>

#include "views/api_errors.h"
#include "views/object_check.h"

namespace chartwright::views {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr int kTriesMax = 5;

kube::WriteOptions options_of(const WriteRequest& request) {
  kube::WriteOptions options;
  options.field_manager = request.field_manager;
  options.dry_run = request.dry_run;
  return options;
}

void set_metadata(const Value& object, std::string_view key, std::string_view text) {
  if (const Value* metadata = object.find("metadata"); metadata != nullptr && metadata->is_dict()) {
    metadata->mutable_dict().set(key, Value::string(text));
  }
}

/// A template must not write the identity of an object: what is stored keeps that of its first
/// write.
void drop_identity(const Value& object) {
  if (const Value* metadata = object.find("metadata"); metadata != nullptr && metadata->is_dict()) {
    for (const std::string_view key : {"uid", "resourceVersion", "creationTimestamp"}) {
      metadata->mutable_dict().erase(key);
    }
  }
}

/// The error of a template of the view: a fault of the server, except for what the caller has
/// written being too much for it.
Error template_failure(const Error& error) {
  return error.code() == ErrorCode::kBudget ? error : internal_error(error.message());
}

}  // namespace

/// The caller of a write has part in what becomes of the stored object: refusals by admission,
/// quota or validation are passed on.
Error Writer::failure(const Error& error, std::string_view name) const {
  const Resource& resource = projector_.view().resource;
  if (error.code() == ErrorCode::kAlreadyExists) {
    return already_exists(resource, name);
  }
  const bool is_callers = error.http_status() >= 400 && error.http_status() < 500 &&
                          error.http_status() != 401 && !error.reason().empty() &&
                          error.reason() != kube::kNoMatchReason;
  if (!is_callers) {
    return source_failure(projector_.view(), error);
  }
  return Error(error.code(), "storing " + resource.plural + "." + resource.group + " \"" +
                                 std::string(name) + "\": " + error.message())
      .with_http(error.http_status(), error.reason())
      .with_causes(error.causes())
      .with_retry_after(error.retry_after_s());
}

/// Shows what was stored, as a list will show it.
base::Result<Value> Writer::shown(Value stored, std::string_view name) const {
  auto object = projector_.project(std::move(stored));
  if (!object.ok()) {
    return template_failure(object.error());
  }
  if (object->is_nil() || kube::name_of(*object) != name) {
    return internal_error("what `store` writes of " + std::string(name) +
                          " is not what `project` shows");
  }
  return object;
}

base::Result<Value> Writer::create(Value object, const WriteRequest& request, Work& work) const {
  const std::string name(kube::name_of(object));
  auto backing = projector_.backing(object, {});
  if (!backing.ok()) {
    return template_failure(backing.error());
  }
  drop_identity(*backing);
  // Before the write: what the view would not show cannot be taken back.
  CW_TRY_DISCARD(shown(value::deep_copy(*backing), name));
  CW_TRY_VOID(work.check());
  auto stored = client_.create(*backing, options_of(request), work.call());
  if (!stored.ok()) {
    return failure(stored.error(), name);
  }
  return shown(*std::move(stored), name);
}

base::Result<Value> Writer::update_once(const Found& live, const Value& wanted,
                                        const WriteRequest& request, Work& work) const {
  const Resource& resource = projector_.view().resource;
  const std::string_view uid = kube::uid_of(wanted);
  if (!uid.empty() && uid != kube::uid_of(live.object)) {
    return conflict(resource, request.name, "the UID in the precondition does not match");
  }
  auto backing = projector_.backing(wanted, live.source);
  if (!backing.ok()) {
    return template_failure(backing.error());
  }
  if (kube::name_of(*backing) != kube::name_of(live.source)) {
    return invalid_object(resource, request.name,
                          {{"FieldValueInvalid",
                            "Invalid value: the object that stores this one "
                            "would get another name",
                            "metadata.name"}});
  }
  drop_identity(*backing);
  const std::string_view version = kube::resource_version_of(wanted);
  set_metadata(*backing, "resourceVersion",
               version.empty() ? kube::resource_version_of(live.source) : version);
  set_metadata(*backing, "uid", kube::uid_of(live.source));
  CW_TRY_DISCARD(shown(value::deep_copy(*backing), request.name));
  CW_TRY_VOID(work.check());
  auto stored = client_.update(*backing, options_of(request), work.call());
  if (!stored.ok()) {
    return stored.error().code() == ErrorCode::kConflict
               ? conflict(resource, request.name,
                          "the object has been modified; please apply your changes to the latest "
                          "version and try again")
               : failure(stored.error(), request.name);
  }
  return shown(*std::move(stored), request.name);
}

base::Result<Value> Writer::update(const Edit& edit, const WriteRequest& request,
                                   Work& work) const {
  const View& view = projector_.view();
  for (int tries = 1;; ++tries) {
    CW_TRY(const Found live, reader_.get(request.ns, request.name, work));
    Value base = value::deep_copy(live.object);
    base.find("metadata")->mutable_dict().erase("resourceVersion");
    CW_TRY(Value wanted, edit(base, work));
    CW_TRY_VOID(work.check());
    CW_TRY_VOID(check_object(view, wanted, request.ns));
    if (kube::name_of(wanted) != request.name) {
      return bad_request("the name of the object (" + std::string(kube::name_of(wanted)) +
                         ") does not match the name on the URL (" + request.name + ")");
    }
    auto stored = update_once(live, wanted, request, work);
    const bool may_retry =
        !stored.ok() && stored.error().code() == ErrorCode::kConflict &&
        kube::resource_version_of(wanted).empty() && tries < kTriesMax &&
        (kube::uid_of(wanted).empty() || kube::uid_of(wanted) == kube::uid_of(live.object));
    if (!may_retry) {
      return stored;
    }
  }
}

base::Result<Value> Writer::remove(const DeleteRequest& request, Work& work) const {
  const Resource& resource = projector_.view().resource;
  CW_TRY(Found live, reader_.get(request.ns, request.name, work));
  if (!request.uid.empty() && request.uid != kube::uid_of(live.object)) {
    return conflict(resource, request.name, "the UID in the precondition does not match");
  }
  const kube::DeleteOptions options{.uid = std::string(kube::uid_of(live.source)),
                                    .resource_version = request.resource_version,
                                    .propagation = request.propagation,
                                    .dry_run = request.dry_run};
  const base::Status removed = client_.remove(kube::ref_of(live.source), options, work.call());
  if (!removed.ok()) {
    if (removed.error().code() == ErrorCode::kNotFound) {
      return object_not_found(resource, request.name);
    }
    return removed.error().code() == ErrorCode::kConflict
               ? conflict(resource, request.name, "a precondition does not hold")
               : failure(removed.error(), request.name);
  }
  return std::move(live.object);
}

}  // namespace chartwright::views
