// SPDX-License-Identifier: Apache-2.0
#include "release/small_writes.h"

#include <utility>

#include "fields/managed_fields.h"
#include "fields/manager.h"

namespace chartwright::release {
namespace {

using base::ErrorCode;
using value::Value;

// Ends a field manager; the values stay.
base::Status leave_values(kube::Client& client, const kube::ObjectRef& ref, const std::string& uid,
                          const std::string& manager, const kube::Call& call) {
  const auto live = client.get(ref, call);
  if (!live.ok() && live.error().code() != ErrorCode::kNotFound) {
    return live.error();
  }
  if (!live.ok() || kube::uid_of(*live) != uid) {
    return {};
  }
  Value managers = fields::managed_fields_without(*live, manager);
  if (managers.is_nil()) {
    return {};
  }
  const auto patched = client.patch(
      ref, {kube::PatchType::kMerge, metadata_patch(*live, "managedFields", std::move(managers))},
      short_reply(), call);
  if (!patched.ok() && patched.error().code() != ErrorCode::kNotFound) {
    return patched.error();
  }
  return {};
}

// A webhook may answer with a conflict, too: only the object shows whether it is another one.
base::Result<bool> is_there_still(kube::Client& client, const kube::ObjectRef& ref,
                                  std::string_view uid, const kube::Call& call) {
  const auto live = client.get(ref, call);
  if (!live.ok() && live.error().code() != ErrorCode::kNotFound) {
    return live.error();
  }
  return live.ok() && kube::uid_of(*live) == uid;
}

}  // namespace

kube::WriteOptions short_reply() {
  kube::WriteOptions options;
  options.field_manager = fields::kFieldManager;
  options.reply = kube::Reply::kMetadata;
  return options;
}

Value metadata_patch(const Value& live, std::string_view member, Value wanted) {
  const Value metadata =
      Value::dict({{std::string(member), std::move(wanted)},
                   {"resourceVersion", Value::string(kube::resource_version_of(live))},
                   {"uid", Value::string(kube::uid_of(live))}});
  return Value::dict({{"metadata", metadata}});
}

// An apply of the identity alone gives up every field.
base::Status give_up_fields(kube::Client& client, const kube::ObjectRef& ref,
                            const std::string& uid, const Owner& owner, const kube::Call& call) {
  Value metadata = Value::dict({{"name", Value::string(ref.name)}, {"uid", Value::string(uid)}});
  if (!ref.ns.empty()) {
    metadata.mutable_dict().set("namespace", Value::string(ref.ns));
  }
  const Value body = Value::dict({{"apiVersion", Value::string(ref.gvk.api_version())},
                                  {"kind", Value::string(ref.gvk.kind)},
                                  {"metadata", metadata}});
  kube::ApplyOptions options;
  options.field_manager = field_manager_of(owner);
  options.force = kube::Force::kYes;
  const auto applied = client.apply(body, options, call);
  if (applied.ok()) {
    return {};
  }
  switch (applied.error().code()) {
    case ErrorCode::kNotFound:
      return {};
    case ErrorCode::kConflict: {
      CW_TRY(const bool is_there, is_there_still(client, ref, uid, call));
      if (is_there) {
        return applied.error();
      }
      return {};
    }
    case ErrorCode::kInvalid:
    case ErrorCode::kImmutable:
      return leave_values(client, ref, uid, options.field_manager, call);
    default:
      return applied.error();
  }
}

base::Result<bool> remove_exact(kube::Client& client, const kube::ObjectRef& ref,
                                const kube::DeleteOptions& options, const kube::Call& call) {
  auto status = client.remove(ref, options, call);
  if (status.ok()) {
    return true;
  }
  if (status.error().code() == ErrorCode::kNotFound) {
    return false;
  }
  if (status.error().code() == ErrorCode::kConflict) {
    CW_TRY(const bool is_there, is_there_still(client, ref, options.uid, call));
    if (!is_there) {
      return false;
    }
  }
  return std::move(status).error();
}

}  // namespace chartwright::release
