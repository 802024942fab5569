// SPDX-License-Identifier: Apache-2.0
#include "views/projector.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/budget.h"
#include "base/digest.h"
#include "helm/render/functions.h"
#include "host/secret_mask.h"
#include "kube/names.h"
#include "kube/object.h"
#include "views/object_check.h"
#include "yaml/yaml.h"

namespace chartwright::views {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// One object is shown by one small document. A view must not starve the reconciles.
constexpr base::BudgetLimits kLimits = {.steps_max = 1'000'000,
                                        .output_bytes_max = size_t{2} << 20,
                                        .memory_bytes_max = size_t{32} << 20,
                                        .cpu_max = std::chrono::seconds(2),
                                        .wait_max = std::chrono::seconds(2)};
// Metadata that a template may set; the rest follows the source.
constexpr std::array<std::string_view, 4> kOwnMetadata = {"name", "namespace", "labels",
                                                          "annotations"};
// Metadata that an object shares with its source, always or if it is stored there.
constexpr std::array<std::string_view, 3> kFollowed = {"creationTimestamp", "deletionTimestamp",
                                                       "deletionGracePeriodSeconds"};
constexpr std::array<std::string_view, 3> kStored = {"annotations", "finalizers",
                                                     "ownerReferences"};

void copy_member(const Value& from, const Value& to, std::string_view key) {
  const Value* member = from.find(key);
  if (member != nullptr && !member->is_nil() && to.find(key) == nullptr) {
    to.mutable_dict().set(key, *member);
  }
}

Value metadata_of(const Value& object) {
  const Value* found = object.find("metadata");
  return found != nullptr && found->is_dict() ? *found : Value::dict();
}

base::Status check_metadata(const Value& object) {
  const Value* metadata = object.find("metadata");
  if (metadata == nullptr || metadata->is_nil()) {
    return {};
  }
  if (!metadata->is_dict()) {
    return Error(ErrorCode::kInvalidArgument, "metadata is not a mapping");
  }
  for (const auto& [key, member] : metadata->as_dict()) {
    if (std::find(kOwnMetadata.begin(), kOwnMetadata.end(), key) == kOwnMetadata.end()) {
      return Error(ErrorCode::kInvalidArgument,
                   "metadata." + key +
                       " cannot be set: a view sets the name, labels and annotations; the rest "
                       "follows the source");
    }
    if ((key == "labels" || key == "annotations") && !is_text_map(member)) {
      return Error(ErrorCode::kInvalidArgument,
                   "metadata." + key + " is not a mapping to texts: quote numbers and booleans");
    }
  }
  return {};
}

/// Sets what the source decides: a view has no metadata of its own beyond name, labels,
/// annotations.
base::Status complete(const View& view, const Value& source, const Value& object) {
  const Value from = metadata_of(source);
  CW_TRY_VOID(check_metadata(object));
  const Value metadata = metadata_of(object);
  value::Dict& into = metadata.mutable_dict();
  const std::string_view ns = kube::namespace_of(source);
  if (metadata.find("namespace") != nullptr && kube::namespace_of(object) != ns) {
    return Error(ErrorCode::kInvalidArgument, "the namespace must be that of the source");
  }
  into.erase("namespace");
  if (view.resource.namespaced) {
    into.set("namespace", Value::string(ns));
  }
  copy_member(from, metadata, "name");
  copy_member(from, metadata, "labels");
  for (const std::string_view key : kFollowed) {
    copy_member(from, metadata, key);
  }
  if (view.stores()) {
    for (const std::string_view key : kStored) {
      copy_member(from, metadata, key);
    }
  }
  const std::string name(metadata.string_at({"name"}));
  if (!kube::is_dns_subdomain(name)) {
    return Error(ErrorCode::kInvalidArgument,
                 "metadata.name \"" + name + "\" is not a DNS name such as \"farm-web-0\"");
  }
  std::string uid(kube::uid_of(source));
  if (uid.empty()) {
    uid = std::string(ns) + "/" + std::string(kube::name_of(source));
  }
  into.set("uid", Value::string(view_uid(view.resource, uid)));
  if (!kube::resource_version_of(source).empty()) {
    into.set("resourceVersion", Value::string(kube::resource_version_of(source)));
  }
  object.mutable_dict().set("apiVersion", Value::string(view.resource.api_version()));
  object.mutable_dict().set("kind", Value::string(view.resource.kind));
  object.mutable_dict().set("metadata", metadata);
  return {};
}

/// Adds the entries of a map of texts that the other one does not have.
void merge_texts(const Value& from, const Value& into, std::string_view key) {
  const Value* own = from.find(key);
  const Value* written = into.find(key);
  if (own == nullptr || !own->is_dict() || own->as_dict().empty()) {
    return;
  }
  const Value all = written != nullptr && written->is_dict() ? *written : Value::dict();
  for (const auto& [name, text] : own->as_dict()) {
    copy_member(*own, all, name);
  }
  into.mutable_dict().set(key, all);
}

/// The metadata of an object and of the object that stores it are one, except for the identity.
void carry_metadata(const Value& object, const Value& backing) {
  const Value from = metadata_of(object);
  const Value metadata = metadata_of(backing);
  for (const std::string_view key : {"labels", "annotations"}) {
    merge_texts(from, metadata, key);
  }
  for (const std::string_view key : {"finalizers", "ownerReferences"}) {
    copy_member(from, metadata, key);
  }
  if (const std::string_view ns = kube::namespace_of(object); !ns.empty()) {
    metadata.mutable_dict().set("namespace", Value::string(ns));
  }
  backing.mutable_dict().set("metadata", metadata);
}

}  // namespace

std::string view_uid(const Resource& resource, std::string_view uid) {
  const std::string digest =
      base::sha256_hex(resource.group + "/" + resource.plural + "/" + std::string(uid));
  std::array<uint8_t, 16> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto digit = [&](size_t at) {
      return std::string_view("0123456789abcdef").find(digest[at]);
    };
    bytes.at(i) = static_cast<uint8_t>(digit(2 * i) * 16 + digit(2 * i + 1));
  }
  return base::uuid_v4(bytes);
}

Error Projector::located(Error error, std::string_view name, const Value& source) const {
  if (kube::is_secret(kube::gvk_of(source))) {
    host::SecretMask mask;
    mask.add(source);
    error = mask.masked(error);
  }
  const std::string what = view_.source.is_inline() ? "item" : kube::gvk_of(source).kind;
  const std::string ns(kube::namespace_of(source));
  const Resource& resource = view_.resource;
  return std::move(error).wrap(resource.plural + "." + resource.group + ": " + std::string(name) +
                               " of " + what + " " + (ns.empty() ? "" : ns + "/") +
                               std::string(kube::name_of(source)));
}

base::Result<Value> Projector::render(std::string_view name, const Value& data) const {
  return base::within_memory(kLimits.memory_bytes_max, [&]() -> base::Result<Value> {
    base::Budget budget(kLimits, clock_);
    tmpl::WrittenDicts written;
    helm::RenderState state(caches_);
    std::string out;
    CW_TRY_VOID(view_.templates->execute(
        name, data, {tmpl::MissingKey::kZero, budget, written, host_, &state}, out));
    CW_TRY(Value rendered, yaml::parse_yaml(helm::without_no_value(out), value::Numbers::kInt64));
    if (!rendered.is_nil() && !rendered.is_dict()) {
      return Error(ErrorCode::kParse, "the template writes no object: a mapping is needed");
    }
    return rendered;
  });
}

base::Result<Value> Projector::shown(const Value& source) const {
  if (!view_.projects()) {
    Value object = value::deep_copy(source);
    Value own = Value::dict();
    for (const std::string_view key : kOwnMetadata) {
      copy_member(metadata_of(object), own, key);
    }
    object.mutable_dict().set("metadata", std::move(own));
    return object;
  }
  return render(kProjectTemplate, Value::dict({{"source", source}}));
}

base::Result<Value> Projector::project(Value source) const {
  if (const Value metadata = metadata_of(source); metadata.find("managedFields") != nullptr) {
    metadata.mutable_dict().erase("managedFields");
  }
  auto object = shown(source);
  if (object.ok() && object->is_nil()) {
    return object;
  }
  base::Status done = object.ok() ? complete(view_, source, *object) : object.error();
  if (!done.ok()) {
    return located(std::move(done).error(), kProjectTemplate, source);
  }
  return object;
}

base::Result<Value> Projector::backing(const Value& object, const Value& source) const {
  const Value data =
      Value::dict({{"object", value::deep_copy(object)}, {"source", value::deep_copy(source)}});
  auto rendered = render(kStoreTemplate, data);
  if (!rendered.ok()) {
    return located(std::move(rendered).error(), kStoreTemplate, source.is_nil() ? object : source);
  }
  if (rendered->is_nil() || kube::gvk_of(*rendered) != view_.source.gvk) {
    return located(
        Error(ErrorCode::kInvalidArgument,
              "the template must write the kind of the source, " + view_.source.gvk.to_string()),
        kStoreTemplate, object);
  }
  carry_metadata(object, *rendered);
  return rendered;
}

}  // namespace chartwright::views
